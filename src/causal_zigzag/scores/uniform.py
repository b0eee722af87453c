"""Uniform: the score that is always 0, so that all classes have the same weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, final

from causal_zigzag.scores.base import Score
from causal_zigzag.support.field_checks import check

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence


@final
class Uniform(Score, name="uniform"):
    """The score that is always 0; ``nodes`` is a number of nodes or a sequence of names.

    >>> import causal_zigzag as cz
    >>> cz.Uniform(["a", "b"]).local("a", ["b"])
    0.0
    """

    in_core = True
    is_flat = True
    no_effects = "it has no data"

    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        """Always 0."""
        self._numbers(node, parents)
        return 0.0

    def local_by_number(self, y: int, parents: list[int]) -> float:  # noqa: ARG002
        return 0.0

    def core_score(self) -> None:
        return None  # without a score, the core counts operators instead of listing them

    def relative_cost(self) -> float:
        return 1.0

    def state(self) -> dict[str, Any]:
        """Nothing besides the nodes."""
        return {}

    @classmethod
    def from_state(cls, nodes: Sequence[Hashable], state: dict[str, Any]) -> Self:
        """The score of these nodes."""
        check(not state, "its score has values, but is uniform")
        return cls([*nodes])

    def code(self) -> str:
        nodes = [*self.nodes]
        return f"cz.Uniform({len(nodes) if nodes == [*range(len(nodes))] else nodes})"
