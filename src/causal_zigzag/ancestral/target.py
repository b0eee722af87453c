"""AncestralTarget: the distribution over maximal ancestral graphs that is sampled."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.ancestral.restriction import AncestralRestriction, read_restriction
from causal_zigzag.errors import SettingsError
from causal_zigzag.scores.gaussian import GaussianBIC
from causal_zigzag.support.validation import is_real, is_word
from causal_zigzag.target.knowledge import Knowledge

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-3  # of the log likelihood of a district, at which its fit ends
FIT_STARTS = 2  # of the fit of a district, whose likelihood can have several maxima


@dataclass(frozen=True)
class AncestralTarget:
    """The distribution exp(score - edge_cost · edges) over the ancestral graphs that agree with the knowledge.

    The score is the BIC of a linear Gaussian ancestral graph, which for a DAG is ``GaussianBIC``.
    """

    score: GaussianBIC
    edge_cost: float
    knowledge: Knowledge | None = None

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes."""
        return tuple(self.score.nodes)

    @cached_property
    def restriction(self) -> AncestralRestriction:
        """The knowledge as restrictions on ancestors."""
        return read_restriction(self.knowledge, self.nodes)

    @cached_property
    def values_of_sets(self) -> NDArray[np.float64]:
        """The score of the complete graph over each set of nodes, a mask."""
        local, values = self.score.local_by_number, np.zeros(1 << len(self.nodes))
        for last in range(len(self.nodes)):
            for before in range(1 << last):
                parents = [v for v in range(last) if before >> v & 1]
                values[before | 1 << last] = values[before] + local(last, parents)
        return values

    def scored(self) -> core.MagScore:
        """A new score in the core, with caches of its own: each thread needs one."""
        score = self.score
        offset = -score.n_samples / 2 * float(score._log_variance.sum())
        return core.DistrictScore(score._correlation, score.n_samples, score.penalty, offset, TOLERANCE, FIT_STARTS)

    def connecting(self) -> core.ConnectingScore:
        """A new sum over m-connecting sets in the core, which is close to the score and much cheaper."""
        return core.ConnectingScore(len(self.nodes), self.values_of_sets)

    def core(self) -> core.MagTarget:
        """A new target in the core."""
        guess = self.connecting() if len(self.nodes) <= core.most_connecting_nodes else None
        return core.MagTarget(self.scored(), self.restriction.core(), self.edge_cost, guess)


def read_edge_cost(given: Any, nodes: int) -> float:
    """The cost of an edge: None is 0, and "auto" the log of the number of nodes, as for DAGs."""
    if given is None:
        return 0.0
    if is_word(given, "auto"):
        return math.log(nodes)
    if not is_real(given) or not math.isfinite(given):
        raise SettingsError(f'edge_prior must be None, "auto" or a number, the cost of an edge, not {given!r}')
    return float(given)
