"""EdgePrior: the prior of the number of edges, and the values of ``edge_prior=`` that it is read from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from causal_zigzag import _core
from causal_zigzag.errors import CausalZigzagError, SettingsError
from causal_zigzag.support.validation import is_real

EdgePriorInput = float | str | Iterable[float] | Callable[[int], float] | None
"""None, "auto", a number (the cost of an edge), or the log weight of m edges as a sequence or a function of m."""

DEFAULT_EDGE_PRIOR = "auto"

MOST_COST = 1e100  # of an edge: the cost of all edges stays far within the range of a double


@dataclass(frozen=True)
class EdgePrior:
    """The log weight of m edges: ``-cost * m``, or ``table[m]`` if there is a table (minus infinity beyond its end).

    >>> from causal_zigzag.target.edge_prior import EdgePrior
    >>> EdgePrior(cost=2.0).log_weight(3)
    -6.0
    >>> EdgePrior(table=(0.0, -1.0)).log_weight(2)
    -inf
    """

    cost: float = 0.0
    table: tuple[float, ...] = ()
    is_default: bool = False

    def __post_init__(self) -> None:
        numbers = all(is_real(value) and math.isfinite(value) for value in (self.cost, *self.table))
        if not numbers or abs(self.cost) > MOST_COST:
            raise SettingsError(f"the cost and the log weights of an edge prior must be finite numbers, not {self!r}")

    def log_weight(self, edges: int) -> float:
        """The log weight of a graph with this number of edges."""
        if not self.table:
            return -self.cost * edges
        return self.table[edges] if edges < len(self.table) else -math.inf

    def core(self, coldness: float = 1.0) -> _core.EdgePrior:
        """The prior in the core, with all log weights divided by ``coldness``."""
        return _core.EdgePrior(-self.cost / coldness, [weight / coldness for weight in self.table])

    def __str__(self) -> str:
        if self.table:
            return (
                f"log weights of 0 to {len(self.table) - 1} edges, from {min(self.table):.6g} to {max(self.table):.6g}"
            )
        if self.cost == 0:
            return "none"
        return f"exp({-self.cost:.6g}) per edge" + (
            " (auto: by the number of pairs that can be edges)" if self.is_default else ""
        )


def read_edge_prior(given: Any, explained: int, causes: int, most_edges: int, is_uniform: bool) -> EdgePrior:
    """The prior that ``edge_prior=given`` stands for, for graphs with up to ``most_edges`` edges.

    Edges can join any two of the e nodes that are ``explained``, and each of them with each of the c other ``causes``,
    which are given. There are m = e(e - 1)/2 + ec such pairs. "auto" is log(2m + e)/2, which is log(e) if c = 0.
    """
    if given is None:
        return EdgePrior()
    if isinstance(given, str):
        if given != "auto":
            raise SettingsError(f"{_EXPECTED}, not {given!r}")
        cost = math.log(explained) + math.log1p(2 * causes / explained) / 2 if explained and not is_uniform else 0.0
        return EdgePrior(cost, is_default=cost > 0)
    if is_real(given):
        return EdgePrior(cost=float(given))
    if callable(given):
        try:
            return EdgePrior(table=_table(map(given, range(most_edges + 1))))
        except CausalZigzagError:
            raise
        except Exception as error:
            raise SettingsError(f"the function edge_prior raised {type(error).__name__}: {error}") from error
    if isinstance(given, Iterable) and not isinstance(given, (Mapping, Set, bytes)):
        return EdgePrior(table=_table(islice(given, most_edges + 1)))
    raise SettingsError(f"{_EXPECTED}, not {given!r}")


_EXPECTED = 'edge_prior must be "auto", None, a number, a sequence of log weights or a function of the number of edges'


def _table(values: Iterable[Any]) -> tuple[float, ...]:
    """The log weights up to the last finite one."""
    table: list[float] = []
    for value in values:
        weight = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
        if not is_real(weight) or not weight < math.inf:
            raise SettingsError(
                f"edge_prior must give a log weight (a finite number, or -inf) for every number of edges, but for "
                f"{len(table)} it gives {value!r}"
            )
        table.append(float(weight))
    while table and table[-1] == -math.inf:
        table.pop()
    if not table or -math.inf in table:
        gap = table.index(-math.inf) if table else 0
        raise SettingsError(f"edge_prior gives no weight to graphs with {gap} edges, so larger ones cannot be reached")
    return tuple(table)
