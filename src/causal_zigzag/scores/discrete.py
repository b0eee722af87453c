"""DiscreteBIC and BDeu: scores of categorical columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.scores.base import BuiltinScore
from causal_zigzag.scores.bif import bif
from causal_zigzag.scores.gaussian import positive
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

WORTH_WEIGHTS = 16
"""Equal rows are merged into one with a weight if this reduces their number by at least this factor."""


class _Counted(BuiltinScore):
    """The common part of both scores: the data as codes, with equal rows merged."""

    _codes: NDArray[np.uint16]
    _weights: NDArray[np.int32]
    _levels: tuple[int, ...]
    _level_names: tuple[tuple[Hashable, ...], ...] = ()  # empty in files that do not contain them
    _n_samples: int

    def _read(self, data: Any, **settings: float) -> None:
        table = read_table(data)
        codes, levels = table.codes(type(self).__name__)
        codes, weights = compressed(codes)
        self._fill(
            table.labels,
            _codes=codes,
            _weights=weights,
            _levels=tuple(len(own) for own in levels),
            _level_names=tuple(tuple(_plain(level) for level in own) for own in levels),
            _n_samples=table.n_rows,
            **settings,
        )

    @property
    def levels(self) -> dict[Hashable, tuple[Hashable, ...]]:
        """The levels of each column, in the order of their codes.

        They are the values in the data. A score from a file that was written before files contained them has 0, 1, ...

        >>> import causal_zigzag as cz
        >>> cz.DiscreteBIC({"rain": ["no", "yes"] * 20, "wet": [0, 1] * 20}).levels
        {'rain': ('no', 'yes'), 'wet': (0, 1)}
        """
        names = self._level_names or [tuple(range(count)) for count in self._levels]
        return dict(zip(self.nodes, names, strict=True))

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
        return bif(self.levels, self._codes, self._weights, self._dag(dag), float(getattr(self, "_sample_size", 1.0)))

    def coded_rows(self) -> tuple[NDArray[np.uint16], NDArray[np.int32], tuple[int, ...]]:
        """The codes of the data, one row per column; the weights of the rows, none if all are 1; numbers of levels.

        :meta private:
        """
        return self._codes, self._weights, self._levels

    def relative_cost(self) -> float:
        return max(64.0, float(self._codes.shape[1]) / 32)  # measured: the rows are counted once per set of parents

    @property
    def distinct_rows(self) -> int:
        """The number of rows that a count visits: distinct rows if equal ones were merged."""
        return int(self._codes.shape[1])

    def _discrete(self, sample_size: float, penalty: float) -> core.Score:
        return core.discrete_score([*self._levels], self._codes, self._weights.tolist(), sample_size, penalty)


@final
class DiscreteBIC(_Counted):
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
        self._read(data, _penalty=positive(penalty, "penalty"))

    def _make(self) -> core.Score:
        return self._discrete(0.0, self._penalty * math.log(self._n_samples) / 2)

    def __repr__(self) -> str:
        return f"DiscreteBIC({self._nodes_in_words()}, {self._n_samples} rows, penalty {self._penalty:g})"


@final
class BDeu(_Counted):
    """The Bayesian Dirichlet equivalent uniform score: the log marginal likelihood of categorical columns.

    After Heckerman, Geiger & Chickering (1995), with the prior weight of ``equivalent_sample_size`` rows spread evenly
    over the cells of every table.

    >>> data = {"rain": [0, 0, 1, 1] * 10, "wet": [0, 0, 1, 1] * 10}
    >>> score = BDeu(data)
    >>> score.local("wet", ["rain"]) > score.local("wet", [])
    True
    """

    _sample_size: float

    def __init__(self, data: Any, equivalent_sample_size: float = 1.0) -> None:
        self._read(data, _sample_size=positive(equivalent_sample_size, "equivalent_sample_size"))

    @property
    def equivalent_sample_size(self) -> float:
        """The weight of the prior, as a number of rows.

        >>> BDeu({"rain": [0, 1] * 10, "wet": [0, 1] * 10}, equivalent_sample_size=2).equivalent_sample_size
        2.0
        """
        return self._sample_size

    def _make(self) -> core.Score:
        return self._discrete(self._sample_size, 0.0)

    def __repr__(self) -> str:
        return f"BDeu({self._nodes_in_words()}, {self._n_samples} rows, equivalent sample size {self._sample_size:g})"


def _plain(level: Any) -> Hashable:
    """A level as a value that a file can contain."""
    plain = level.item() if isinstance(level, np.generic) else level
    return plain if plain is None or type(plain) in (bool, int, float, str) else str(plain)


def compressed(codes: NDArray[np.uint16]) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    """The distinct rows (here: columns of ``codes``) with their multiplicities if they are few; else all rows.

    >>> codes, weights = compressed(np.zeros((2, 100), dtype=np.uint16))
    >>> codes.tolist(), weights.tolist()
    ([[0], [0]], [100])
    """
    no_weights = np.zeros(0, dtype=np.int32)
    hashes = np.zeros(codes.shape[1], dtype=np.uint64)
    for column in codes:
        hashes = (hashes ^ column) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(32)
    _, first, inverse, counts = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if len(first) * WORTH_WEIGHTS > codes.shape[1]:
        return codes, no_weights
    if any(not np.array_equal(column[first][inverse], column) for column in codes):  # rows with equal hashes differ
        rows, counts = np.unique(codes, axis=1, return_counts=True)
        return np.ascontiguousarray(rows), counts.astype(np.int32)
    return np.ascontiguousarray(codes[:, first]), counts.astype(np.int32)
