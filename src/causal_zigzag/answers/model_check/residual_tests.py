"""Tests of linear models: what residuals still show of other columns, and a simulation of what chance shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag._core import student_cdf
from causal_zigzag.tables.transforms import normal_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.answers.model_check.implied_regressions import Regression
    from causal_zigzag.scores.mixed import Blocks

KINDS = ("curve", "spread", "outliers")
"""The kinds of tests that are simulated; the other kind is "dependence"."""

SIMULATIONS = 199
SEED = 20
LEAST_FREEDOM = 5  # degrees of freedom of a test
DEPENDENCE_SHARE = 0.05
"""The share of the false alarms that tests of dependence get. Their graph was chosen by the same rows, such that few
of them are small, so they use less than their share; the others, which do not depend on that choice, use all of theirs.
"""


class Tested(NamedTuple):
    """A test: what the residual of ``node`` given ``parents`` shows of ``other``, the node itself for outliers."""

    kind: str
    node: int
    other: int
    parents: tuple[int, ...]
    statistic: float
    p_value: float


class Tests(NamedTuple):
    """All tests, and the probability that chance alone shows as much as the most extreme of them."""

    tests: list[Tested]
    p_value: float


def curve_tests(curves: Sequence[NDArray[np.float64]], regressions: Sequence[Regression]) -> Tests:
    """Tests of dependence on the curves of nodes before a node, given those of its parents.

    A score of curves does not orient the edges that they show, so a DAG may have regressions in the direction in which
    the noise is neither normal nor constant, and the residuals are tested no further. Bonferroni combines the tests.
    """
    tests = []
    for y, parents, before in regressions:
        Q = np.linalg.qr(np.column_stack([np.ones(len(curves[y])), *(curves[p] for p in parents)]))[0]
        if len(Q) - Q.shape[1] - 3 >= LEAST_FREEDOM:
            rest = [d for d in before if d not in parents]
            tests += [_dependence(curves[y][:, :1], curves[d], Q, (y, d), parents) for d in rest]
    return Tests(tests, min(1.0, len(tests) * min((one.p_value for one in tests), default=1.0)))


def residual_tests(blocks: Blocks, regressions: Sequence[Regression]) -> Tests:
    """Tests of the residuals of all regressions on the columns of parents.

    *dependence*: partial correlation of a node with one before it, given the parents. *curve*: the residual of a
    number against the second and third Hermite polynomial of the normal scores of a number before it, beyond what is
    linear. *spread*: its absolute value against normal scores, their square, and indicators. *outliers*: its largest
    value.

    If the model holds, the residual of y is normal noise without its projection on the parents, independent of all
    columns before y. So given these columns the last three kinds can be simulated, with no parameter to be estimated
    and no influence of the choice of the graph. The largest statistic of each kind is compared with those of
    ``SIMULATIONS`` sets of such noise; the smallest of the three p-values is compared with the smallest ones of the
    simulated sets.
    """
    columns, places = _columns(blocks)
    rows, features = len(columns), _Features.of(columns, places)
    tests: list[Tested] = []
    largest = np.zeros((3, SIMULATIONS + 1))
    for y, parents, before, Q in _designs(columns, places, regressions):
        freedom = rows - Q.shape[1]
        tests += _dependences(columns, places, y, parents, before, Q)
        if not features.is_number[y]:
            continue
        noise = np.random.default_rng((SEED, y)).normal(size=(SIMULATIONS, rows))
        E = np.vstack([columns[:, places[y]].T, noise])
        E -= (E @ Q) @ Q.T
        E /= np.linalg.norm(E, axis=1, keepdims=True)
        extreme = np.abs(E).max(axis=1) * np.sqrt(freedom)
        tests.append(_outliers(y, parents, extreme[0], freedom, rows))
        found = [("curve", *features.curved(Q, before), E, freedom - 2)]
        E = np.abs(E)
        E -= E.mean(axis=1, keepdims=True)
        E /= np.linalg.norm(E, axis=1, keepdims=True)
        found.append(("spread", *features.spread_of(before), E, rows - 2))
        np.maximum(largest[2], extreme, out=largest[2])
        for kind, right, owner, left, free in found:
            if len(owner):
                t = _t(left @ right, free)
                tests += [_tested(kind, y, d, parents, t[0, owner == d], free) for d in dict.fromkeys(owner.tolist())]
                place = KINDS.index(kind)
                np.maximum(largest[place], np.abs(t).max(axis=1), out=largest[place])
    return Tests(tests, _combined(tests, largest))


def linear_dependences(blocks: Blocks, regressions: Sequence[Regression]) -> list[Tested]:
    """The tests of *dependence* alone."""
    columns, places = _columns(blocks)
    designs = _designs(columns, places, regressions)
    return [test for y, parents, before, Q in designs for test in _dependences(columns, places, y, parents, before, Q)]


def _columns(blocks: Blocks) -> tuple[NDArray[np.float64], list[NDArray[np.int64]]]:
    """The standardized columns, and those of each node."""
    return _standardized(blocks.columns), np.split(np.arange(blocks.begin[-1]), blocks.begin[1:-1])


def _designs(
    columns: NDArray[np.float64], places: list[NDArray[np.int64]], regressions: Sequence[Regression]
) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...], NDArray[np.float64]]]:
    """The regressions that leave enough degrees of freedom, each with an orthonormal basis of its design."""
    for y, parents, before in regressions:
        design = np.column_stack([np.ones(len(columns)), *(columns[:, places[p]] for p in parents)])
        if len(columns) - design.shape[1] - 3 >= LEAST_FREEDOM:
            yield y, parents, before, np.linalg.qr(design)[0]


def _dependences(
    columns: NDArray[np.float64],
    places: list[NDArray[np.int64]],
    y: int,
    parents: tuple[int, ...],
    before: tuple[int, ...],
    Q: NDArray[np.float64],
) -> list[Tested]:
    rest = [d for d in before if d not in parents]
    return [_dependence(columns[:, places[y]], columns[:, places[d]], Q, (y, d), parents) for d in rest]


class _Features(NamedTuple):
    """What residuals are compared with.

    ``numbers`` are the columns of numbers, by the nodes ``owner``, and ``hermite`` polynomials of their normal scores.
    ``spread`` is what absolute values are compared with, with the nodes ``spread_owner``: normal scores and their
    squares, and indicators.
    """

    is_number: NDArray[np.bool_]
    owner: NDArray[np.intp]
    numbers: NDArray[np.float64]
    hermite: tuple[NDArray[np.float64], ...]
    spread_owner: NDArray[np.intp]
    spread: NDArray[np.float64]

    @classmethod
    def of(cls, columns: NDArray[np.float64], places: Sequence[NDArray[np.int64]]) -> _Features:
        """A column with two values is an indicator."""
        number = np.array([len(place) == 1 and len(np.unique(columns[:, place[0]])) > 2 for place in places])
        owner = np.flatnonzero(number)
        numbers = columns[:, [places[v][0] for v in owner.tolist()]]
        z = np.array([normal_scores(own) for own in numbers.T]).reshape(numbers.shape[::-1]).T
        others = [(v, c) for v, place in enumerate(places) if not number[v] for c in place]
        spread = np.column_stack([z, z**2, columns[:, [c for _, c in others]]])
        spread_owner = np.array([*owner, *owner, *(v for v, _ in others)], dtype=np.intp)
        return cls(number, owner, numbers, (z**2 - 1, z**3 - 3 * z), spread_owner, _standardized(spread))

    def curved(self, Q: NDArray[np.float64], before: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The polynomials without their projections on Q and their own number, as unit vectors, and their owners."""
        kept = np.isin(self.owner, before)
        number = _unit(_without(self.numbers[:, kept], Q))
        left = [_without(own[:, kept], Q) for own in self.hermite]
        units = _unit(np.column_stack([own - number * (number * own).sum(axis=0) for own in left]))
        owner = np.tile(self.owner[kept], len(left))
        varied = units.any(axis=0)
        return units[:, varied], owner[varied]

    def spread_of(self, before: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        kept = np.isin(self.spread_owner, before)
        return _unit(self.spread[:, kept]), self.spread_owner[kept]


def _without(columns: NDArray[np.float64], Q: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(columns - Q @ (Q.T @ columns))


def _standardized(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = columns - columns.mean(axis=0)
    deviation = centred.std(axis=0)
    return np.asarray(centred / np.where(deviation > 0, deviation, 1.0))


def _unit(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """The columns divided by their lengths; 0 for those that are 0 up to rounding."""
    length = np.linalg.norm(columns, axis=0)
    return np.asarray(columns * np.where(length > 1e-6 * np.sqrt(len(columns)), 1 / np.maximum(length, 1e-300), 0.0))


def _t(correlation: NDArray[np.float64], freedom: int) -> NDArray[np.float64]:
    return np.asarray(correlation * np.sqrt(freedom / np.maximum(1 - correlation**2, 1e-300)))


def _p(t: float, freedom: float) -> float:
    """Two-sided."""
    return float(2 * student_cdf(np.array([-abs(t)]), np.array([float(freedom)]))[0])


def _tested(kind: str, y: int, d: int, parents: tuple[int, ...], t: NDArray[np.float64], freedom: int) -> Tested:
    """The largest of some statistics for one pair, with the correction of Bonferroni."""
    worst = float(t.ravel()[np.abs(t).argmax()])
    return Tested(kind, y, d, parents, worst, min(1.0, t.size * _p(worst, freedom)))


def _dependence(
    own: NDArray[np.float64],
    other: NDArray[np.float64],
    Q: NDArray[np.float64],
    pair: tuple[int, int],
    parents: tuple[int, ...],
) -> Tested:
    left, right = (_without(columns, Q) for columns in (own, other))
    freedom = len(Q) - Q.shape[1] - 1
    return _tested("dependence", *pair, parents, _t(_unit(left).T @ _unit(right), freedom), freedom)


def _outliers(y: int, parents: tuple[int, ...], largest: float, freedom: int, rows: int) -> Tested:
    t = largest * np.sqrt((freedom - 1) / max(freedom - largest**2, 1e-9))
    return Tested("outliers", y, y, parents, float(largest), min(1.0, rows * _p(float(t), freedom - 1)))


def _combined(tests: Sequence[Tested], largest: NDArray[np.float64]) -> float:
    """The p-value of all tests: Bonferroni for the tests of dependence, simulation for the others."""
    dependence = [test.p_value for test in tests if test.kind == "dependence"]
    p = [min(1.0, len(dependence) * min(dependence)) / DEPENDENCE_SHARE] if dependence else []
    if largest.any():
        shares = (largest[:, :, None] <= largest[:, None, :]).mean(axis=2)  # of the sets that are as large
        order = shares.min(axis=0) + 1e-6 * shares.sum(axis=0)  # the sum decides between equal minima
        p.append(float((order <= order[0]).mean()) / (1 - DEPENDENCE_SHARE))
    return min([1.0, *p])
