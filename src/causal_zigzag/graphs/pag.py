"""PAG: the graph that represents a Markov equivalence class of MAGs, with circles where its members differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.mag import check_ancestral
from causal_zigzag.graphs.marked_graph import MarkedGraph, MarkedWord, marks_of_words, read_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from causal_zigzag.graphs.labels import Nodes
    from causal_zigzag.graphs.marked_graph import Marks


@final
class PAG(MarkedGraph):
    """A partial ancestral graph: the marks that all MAGs of an equivalence class share, and circles elsewhere.

    A tail at x, as in ``x --> y``, means that x causes y in every MAG of the class; an arrowhead at x, that x does not
    cause y in any. A circle means that the MAGs of the class differ. All of them have the same edges apart from the
    marks, and no observations can tell them apart.

    Graphs are immutable values. Two are equal if they have the same nodes in the same order and the same edges.
    Construct one with ``from_edges`` or ``from_marks``, for example of a PAG that FCI returned. Marks that no PAG can
    have raise a GraphError: a tail without an arrowhead at the other end, a cycle of directed edges, or an arrowhead at
    an ancestor of the other end. Whether a class with these marks exists is not checked.

    >>> import causal_zigzag as cz
    >>> graph = cz.PAG.from_edges(["a", "b", "c", "d"], [("a", "o->", "c"), ("b", "o->", "c"), ("c", "-->", "d")])
    >>> graph
    PAG(4 nodes, 3 edges: a o-> c, b o-> c, c --> d)
    >>> graph.parents("d"), graph.parents("c")
    (frozenset({'c'}), frozenset())
    """

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise GraphError("construct a PAG by PAG.from_edges or from_marks")

    @classmethod
    def from_marks(cls, marks: Any, nodes: Nodes | None = None) -> PAG:
        """The PAG with this matrix: ``m[i, j]`` is the mark at j: 1 a circle, 2 an arrowhead, 3 a tail.

        >>> PAG.from_marks([[0, 2], [1, 0]], nodes=["a", "b"])
        PAG(2 nodes, 1 edge: a o-> b)
        """
        return cls._checked(*read_marks(marks, nodes))

    @classmethod
    def from_edges(cls, nodes: Nodes, edges: Iterable[MarkedWord]) -> PAG:
        """The PAG with these edges ``(x, word, y)``; the words are ``-->``, ``<->``, ``o->`` and ``o-o``.

        >>> PAG.from_edges(["a", "b"], [("a", "o-o", "b")])
        PAG(2 nodes, 1 edge: a o-o b)
        """
        return cls._checked(*marks_of_words(nodes, edges))

    def _check(self) -> None:
        check_ancestral(self)

    def __reduce__(self) -> tuple[Callable[..., PAG], tuple[Marks, tuple[Hashable, ...]]]:
        return PAG.from_marks, (self.matrix(), self.nodes)
