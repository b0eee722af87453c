"""LabelledGraph: what all graphs of the package have in common: labelled nodes, and that they are immutable values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Self

from causal_zigzag.errors import GraphError, MissingDependencyError
from causal_zigzag.graphs.labels import Labels

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    import networkx as nx

LISTED_EDGES = 12  # a graph with more of them shows only their number


class LabelledGraph:
    """The base class of all graphs; they are immutable values."""

    __slots__ = ("labels",)
    labels: Labels

    @classmethod
    def _with(cls, **values: object) -> Self:
        """A graph with these slots."""
        self = object.__new__(cls)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        return self

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels, in the order of the rows of the matrix.

        >>> import causal_zigzag as cz
        >>> cz.CPDAG.empty(3).nodes
        (0, 1, 2)
        """
        return self.labels.names

    def __len__(self) -> int:
        return len(self.labels)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a graph of type {type(self).__name__} is immutable, {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a graph of type {type(self).__name__} is immutable, {name!r} cannot be deleted")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def _empty_networkx(self) -> nx.DiGraph[Hashable]:
        """A networkx.DiGraph with these nodes."""
        try:
            import networkx
        except ImportError:
            raise MissingDependencyError(
                "to_networkx needs networkx; install it with: pip install 'causal-zigzag[networkx]'", name="networkx"
            ) from None
        if self.labels.find(None) is not None:
            raise GraphError("networkx does not allow a node with the label None; rename it")
        graph: nx.DiGraph[Hashable] = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        return graph

    def _name_set(self, numbers: Iterable[int]) -> frozenset[Hashable]:
        return frozenset(map(self.labels.names.__getitem__, numbers))
