"""Knowledge as restrictions on ancestors, for the chains of ancestral graphs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import KnowledgeError
from causal_zigzag.graphs.labels import Labels, show
from causal_zigzag.target.knowledge import Knowledge

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class AncestralRestriction:
    """Matrices of pairs: the row must cause the column, must not, is never joined to it, never by <->."""

    causes: NDArray[np.uint8]
    spares: NDArray[np.uint8]
    apart: NDArray[np.uint8]
    unconfounded: NDArray[np.uint8]

    def core(self) -> core.MagKnowledge:
        """The same in the core."""
        return core.MagKnowledge(self.causes, self.spares, self.apart, self.unconfounded)

    def first_graph(self) -> NDArray[np.uint8]:
        """The states of the pairs of a graph with the required arrows only."""
        return states_of_dag(self.causes)

    def allows(self, states: NDArray[np.uint8]) -> bool:
        """Whether this graph agrees."""
        return bool(self.core().allows(len(self.causes), states[None, :])[0])


def states_of_dag(dag: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The states of the pairs x < y of a DAG: 0 not joined, 1 x -> y, 2 y -> x."""
    x, y = np.triu_indices(len(dag), 1)
    return (dag[x, y] + 2 * dag[y, x]).astype(np.uint8)


def read_restriction(knowledge: Knowledge | None, nodes: Sequence[Hashable]) -> AncestralRestriction:
    """The restrictions on ancestors that the knowledge amounts to.

    A required arrow says that its first node causes the second one, directly or not. A forbidden arrow, and an arrow to
    an earlier tier, says that it does not. A condition of an experiment has no causes and, as it was set, no hidden
    cause in common with any node.
    """
    n = len(nodes)
    causes, spares, apart, unconfounded = (np.zeros((n, n), np.uint8) for _ in range(4))
    if knowledge is not None:
        labels = Labels(nodes)
        if knowledge.neighboring_tiers_only and len(knowledge.tiers) > 2:
            raise KnowledgeError(
                "neighboring_tiers_only says nothing when causes may be hidden: what is between two tiers may be "
                "hidden too; leave it out"
            )
        forbidden, required = knowledge.arrows(labels)
        for x, y in required:
            causes[x, y] = 1
        for x, y in forbidden:
            spares[x, y] = 1
        given = [labels.number(v) for v in knowledge.conditions]
        apart[np.ix_(given, given)] = 1
        unconfounded[given, :] = 1
        unconfounded[:, given] = 1
        for matrix in (apart, unconfounded):
            np.fill_diagonal(matrix, 0)
        _check(causes, spares, nodes)
    return AncestralRestriction(causes, spares, apart, unconfounded)


def knowledge_of_part(
    knowledge: Knowledge | None, others: Sequence[Hashable], part: Sequence[Hashable]
) -> Knowledge | None:
    """What the knowledge about all nodes says about the ancestors among a part of them, without the others."""
    if knowledge is None or not others:
        return knowledge
    nodes = (*part, *others)
    whole = read_restriction(knowledge, nodes)
    above = _closure(whole.causes)

    def arrows(matrix: NDArray[np.bool_]) -> list[tuple[Hashable, Hashable]]:
        pairs = ((nodes[i], nodes[j]) for i, j in np.argwhere(matrix).tolist())
        return [(x, y) for x, y in pairs if x in part and y in part]

    conditions = [nodes[v] for v in np.flatnonzero(whole.unconfounded.sum(axis=1) == len(nodes) - 1).tolist()]
    return Knowledge(
        required=arrows(above),
        forbidden=arrows(whole.spares.astype(np.bool_)),
        conditions=[v for v in conditions if v in part],
    )


def _closure(causes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    above = causes.astype(np.bool_)
    for _ in range(len(causes)):
        above |= above @ above
    return above


def _check(causes: NDArray[np.uint8], spares: NDArray[np.uint8], nodes: Sequence[Hashable]) -> None:
    """Raise a KnowledgeError if required arrows make a node a cause of one that it must not cause."""
    for i, j in np.argwhere(_closure(causes) & spares.astype(np.bool_)):
        x, y = nodes[int(i)], nodes[int(j)]
        raise KnowledgeError(
            f"by the required arrows {show(x)} causes {show(y)}, which is forbidden: when causes may be hidden, a "
            "forbidden arrow says that its first node does not cause the second one, neither directly nor through "
            "others",
            [x, y],
        )
