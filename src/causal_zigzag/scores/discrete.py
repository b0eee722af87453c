"""DiscreteBIC and BDeu: scores of categorical columns."""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple, Self, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import distinct_texts, show
from causal_zigzag.scores.base import ModelAssumption
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.gaussian import positive
from causal_zigzag.support.field_checks import check
from causal_zigzag.support.row_weights import row_counts, row_total
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table

MOST_SHARES = 1_000_000  # of one table of a BIF file

WORTH_WEIGHTS = 16
"""Equal rows are merged into one with a weight if this reduces their number by at least this factor."""

CATEGORIES = ModelAssumption(
    "Categories",
    "Every combination of causes has its own probabilities, which need rows to be estimated.",
    ("sparse levels",),
)


class CategoricalRows(NamedTuple):
    """The data of a discrete score, from which effects and held-out densities follow.

    ``codes`` has one row per node and one column per row of the table, with the numbers of levels; ``weights`` are the
    multiplicities of the rows, empty if all are 1; ``levels`` has the names of the levels of each node. The prior is a
    Dirichlet distribution that spreads ``sample_size`` rows evenly over the cells of every table; None: without a
    prior, each cell counts 1/2 for effects (Jeffreys), and a sample size of 1 is used for predictions.
    """

    codes: NDArray[np.uint16]
    weights: NDArray[np.float64]
    levels: tuple[tuple[Hashable, ...], ...]
    sample_size: float | None


class CountedScore(BuiltinScore):
    """The common part of scores of categories: the data as codes, with equal rows merged."""

    _codes: NDArray[np.uint16]
    _weights: NDArray[np.float64]
    _level_names: tuple[tuple[Hashable, ...], ...]
    _n_samples: float

    def _count(self, table: Table, **settings: Any) -> None:
        codes, levels = table.codes(type(self).__name__)
        codes, weights, place = compressed(codes)
        self._fill(
            table.labels,
            _codes=codes,
            _weights=weights,
            _level_names=tuple(tuple(plain(level) for level in own) for own in levels),
            _n_samples=table.n_rows,
            **settings,
        )
        self._remember(table)
        vars(self)["_place"] = place

    @property
    def row_count(self) -> int | None:
        """All rows of the table; of a score from a file whose equal rows are merged, they are not known."""
        return int(self._n_samples) if len(self._weights) == 0 or "_place" in vars(self) else None

    def with_table(self, table: Table) -> Self:
        made = super().with_table(table)
        vars(made)["_place"] = compressed(table.codes(type(self).__name__)[0])[2]
        return made

    def _weighted(self, table: Table, weights: NDArray[np.float64]) -> dict[str, Any]:  # noqa: ARG002
        if len(self._weights):
            weights = np.bincount(vars(self)["_place"], weights, self._codes.shape[1]).astype(np.float64)
        return {"_weights": weights, "_n_samples": row_total(weights)}

    @property
    def _counted(self) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
        """The rows that count, one per column, and their weights, none if all are 1.

        A few equal rows are counted faster than one with a weight.
        """
        if not len(self._weights):
            return self._codes, self._weights
        kept = self._weights > 0
        codes, weights = np.ascontiguousarray(self._codes[:, kept]), self._weights[kept]
        counts = row_counts(weights)
        if counts is None or counts.sum() >= WORTH_WEIGHTS * len(counts):
            return codes, weights
        return np.repeat(codes, counts, axis=1), np.zeros(0)

    @property
    def levels(self) -> dict[Hashable, tuple[Hashable, ...]]:
        """The levels of each column, values in the data, in the order of their codes.

        >>> import causal_zigzag as cz
        >>> cz.DiscreteBIC({"rain": ["no", "yes"] * 20, "wet": [0, 1] * 20}).levels
        {'rain': ('no', 'yes'), 'wet': (0, 1)}
        """
        return dict(zip(self.nodes, self._level_names, strict=True))

    def to_bif(self, dag: Any) -> str:
        """A DAG with its parameters in the Bayesian interchange format (BIF), which bnlearn, pgmpy and others read.

        ``dag`` is a matrix, such as one of ``posterior.sample_dags``, edges or a networkx.DiGraph. The parameters are
        posterior means, with the prior of ``BDeu``; for ``DiscreteBIC``, of an equivalent sample size of 1. In names of
        columns and levels, characters other than letters, digits and underscores become underscores.

        >>> import causal_zigzag as cz
        >>> score = cz.BDeu({"rain": ["no", "yes"] * 20, "wet": ["no", "yes"] * 20})
        >>> print(score.to_bif([("rain", "wet")]).splitlines()[8])
        probability ( rain ) {
        """
        return _bif(self.levels, *self._counted, self._dag(dag), float(getattr(self, "_sample_size", 1.0)))

    def categorical_rows(self) -> CategoricalRows:
        """The data, with the prior of ``BDeu``; ``DiscreteBIC`` has none."""
        return CategoricalRows(*self._counted, self._level_names, getattr(self, "_sample_size", None))

    def with_codes(self, codes: NDArray[np.int64]) -> Self:
        made = object.__new__(type(self))
        rows = {
            "_codes": codes.astype(np.uint16),
            "_weights": np.zeros(0),
            "_n_samples": codes.shape[1],
        }
        made._fill(self._node_labels(), **{**self.state(), **rows})
        return made

    def _check_state(self) -> None:
        codes, weights, names = self._codes, self._weights, self._level_names
        check(codes.ndim == 2 and weights.ndim == 1, "the codes do not have the right shape")
        rows = float(weights.sum()) if len(weights) else codes.shape[1]
        check(len(weights) in (0, codes.shape[1]) and bool((weights >= 0).all()), "a row does not have a weight")
        check(abs(rows - self._n_samples) <= 1e-6 * rows, "the weights do not add up to the number of rows")
        check(len(codes) == len(names) == len(self.nodes), "the number of columns is not that of the nodes")
        check(all(type(own) is tuple and 0 < len(own) <= 2**16 for own in names), "the levels of a node are not given")
        for row, own in zip(codes, names, strict=True):
            check(bool(row.max(initial=0) < len(own)), "a code is not below the number of levels")

    def relative_cost(self) -> float:
        levels = sum(map(len, self._level_names)) / len(self._level_names)
        # measured: rows are counted once per set of parents
        return 5 * levels**2 * max(1.0, float(self._codes.shape[1]) / 1500)

    def assumption(self) -> ModelAssumption:
        return CATEGORIES

    def _discrete(self, sample_size: float, penalty: float) -> core.Score:
        levels, (codes, weights) = [len(own) for own in self._level_names], self._counted
        return core.discrete_score(levels, codes, weights.tolist(), sample_size, penalty)


