"""The likeliest edge of each pair of nodes, and when its direction counts as settled.

This is the only place that decides whether a pair is shown with an arrowhead. The API, reports, plots, notebooks and
the command line all use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.graphs.mpdag import Restriction

Mark = Literal["->", "-"]

HIGHLY_PROBABLE = 0.9
"""Pairs joined with at least this probability are listed first in reports and on the command line."""


MAJORITY = 0.5
"""An arrow is settled if it has more than this share of all probability, and again when rows are resampled."""


def settled_arrows(edges: EdgeProbabilities) -> NDArray[np.bool_]:
    """The arrows i -> j that have more than half of all probability, n by n, without the ``opened_arrows``.

    If rows were resampled, they must have more than half in both.

    >>> import causal_zigzag as cz
    >>> settled_arrows(cz.exact_posterior(cz.Uniform(2)).edge_probabilities()).any()
    np.False_
    """
    arrows = _surely_directed(edges) > MAJORITY
    for i, j in _closing(edges):
        arrows[i, j] = False
    return arrows


def opened_arrows(edges: EdgeProbabilities) -> tuple[Edge, ...]:
    """The arrows with more than half of all probability that are shown as lines, as they are part of a cycle.

    Each class has no cycle, but the majority for three arrows can come from different classes. The least probable arrow
    of a cycle is opened.

    >>> import causal_zigzag as cz
    >>> opened_arrows(cz.exact_posterior(cz.Uniform(2)).edge_probabilities())
    ()
    """
    return tuple((edges.nodes[i], edges.nodes[j]) for i, j in _closing(edges))


def _surely_directed(edges: EdgeProbabilities) -> NDArray[np.float64]:
    """The probability of i -> j, n by n; if rows were resampled, the smaller one of both."""
    return np.asarray(np.minimum.reduce([one.directed for one in edges.every]))


def _closing(edges: EdgeProbabilities) -> list[tuple[int, int]]:
    """Arrows that close a cycle with more probable ones, the most probable first."""
    probable = _surely_directed(edges)
    arrows = probable > MAJORITY
    while (ends := arrows.any(axis=0) != arrows.any(axis=1)).any():  # nodes that no cycle passes
        arrows = arrows & ~ends & ~ends[:, None]
    i, j = np.nonzero(arrows)
    above, closing = np.eye(len(arrows), dtype=np.bool_), []  # above[a, b]: a path of arrows leads from a to b
    for k in np.argsort(-probable[i, j], kind="stable"):
        a, b = int(i[k]), int(j[k])
        if above[b, a]:
            closing.append((a, b))
        else:
            above |= np.outer(above[:, a], above[b])
    return closing


class PairKinds(NamedTuple):
    """The probability that a pair x, y is joined, and those of x -> y, y -> x and x - y, which add up to it."""

    adjacent: float
    forward: float
    backward: float
    undirected: float


class LikeliestEdge(NamedTuple):
    """A pair of nodes with the probabilities of its three possible edges, and the edge that is shown for it.

    ``adjacent`` is the sum of ``forward`` (x -> y), ``backward`` (y -> x) and ``undirected`` (x - y). ``mark`` is "->"
    if x -> y is settled and "-" otherwise. The pair is ordered so that ``forward >= backward``. ``i`` and ``j`` are the
    indices of x and y. ``again`` has the probabilities when rows are resampled; it is None if they were not.
    """

    i: int
    j: int
    x: Hashable
    y: Hashable
    mark: Mark
    adjacent: float
    forward: float
    backward: float
    undirected: float
    again: PairKinds | None = None

    @property
    def kinds(self) -> PairKinds:
        """The probabilities without resampling."""
        return PairKinds(self.adjacent, self.forward, self.backward, self.undirected)

    @property
    def surely_joined(self) -> float:
        """The probability that the pair is joined; if rows were resampled, the smaller one of both."""
        return self.adjacent if self.again is None else min(self.adjacent, self.again.adjacent)

    def __str__(self) -> str:
        return f"{self.x} {self.mark} {self.y}"


def likeliest_edges(edges: EdgeProbabilities, least: float = 0.0, most: int | None = None) -> list[LikeliestEdge]:
    """The pairs that are adjacent with at least probability ``least``, in descending order, and at most ``most``.

    >>> import causal_zigzag as cz
    >>> edges = cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=-5.0).edge_probabilities()
    >>> [str(edge) for edge in likeliest_edges(edges, HIGHLY_PROBABLE)]
    ['a - b']
    """
    rows, columns = np.triu_indices(len(edges.nodes), 1)
    adjacent = edges.adjacent[rows, columns]
    order = np.argsort(-adjacent, kind="stable")
    order = order[adjacent[order] >= least][:most]
    settled = settled_arrows(edges)
    found = []
    for i, j in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if edges.directed[j, i] > edges.directed[i, j]:
            i, j = j, i
        mark: Mark = "->" if settled[i, j] else "-"
        again = None if edges.again is None else pair_kinds(edges.again, i, j)
        found.append(LikeliestEdge(i, j, edges.nodes[i], edges.nodes[j], mark, *pair_kinds(edges, i, j), again))
    return found


def pair_kinds(edges: EdgeProbabilities, i: int, j: int) -> PairKinds:
    """The probabilities of the pair of nodes number i and j, without resampling."""
    kinds = edges.adjacent[i, j], edges.directed[i, j], edges.directed[j, i], edges.undirected[i, j]
    return PairKinds(*map(float, kinds))


def arrows_from_knowledge(matrix: NDArray[np.uint8], restriction: Restriction) -> tuple[Edge, ...]:
    """The arrows that the knowledge alone gives the edges of a graph, in every class with these adjacencies.

    They are required, or the opposite arrow is forbidden, or it would close a cycle with such arrows. What follows
    from a collider or its absence differs between classes, so it is not included.
    """
    joined = (matrix | matrix.T) > 0
    known = np.zeros_like(joined)
    for x, y in restriction.required:
        known[x, y] = True
    for x, y in restriction.forbidden:
        known[y, x] = joined[x, y]
    above = known.copy()  # above[x, y]: a path of known arrows leads from x to y
    for v in range(len(above)):
        above |= np.outer(above[:, v], above[v])
    names = restriction.labels.names
    return tuple((names[x], names[y]) for x, y in np.argwhere(above & joined))
