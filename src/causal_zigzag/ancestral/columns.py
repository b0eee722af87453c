"""The score for ancestral graphs: of the columns of a table, or of another score's table."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeGuard, cast

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import DataError, ScoreError, SettingsError
from causal_zigzag.graphs.labels import Labels, meant, show, show_all
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.choose import make_score
from causal_zigzag.scores.discrete import BDeu, DiscreteBIC
from causal_zigzag.scores.gaussian import GaussianBIC
from causal_zigzag.scores.mixed import MixedBGe, MixedBIC
from causal_zigzag.support.validation import is_hashable, is_word
from causal_zigzag.support.wording import count
from causal_zigzag.tables.finding import CHANGED
from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.tables.missing_cells import complete_rows, incomplete_rows
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column
    from causal_zigzag.tables.table import Table

MOST_COLUMNS = core.most_mag_nodes
MOST_WITH_CATEGORIES = core.most_connecting_nodes
Normalizing = Literal["auto", "normal-scores"] | None
"""Normal scores of the ranks of columns that are far from normal, of all columns, or of none."""

SKEWED, HEAVY = 1.0, 2.0  # skewness and excess kurtosis beyond which a column is far from normal
CERTAIN = 5.0  # and they are this number of standard errors


AncestralScore = GaussianBIC | BDeu | DiscreteBIC | MixedBIC | MixedBGe
"""GaussianBIC is extended by the likelihood of ancestral graphs, the others by a sum over m-connecting sets."""


class ScoredColumns(NamedTuple):
    """The score of the columns, those that are experimental conditions, and what was done to get there."""

    score: AncestralScore
    conditions: tuple[Hashable, ...]
    notes: tuple[str, ...]
    others: tuple[Hashable, ...]  # that were not chosen


def scored_columns(
    data_or_score: Any, columns: Iterable[Hashable] | None, transform: Normalizing, reading: dict[str, Any]
) -> ScoredColumns:
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
        if _has_categories(data_or_score) and _chosen(data_or_score.nodes, columns) == data_or_score.nodes:
            _refuse_many(data_or_score.nodes)
            return ScoredColumns(data_or_score, tuple(data_or_score.contexts), (), ())
        if data_or_score.source_table is None:
            raise ScoreError(
                "hidden causes need a table, or one of the scores GaussianBIC, BDeu, DiscreteBIC, MixedBIC and "
                f"MixedBGe; {data_or_score!r} is none of these and has no table. Pass the table"
            )
        data_or_score = data_or_score.source_table
    table = read_table(data_or_score, **reading)
    if past_columns(table.nodes, table.contexts):
        raise _series()
    found = _of_table(table, columns, transform)
    changes = () if is_score else tuple(str(n) for n in table.notes if n.severity >= CHANGED and n.kind != "missing")
    return found._replace(notes=changes + found.notes)


def _of_score(score: GaussianBIC, columns: Iterable[Hashable] | None) -> ScoredColumns:
    chosen = _chosen(score.nodes, columns)
    conditions = tuple(name for name in score.contexts if name in chosen)
    if chosen == tuple(score.nodes):
        return ScoredColumns(score, conditions, (), ())
    numbers = [Labels(score.nodes).number(name) for name in chosen]
    deviation = np.exp(score._log_variance[numbers] / 2)
    covariance = score._correlation[np.ix_(numbers, numbers)] * np.outer(deviation, deviation)
    part = GaussianBIC.from_covariance(covariance, score.n_samples, score.penalty, chosen)
    return ScoredColumns(part, conditions, (), tuple(name for name in score.nodes if name not in chosen))


def _of_table(table: Table, columns: Iterable[Hashable] | None, transform: Normalizing) -> ScoredColumns:
    chosen = _chosen(table.nodes, columns)
    used = [next(column for column in table.columns if column.name == name) for name in chosen]
    conditions = tuple(name for name in table.contexts if name in chosen)
    others = tuple(name for name in table.nodes if name not in chosen)
    notes = []
    if (incomplete := incomplete_rows(used)).any():
        left_out = count(int(incomplete.sum()), "incomplete row")
        notes.append(f"{left_out} of {len(incomplete):,} left out")
        used = [column.rows(complete_rows(used)) for column in used]
    rows = len(incomplete) - int(incomplete.sum())
    if rows <= len(chosen) + 1:
        raise DataError(f"{rows} complete rows are too few for {len(chosen)} columns", "give more rows")
    numbers = {column.name: _numbers(column, column.name in conditions) for column in used}
    ranked = []
    for name, cells in numbers.items():
        if cells is not None and name not in conditions and _ranked(cells, transform):
            numbers[name] = normal_scores(cells)
            ranked.append(name)
    if ranked:
        notes.append(f"normal scores of the ranks of {show_all(ranked)}")
    for column in used:
        levels = {*np.asarray(column.codes if column.numbers is None else column.numbers).tolist()}
        if len(levels) == 1:
            raise DataError(f"column {show(column.name)} is constant in these rows", "leave it out", about=column.name)
    if categorical := [name for name, cells in numbers.items() if cells is None]:
        _refuse_many(chosen)
        read = [_with_numbers(column, numbers[column.name]) for column in used]
        kind = "bdeu" if len(categorical) == len(chosen) else "mixed-bic"
        part = replace(
            table, columns=tuple(read), labels=Labels(chosen), n_rows=rows, notes=(), aside=(), contexts=(), targets=(),
            groups=None, by=(), in_time=False,
        )  # fmt: skip
        return ScoredColumns(cast("AncestralScore", make_score(kind, part)), conditions, tuple(notes), others)
    covariance = np.cov(np.array([*numbers.values()]), bias=True)
    return ScoredColumns(GaussianBIC.from_covariance(covariance, rows, nodes=chosen), conditions, tuple(notes), others)


def _has_categories(score: Score) -> TypeGuard[AncestralScore]:
    """Whether the sum over m-connecting sets of this score is used; that of columns of numbers is the Gaussian one."""
    if isinstance(score, (MixedBIC, MixedBGe)):
        return any(vars(score)["_level_names"])
    return isinstance(score, (BDeu, DiscreteBIC))


def _refuse_many(chosen: Sequence[Hashable]) -> None:
    if len(chosen) > MOST_WITH_CATEGORIES:
        raise SettingsError(
            f"hidden causes are sampled for at most {MOST_WITH_CATEGORIES} columns if some are categorical, not "
            f"{len(chosen)}; name those of interest: columns=[{chosen[0]!r}, {chosen[1]!r}, ...]. The others then "
            "count as hidden, which is allowed here"
        )


def _with_numbers(column: Column, cells: NDArray[np.float64] | None) -> Column:
    if cells is None:
        return column
    return replace(column, kind="continuous", numbers=cells, codes=None, levels=())


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
