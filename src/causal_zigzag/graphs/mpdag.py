"""MPDAG: the DAGs of a class that agree with a knowledge, as a maximally oriented graph."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias, final

import numpy as np

from causal_zigzag._core import ArrowKnowledge, count_dags, orient, random_dags
from causal_zigzag.errors import GraphError, KnowledgeError, SettingsError
from causal_zigzag.graphs.edge_numbers import EdgeNumbers
from causal_zigzag.graphs.error_messages import disagreement, too_many_splits
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.mixed_graph import MixedGraph
from causal_zigzag.support.rng import Rng, seed_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.target.knowledge import Knowledge


class Restriction:
    """A knowledge about given nodes, ready to be applied to many classes.

    ``conditions`` are the nodes that can have no parents, ``apart`` the pairs that are never joined.
    """

    __slots__ = ("apart", "arrows", "conditions", "forbidden", "knowledge", "labels", "required")

    def __init__(self, knowledge: Knowledge, labels: Labels) -> None:
        self.knowledge, self.labels = knowledge, labels
        self.forbidden, self.required = knowledge.arrows(labels)
        self.apart = knowledge.pairs_apart(labels)
        self.arrows = ArrowKnowledge(len(labels), self.forbidden, self.required)
        into = Counter(y for _, y in self.forbidden)
        self.conditions = [y for y in range(len(labels)) if into[y] == len(labels) - 1]

    def __reduce__(self) -> tuple[type[Restriction], tuple[object, ...]]:
        return Restriction, (self.knowledge, self.labels)  # the arrows of the core cannot be pickled

    def apply(self, g: CPDAG) -> MPDAG:
        """The agreeing DAGs of a class with these nodes; a KnowledgeError says why there are none."""
        found = orient(g.core, self.arrows)
        if isinstance(found, tuple):
            raise KnowledgeError(disagreement(found, self.labels), [self.labels.names[v] for v in found[1]])
        return MPDAG.from_matrix(g, self, found)

    def fault(self, g: CPDAG) -> str:
        """Why a class does not agree, and an empty string if it does."""
        found = orient(g.core, self.arrows)
        return disagreement(found, self.labels) if isinstance(found, tuple) else ""


@final
class MPDAG(MixedGraph):
    """The DAGs of a class that agree with a knowledge: Meek's maximally oriented partially directed graph (PDAG).

    An edge ``x -> y`` has this direction in all DAGs of the class that agree with the knowledge; ``x - y`` has either
    direction in some of them. It is the CPDAG of the class with the knowledge oriented and Meek's four rules applied
    (Meek 1995). ``CPDAG.with_knowledge`` makes it, and answers of a posterior with knowledge contain it.

    Graphs are immutable values. Two are equal if they have the same nodes in the same order and the same edges; they
    then stand for the same DAGs.

    >>> import causal_zigzag as cz
    >>> g = cz.CPDAG.from_dag([("a", "b"), ("b", "c")])
    >>> g
    CPDAG(3 nodes, 0 directed and 2 undirected edges: a - b, b - c)
    >>> g.with_knowledge(cz.Knowledge(tiers=[["a"], ...]))
    MPDAG(3 nodes, 2 directed and 0 undirected edges: a -> b, b -> c)
    """

    __slots__ = ("cpdag", "restriction")
    core: EdgeNumbers
    cpdag: CPDAG
    restriction: Restriction

    def __init__(self, *_: object, **__: object) -> None:
        raise GraphError("make an MPDAG by with_knowledge of a CPDAG")

    @classmethod
    def from_matrix(cls, g: CPDAG, restriction: Restriction, matrix: NDArray[np.uint8]) -> MPDAG:
        """The graph that the core has oriented.

        :meta private:
        """
        return cls._with(core=EdgeNumbers(matrix), labels=g.labels, cpdag=g, restriction=restriction)

    @property
    def knowledge(self) -> Knowledge:
        """The knowledge.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(["a", "b"]).with_knowledge(cz.Knowledge(required=[("a", "b")])).knowledge
        Knowledge(required: a -> b)
        """
        return self.restriction.knowledge

    @property
    def edges_from_knowledge(self) -> tuple[Edge, ...]:
        """The directed edges that the class alone leaves undirected, in node order.

        >>> import causal_zigzag as cz
        >>> g = cz.CPDAG.from_dag([("a", "c"), ("b", "c"), ("d", "e")])
        >>> g.with_knowledge(cz.Knowledge(tiers=[["d"], ["e"]])).edges_from_knowledge
        (('d', 'e'),)
        """
        lines = {*self.cpdag.undirected_edges}
        return tuple((x, y) for x, y in self.directed_edges if (x, y) in lines or (y, x) in lines)

    def dag(self) -> NDArray[np.uint8]:
        """One agreeing DAG, as a new 0/1 matrix: ``m[i, j] = 1`` for ``i -> j``, in the order of ``nodes``.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).dag().tolist()
        [[0, 0], [1, 0]]
        """
        matrix, arrows = self.matrix(), [*self.restriction.required]
        while (matrix & matrix.T).any():
            x, y = np.argwhere(np.triu(matrix & matrix.T))[0].tolist()
            arrows.append((x, y))  # possible, since the graph is maximally oriented
            oriented = orient(self.cpdag.core, ArrowKnowledge(len(self), self.restriction.forbidden, arrows))
            assert not isinstance(oriented, tuple)
            matrix = oriented
        return matrix

    def count_dags(self) -> int:
        """The number of DAGs of the class that agree, as an exact integer of any size.

        For tiers this takes polynomial time. Other knowledge can leave components with arrows and lines, whose lines
        are directed one after the other; if that takes too much work, a GraphError names the nodes of the component.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(25).with_knowledge(cz.Knowledge(tiers=[[0], ...])).count_dags()
        620448401733239439360000
        """
        try:
            return int.from_bytes(count_dags(self.cpdag.core, self.restriction.arrows), "little")
        except OverflowError as error:
            raise too_many_splits(error, self.labels) from None

    def random_dag(self, rng: Rng = None) -> NDArray[np.uint8]:
        """A uniformly random DAG among those that agree, as a matrix like that of ``dag``.

        ``rng`` is a seed, a numpy Generator or None for a random seed. The work is that of ``count_dags``.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.complete(2).with_knowledge(cz.Knowledge(required=[(1, 0)])).random_dag(rng=1).tolist()
        [[0, 0], [1, 0]]
        """
        dag: NDArray[np.uint8] = self.random_dags(1, rng)[0]
        return dag

    def random_dags(self, k: int, rng: Rng) -> NDArray[np.uint8]:
        """``k`` independent draws of ``random_dag``, as an array of k matrices.

        :meta private:
        """
        dags = np.zeros((k, len(self), len(self)), dtype=np.uint8)
        try:
            random_dags(self.cpdag.core, seed_words(rng), dags, self.restriction.arrows)
        except OverflowError as error:
            raise too_many_splits(error, self.labels) from None
        return dags

    def __reduce__(self) -> tuple[Callable[..., MPDAG], tuple[object, ...]]:
        return restricted, (self.cpdag, self.knowledge)


def restricted(g: CPDAG, knowledge: Knowledge) -> MPDAG:
    """See ``CPDAG.with_knowledge``."""
    if not hasattr(knowledge, "arrows"):
        raise KnowledgeError(f"with_knowledge needs a cz.Knowledge, not {knowledge!r}")
    return Restriction(knowledge, g.labels).apply(g)


def class_of(g: Any, asking: str) -> CPDAG:
    """The class of a CPDAG or an MPDAG that a user gave."""
    if isinstance(g, MPDAG):
        return g.cpdag
    if not hasattr(g, "with_knowledge"):
        raise SettingsError(f"{asking} needs a CPDAG, not {g!r}")
    found: CPDAG = g
    return found


ClassGraph: TypeAlias = "CPDAG | MPDAG"
"""A class, or its DAGs that agree with a knowledge."""
