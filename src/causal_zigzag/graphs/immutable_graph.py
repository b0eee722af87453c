"""ImmutableGraph: what CPDAG and MPDAG have in common as values: they cannot be changed, and say what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Self

from causal_zigzag.graphs.labels import show

if TYPE_CHECKING:
    from causal_zigzag.graphs.adjacency_matrix import Edge

EDGES_IN_REPR = 12


class ImmutableGraph:
    """The base class of graphs with directed and undirected edges that are immutable values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def directed_edges(self) -> tuple[Edge, ...]: ...

        @property
        def undirected_edges(self) -> tuple[Edge, ...]: ...

        def __len__(self) -> int: ...

    def __repr__(self) -> str:
        name, nodes = type(self).__name__, "1 node" if len(self) == 1 else f"{len(self)} nodes"
        directed, undirected = self.directed_edges, self.undirected_edges
        if not directed and not undirected:
            return f"{name}({nodes}, no edges)"
        text = f"{nodes}, {len(directed)} directed and {len(undirected)} undirected edges"
        if len(directed) + len(undirected) <= EDGES_IN_REPR:
            edges = [f"{show(x)} -> {show(y)}" for x, y in directed]
            edges += [f"{show(x)} - {show(y)}" for x, y in undirected]
            text += ": " + ", ".join(edges)
        return f"{name}({text})"

    def _repr_svg_(self) -> str | None:
        from causal_zigzag.figures.svg import notebook_svg

        graph: Any = self
        return notebook_svg(graph)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a graph of type {type(self).__name__} is immutable, {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a graph of type {type(self).__name__} is immutable, {name!r} cannot be deleted")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self
