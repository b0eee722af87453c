"""Transforms: logarithms and normal scores of columns, and rows that stand for as many as a column of counts says."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.wording import count
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.finding import READ, Finding
from causal_zigzag.tables.names_in_words import listed
from causal_zigzag.tables.raw_columns import Raw

Transform = Literal["log", "normal-scores"]
WORDS: dict[Transform, str] = {"log": "the logarithm", "normal-scores": "normal scores of the ranks"}


MOST_CELLS = 2**28  # of a table with its rows repeated; 2 GiB of numbers


def read_transform(given: Any) -> Transform | dict[Hashable, Transform]:
    """The transform of all continuous columns, or those of some by name."""
    asked = dict(given) if isinstance(given, Mapping) else given
    for name in asked.values() if isinstance(asked, dict) else () if asked is None else [asked]:
        if not (isinstance(name, str) and name in get_args(Transform)):
            raise DataError(f"a transform is 'log' or 'normal-scores', not {name!r}")
    return {} if asked is None else asked


def transformed(
    columns: Sequence[Column], asked: Transform | Mapping[Hashable, Transform]
) -> tuple[list[Column], list[Finding]]:
    """The columns after their transforms, and a note for each transform."""
    if isinstance(asked, str):
        asked = {column.name: asked for column in columns if column.kind == "continuous"}
    found = {column.name: column for column in columns}
    for name in asked:
        if name not in found:
            raise DataError(f"transform names the column {show(name)}, which is not used")
    made = [_apply(column, asked[column.name]) if column.name in asked else column for column in columns]
    notes = []
    for transform, words in WORDS.items():
        names = tuple(str(name) for name, chosen in asked.items() if chosen == transform)
        if names:
            text = f"Used as {words}: {listed(names)}."
            notes.append(Finding("transform", names, text, "This was asked for.", severity=READ))
    return made, notes


def _apply(column: Column, transform: Transform) -> Column:
    if column.kind == "categorical" or column.numbers is None:
        raise DataError(f"column {show(column.name)} is categorical, so it has no {transform}")
    if transform == "normal-scores":
        numbers = normal_scores(column.numbers)
    elif not np.nanmin(column.numbers) > 0:
        low = float(np.nanmin(column.numbers))
        raise DataError(f"column {show(column.name)} has cells of {low:g}, which have no logarithm", about=column.name)
    else:
        numbers = np.log(column.numbers)
    numbers.setflags(write=False)
    return replace(column, numbers=numbers, reason=f"{column.reason}; {WORDS[transform]}")


def normal_scores(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The normal quantiles of (rank - 1/2) / N; equal numbers share their mean rank, and missing ones stay missing.

    >>> normal_scores(np.array([10.0, 1000.0, 100.0])).round(3).tolist()
    [-0.967, 0.967, 0.0]
    """
    present = ~np.isnan(numbers)
    _, place, times = np.unique(numbers[present], return_inverse=True, return_counts=True)
    shares = (np.cumsum(times) - times / 2) / max(int(present.sum()), 1)
    scores = np.full(len(numbers), np.nan)
    scores[present] = np.array([NormalDist().inv_cdf(share) for share in shares])[place]
    return scores


def read_counts(name: Hashable, raw: Raw) -> NDArray[np.int64]:
    """The counts of the rows."""
    wrong = [cell for cell in raw.values.tolist() if not isinstance(cell, (int, float)) or cell < 0 or cell % 1]
    if wrong:
        raise DataError(f"the weights {show(name)} must be integers of at least 0, not {wrong[0]!r}", about=name)
    return raw.values.astype(np.int64)


def repeated(
    columns: Sequence[Column], name: Hashable, counts: NDArray[np.int64]
) -> tuple[list[Column], int, list[Finding]]:
    """The columns with each row repeated as often as its count says, the new number of rows, and a note."""
    total = int(counts.sum())
    if total < 2:
        raise DataError(f"the weights {show(name)} add up to {total} rows; at least 2 are needed", about=name)
    if total * len(columns) > MOST_CELLS:
        raise DataError(f"the weights {show(name)} add up to {total:,} rows, too many for the memory", about=name)
    rows = np.repeat(np.arange(len(counts)), counts)
    words = f"{show(name)} counts rows: {count(len(counts), 'row')} stand for {total:,}."
    note = Finding("weights", (str(name),), words, "Each row is used that often.", severity=READ)
    return [column.rows(rows) for column in columns], total, [note]
