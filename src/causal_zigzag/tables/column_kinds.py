"""Column: a column with its kind, which is given by the user or guessed from the values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.tables.cell_types import NUMBERS, brief
from causal_zigzag.tables.numbers_as_text import Misread, are_markers, is_fraction, misread
from causal_zigzag.tables.raw_columns import Raw
from causal_zigzag.tables.times.dates import check_no_dates

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.errors import Flaw

Kind = Literal["continuous", "categorical", "ordinal"]
"""Ordinal columns are used as numbers: their values, or the ranks of their levels."""

FEW_VALUES = 10
"""Numbers with at most this number of distinct values, and at least ten rows per value, are guessed as categorical."""

MOST_LEVELS = 65535
MISSING_CODE = -1


@final
@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One column: numbers, or codes 0, 1, ... of its levels, or both if the levels are numbers.

    A missing cell is NaN among the numbers and -1 among the codes. ``reason`` says why the column has its kind.
    """

    name: Hashable
    kind: Kind
    numbers: NDArray[np.float64] | None
    codes: NDArray[np.int32] | None
    levels: tuple[object, ...]
    reason: str = ""

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        return np.isnan(self.numbers) if self.numbers is not None else np.asarray(self.codes) == MISSING_CODE

    def rows(self, chosen: NDArray[Any]) -> Column:
        """The column with these rows, given by numbers or by truth values."""
        numbers = None if self.numbers is None else _frozen(self.numbers[chosen])
        return replace(self, numbers=numbers, codes=None if self.codes is None else _frozen(self.codes[chosen]))

    def with_used_levels(self) -> Column:
        """The column without levels that no row has; no cell may be missing."""
        if self.codes is None:
            return self
        used, codes = np.unique(self.codes, return_inverse=True)
        return replace(self, codes=_frozen(codes.astype(np.int32)), levels=tuple(self.levels[k] for k in used.tolist()))


def column_of(name: Hashable, raw: Raw, asked: Kind | None, check: bool = True) -> Column:
    """The column with the requested kind, or else with the kind that its values suggest.

    With ``check``, a column of text that is unlikely to be categorical raises a DataError.
    """
    gaps = raw.missing
    if gaps.any():
        made = column_of(name, raw.only(name, ~gaps), asked, check)
        places = np.where(gaps, 0, np.cumsum(~gaps) - 1)
        made = made.rows(places)
        numbers = None if made.numbers is None else _frozen(np.where(gaps, np.nan, made.numbers))
        codes = None if made.codes is None else _frozen(np.where(gaps, MISSING_CODE, made.codes).astype(np.int32))
        return replace(made, numbers=numbers, codes=codes)
    numeric = raw.is_numeric()
    if numeric:
        _check_varies(name, raw)
    kind, reason = (asked, "as requested") if asked else _guess(raw)
    if asked is None and not numeric and check:
        _check_categories(name, raw)
    if kind == "categorical":
        return _categorical(name, raw, reason, check and asked is None)
    if not numeric:
        if kind == "continuous" or not raw.ordered:
            remedy = "make it a pandas.Categorical with ordered=True" if kind == "ordinal" else "do not give its kind"
            fault = f"column {show(name)} is not numeric (it contains {raw.values[0]!r}), so it cannot be {kind}"
            raise no_number(fault, remedy, name, raw.levels, "kind")
        ranks = {level: float(rank) for rank, level in enumerate(raw.levels)}
        numbers = np.array([ranks[value] for value in raw.values])
    else:
        numbers = raw.values.astype(np.float64)
    if (numbers == numbers[0]).all():
        raise _constant(name, raw.values[0])
    return Column(name, kind, _frozen(numbers), None, (), reason)


