"""The edges to believe: the highly probable ones that hold again when rows are resampled.

Of a run that has not converged, they are those on which all chains agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.answers.settled_directions import HIGHLY_PROBABLE, LikeliestEdge, likeliest_edges, settled_arrows
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior

PROVISIONAL = "provisional: the run has not converged"


class BelievedEdges(NamedTuple):
    """The highly probable edges of a run, whether it is sound, so that they are not provisional, and ``resampled``.

    If rows were resampled, an edge must have HIGHLY_PROBABLE or more again, and those that hold best are first. In a
    run that is not sound, it counts only if each chain by itself gives it HIGHLY_PROBABLE or more, and its direction
    only if it is settled in each chain. ``unstable`` and ``doubtful`` are the numbers of edges that reach
    HIGHLY_PROBABLE for all chains together, but not again, or not in each chain. If there are no ``edges``,
    ``likeliest`` has the most probable pairs.
    """

    sound: bool
    resampled: bool
    chains: int
    edges: list[LikeliestEdge]
    unstable: int
    doubtful: int
    likeliest: list[LikeliestEdge]

    @property
    def heading(self) -> str:
        """The heading of a list of these edges."""
        if not self.sound:
            return "Provisional edges"
        return "The edges to believe" if self.resampled else "The most probable edges"

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
        also = f", and again {RESAMPLED}" if self.resampled else ""
        text = f"{start}{count(len(self.edges), 'pair')} joined with probability {HIGHLY_PROBABLE:g} or more"
        text += where + also
        if not self.edges:
            return f"{text}. The most probable pairs:"
        text += f"; the first {most} are shown" if len(self.edges) > most else ""
        text += f"; {self.unstable:,} more fall below it then" if self.unstable else ""
        text += f"; {self.doubtful:,} more only for all chains together" if self.doubtful else ""
        arrows = [edge for edge in self.edges if edge.mark == "->"]
        if not (self.resampled and arrows):
            return f"{text}."
        sure = sum(min(edge.forward, edge.again.forward) >= HIGHLY_PROBABLE for edge in arrows if edge.again)
        reach = "reaches" if 1 in (sure, len(arrows)) else "reach"
        return f"{text}. {sure:,} of {count(len(arrows), 'arrow')} {reach} {HIGHLY_PROBABLE:g} in both."


def believed_edges(posterior: Posterior, most: int) -> BelievedEdges:
    """The edges to believe; ``most`` is the number of most probable pairs, for the case that there are none."""
    edges = posterior.edge_probabilities()
    every = sorted(likeliest_edges(edges, HIGHLY_PROBABLE), key=_by_what_holds)
    probable = [pair for pair in every if pair.surely_joined >= HIGHLY_PROBABLE]
    likeliest = sorted((p for p in likeliest_edges(edges, most=most) if p.adjacent > 0), key=_by_what_holds)
    sound, resampled, chains = posterior.diagnostics().ok, edges.again is not None, len(posterior._results)
    unstable = len(every) - len(probable)
    if sound:
        return BelievedEdges(True, resampled, chains, probable, unstable, 0, likeliest)
    if chains == 1:
        return BelievedEdges(False, resampled, 1, [], unstable, len(probable), likeliest)
    each = [chain.edge_probabilities() for chain in posterior.by_chain()]
    joined = np.minimum.reduce([one.adjacent for one in each])
    settled = np.logical_and.reduce([settled_arrows(one) for one in each])
    agreed = [
        pair if settled[pair.i, pair.j] else pair._replace(mark="-")
        for pair in probable
        if joined[pair.i, pair.j] >= HIGHLY_PROBABLE
    ]
    return BelievedEdges(False, resampled, chains, agreed, unstable, len(probable) - len(agreed), likeliest)


def _by_what_holds(pair: LikeliestEdge) -> tuple[float, float]:
    """By three digits of the probability that the pair is joined, and then by the most probable kind of edge."""
    kinds = pair.again or pair.kinds
    return -round(pair.surely_joined, 3), -max(kinds.forward, kinds.undirected)


def edge_strengths(posterior: Posterior) -> NDArray[np.float64]:
    """How strongly a picture shows each pair, n by n: the probability of the arrow that is shown, or of being joined.

    If rows were resampled, it is the smaller one of both. If the run is not sound, it is the smallest of the
    probabilities that the chains give it.
    """
    runs = (posterior, *(() if posterior.diagnostics().ok else posterior.by_chain()))
    every = [one for run in runs for one in run.edge_probabilities().every]
    joined, directed = (np.minimum.reduce([getattr(one, kind) for one in every]) for kind in ("adjacent", "directed"))
    settled = settled_arrows(posterior.edge_probabilities())
    arrows = np.where(settled, directed, 0.0)
    return np.where(settled | settled.T, arrows + arrows.T, joined)
