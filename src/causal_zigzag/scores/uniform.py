"""Uniform: the score that is always 0, so that all classes have the same weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag.scores.base import BuiltinScore, Score

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from causal_zigzag.graphs.labels import Nodes


@final
class Uniform(BuiltinScore, name="uniform"):
    """The score that is always 0; ``nodes`` is a number of nodes or a sequence of names.

    >>> import causal_zigzag as cz
    >>> cz.Uniform(["a", "b"]).local("a", ["b"])
    0.0
    """

    is_flat = True
    no_effects = "it has no data"

    def __init__(self, nodes: Nodes) -> None:
        Score.__init__(self, nodes)

    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        """Always 0."""
        self._numbers(node, parents)
        return 0.0

    def row(self, node: Hashable, parents: Iterable[Hashable]) -> NDArray[np.float64]:
        """Always zeros."""
        self._numbers(node, parents)
        return np.zeros(len(self.nodes))

    def total(self, graph: Any) -> float:
        """Always 0."""
        self._dag(graph)
        return 0.0

    def core_score(self) -> None:
        return None  # without a score, the core counts operators instead of listing them

    def code(self) -> str:
        nodes = [*self.nodes]
        return f"cz.Uniform({len(nodes) if nodes == [*range(len(nodes))] else nodes})"

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
