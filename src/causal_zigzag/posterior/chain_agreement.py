"""The edges to believe: the highly probable ones of a sound run, and of any other those on which all chains agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.answers.settled_directions import HIGHLY_PROBABLE, LikeliestEdge, likeliest_edges, settled_arrows
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior

PROVISIONAL = "provisional: the run has not converged"


class BelievedEdges(NamedTuple):
    """The highly probable edges of a run, and whether the run is sound, so that they are not provisional.

    In a run that is not sound, an edge counts only if each chain by itself gives it HIGHLY_PROBABLE or more, and its
    direction only if it is settled in each chain. ``doubtful`` is the number of the other edges that reach
    HIGHLY_PROBABLE for all chains together. If there are no ``edges``, ``likeliest`` has the most probable pairs.
    """

    sound: bool
    chains: int
    edges: list[LikeliestEdge]
    doubtful: int
    likeliest: list[LikeliestEdge]

    @property
    def heading(self) -> str:
        """The heading of a list of these edges."""
        return "The edges to believe" if self.sound else "Provisional edges"

    def shown(self, most: int) -> list[LikeliestEdge]:
        """The first of the edges; the most probable pairs if there are none."""
        return (self.edges or self.likeliest)[:most]

    def text(self, most: int) -> str:
        """What a list of the first ``most`` edges shows."""
        start, where = "", ""
        if not self.sound:
            start = "The run has not converged, so these numbers may still change. "
            where = f" in each of the {self.chains} chains"
        if not self.sound and self.chains == 1:
            return f"{start}One chain cannot be compared with others. The most probable pairs so far:"
        text = f"{start}{count(len(self.edges), 'pair')} joined with probability {HIGHLY_PROBABLE:g} or more{where}"
        if not self.edges:
            return f"{text}. The most probable pairs:"
        text += f"; the first {most} are shown" if len(self.edges) > most else ""
        return text + (f"; {self.doubtful:,} more only for all chains together." if self.doubtful else ".")


def believed_edges(posterior: Posterior, most: int) -> BelievedEdges:
    """The edges to believe; ``most`` is the number of most probable pairs, for the case that there are none."""
    edges = posterior.edge_probabilities()
    probable = sorted(  # by three digits, and then by the most probable kind of edge
        likeliest_edges(edges, HIGHLY_PROBABLE),
        key=lambda edge: (-round(edge.adjacent, 3), -max(edge.forward, edge.undirected)),
    )
    likeliest = [pair for pair in likeliest_edges(edges, most=most) if pair.adjacent > 0]
    chains = len(posterior.results)
    if posterior.diagnostics().ok:
        return BelievedEdges(True, chains, probable, 0, likeliest)
    if chains == 1:
        return BelievedEdges(False, 1, [], len(probable), likeliest)
    each = [chain.edge_probabilities() for chain in posterior.by_chain()]
    joined = np.minimum.reduce([one.adjacent for one in each])
    settled = np.logical_and.reduce([settled_arrows(one) for one in each])
    agreed = [
        pair if settled[pair.i, pair.j] else pair._replace(mark="-")
        for pair in probable
        if joined[pair.i, pair.j] >= HIGHLY_PROBABLE
    ]
    return BelievedEdges(False, chains, agreed, len(probable) - len(agreed), likeliest)


def edge_strengths(posterior: Posterior) -> NDArray[np.float64]:
    """How strongly a picture shows each pair, n by n: the probability that it is joined.

    If the run is not sound, it is the smallest of the probabilities that the chains give it.
    """
    if posterior.diagnostics().ok:
        return posterior.edge_probabilities().adjacent
    return np.asarray(np.minimum.reduce([chain.edge_probabilities().adjacent for chain in posterior.by_chain()]))
