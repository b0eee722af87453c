"""The classes of the sampled ancestral graphs: how often each was drawn, its PAG, and what all its members share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.graphs.mag import MAG
from causal_zigzag.graphs.pag import PAG

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.ancestral.chains import AncestralChain
    from causal_zigzag.ancestral.target import AncestralTarget

IN_ALL, IN_NONE = 1, 2


class TopPag(NamedTuple):
    """A class of ancestral graphs, as its PAG, with its probability and score."""

    graph: PAG
    probability: float
    score: float


class AncestralClasses(NamedTuple):
    """The classes in decreasing order of their probabilities, which are shares of the graphs that were kept."""

    first: NDArray[np.uint8]  # a member of each, as the states of its pairs
    probabilities: NDArray[np.float64]
    ancestry: NDArray[np.uint8]  # [class, x, y]: whether x causes y in all members (1), in none (2), or in some (0)


def kept_graphs(chains: Sequence[AncestralChain]) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """All kept graphs and their weights; chains count the same."""
    weights = [np.full(len(chain.kept), 1 / (len(chains) * len(chain.kept))) for chain in chains]
    return np.ascontiguousarray(np.concatenate([chain.kept for chain in chains])), np.concatenate(weights)


def sampled_classes(chains: Sequence[AncestralChain], n: int) -> AncestralClasses:
    """The classes of the kept graphs."""
    graphs, weights = kept_graphs(chains)
    keys = core.mag_keys(n, graphs)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    shares = np.bincount(place.ravel(), weights).astype(np.float64)
    order = np.lexsort((keys[first], -shares))
    members = np.ascontiguousarray(graphs[first[order]])
    return AncestralClasses(members, shares[order], core.pag_ancestry(n, members).reshape(-1, n, n))


def forced_shares(classes: AncestralClasses) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The probabilities, n by n, that the class forces the row to cause the column, and neither to cause the other."""
    causes = np.tensordot(classes.probabilities, classes.ancestry == IN_ALL, 1)
    none = classes.ancestry == IN_NONE
    neither = np.tensordot(classes.probabilities, none & none.transpose(0, 2, 1), 1)
    np.fill_diagonal(causes, 0.0)
    return causes, neither


def top_pags(classes: AncestralClasses, k: int, target: AncestralTarget) -> list[TopPag]:
    """The most probable classes."""
    n, members = len(target.nodes), classes.first[:k]
    marks = core.pag_marks(n, members).reshape(-1, n, n)
    scores = target.scored().totals(members)
    return [
        TopPag(PAG.from_marks(own, target.nodes), float(p), float(score))
        for own, p, score in zip(marks, classes.probabilities, scores, strict=False)
    ]


def mag_of(states: NDArray[np.uint8], nodes: Sequence[Hashable]) -> MAG:
    """The graph with these states of its pairs."""
    n = len(nodes)
    marks = np.zeros((n, n), np.int8)
    x, y = np.triu_indices(n, 1)
    marks[x, y] = np.array([0, 2, 3, 2])[states]
    marks[y, x] = np.array([0, 3, 2, 2])[states]
    return MAG.from_marks(marks, nodes)
