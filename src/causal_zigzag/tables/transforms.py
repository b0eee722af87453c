"""Transforms of continuous columns: logarithms, and normal scores of ranks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.finding import READ, Finding
from causal_zigzag.tables.names_in_words import listed

Transform = Literal["log", "normal-scores"]
WORDS: dict[Transform, str] = {"log": "the logarithm", "normal-scores": "normal scores of the ranks"}


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
