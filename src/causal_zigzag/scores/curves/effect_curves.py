"""The curves of effects and of model checks: Gaussian kernels, whatever curves the score has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.scores.curves.column_curves import ColumnCurves
from causal_zigzag.scores.curves.curve_table import Choice, CurveTable, cells
from causal_zigzag.scores.curves.smooth_scores import smooth_scores
from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table

CHOICES = ((0, 10.0, 0.0), (0, 10.0, 0.3), (0, 10.0, 3.0), (1, 10.0, 0.3), (1, 10.0, 3.0))
"""Length scale, variance of the linear terms and of the others. They are larger than those of AdditiveGP: what small
variances take from a strong curve would bias its intervals."""

FEATURES = 14  # of a kernel; what the usual few features leave out of a curve would bias its intervals


def effect_curves(
    values: NDArray[np.float64], levels: Sequence[tuple[Hashable, ...]], names: Sequence[Hashable], ranked: bool
) -> CurveTable:
    """The regressions of effects. If columns are ``ranked``, causes are described by smooth normal scores: the steps of
    ranks would make smooth curves rough, and their intervals too narrow."""
    given, scores = zip(values.T, levels, names, strict=True), smooth_scores if ranked else None
    columns = [ColumnCurves(column, len(own), scores, name, FEATURES) for column, own, name in given]
    sizes = [[found.shape[1] for found in column.features(column.response[:1])] for column in columns]
    choices = []
    for scale, linear, other in CHOICES:
        kept, variances = [], []
        for column, own in zip(columns, sizes, strict=True):
            d, before = column.response.shape[1], sum(size - column.response.shape[1] for size in own[:scale])
            curved = own[scale] - d if other else 0
            kept.append(np.append(np.arange(d), d + before + np.arange(curved)))
            variances.append(np.repeat([linear, other], [d, curved]))
        choices.append(Choice(kept, variances))
    features = [column.every_feature(column.response) for column in columns]
    return CurveTable(values, levels, features, [column.at for column in columns], choices)


def tested_curves(table: Table, ranked: bool) -> list[NDArray[np.float64]]:
    """The functions of each column on which a model check tests whether others depend."""
    values, levels = cells(table)
    given, scores = zip(values.T, levels, table.nodes, strict=True), normal_scores if ranked else None
    columns = [ColumnCurves(column, len(own), scores, name) for column, own, name in given]
    return [column.features(column.response)[-1] for column in columns]
