"""Scores of variables under several experimental conditions, with the conditions as nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import show
from causal_zigzag.scores.base import ModelAssumption
from causal_zigzag.scores.bge import NormalWishart
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.covariance import Moments, moments, standardized, weighted_moments
from causal_zigzag.scores.discrete import CALIBRATED_SIZE, CountedScore, plain
from causal_zigzag.scores.gaussian import LINEAR, positive, refuse_constants
from causal_zigzag.scores.prediction import BlockPrediction, cells_of
from causal_zigzag.scores.regression import BlockMoments, RegressionMoments
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.row_weights import row_total
from causal_zigzag.support.wording import count
from causal_zigzag.tables.contexts import with_contexts
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.tables.column_kinds import Column
    from causal_zigzag.tables.table import Table

MOST_CONDITIONS = 64  # a set of them is one word


@final
class InterventionalBGe(BuiltinScore, name="interventional-bge"):
    """The score of continuous columns whose rows come from several experiments, after Kuipers & Moffa (2025).

    ``contexts`` are the columns that say which condition a row comes from; their values are categories. The rows are
    divided into groups by the conditions among the parents of a variable, and the variable has parameters of its own
    in each group: the score is the sum of the log marginal likelihoods of ``BGe`` over the groups. So an experiment
    that changes a mean, a variance or the effect of a cause is seen alike. Every function of sets gives a
    score-equivalent score, and this is one, with scores of the conditions themselves that do not matter.

    ``targets`` are variables that a condition is known to set, such as ``{"drug": ["erk"]}``: where the condition is
    on, they do not depend on their causes (a perfect intervention). A condition is off in the rows with the level 0,
    False, or a word such as "none", "control" or "placebo".

    Columns are standardized to mean 0 and sample variance 1; ``alpha_mu`` and ``alpha_w`` are those of ``BGe``.
    ``sample`` and the exact functions know from the score that the conditions have no causes.

    >>> import numpy as np
    >>> import causal_zigzag as cz
    >>> rng = np.random.default_rng(1)
    >>> drug = np.repeat([0, 1], 200)
    >>> dose = rng.normal(size=400) * np.where(drug == 1, 0.4, 1.0)  # the drug changes the variance only
    >>> data = {"drug": drug, "dose": dose, "effect": dose + rng.normal(size=400)}
    >>> posterior = cz.exact_posterior(cz.InterventionalBGe(data, contexts=["drug"]))
    >>> round(float(posterior.edge_probabilities().frame().loc["drug", "dose"]), 3)
    1.0
    """

    has_one_model = False

    _conditions: tuple[Hashable, ...]
    _levels: tuple[tuple[Hashable, ...], ...]  # of each condition
    _targets: tuple[tuple[Hashable, tuple[Hashable, ...]], ...]
    _cells: NDArray[np.int64]  # the levels of the conditions, one row per combination that occurs
    _rows: NDArray[np.float64]  # of each combination: the number of rows, sums and sums of products of the variables
    _sums: NDArray[np.float64]
    _products: NDArray[np.float64]
    _mean: NDArray[np.float64]  # of the variables, before they were standardized
    _deviation: NDArray[np.float64]
    _alpha_mu: float
    _alpha_w: float

    def __init__(
        self,
        data: Any,
        contexts: Hashable | Iterable[Hashable] = (),
        targets: Mapping[Any, Any] | None = None,
        alpha_mu: float = 1.0,
        alpha_w: float | None = None,
    ) -> None:
        table = _read(data, contexts, targets, "InterventionalBGe")
        given = _conditions(table)
        others = [column for column in table.columns if column.name not in table.contexts]
        for column in others:
            if column.numbers is None or column.kind == "categorical":
                fault = f"column {show(column.name)} is categorical, but InterventionalBGe needs numbers"
                raise DataError(
                    fault, "use score='auto', which chooses by the kinds of all columns", "kind", column.name
                )
        table.refuse_missing("InterventionalBGe")
        prior = NormalWishart.read(len(others), alpha_mu, alpha_w)
        x = _variables(table)
        known = moments(x)
        refuse_constants(known.log_variance, [column.name for column in others])
        self._fill(
            table.labels,
            _conditions=tuple(column.name for column in given),
            _levels=tuple(tuple(map(plain, column.levels)) for column in given),
            _targets=table.targets,
            _alpha_mu=prior.alpha_mu,
            _alpha_w=prior.alpha_w,
            **_sums_of_cells(table, known, np.ones(len(x))),
        )
        self._remember(table)

    def _weighted(self, table: Table, weights: NDArray[np.float64]) -> dict[str, Any]:
        return _sums_of_cells(table, weighted_moments(_variables(table), weights), weights)

    @property
    def contexts(self) -> tuple[Hashable, ...]:
        """The conditions.

        >>> import causal_zigzag as cz
        >>> data = {"drug": [0, 0, 1, 1] * 3, "dose": [0.1, 0.4, 0.2, 0.7] * 3, "effect": [1.0, 1.5, 0.2, 0.4] * 3}
        >>> cz.InterventionalBGe(data, contexts="drug").contexts
        ('drug',)
        """
        return self._conditions

    @property
    def targets(self) -> tuple[tuple[Hashable, tuple[Hashable, ...]], ...]:
        return self._targets

    def _make(self) -> core.Score:
        sets = {*dict(self._targets)}
        prior = NormalWishart(len(self._mean), self._alpha_mu, self._alpha_w)
        return core.interventional_bge(
            len(self.nodes),
            [self._labels.number(name) for name in self._conditions],
            [name in sets for name in self._conditions],
            [len(own) for own in self._levels],
            self._cells.tolist(),
            self._rows.tolist(),
            self._sums,
            self._products,
            prior.alpha_mu,
            prior.alpha_w,
            prior.scale,
        )

    def _check_state(self) -> None:
        p, k, cells = len(self._mean), len(self._conditions), len(self._cells)
        check(p + k == len(self.nodes), "its score has too many conditions")
        check_conditions(self._conditions, self._targets, self.nodes)
        check(self._alpha_w > p + 1, "alpha_w of its score is not above n + 1")
        shapes = (self._cells.shape, self._rows.shape, self._sums.shape, self._products.shape, self._deviation.shape)
        check(shapes == ((cells, k), (cells,), (cells, p), (cells, p * p), (p,)), "its moments have no shape")
        check(bool((self._rows > 0).all() and (self._deviation > 0).all()), "its score has too few rows")
        check(len(self._levels) == k and all(type(own) is tuple for own in self._levels), "its levels are not given")
        for own, codes in zip(self._levels, self._cells.T, strict=True):
            check(bool(((codes >= 0) & (codes < len(own))).all()), "a code is not below the number of levels")
        for product, sums, rows in zip(self._products.reshape(cells, p, p), self._sums, self._rows, strict=True):
            same = bool((np.abs(product - product.T) < 1e-6 * (1 + np.abs(product))).all())
            scatter = product - np.outer(sums, sums) / rows
            least = np.linalg.eigvalsh(scatter).min(initial=0.0) if same else -np.inf
            check(least >= -1e-6 * (1 + np.trace(product)), "its moments are not valid")

    def relative_cost(self) -> float:
        return 4 + 1.2 * len(self._cells)  # measured: each group has its own factorization

    def block_moments(self) -> BlockMoments:
        """The moments of all rows together: effects are those of linear regressions on variables and conditions."""
        sizes = [1] * len(self.nodes)
        for name, levels in zip(self._conditions, self._levels, strict=True):
            sizes[self._labels.number(name)] = len(levels) - 1
        begin = np.cumsum([0, *sizes])
        variables = [at for name, at in zip(self.nodes, begin, strict=False) if name not in self._conditions]
        n, rows = int(begin[-1]), float(self._rows.sum())
        u = np.zeros((len(self._cells), n))  # the indicators of each combination
        for i, name in enumerate(self._conditions):
            first = begin[self._labels.number(name)]
            for cell, level in enumerate(self._cells[:, i]):
                if level:
                    u[cell, first + level - 1] = 1.0
        sums, products = self._rows @ u, u.T @ (self._rows[:, None] * u)
        sums[variables] = self._sums.sum(axis=0) * self._deviation
        cross = u.T @ self._sums * self._deviation
        products[:, variables] += cross
        products[variables, :] += cross.T
        among = self._products.sum(axis=0).reshape(len(variables), -1) * np.outer(self._deviation, self._deviation)
        products[np.ix_(variables, variables)] = among
        prior = NormalWishart.read(n, self._alpha_mu, None)
        scatter = products - np.outer(sums, sums) / rows
        spread = np.diag(scatter) / (rows - 1)
        scatter[np.diag_indices(n)] += prior.scale * spread
        matrix, log_scale = standardized(scatter)
        mean = sums / rows
        mean[variables] += self._mean
        freedom = prior.alpha_w + rows - n + 2
        found = RegressionMoments(matrix, log_scale / 2, freedom, 1, 1.0, rows + prior.alpha_mu, mean)
        names = dict(zip(self._conditions, self._levels, strict=True))
        return BlockMoments(tuple(begin.tolist()), tuple(names.get(v, ()) for v in self.nodes), int(rows), found)

    def prediction(self, data: Any) -> GroupPrediction:
        """The densities of the variables given the conditions, each from the rows of its own group."""
        variables = [name for name in self.nodes if name not in self._conditions]
        codes = np.array(cells_of(self._conditions, self._levels, data))
        return GroupPrediction(self, [*map(self._labels.number, variables)], codes, data)

    def group(self, levels: Mapping[int, int]) -> tuple[RegressionMoments, bool]:
        """The posterior of the rows with these levels of some conditions, given by their places, as in ``BGe``; and
        whether the variables have no causes there."""
        cells = np.ones(len(self._cells), dtype=np.bool_)
        for i, level in levels.items():
            cells &= self._cells[:, i] == level
        n, p = float(self._rows[cells].sum()), len(self._mean)
        sums, weight = self._sums[cells].sum(axis=0), n + self._alpha_mu
        scatter = self._products[cells].sum(axis=0).reshape(p, p) - np.outer(sums, sums) / weight
        prior = NormalWishart(p, self._alpha_mu, self._alpha_w).scale * np.eye(p)
        matrix, log_scale = standardized(scatter + prior)
        log_deviation = log_scale / 2 + np.log(self._deviation)
        mean = self._mean + self._deviation * sums / weight
        moments = RegressionMoments(matrix, log_deviation, self._alpha_w + n - p + 2, 1, 1.0, weight, mean)
        return moments, any(level and self._conditions[i] in dict(self._targets) for i, level in levels.items())

    def assumption(self) -> ModelAssumption:
        return LINEAR

    def __repr__(self) -> str:
        rows = count(int(self._rows.sum()), "row")
        return f"InterventionalBGe({self._nodes_in_words()}, {count(len(self._conditions), 'condition')}, {rows})"


def _conditions(table: Table) -> list[Column]:
    return [column for column in table.columns if column.name in table.contexts]


def _variables(table: Table) -> NDArray[np.float64]:
    return np.array([column.numbers for column in table.columns if column.name not in table.contexts]).T


def _sums_of_cells(table: Table, known: Moments, weights: NDArray[np.float64]) -> dict[str, Any]:
    """The attributes of ``InterventionalBGe`` that follow from the rows: sums over each combination of conditions."""
    x, rows = _variables(table), row_total(weights)
    deviation = np.exp(known.log_variance / 2) * np.sqrt(rows / (rows - 1))
    x = (x - np.average(x, axis=0, weights=weights)) / deviation
    codes = np.array([column.codes for column in _conditions(table)], dtype=np.int64).T
    cells, place = np.unique(codes[weights > 0], axis=0, return_inverse=True)
    x, weights = x[weights > 0], weights[weights > 0]
    groups = [(x[own], weights[own, None]) for own in (place.reshape(-1) == cell for cell in range(len(cells)))]
    roots = [own * np.sqrt(w) for own, w in groups]
    return {
        "_cells": np.ascontiguousarray(cells),
        "_rows": np.array([float(w.sum()) for _, w in groups]),
        "_sums": np.array([(own * w).sum(axis=0) for own, w in groups]),
        "_products": np.array([(own.T @ own).reshape(-1) for own in roots]),
        "_mean": known.mean,
        "_deviation": deviation,
    }


class GroupPrediction:
    """Student t densities of variables, each from the rows with the same levels of the conditions among its parents."""

    def __init__(self, score: InterventionalBGe, variables: list[int], codes: NDArray[Any], data: Any) -> None:
        self._score, self._variables, self._codes, self._data = score, variables, codes, data
        self._conditions = [score.nodes.index(name) for name in score.contexts]
        self.n_rows = codes.shape[1]

    def log_density(self, y: int, parents: NDArray[np.intp]) -> NDArray[np.float64]:
        place = {v: i for i, v in enumerate(self._variables)}
        causes = np.array([place[v] for v in parents.tolist() if v in place], dtype=np.intp)
        given = [i for i, c in enumerate(self._conditions) if c in parents]
        keys, group = np.unique(self._codes[given].T, axis=0, return_inverse=True)
        names = [self._score.nodes[v] for v in self._variables]
        found = np.zeros(self.n_rows)
        for k, key in enumerate(keys.tolist()):
            moments, is_set = self._score.group(dict(zip(given, key, strict=True)))
            known = BlockMoments(tuple(range(len(names) + 1)), ((),) * len(names), 0, moments)
            density = BlockPrediction(names, known, self._data).log_density(place[y], causes[: 0 if is_set else None])
            rows = group.reshape(-1) == k
            found[rows] = density[rows]
        return found


@final
class InterventionalBDeu(CountedScore, name="interventional-bdeu"):
    """The score of categorical columns whose rows come from experiments that are known to set their targets.

    ``contexts`` and ``targets`` are those of ``InterventionalBGe``: where a condition is on, its targets do not depend
    on their causes. Without targets, the scores of the variables are those of ``BDeu``, in which a variable with a
    condition among its parents has probabilities of its own under each condition.

    >>> import causal_zigzag as cz
    >>> data = {"drug": [0, 0, 1, 1] * 10, "pain": [1, 0, 0, 0] * 10, "sleep": [0, 1, 0, 1] * 10}
    >>> score = cz.InterventionalBDeu(data, contexts="drug", targets={"drug": "pain"})
    >>> score.local("pain", ["drug"]) < score.local("pain", ["drug", "sleep"])  # of the rows without the drug
    True
    """

    has_one_model = False

    _sample_size: float
    _conditions: tuple[Hashable, ...]
    _targets: tuple[tuple[Hashable, tuple[Hashable, ...]], ...]

    def __init__(
        self,
        data: Any,
        contexts: Hashable | Iterable[Hashable] = (),
        targets: Mapping[Any, Any] | None = None,
        equivalent_sample_size: float = 1.0,
    ) -> None:
        table = _read(data, contexts, targets, "InterventionalBDeu")
        size = positive(equivalent_sample_size, "equivalent_sample_size")
        self._count(table, _sample_size=size, _conditions=table.contexts, _targets=table.targets)

    @classmethod
    def calibrated(cls, table: Any) -> InterventionalBDeu:
        return cls(table, equivalent_sample_size=CALIBRATED_SIZE)

    @property
    def contexts(self) -> tuple[Hashable, ...]:
        return self._conditions

    @property
    def targets(self) -> tuple[tuple[Hashable, tuple[Hashable, ...]], ...]:
        return self._targets

    def _make(self) -> core.Score:
        sets, given = {*dict(self._targets)}, [self._labels.number(name) for name in self._conditions]
        others = [v for v in range(len(self.nodes)) if v not in given]
        codes, weights = self._counted
        cells, place = np.unique(codes[given].T, axis=0, return_inverse=True)
        return core.interventional_bdeu(
            len(self.nodes),
            given,
            [name in sets for name in self._conditions],
            [len(self._level_names[v]) for v in given],
            cells.tolist(),
            [len(self._level_names[v]) for v in others],
            np.ascontiguousarray(codes[others]),
            weights.tolist(),
            place.reshape(-1).tolist(),
            self._sample_size,
        )

    def relative_cost(self) -> float:
        given = [self._labels.number(name) for name in self._conditions]
        return super().relative_cost() * (1 + len(np.unique(self._codes[given], axis=1).T) / 16)  # measured

    def _check_state(self) -> None:
        super()._check_state()
        check(self._sample_size > 0, "the sample size of its score is not positive")
        check_conditions(self._conditions, self._targets, self.nodes)

    def __repr__(self) -> str:
        conditions = count(len(self._conditions), "condition")
        return f"InterventionalBDeu({self._nodes_in_words()}, {conditions}, {self._n_samples} rows)"


def check_conditions(
    conditions: tuple[Hashable, ...],
    targets: tuple[tuple[Hashable, tuple[Hashable, ...]], ...],
    nodes: tuple[Hashable, ...],
) -> None:
    """Raise a FileError unless these can be the conditions of a score, and their targets."""
    check(1 <= len(conditions) <= MOST_CONDITIONS, "its score has too many conditions")
    check({*conditions} <= {*nodes}, "a condition is unknown")
    for condition, names in targets:
        check(condition in conditions and {*names} <= {*nodes} - {*conditions}, "a target is not valid")


def _read(data: Any, contexts: Any, targets: Mapping[Any, Any] | None, name: str) -> Table:
    """The table with its conditions."""
    table = with_contexts(read_table(data, strict=True), contexts, targets)
    if not table.contexts:
        raise DataError(f"{name} needs the columns of the conditions; pass contexts=[...]")
    if len(table.contexts) > MOST_CONDITIONS:
        raise DataError(f"there are {len(table.contexts)} conditions, and at most {MOST_CONDITIONS} can be used")
    return table