def _guess(raw: Raw) -> tuple[Kind, str]:
    """A kind, and the reason for it."""
    if not raw.is_numeric():
        if raw.ordered:
            return "ordinal", "ordered categories"
        return "categorical", "categories" if raw.categories else "text"
    values = raw.values
    if values.dtype.kind == "b":
        return "categorical", "true or false"
    whole = values.dtype.kind in "iu" or is_whole(values)
    if not whole and (len(values) <= FEW_VALUES or len({*values[:100].tolist()}) > FEW_VALUES):
        return "continuous", "numbers with fractions"
    distinct = len(np.unique(values))
    if distinct <= 2:
        return "categorical", "two values"
    if distinct <= min(FEW_VALUES, len(values) // 10):  # in any unit
        return "categorical", f"only {distinct} different {'integers' if whole else 'numbers'}"
    return "continuous", f"{distinct:,} different integers" if whole else "numbers with fractions"


def is_whole(numbers: NDArray[Any]) -> bool:
    """Whether all numbers are integers; the first one is tested first, which usually decides."""
    return float(numbers[0]).is_integer() and np.array_equal(numbers, np.round(numbers))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _categorical(name: Hashable, raw: Raw, reason: str, check: bool = True) -> Column:
    numbers = None
    if raw.is_numeric():
        levels, codes = np.unique(raw.values, return_inverse=True)
        found = tuple(levels.tolist())
        numbers = _frozen(raw.values.astype(np.float64))
    else:
        found = tuple(raw.levels)
        place = {level: i for i, level in enumerate(found)}
        codes = np.array([place[value] for value in raw.values.tolist()])
    if len(found) == 1:
        raise _constant(name, found[0])
    if check and len(found) == len(raw.values) and len(found) > 2:
        fault = f"the categorical column {show(name)} has as many levels as there are rows ({len(found)}), like an "
        raise no_number(f"{fault}identifier", "drop it, or group its levels", name, found, "identifier")
    if len(found) > MOST_LEVELS:
        fault = f"column {show(name)} has {len(found)} levels, but at most {MOST_LEVELS} are supported"
        raise DataError(fault, "group them", "unusable", name)
    return Column(name, "categorical", numbers, _frozen(codes.astype(np.int32)), found, reason)


def hidden_numbers(raw: Raw) -> Misread | None:
    """How to read numbers in a column of text; None if they are few, and so likely to be names of categories.

    A few different numbers beside a marker of missing cells are numbers, too.
    """
    texts = [level for level in raw.levels if isinstance(level, str)]
    if raw.categories or len(texts) < len(raw.levels):
        return None
    found = misread(raw.levels)
    if found is None:
        return None
    if found.flaw == "markers" and are_markers([t for t in texts if found.read is None or np.isnan(found.read(t))]):
        return found
    if len(texts) <= FEW_VALUES:
        return None
    clear = found.flaw in ("markers", "unit", "comma") or sum(is_fraction(text) for text in texts) > FEW_VALUES
    return found if clear else None


def _check_categories(name: Hashable, raw: Raw) -> None:
    """Raise a DataError if a column of text is unlikely to be categorical.

    That is the case for numbers in a form that could not be parsed, and for text that hardly ever repeats.
    """
    if raw.categories:
        return
    text, number = (next((v for v in raw.levels if isinstance(v, kind)), None) for kind in (str, NUMBERS))
    if text is not None and number is not None:
        fault = f"column {show(name)} mixes numbers and text, such as {brief(number)} and {brief(text)}"
        remedy = "pandas.to_numeric(..., errors='coerce') makes text missing, .astype(str) makes all cells text"
        raise DataError(fault, remedy, "markers", name)
    check_no_dates(name, raw.levels)
    levels, rows = len(raw.levels), len(raw.values)
    found = hidden_numbers(raw)
    if found:
        meant = "" if levels == rows else f"; kinds={{{name!r}: 'categorical'}} keeps it as it is"
        fault = f"column {show(name)} would be categorical, with {levels} levels, but {found.fault}"
        raise DataError(fault, found.remedy + meant, found.flaw, name)
    if levels > FEW_VALUES and rows / 2 < levels < rows:
        fault = f"the categorical column {show(name)} has {levels} levels in {rows} rows, like an identifier"
        remedy = f"drop it, or group its levels; kinds={{{name!r}: 'categorical'}} keeps it as it is"
        raise DataError(fault, remedy, "identifier", name)


def no_number(fault: str, remedy: str, name: Hashable, levels: Sequence[object], flaw: Flaw = "no number") -> DataError:
    """The error about a column that is not numeric; if its text contains numbers, the remedy says how to parse them."""
    found = misread(levels)
    if found is not None:
        return DataError(f"{fault}; {found.fault}", found.remedy, found.flaw, name)
    return DataError(fault, remedy, flaw, name)


def _check_varies(name: Hashable, raw: Raw) -> None:
    low, high = float(raw.values.min()), float(raw.values.max())
    if low == high:
        raise _constant(name, raw.values[0])
    if high / 2 - low / 2 <= 4 * np.finfo(np.float64).eps * max(abs(low), abs(high)):
        fault = f"column {show(name)} is constant up to rounding, so it contains no information"
        raise DataError(fault, "drop it", "constant", name)


def _constant(name: Hashable, value: object) -> DataError:
    value = value.item() if isinstance(value, np.generic) else value
    fault = f"column {show(name)} is constant: every cell is {value!r}, so it contains no information"
    return DataError(fault, "drop it", "constant", name)


def as_categories(column: Column, wanted_by: str) -> Column:
    """The column with codes; integers become categories."""
    if column.codes is not None:
        return column
    numbers = column.numbers
    assert numbers is not None  # a column has numbers or codes
    if column.kind == "continuous" and not is_whole(numbers):
        raise DataError(
            f"column {show(column.name)} is continuous, but {wanted_by} needs categories",
            "cut it into a few levels, for example with pandas.qcut, or use score='gaussian-bic' or score='mixed-bic'",
            "fractions",
            column.name,
        )
    return _categorical(column.name, Raw(numbers), "integers as categories")
