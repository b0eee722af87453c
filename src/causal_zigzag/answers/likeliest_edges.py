"""The edges in words: for each pair of nodes the likeliest edge, and how far to believe it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities

Mark = Literal["->", "-"]

BELIEVED = 0.9
"""Edges of at least this probability are listed as those to believe."""


class Belief(NamedTuple):
    """A pair of nodes, joined with probability ``adjacent``; of the ways to join them ``x mark y`` is the likeliest.

    The three ways have the probabilities ``forward`` (x -> y), ``undirected`` (x - y) and ``backward`` (y -> x);
    the pair is in the order that makes ``forward >= backward``.
    """

    i: int
    j: int
    x: Hashable
    y: Hashable
    mark: Mark
    adjacent: float
    forward: float
    undirected: float
    backward: float

    @property
    def marked(self) -> float:
        """The probability of the likeliest way."""
        return self.forward if self.mark == "->" else self.undirected

    def __str__(self) -> str:
        return f"{self.x} {self.mark} {self.y}"


def beliefs(edges: EdgeProbabilities, least: float = 0.0, most: int | None = None) -> list[Belief]:
    """The pairs that are joined with at least this probability, the most probable first, and at most so many of them.

    >>> import causal_zigzag as cz
    >>> edges = cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=-5.0).edge_probabilities()
    >>> [str(belief) for belief in beliefs(edges, BELIEVED)]
    ['a - b']
    """
    rows, columns = np.triu_indices(len(edges.nodes), 1)
    adjacent = edges.adjacent[rows, columns]
    order = np.argsort(-adjacent, kind="stable")
    order = order[adjacent[order] >= least][:most]
    found = []
    for i, j in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if edges.directed[j, i] > edges.directed[i, j]:
            i, j = j, i
        forward, undirected = float(edges.directed[i, j]), float(edges.undirected[i, j])
        mark: Mark = "->" if forward > undirected else "-"
        found.append(
            Belief(
                i,
                j,
                edges.nodes[i],
                edges.nodes[j],
                mark,
                float(edges.adjacent[i, j]),
                forward,
                undirected,
                float(edges.directed[j, i]),
            )
        )
    return found


def believed(listed: Iterable[Belief]) -> list[Belief]:
    """Those to believe; of pairs that are joined with the same probability, to three digits, the surest way first."""
    certain = [belief for belief in listed if belief.adjacent >= BELIEVED]
    return sorted(certain, key=lambda belief: (-round(belief.adjacent, 3), -belief.marked))
