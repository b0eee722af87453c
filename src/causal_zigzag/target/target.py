"""Target: the distribution to sample, validated on construction."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import KnowledgeError, SettingsError
from causal_zigzag.graphs.cpdag import CPDAG, in_node_order
from causal_zigzag.graphs.labels import Labels, show
from causal_zigzag.graphs.mpdag import MPDAG, Restriction
from causal_zigzag.scores.base import Score
from causal_zigzag.support.validation import LARGEST, is_real, read_count
from causal_zigzag.support.wording import count
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR, EdgePrior, read_edge_prior
from causal_zigzag.target.knowledge import Knowledge, read_knowledge, with_contexts

if TYPE_CHECKING:
    from causal_zigzag._core import ArrowKnowledge
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.target.knowledge_checks import Arrow


@dataclass(frozen=True)
class Target:
    """The distribution to sample: exp(coldness · score) · edge prior over the classes within the bounds.

    Classes that do not agree with ``knowledge`` have no weight. Every way to make a value validates it: ``Target.read``
    for what users pass, the constructor, ``dataclasses.replace`` and reading a file.
    """

    score: Score
    coldness: float = 1.0
    edge_prior: EdgePrior = field(default_factory=EdgePrior)
    max_degree: int | None = None
    knowledge: Knowledge | None = None

    def __post_init__(self) -> None:
        given: Any = self  # fields of any type, until they are validated
        if not isinstance(given.score, Score):
            raise SettingsError(f"the score of a target must be a Score, not {given.score!r}")
        if not is_real(given.coldness) or not 0 <= given.coldness < math.inf:
            raise SettingsError(f"coldness must be a finite number of at least 0, not {given.coldness!r}")
        if not isinstance(given.edge_prior, EdgePrior):
            raise SettingsError(f"the edge prior of a target must be an EdgePrior, not {given.edge_prior!r}")
        object.__setattr__(self, "coldness", float(given.coldness))
        object.__setattr__(self, "max_degree", _read_max_degree(given.max_degree))
        object.__setattr__(self, "knowledge", read_knowledge(given.knowledge))
        self._check_required()

    @classmethod
    def read(
        cls,
        score: Score,
        coldness: Any = coldness,  # the default of the field
        edge_prior: Any = DEFAULT_EDGE_PRIOR,
        max_degree: Any = None,
        knowledge: Any = None,
    ) -> Target:
        """The target from what the user gave: an edge prior in any form, and knowledge."""
        n = len(score.nodes)
        max_degree = _read_max_degree(max_degree)
        bound = n - 1 if max_degree is None else min(max_degree, n - 1)
        known = with_contexts(read_knowledge(knowledge), score.nodes, score.contexts, score.targets)
        given = {*(() if known is None else known.conditions)}
        causes = len(given - {*dict(score.targets)})  # what the others act on is known
        prior = read_edge_prior(edge_prior, n - len(given), causes, max(0, n * bound // 2), score.is_flat)
        return cls(score, coldness, prior, max_degree, known)

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes."""
        return tuple(self.score.nodes)

    @property
    def arrows(self) -> ArrowKnowledge | None:
        """The knowledge about the nodes of this target, for the core; None without one."""
        return None if self.restriction is None else self.restriction.arrows

    @property
    def forbidden_arrows(self) -> list[Arrow]:
        """The arrows that the knowledge forbids, as pairs of node numbers; both arrows of a pair that is apart."""
        return [] if self.known is None else self.known.forbidden

    @property
    def required_arrows(self) -> list[Arrow]:
        """The arrows that the knowledge requires, as pairs of node numbers."""
        return [] if self.known is None else self.known.required

    @property
    def apart(self) -> list[Arrow]:
        """The pairs of nodes that are never joined, as pairs of node numbers."""
        return [] if self.known is None else self.known.apart

    @cached_property
    def known(self) -> Restriction | None:
        """The knowledge about the nodes of this target; None without one."""
        return None if self.knowledge is None else Restriction(self.knowledge, Labels(self.nodes))

    @property
    def restriction(self) -> Restriction | None:
        """The same; None if it says nothing about directions, so that all DAGs of a class agree, or none."""
        return self.known if self.knowledge is not None and self.knowledge.directs else None

    def restrict(self, g: CPDAG) -> ClassGraph:
        """The class; with knowledge, the MPDAG of its agreeing DAGs."""
        return g if self.restriction is None else self.restriction.apply(g)

    def log_weight(self, g: CPDAG) -> float:
        """The log of the target, up to a constant, of a class within the bounds."""
        return self.coldness * self.score.total(g) + self.edge_prior.log_weight(g.edge_count)

    def read_start(self, start: Any, expected: str = 'None, "empty" or a CPDAG') -> CPDAG:
        """The class that the user gave as a start, with its nodes in the order of the score's."""
        if start is None or (isinstance(start, str) and start == "empty"):
            return self.sparsest()
        if isinstance(start, MPDAG):
            start = start.cpdag
        if not isinstance(start, CPDAG):
            raise SettingsError(f"start must be {expected}, not {start!r}")
        graph = in_node_order(start, self.nodes, "start")
        self.check_start(graph)
        return graph

    def sparsest(self) -> CPDAG:
        """The class without edges, or with the required ones only; it agrees with the knowledge."""
        dag = np.zeros((len(self.nodes), len(self.nodes)), dtype=np.uint8)
        for x, y in self.required_arrows:
            dag[x, y] = 1
        return CPDAG.from_dag(dag, self.nodes)

    def check_start(self, start: CPDAG, name: str = "start") -> None:
        """Raise a SettingsError if the target gives this class, which messages call ``name``, no weight."""
        for v in start.nodes:
            degree = len(start.adjacent(v))
            if self.max_degree is not None and degree > self.max_degree:
                raise SettingsError(
                    f"{name} exceeds max_degree={self.max_degree}: {show(v)} has {degree} adjacent nodes"
                )
        if self.known is not None and (fault := self.known.fault(start)):
            raise KnowledgeError(f"{name} does not agree with the knowledge: {fault}")
        if self.edge_prior.log_weight(start.edge_count) == -math.inf:
            raise SettingsError(f"{name} has {count(start.edge_count, 'edge')}, to which edge_prior gives no weight")

    def _check_required(self) -> None:
        """Raise a KnowledgeError if a required arrow exceeds ``max_degree``, or the knowledge names an unknown node."""
        ends = [v for arrow in self.required_arrows for v in arrow]
        for v in {*ends}:
            name, most = self.nodes[v], ends.count(v)
            if self.max_degree is not None and most > self.max_degree:
                raise KnowledgeError(
                    f"knowledge requires {most} arrows at {show(name)}, more than max_degree={self.max_degree}", [name]
                )

    def too_dense(self, node: int, clique: int) -> SettingsError:
        """The error for a node whose neighbors contain a clique that is too large to list its operators."""
        return SettingsError(
            f"the graph became too dense to list the operators of node {show(self.nodes[node])}: its neighbors contain "
            f"a clique of {clique} nodes, and each of its subsets gives operators; max_degree is {self.max_degree}, "
            f"set it to {min(10, clique - 1)} or less"
        )

    def __str__(self) -> str:
        lines = {
            "score": f"{self.score!r}, coldness {self.coldness:g}",
            "chosen": self.score.reason,
            "edge prior": str(self.edge_prior),
            "bounds": "none" if self.max_degree is None else f"max_degree {self.max_degree}",
            "knowledge": "" if self.knowledge is None else str(self.knowledge),
        }
        return "\n".join(f"{name:<11} {text}" for name, text in lines.items() if text)


def _read_max_degree(max_degree: Any) -> int | None:
    return None if max_degree is None else read_count("max_degree", max_degree, 1, "None or ", LARGEST)
