"""Draws: the classes of the chains on a regular grid of times."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.answers.class_list import ClassList
from causal_zigzag.answers.statements import EDGE_KINDS, EdgeKind, PairStatement, Statement
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG, in_node_order
from causal_zigzag.graphs.mpdag import MPDAG, ClassGraph, class_of
from causal_zigzag.support.validation import is_integer, is_word


@dataclass(frozen=True, eq=False, repr=False)
class ChainDraws:
    """The draws of one chain: the hashes of the classes, and the edges, scores and directions."""

    drawn: ClassList  # all that the chain has kept
    every: int  # stride among the draws that the chain has kept
    hashes: NDArray[np.uint64]
    edges: NDArray[np.int32]
    score: NDArray[np.float64]
    direction: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.hashes)

    def graphs(self) -> Iterator[ClassGraph]:
        """The classes, ordered by time."""
        return (g for _, g in self.drawn.graphs(self.spread(np.ones(len(self), dtype=np.bool_))))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values for all draws that the chain has kept: 0 for those that are not on the common grid."""
        spread = np.zeros(len(self.drawn), dtype=values.dtype)
        spread[:: self.every] = values
        return spread

    def marks(self, pairs: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The marks of pairs of nodes, one row per draw: 0 no edge, 1 a -> b, 2 b -> a, 3 a - b, where a < b.

        The pair (a, b) has the number b (b - 1) / 2 + a; ``pairs`` must be ascending.
        """
        begin, deltas = self.drawn.oriented.begin.astype(np.int64), self.drawn.oriented.deltas
        pair = (deltas >> 2).astype(np.int64)
        column = np.minimum(np.searchsorted(pairs, pair), max(0, len(pairs) - 1))
        wanted = pairs[column] == pair if len(pairs) else np.zeros(len(pair), dtype=bool)
        row = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        changes = np.zeros((len(begin) - 1, len(pairs)), dtype=np.uint8)
        changes[row[wanted], column[wanted]] = deltas[wanted] & 3
        return np.bitwise_xor.accumulate(changes, axis=0)[:: self.every][: len(self)]


@dataclass(frozen=True, eq=False, repr=False)
class Draws:
    """The class of each chain at the times 0, ``step``, 2 ``step``, ... after its warm-up, in drawn times.

    The step is a power of two and the same for all chains, in units of 2**log2_unit (1 unless times are extremely long
    or short). Chains make equal numbers of jumps in different times, so their numbers of draws can differ. Iteration
    yields the classes of the chains in order.

    >>> import causal_zigzag as cz
    >>> draws = cz.sample(cz.Uniform(["a", "b"]), jumps=1000, chains=2, rng=1).draws()
    >>> len(draws) == len(list(draws)) == sum(draws.counts)
    True
    >>> round(float(draws.indicator("a", "b").mean()), 1)
    0.5
    """

    nodes: tuple[Hashable, ...]
    step: float
    log2_unit: int
    chains: tuple[ChainDraws, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of draws of each chain.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1).draws().counts)
        2
        """
        return tuple(len(c) for c in self.chains)

    def __len__(self) -> int:
        return sum(self.counts)

    def __iter__(self) -> Iterator[ClassGraph]:
        return chain.from_iterable(map(ChainDraws.graphs, self.chains))

    def of_chain(self, number: int) -> Iterator[ClassGraph]:
        """The classes of one chain, ordered by time.

        >>> import causal_zigzag as cz
        >>> draws = cz.sample(cz.Uniform(2), jumps=1000, chains=2, rng=1).draws()
        >>> next(draws.of_chain(1)).nodes
        (0, 1)
        """
        if not is_integer(number) or not 0 <= number < len(self.chains):
            raise SettingsError(f"there is no chain {number!r}; the last of the chains is {len(self.chains) - 1}")
        return self.chains[number].graphs()

    def indicator(self, x: Hashable, y: Hashable, kind: EdgeKind = "adjacent") -> NDArray[np.bool_]:
        """For every draw of all chains, whether x and y are adjacent, or x -> y ("directed"), or x - y ("undirected").

        >>> import causal_zigzag as cz
        >>> draws = cz.sample(cz.Uniform(["a", "b"]), jumps=1000, rng=1).draws()
        >>> bool(draws.indicator("a", "b", "directed").any())
        False
        """
        if not is_word(kind, *EDGE_KINDS):
            raise SettingsError(f"kind must be one of {', '.join(map(repr, EDGE_KINDS))}, not {kind!r}")
        return self.values(PairStatement(kind, x, y)) > 0

    def values(self, statement: ClassGraph | Statement | Callable[[Any], float]) -> NDArray[np.float64]:
        """The values of a function for the draws of all chains; for a CPDAG, whether the draw is this class.

        The function is called once per class. The value of a statement about DAGs is the share of the DAGs of the class
        for which it is true.

        >>> import causal_zigzag as cz
        >>> draws = cz.sample(cz.Uniform(["a", "b"]), jumps=1000, rng=1).draws()
        >>> values = draws.values(lambda g: g.edge_count)
        >>> bool((values == draws.indicator("a", "b")).all())
        True
        >>> bool((draws.values(cz.CPDAG.empty(["a", "b"])) == 1 - values).all())
        True
        """
        if isinstance(statement, (CPDAG, MPDAG)):
            asked = class_of(statement, "values")
            name = np.array(in_node_order(asked, self.nodes, "the graph").core.hash, dtype=np.uint64)
            return np.concatenate([(c.hashes == name).all(axis=1) for c in self.chains]).astype(np.float64)
        if isinstance(statement, Statement):  # evaluated for all draws at once
            return np.concatenate([statement.shares(c.drawn)[:: c.every] for c in self.chains])
        if not callable(statement):
            raise SettingsError(f"expected a CPDAG, a statement or a function of a CPDAG, not {statement!r}")
        value = cache(statement)
        return np.array([float(value(g)) for g in self])

    def marks(self, pairs: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The marks of pairs of nodes in the draws of all chains, one row per draw.

        0 is no edge, 1 is a -> b, 2 is b -> a, 3 is a - b; the pair a < b has the number b (b - 1) / 2 + a.

        >>> import causal_zigzag as cz
        >>> import numpy as np
        >>> draws = cz.sample(cz.Uniform(2), jumps=1000, rng=1).draws()
        >>> np.unique(draws.marks(np.array([0]))).tolist()
        [0, 3]
        """
        return np.concatenate([c.marks(pairs) for c in self.chains])

    def by_chain(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Values of the draws of all chains, split into those of each chain.

        >>> import causal_zigzag as cz
        >>> draws = cz.sample(cz.Uniform(2), jumps=1000, chains=2, rng=1).draws()
        >>> [len(own) for own in draws.by_chain(draws.indicator(0, 1))] == list(draws.counts)
        True
        """
        return np.split(values, np.cumsum(self.counts)[:-1])

    def __repr__(self) -> str:
        chains = "1 chain" if len(self.chains) == 1 else f"{len(self.chains)} chains"
        return f"Draws({len(self)} classes of {len(self.nodes)} nodes from {chains})"
