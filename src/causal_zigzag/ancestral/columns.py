"""The linear Gaussian score of the columns of a table, or of another score's table, for ancestral graphs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import DataError, ScoreError, SettingsError
from causal_zigzag.graphs.labels import Labels, meant, show, show_all
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.gaussian import GaussianBIC
from causal_zigzag.support.validation import is_hashable, is_word
from causal_zigzag.support.wording import count
from causal_zigzag.tables.finding import CHANGED
from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column
    from causal_zigzag.tables.table import Table

MOST_COLUMNS = core.most_mag_nodes
Normalizing = Literal["auto", "normal-scores"] | None
"""Normal scores of the ranks of columns that are far from normal, of all columns, or of none."""

SKEWED, HEAVY = 1.0, 2.0  # skewness and excess kurtosis beyond which a column is far from normal
CERTAIN = 5.0  # and they are this number of standard errors


class GaussianColumns(NamedTuple):
    """The score of the columns, those that are experimental conditions, and what was done to get there."""

    score: GaussianBIC
    conditions: tuple[Hashable, ...]
    notes: tuple[str, ...]
    others: tuple[Hashable, ...]  # that were not chosen


def gaussian_columns(
    data_or_score: Any, columns: Iterable[Hashable] | None, transform: Normalizing, reading: dict[str, Any]
) -> GaussianColumns:
    """The score of these columns, of all by default; ``reading`` are arguments of ``read_table``."""
    if not (transform is None or is_word(transform, "auto", "normal-scores")):
        raise SettingsError(f"transform must be None, 'auto' or 'normal-scores', not {transform!r}")
    is_score = isinstance(data_or_score, Score)
    if isinstance(data_or_score, Score):
        if reading:
            word = next(iter(reading))
            raise SettingsError(f"{word}= is for a table, but {data_or_score!r} is a score already; leave {word} out")
        if past_columns(data_or_score.nodes, data_or_score.contexts):
            raise _series()
        if isinstance(data_or_score, GaussianBIC):
            return _of_score(data_or_score, columns)
        if data_or_score.source_table is None:
            raise ScoreError(
                f"hidden causes need the linear Gaussian score, or a table; {data_or_score!r} has none. Pass the table "
                "or cz.GaussianBIC(data)"
            )
        data_or_score = data_or_score.source_table
    table = read_table(data_or_score, **reading)
    if past_columns(table.nodes, table.contexts):
        raise _series()
    found = _of_table(table, columns, transform)
    changes = () if is_score else tuple(str(n) for n in table.notes if n.severity >= CHANGED and n.kind != "missing")
    return found._replace(notes=changes + found.notes)


def _of_score(score: GaussianBIC, columns: Iterable[Hashable] | None) -> GaussianColumns:
    chosen = _chosen(score.nodes, columns)
    conditions = tuple(name for name in score.contexts if name in chosen)
    if chosen == tuple(score.nodes):
        return GaussianColumns(score, conditions, (), ())
    numbers = [Labels(score.nodes).number(name) for name in chosen]
    deviation = np.exp(score._log_variance[numbers] / 2)
    covariance = score._correlation[np.ix_(numbers, numbers)] * np.outer(deviation, deviation)
    part = GaussianBIC.from_covariance(covariance, score.n_samples, score.penalty, chosen)
    return GaussianColumns(part, conditions, (), tuple(name for name in score.nodes if name not in chosen))


def _of_table(table: Table, columns: Iterable[Hashable] | None, transform: Normalizing) -> GaussianColumns:
    chosen = _chosen(table.nodes, columns)
    used = [next(column for column in table.columns if column.name == name) for name in chosen]
    numbers = {column.name: _numbers(column, column.name in table.contexts) for column in used}
    if wrong := [name for name, cells in numbers.items() if cells is None]:
        rest = [name for name in chosen if name not in wrong]
        raise DataError(
            f"hidden causes are sampled for columns of numbers, and {show_all(wrong)} "
            f"{'is' if len(wrong) == 1 else 'are'} categorical, for which no score was right often enough",
            f"name others: columns={rest!r}" if len(rest) > 1 else "there are too few columns of numbers",
            about=wrong[0],
        )
    matrix = np.array([cells for cells in numbers.values() if cells is not None])
    complete = ~np.isnan(matrix).any(axis=0)
    notes = []
    if not complete.all():
        left_out = count(int((~complete).sum()), "incomplete row")
        notes.append(f"{left_out} of {len(complete):,} left out")
        matrix = matrix[:, complete]
    if matrix.shape[1] <= len(chosen) + 1:
        raise DataError(f"{matrix.shape[1]} complete rows are too few for {len(chosen)} columns", "give more rows")
    conditions = tuple(name for name in table.contexts if name in chosen)
    ranked = [i for i, name in enumerate(chosen) if name not in conditions and _ranked(matrix[i], transform)]
    for i in ranked:
        matrix[i] = normal_scores(matrix[i])
    if ranked:
        notes.append(f"normal scores of the ranks of {show_all([chosen[i] for i in ranked])}")
    constant = [name for name, cells in zip(chosen, matrix, strict=True) if cells.min() == cells.max()]
    if constant:
        raise DataError(f"column {show(constant[0])} is constant in these rows", "leave it out", about=constant[0])
    covariance = np.cov(matrix, bias=True)
    score = GaussianBIC.from_covariance(covariance, matrix.shape[1], nodes=chosen)
    return GaussianColumns(score, conditions, tuple(notes), tuple(name for name in table.nodes if name not in chosen))


def _chosen(names: Sequence[Hashable], columns: Iterable[Hashable] | None) -> tuple[Hashable, ...]:
    if columns is not None and (isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable)):
        raise SettingsError(f"columns must be a sequence of names, not {columns!r}; write [{columns!r}] for one")
    given = [*names] if columns is None else [*columns]
    for name in given:
        if not is_hashable(name):
            raise SettingsError(f"columns must be names, and {name!r} is none")
    chosen = tuple(dict.fromkeys(given))
    for name in chosen:
        if name not in names:
            raise SettingsError(f"columns names {show(name)}, but there are {show_all(names)}{meant(name, names)}")
    if len(chosen) > MOST_COLUMNS:
        raise SettingsError(
            f"hidden causes are sampled for at most {MOST_COLUMNS} columns, not {len(chosen)}; name those of interest: "
            f"columns=[{chosen[0]!r}, {chosen[1]!r}, ...]. The others then count as hidden, which is allowed here"
        )
    if len(chosen) < 2:
        raise SettingsError(f"at least 2 columns are needed, not {len(chosen)}")
    return chosen


def _numbers(column: Column, is_condition: bool) -> NDArray[np.float64] | None:
    """The cells as numbers; None if they are categories, other than the two levels of a condition."""
    if column.kind != "categorical" and column.numbers is not None:
        return column.numbers.copy()
    if is_condition and column.codes is not None and len(column.levels) == 2:
        return np.where(column.codes < 0, np.nan, column.codes)
    return None


def _ranked(cells: NDArray[np.float64], transform: Normalizing) -> bool:
    if transform != "auto":
        return transform is not None
    deviation = float(cells.std())
    if not deviation > 0:
        return False
    standard, rows = (cells - cells.mean()) / deviation, len(cells)
    skewness, kurtosis = float((standard**3).mean()), float((standard**4).mean()) - 3
    too_skewed = abs(skewness) > max(SKEWED, CERTAIN * math.sqrt(6 / rows))
    return too_skewed or kurtosis > max(HEAVY, CERTAIN * math.sqrt(24 / rows))


def _series() -> DataError:
    return DataError(
        "hidden causes are not sampled for lagged tables: the past of a series has hidden causes of its own",
        "give the columns of one time",
    )
