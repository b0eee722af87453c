"""The typed face of the compiled core. Nodes are 0..n-1 here; labels, and all checking of input, live in Python."""

from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

Flaw = tuple[str, list[int]]
"""Why a matrix is not what it should be: a kind, and the nodes that show it.

"self_loop" [v]; "cycle" [a, b, ..., z], a directed cycle in order; "chordless" [a, b, ..., z], an undirected cycle of
at least four nodes without a chord; "parents" [p, u, v], p -> u and u - v but not p -> v; "not_compelled" [x, y],
an arrow x -> y that some member DAG of the class reverses; "no_extension" [], a PDAG that no DAG extends.
"""

Fault = tuple[str, list[int]]
"""Why an operator is not valid: a kind, and the nodes that show it.

"same_node" [x]; "adjacent" [x, y] (Insert); "not_adjacent" [x, y] (Delete: y is neither child nor neighbor of x);
"not_tails" [t, ...], members of T outside Ne(y) \\ Adj(x); "not_heads" [h, ...], members of H outside Ne(y) & Adj(x);
"not_clique" [a, b], two non-adjacent members of the set that must be a clique; "open_path" [y, ..., x], a
semi-directed path that avoids the clique.
"""

Operator = tuple[bool, int, int, list[int]]
"""(is an insert, x, y, T or H)."""

@final
class Graph:
    """An immutable CPDAG with one of its DAGs."""

    @staticmethod
    def empty(n: int) -> Graph: ...
    @staticmethod
    def complete(n: int) -> Graph: ...
    @staticmethod
    def from_matrix(matrix: NDArray[np.uint8]) -> Graph | Flaw: ...
    @staticmethod
    def from_dag(matrix: NDArray[np.uint8]) -> Graph | Flaw: ...
    @staticmethod
    def from_pdag(matrix: NDArray[np.uint8]) -> Graph | Flaw: ...
    @property
    def n(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    @property
    def hash(self) -> tuple[int, int]:
        """A 128-bit hash of the class, as two 64-bit halves; the samplers name classes by it."""
    def matrix(self) -> NDArray[np.uint8]: ...
    def dag(self) -> NDArray[np.uint8]: ...
    def parents(self, v: int) -> list[int]: ...
    def children(self, v: int) -> list[int]: ...
    def neighbors(self, v: int) -> list[int]: ...
    def directed_edges(self) -> list[tuple[int, int]]: ...
    def undirected_edges(self) -> list[tuple[int, int]]: ...
    def count_operators(self, max_degree: int) -> tuple[list[int], list[int]]:
        """Inserts and deletes as coefficients of powers of two: the count is sum(c << p for p, c in enumerate(...))."""
    def operators(self, max_degree: int) -> Operators: ...
    def random_operator(self, kind: Literal[-1, 0, 1], max_degree: int, seed: NDArray[np.uint64]) -> Operator | None:
        """Uniform among inserts (1), deletes (-1) or both (0); None where there is none. seed: four words."""
    def fault(self, insert: bool, x: int, y: int, tails_or_heads: list[int]) -> Fault | None: ...
    def apply(self, insert: bool, x: int, y: int, tails_or_heads: list[int]) -> Graph:
        """The class after a valid operator."""
    def inverse(self, insert: bool, x: int, y: int, tails_or_heads: list[int]) -> Operator:
        """The operator on the result of apply() that leads back."""
    def __eq__(self, other: object) -> bool: ...

@final
class Operators:
    """A cursor over the valid operators of a graph, each once."""

    def take(self, at_most: int) -> list[Operator]:
        """The next ones; an empty list at the end."""
