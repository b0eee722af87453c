"""Causal discovery with honest uncertainty: distributions over Markov equivalence classes of causal structures."""

from typing import TYPE_CHECKING

from causal_zigzag.errors import (
    CausalZigzagError,
    DataError,
    GraphError,
    MissingDependencyError,
    OperatorError,
    ScoreError,
    SettingsError,
)
from causal_zigzag.graph import CPDAG
from causal_zigzag.operators import (
    Delete,
    Insert,
    OperatorCounts,
    count_operators,
    list_operators,
    random_operator,
)

__all__ = [
    "CPDAG",
    "CausalZigzagError",
    "DataError",
    "Delete",
    "GraphError",
    "Insert",
    "MissingDependencyError",
    "OperatorCounts",
    "OperatorError",
    "ScoreError",
    "SettingsError",
    "count_operators",
    "list_operators",
    "random_operator",
]

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """The version on request: reading the metadata of the installed package would slow down every import."""
        if name == "__version__":
            from importlib.metadata import version

            return version("causal-zigzag")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
