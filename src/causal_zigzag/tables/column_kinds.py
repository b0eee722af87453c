"""Column: a column with its kind, which is given by the user or guessed from the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.tables.dates import check_no_dates
from causal_zigzag.tables.numbers_as_text import is_fraction, misread
from causal_zigzag.tables.raw_columns import Raw

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.errors import Flaw

Kind = Literal["continuous", "categorical", "ordinal"]
"""Ordinal columns are used as numbers: their values, or the ranks of their levels."""

FEW_VALUES = 10
"""Integers with at most this number of distinct values, and at least ten rows per value, are guessed as categorical."""

MOST_LEVELS = 65535


@final
@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One column: numbers, or codes 0, 1, ... of its levels, or both if the levels are numbers."""

    name: Hashable
    kind: Kind
    numbers: NDArray[np.float64] | None
    codes: NDArray[np.uint16] | None
    levels: tuple[object, ...]


def column_of(name: Hashable, raw: Raw, asked: Kind | None) -> Column:
    """The column with the requested kind, or else with the kind that its values suggest."""
    numeric = raw.is_numeric()
    kind = asked or _guess(raw)
    if asked is None and not numeric:
        _check_categories(name, raw)
    if kind == "categorical":
        return _categorical(name, raw)
    if not numeric:
        if kind == "continuous" or not raw.ordered:
            remedy = "make it a pandas.Categorical with ordered=True" if kind == "ordinal" else "do not give its kind"
            fault = f"column {show(name)} is not numeric (it contains {raw.values[0]!r}), so it cannot be {kind}"
            raise no_number(fault, remedy, name, raw.levels, "kind")
        places = {level: float(place) for place, level in enumerate(raw.levels)}
        numbers = np.array([places[value] for value in raw.values])
    else:
        numbers = raw.values.astype(np.float64)
    if (numbers == numbers[0]).all():
        raise _constant(name, raw.values[0])
    numbers.setflags(write=False)
    return Column(name, kind, numbers, None, ())


def _guess(raw: Raw) -> Kind:
    if not raw.is_numeric() or raw.values.dtype.kind == "b":
        return "categorical"
    values = raw.values
    if values.dtype.kind == "f" and not _whole(values):
        return "continuous"
    distinct = len(_distinct(values)[0])
    return "categorical" if distinct <= min(FEW_VALUES, max(2, len(values) // 10)) else "continuous"


def _whole(numbers: NDArray[Any]) -> bool:
    """Whether all numbers are integers; the first one is tested first, which usually decides."""
    return float(numbers[0]).is_integer() and np.array_equal(numbers, np.round(numbers))


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The distinct numbers in order, and the index of each cell among them; fast for small integers."""
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) <= MOST_LEVELS:
        wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
        above = (wide - wide.min()).astype(np.intp)
        present = np.flatnonzero(np.bincount(above))
        place = np.zeros(int(above.max()) + 1, dtype=np.intp)
        place[present] = np.arange(len(present))
        return present.astype(wide.dtype) + wide.min(), place[above]
    return np.unique(values, return_inverse=True)


def _categorical(name: Hashable, raw: Raw) -> Column:
    numbers = None
    if raw.is_numeric():
        levels, codes = _distinct(raw.values)
        found = tuple(levels.tolist())
        numbers = raw.values.astype(np.float64)
        numbers.setflags(write=False)
    else:
        found = tuple(raw.levels)
        place = {level: i for i, level in enumerate(found)}
        codes = np.array([place[value] for value in raw.values.tolist()])
    if len(found) == 1:
        raise _constant(name, found[0])
    if len(found) == len(raw.values) and len(found) > 2:
        fault = f"the categorical column {show(name)} has as many levels as there are rows ({len(found)}), like an "
        raise no_number(f"{fault}identifier", "drop it, or group its levels", name, found, "identifier")
    if len(found) > MOST_LEVELS:
        raise DataError(
            f"column {show(name)} has {len(found)} levels, but at most {MOST_LEVELS} are supported; group them"
        )
    small = codes.astype(np.uint16)
    small.setflags(write=False)
    return Column(name, "categorical", numbers, small, found)


def _check_categories(name: Hashable, raw: Raw) -> None:
    """Raise a DataError if a column of text is unlikely to be categorical.

    That is the case for numbers in a form that could not be parsed, and for text that hardly ever repeats.
    """
    texts = [level for level in raw.levels if isinstance(level, str)]
    if raw.categories:
        return
    check_no_dates(name, raw.levels)
    if len(texts) <= FEW_VALUES:
        return
    found = misread(raw.levels)
    if found and (found.flaw in ("marks", "unit", "comma") or sum(is_fraction(text) for text in texts) > FEW_VALUES):
        meant = "" if len(texts) == len(raw.values) else f"; kinds={{{name!r}: 'categorical'}} keeps it as it is"
        fault = f"column {show(name)} would be categorical, with {len(texts)} levels, but {found.fault}"
        raise DataError(fault, found.remedy + meant, found.flaw, name)
    levels, rows = len(raw.levels), len(raw.values)
    if rows / 2 < levels < rows:
        fault = f"the categorical column {show(name)} has {levels} levels in {rows} rows, like an identifier"
        remedy = f"drop it, or group its levels; kinds={{{name!r}: 'categorical'}} keeps it as it is"
        raise DataError(fault, remedy, "identifier", name)


def no_number(fault: str, remedy: str, name: Hashable, levels: Sequence[object], flaw: Flaw = "no number") -> DataError:
    """The error about a column that is not numeric; if its text contains numbers, the remedy says how to parse them."""
    found = misread(levels)
    if found is not None:
        return DataError(f"{fault}; {found.fault}", found.remedy, found.flaw, name)
    return DataError(fault, remedy, flaw, name)


def _constant(name: Hashable, value: object) -> DataError:
    value = value.item() if isinstance(value, np.generic) else value
    fault = f"column {show(name)} is constant: every cell is {value!r}, so it contains no information"
    return DataError(fault, "drop it", "no use", name)


def as_categories(column: Column, wanted_by: str) -> Column:
    """The column with codes; integers become categories."""
    if column.codes is not None:
        return column
    numbers = column.numbers
    assert numbers is not None  # a column has numbers or codes
    if column.kind == "continuous" and not _whole(numbers):
        raise DataError(
            f"column {show(column.name)} is continuous, but {wanted_by} needs categories",
            "cut it into a few levels, for example with pandas.qcut, or use score='gaussian-bic' or score='mixed-bic'",
            "fractions",
            column.name,
        )
    return _categorical(column.name, Raw(numbers))