@final
class DiscreteBIC(CountedScore, name="discrete-bic"):
    """The Bayesian information criterion of categorical columns.

    The local score of y with parents P is ``sum N_jb log(N_jb / N_j) - penalty (r - 1) q log(N) / 2``, where N_jb rows
    have configuration j of the parents and level b of y, r is the number of levels of y, and q the product of the
    numbers of levels of the parents.

    >>> data = {"rain": [0, 0, 1, 1] * 10, "wet": [0, 0, 1, 1] * 10}
    >>> score = DiscreteBIC(data)
    >>> score.local("wet", ["rain"]) > score.local("wet", [])
    True
    """

    _penalty: float

    def __init__(self, data: Any, penalty: float = 1.0) -> None:
        self._count(read_table(data, strict=True), _penalty=positive(penalty, "penalty"))

    def _make(self) -> core.Score:
        return self._discrete(0.0, self._penalty * math.log(self._n_samples) / 2)

    def __repr__(self) -> str:
        return f"DiscreteBIC({self._nodes_in_words()}, {self._n_samples} rows, penalty {self._penalty:g})"


# An equivalent sample size, in rows. Of 1 to 30, ten has nearly the least log loss of edges on simulated tables and the
# best densities of held-out rows on real ones: benchmarks/categories.py.
CALIBRATED_SIZE = 10.0


@final
class BDeu(CountedScore, name="bdeu"):
    """The Bayesian Dirichlet equivalent uniform score: the log marginal likelihood of categorical columns.

    After Heckerman, Geiger & Chickering (1995), with the prior weight of ``equivalent_sample_size`` rows spread evenly
    over the cells of every table. One row is usual, and denies edges in tables of few rows; ``score="auto"`` and
    ``score="bdeu"`` take ten, with which probabilities of edges are right on average.

    >>> data = {"rain": [0, 0, 1, 1] * 10, "wet": [0, 0, 1, 1] * 10}
    >>> score = BDeu(data)
    >>> score.local("wet", ["rain"]) > score.local("wet", [])
    True
    """

    incomplete_name = "incomplete-bdeu"

    _sample_size: float

    def __init__(self, data: Any, equivalent_sample_size: float = 1.0) -> None:
        size = positive(equivalent_sample_size, "equivalent_sample_size")
        self._count(read_table(data, strict=True), _sample_size=size)

    @classmethod
    def calibrated(cls, table: Any) -> BDeu:
        return cls(table, CALIBRATED_SIZE)

    @property
    def equivalent_sample_size(self) -> float:
        """The weight of the prior, as a number of rows.

        >>> BDeu({"rain": [0, 1] * 10, "wet": [0, 1] * 10}, equivalent_sample_size=2).equivalent_sample_size
        2.0
        """
        return self._sample_size

    def _make(self) -> core.Score:
        return self._discrete(self._sample_size, 0.0)

    def log_jacobian(self) -> float:
        return 0.0

    def __repr__(self) -> str:
        return f"BDeu({self._nodes_in_words()}, {self._n_samples} rows, equivalent sample size {self._sample_size:g})"


