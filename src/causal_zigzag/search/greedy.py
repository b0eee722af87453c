"""Greedy equivalence search: the operators of the sampler, always the best one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, final, get_args

import numpy as np

from causal_zigzag import _core
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.operators import Delete, Insert, named_operator
from causal_zigzag.scores.choose import as_score
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.support.wording import count
from causal_zigzag.target.target import Pairs, Target

if TYPE_CHECKING:
    from causal_zigzag.scores.base import Score
    from causal_zigzag.target.edge_prior import EdgePriorInput

Phase = Literal["forward", "backward", "turning"]
PHASES: tuple[Phase, ...] = get_args(Phase)  # in the order of their numbers in the core
UNTIL_STABLE = "until-stable"
CLASSICAL: tuple[Phase, ...] = ("forward", "backward")

SLICE = 0.1  # seconds between two looks at Ctrl-C


class Step(NamedTuple):
    """One step of a search: the operator, what it adds to the log weight, and the phase it belongs to.

    >>> import causal_zigzag as cz
    >>> cz.Step(cz.Insert("a", "b"), gain=2.5, phase="forward").operator
    Insert('a', 'b')
    """

    operator: Insert | Delete
    gain: float
    phase: Phase


@final
@dataclass(frozen=True, eq=False, repr=False)
class GesResult:
    """What a greedy search has found: the ``graph``, its ``score`` and ``log_weight``, and the ``steps`` to it.

    The log weight is the score plus the edge prior. The steps lead from ``start`` to ``graph``, and their gains add up
    to the difference of their log weights. A turn is two steps, a Delete and an Insert, of which the first may lose.

    >>> import causal_zigzag as cz
    >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
    >>> cz.ges(score).graph
    CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
    """

    graph: CPDAG
    score: float
    log_weight: float
    steps: tuple[Step, ...]
    start: CPDAG
    target: Target

    def summary(self) -> str:
        """What was searched and what was found, in a few lines.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> print(cz.ges(score).summary())
        Greedy search among the classes of 2 nodes
        score       GaussianBIC(2 nodes, 100 rows, penalty 1), coldness 1
        edge prior  exp(-0.693147) per edge (auto: the log of the number of nodes)
        bounds      none
        steps       1: forward 1
        found       1 edge, score -92.5237, log weight -93.2168
        """
        made = {phase: sum(step.phase == phase for step in self.steps) for phase in PHASES}
        phases = ", ".join(f"{phase} {number}" for phase, number in made.items() if number)
        edges = count(self.graph.edge_count, "edge")
        return "\n".join(
            [
                f"Greedy search among the classes of {count(len(self.graph), 'node')}",
                str(self.target),
                f"steps       {len(self.steps)}" + (f": {phases}" if phases else ""),
                f"found       {edges}, score {self.score:.6g}, log weight {self.log_weight:.6g}",
            ]
        )

    def __repr__(self) -> str:
        found = f"{count(len(self.steps), 'step')}, {count(self.graph.edge_count, 'edge')}, score {self.score:.6g}"
        return f"GesResult({self.target.score!r}, edge prior {self.target.edge_prior}: {found})"


def ges(
    data_or_score: Any,
    score: str | type[Score] = "auto",
    edge_prior: EdgePriorInput = "auto",
    max_degree: int | None = None,
    forbidden: Pairs = (),
    phases: Iterable[Phase] | Literal["until-stable"] = CLASSICAL,
    start: CPDAG | str | None = None,
) -> GesResult:
    """Greedy equivalence search (Chickering 2002): from ``start``, the operator that gains most, until none gains.

    The first argument is a table of observations or a score, and ``score``, ``edge_prior``, ``max_degree`` and
    ``forbidden`` are those of ``sample``: what climbs here is the log weight of its target, score plus edge prior.

    The phase "forward" inserts, "backward" deletes, and "turning" deletes an edge and inserts it again, turned or among
    other parents, which includes every reversal of an edge in a DAG of the class (Hauser & Bühlmann 2012). Each goes on
    until it gains nothing; ``phases`` are run one after the other, in any order and number. With "until-stable" all
    three are repeated until no insert, delete or turn gains. A gain of less than 1e-9 counts as none.

    The path depends on nothing but the scores: of equally good operators Insert(x, y, T) and Delete(x, y, H) the one
    with the smallest y is taken, of these the one with the smallest x, and of these the one with the smallest clique.
    The clique, the parents of y among its neighbors while the operator is applied, is compared as a binary number; for
    x and y the order of ``nodes`` counts. Of equally good turns it is the one whose Delete has the smallest y, then
    clique, then x. Two operators that lead to the same class are equally good but for rounding, so which of them is
    listed has no meaning.

    Ctrl-C ends the search with a KeyboardInterrupt.

    >>> import causal_zigzag as cz
    >>> cov = [[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]]
    >>> found = cz.ges(cz.GaussianBIC.from_covariance(cov, n_samples=200, nodes=["a", "b", "c"]))
    >>> found.graph
    CPDAG(3 nodes, 2 directed and 0 undirected edges: a -> c, b -> c)
    >>> [step.phase for step in found.steps]
    ['forward', 'forward']
    """
    order = _read_phases(phases)
    target = Target.read(
        as_score(data_or_score, score), edge_prior=edge_prior, max_degree=max_degree, forbidden=forbidden
    )
    if isinstance(start, str) and start == "ges":
        raise SettingsError('start must be None, "empty" or a CPDAG, not "ges", which is for cz.sample')
    first = target.read_start(start)
    _check_climbable(target, "ges")
    check_score_equivalence(target.score)
    graph, steps = _climb(target, first, order)
    total = target.score.total(graph)
    return GesResult(graph, total, total + target.edge_prior.log_weight(graph.edge_count), steps, first, target)


def ges_start(target: Target) -> CPDAG:
    """Where chains begin that are to begin at the graph of the classical search, forward and backward."""
    _check_climbable(target, 'start="ges"')
    return _climb(target, CPDAG.empty(target.nodes), CLASSICAL)[0]


def _climb(target: Target, start: CPDAG, phases: tuple[Phase, ...] | None) -> tuple[CPDAG, tuple[Step, ...]]:
    """The end of the search and its steps; ``phases=None`` repeats all of them until they are stable."""
    labels = start.labels
    made: list[Phase] = []
    try:
        search = _search(target, start)

        def run(phase: Phase) -> None:
            while not search.run(PHASES.index(phase), SLICE):
                pass
            made.extend([phase] * (len(search.steps()) - len(made)))

        for phase in phases or ():
            run(phase)
        ends = [search.graph().hash]
        while phases is None:
            for phase in PHASES:
                run(phase)
            end = search.graph().hash
            if end in ends:  # as a rule the last one; rounding could lead around in a circle
                break
            ends.append(end)
    except OverflowError as error:
        node, clique = error.args
        raise target.too_dense(node, clique) from None
    steps = (
        Step(named_operator(operator, labels), gain * target.coldness, phase)
        for (operator, gain), phase in zip(search.steps(), made, strict=True)
    )
    return CPDAG.from_core(search.graph(), labels), tuple(steps)


def _search(target: Target, start: CPDAG) -> _core.Greedy:
    """A search that climbs the log weight divided by the coldness, which the core does not know."""
    score = target.score.core_score()
    assert score is not None, "checked before"
    n = len(target.nodes)
    return _core.make_greedy(
        start=start.core,
        score=score,
        prior_slope=-target.edge_prior.cost / target.coldness,
        prior_table=np.array(target.edge_prior.table, dtype=np.float64) / target.coldness,
        max_degree=n if target.max_degree is None else min(n, target.max_degree),
        forbidden=list(target.forbidden),
    )


def _check_climbable(target: Target, asking: str) -> None:
    if target.score.core_score() is None:
        raise SettingsError(
            f"{asking} climbs a score, but {target.score!r} prefers no class; give data or another score"
        )
    if target.coldness == 0:
        raise SettingsError(f"{asking} climbs the score, which coldness 0 makes no use of; give a positive coldness")


def _read_phases(phases: Any) -> tuple[Phase, ...] | None:
    names = ", ".join(f'"{phase}"' for phase in PHASES)
    expected = f'phases must be "{UNTIL_STABLE}" or a sequence of {names}'
    if isinstance(phases, str):
        if phases == UNTIL_STABLE:
            return None
        raise SettingsError(f"{expected}, not {phases!r}" + (f"; write [{phases!r}]" if phases in PHASES else ""))
    if not isinstance(phases, Iterable):
        raise SettingsError(f"{expected}, not {phases!r}")
    read = tuple(phases)
    for phase in read:
        if not isinstance(phase, str) or phase not in PHASES:
            raise SettingsError(f"{expected}, but {phase!r} is in it")
    if not read:
        raise SettingsError(f"{expected}, but it is empty")
    return read
