"""How many arrows and edges of a posterior hold when rows are resampled, and which arrows do not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.settled_directions import HIGHLY_PROBABLE, settled_arrows
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.graphs.adjacency_matrix import Edge

RESAMPLED = "when rows are resampled"


class Stability(NamedTuple):
    """What the model says and what holds when rows are resampled.

    An arrow holds if it has more than half of all probability in both, an edge if its pair is joined with probability
    0.5 or more in both. ``edges`` and ``arrows`` are the numbers that the model says; arrows that were given as known
    are not counted. ``certain`` is the number of arrows with probability 0.9 or more, ``certain_again`` of those that
    have it again. ``lost`` are the arrows that do not hold, the most probable first; pictures show them as lines.
    """

    edges: int
    edges_again: int
    arrows: int
    arrows_again: int
    certain: int
    certain_again: int
    lost: tuple[Edge, ...]

    @property
    def ok(self) -> bool:
        """Whether all edges and all arrows hold, and those that were certain are so again."""
        held = self.edges_again, self.arrows_again, self.certain_again
        return held == (self.edges, self.arrows, self.certain)

    @property
    def words(self) -> str:
        """How many hold, in one sentence without its full stop."""
        edges = f"{self.edges_again:,} of {count(self.edges, 'edge')}"
        if not self.arrows:
            return f"{edges} {'holds' if self.edges == 1 else 'hold'} {RESAMPLED}; there was no arrow to test"
        words = f"{self.arrows_again:,} of {count(self.arrows, 'arrow')} and {edges} hold {RESAMPLED}"
        if not self.certain:
            return words
        certain = f"of {count(self.certain, 'arrow')} with probability {HIGHLY_PROBABLE:g} or more"
        return f"{words}; {certain}, {self.certain_again:,} {'has' if self.certain_again == 1 else 'have'} it again"


def stability(edges: EdgeProbabilities, known: Collection[Edge] = ()) -> Stability | None:
    """What holds of these edges; None if rows were not resampled. ``known`` are arrows that were given.

    >>> import causal_zigzag as cz
    >>> from dataclasses import replace
    >>> sure = cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=-5.0).edge_probabilities()
    >>> doubtful = cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=1.0).edge_probabilities()
    >>> stability(replace(sure, again=doubtful)).words
    '0 of 1 edge holds when rows are resampled; there was no arrow to test'
    """
    if edges.again is None:
        return None
    given = np.zeros(edges.directed.shape, dtype=np.bool_)
    for x, y in known:
        given[edges.nodes.index(x), edges.nodes.index(y)] = True
    joined = np.triu(edges.adjacent >= CONSENSUS_THRESHOLD, 1)
    hold = settled_arrows(edges) & ~given
    said = (settled_arrows(replace(edges, again=None)) & ~given) | hold
    certain = said & (edges.directed >= HIGHLY_PROBABLE)
    i, j = np.nonzero(said & ~hold)
    order = np.argsort(-edges.directed[i, j], kind="stable")
    return Stability(
        int(joined.sum()),
        int((joined & (edges.again.adjacent >= CONSENSUS_THRESHOLD)).sum()),
        int(said.sum()),
        int(hold.sum()),
        int(certain.sum()),
        int((certain & (edges.again.directed >= HIGHLY_PROBABLE)).sum()),
        tuple((edges.nodes[a], edges.nodes[b]) for a, b in zip(i[order], j[order], strict=True)),
    )