def plain(level: Any) -> Hashable:
    """A level as a value that a file can contain."""
    plain = level.item() if isinstance(level, np.generic) else level
    return plain if plain is None or type(plain) in (bool, int, float, str) else str(plain)


def compressed(
    codes: NDArray[np.uint16],
) -> tuple[NDArray[np.uint16], NDArray[np.float64], NDArray[np.int64]]:
    """The distinct rows (here: columns of ``codes``) with their multiplicities if they are few; else all rows.

    Also the place of each row among the distinct ones, or nothing.

    >>> codes, weights, place = compressed(np.zeros((2, 100), dtype=np.uint16))
    >>> codes.tolist(), weights.tolist(), place.max()
    ([[0], [0]], [100.0], np.int64(0))
    """
    no_place = np.zeros(0, dtype=np.int64)
    no_weights = np.zeros(0)
    hashes = np.zeros(codes.shape[1], dtype=np.uint64)
    for column in codes:
        hashes = (hashes ^ column) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(32)
    _, first, inverse, counts = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if len(first) * WORTH_WEIGHTS > codes.shape[1]:
        return codes, no_weights, no_place
    if any(not np.array_equal(column[first][inverse], column) for column in codes):  # rows with equal hashes differ
        return codes, no_weights, no_place
    return np.ascontiguousarray(codes[:, first]), counts.astype(np.float64), inverse


def _bif(
    levels: dict[Hashable, tuple[Hashable, ...]],
    codes: NDArray[np.uint16],
    weights: NDArray[np.float64],
    dag: NDArray[np.uint8],
    sample_size: float,
) -> str:
    """See ``to_bif``."""
    names = _words(levels)
    states = [_words(own) for own in levels.values()]
    sizes = [len(own) for own in states]
    counted = weights if len(weights) else np.ones(codes.shape[1])
    lines = ["network unknown {", "}"]
    for name, own in zip(names, states, strict=True):
        lines += [f"variable {name} {{", f"  type discrete [ {len(own)} ] {{ {', '.join(own)} }};", "}"]
    for y, (label, name) in enumerate(zip(levels, names, strict=True)):
        parents = np.flatnonzero(dag[:, y]).tolist()
        shape = [sizes[p] for p in parents]
        if math.prod(shape) * sizes[y] > MOST_SHARES:
            raise ScoreError(
                f"the table of {show(label)} given its {len(parents)} parents has {math.prod(shape) * sizes[y]:,} "
                f"numbers, but at most {MOST_SHARES:,} are written; choose a DAG with fewer parents"
            )
        counts = np.zeros((*shape, sizes[y]))
        np.add.at(counts, tuple(codes[v].astype(np.intp) for v in (*parents, y)), counted)
        counts += sample_size / counts.size
        shares = counts / counts.sum(axis=-1, keepdims=True)
        if not parents:
            lines += [f"probability ( {name} ) {{", f"  table {_shares(shares)};", "}"]
            continue
        lines.append(f"probability ( {name} | {', '.join(names[p] for p in parents)} ) {{")
        for configuration in itertools.product(*(range(size) for size in shape)):
            given = ", ".join(states[p][level] for p, level in zip(parents, configuration, strict=True))
            lines.append(f"  ({given}) {_shares(shares[configuration])};")
        lines.append("}")
    return "\n".join([*lines, ""])


def _shares(shares: NDArray[np.float64]) -> str:
    return ", ".join(repr(float(share)) for share in shares)


def _words(labels: Sequence[Hashable] | dict[Hashable, tuple[Hashable, ...]]) -> list[str]:
    """The labels as distinct words, which is all that readers of BIF agree on: letters, digits, underscores."""
    words = [re.sub(r"\W", "_", text, flags=re.ASCII) or "_" for text in distinct_texts(labels)]
    if len(set(words)) == len(words):
        return words
    return [f"{word}_{number}" for number, word in enumerate(words)]
