"""ges: greedy equivalence search, which applies the best operator at each step."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack, final, get_args

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.operators import Delete, Insert, named_operator
from causal_zigzag.sampler.annealing.polish import SLICE, greedy
from causal_zigzag.scores.choose import read_score
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.support import clock
from causal_zigzag.support.notebook_view import view
from causal_zigzag.support.validation import is_word
from causal_zigzag.support.wording import count
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.scores.base import Score
    from causal_zigzag.tables.read_table import Reading
    from causal_zigzag.target.edge_prior import EdgePriorInput
    from causal_zigzag.target.knowledge import Knowledge

Phase = Literal["forward", "backward", "turning"]
PHASES: tuple[Phase, ...] = get_args(Phase)  # in the order of their numbers in the core
UNTIL_STABLE = "until-stable"
CLASSICAL: tuple[Phase, ...] = ("forward", "backward")


class Step(NamedTuple):
    """One step of a search: the operator, the change of the log weight, and the phase.

    >>> import causal_zigzag as cz
    >>> cz.Step(cz.Insert("a", "b"), gain=2.5, phase="forward").operator
    Insert('a', 'b')
    """

    operator: Insert | Delete
    gain: float
    phase: Phase


class FoundClass:
    """What the results of searches share: how a class that was found is shown."""

    graph: ClassGraph
    score: float
    log_weight: float
    target: Target

    @abstractmethod
    def summary(self) -> str: ...

    def _page(self, heading: str, *lines: str) -> str:
        edges, nodes = count(self.graph.edge_count, "edge"), count(len(self.graph), "node")
        found = f"found       {edges}, score {self.score:.6g}, log weight {self.log_weight:.6g}"
        first = f"{heading} among the classes of {nodes}"
        return "\n".join([first, str(self.target), *(found if line == "found" else line for line in lines)])

    def _in_words(self, found: str) -> str:
        known = "" if self.target.knowledge is None else f", knowledge {self.target.knowledge}"
        return f"{type(self).__name__}({self.target.score!r}, edge prior {self.target.edge_prior}{known}: {found})"

    def _repr_html_(self) -> str:
        heading, *lines = self.summary().splitlines()
        return view(heading, lines)


@final
@dataclass(frozen=True, eq=False, repr=False)
class GesResult(FoundClass):
    """The result of a greedy search: the ``graph``, its ``score`` and ``log_weight``, and the ``steps``.

    The log weight is the score plus the edge prior. The steps lead from ``start`` to ``graph``, and the sum of their
    gains is the difference of the log weights. A turn is two steps: a Delete, whose gain may be negative, and an
    Insert.

    >>> import causal_zigzag as cz
    >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
    >>> cz.ges(score).graph
    CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
    """

    graph: ClassGraph
    score: float
    log_weight: float
    steps: tuple[Step, ...]
    start: CPDAG
    target: Target

    def summary(self) -> str:
        """A few lines of text: the target, the steps and the result.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> print(cz.ges(score).summary())
        Greedy search among the classes of 2 nodes
        score       GaussianBIC(2 nodes, 100 rows, penalty 1), coldness 1
        edge prior  exp(-0.693147) per edge (auto: by the number of pairs that can be edges)
        bounds      none
        steps       1: forward 1
        found       1 edge, score -92.5237, log weight -93.2168
        """
        made = {phase: sum(step.phase == phase for step in self.steps) for phase in PHASES}
        phases = ", ".join(f"{phase} {number}" for phase, number in made.items() if number)
        steps = f"steps       {len(self.steps)}" + (f": {phases}" if phases else "")
        return self._page("Greedy search", steps, "found")

    def __repr__(self) -> str:
        found = f"{count(len(self.steps), 'step')}, {count(self.graph.edge_count, 'edge')}, score {self.score:.6g}"
        return self._in_words(found)


def ges(
    data_or_score: Any,
    score: str | type[Score] = "auto",
    *,
    knowledge: Knowledge | None = None,
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    max_degree: int | None = None,
    phases: Iterable[Phase] | Literal["until-stable"] = CLASSICAL,
    start: ClassGraph | str | None = None,
    **reading: Unpack[Reading],
) -> GesResult:
    """Greedy equivalence search (Chickering 2002): apply the operator with the largest gain until none has a gain.

    ``data_or_score``, ``score``, ``edge_prior``, ``max_degree`` and ``reading`` (``kinds``, ``keep``, ``drop``, ...)
    are those of ``sample``: the search maximizes the log weight of its target, score plus edge prior. With
    ``knowledge`` it visits only classes that agree with it, from the class of the required arrows, and the ``graph`` is
    an ``MPDAG``. These classes can have local optima that all classes do not have, above all where data and knowledge
    disagree; ``search`` leaves them.

    The phase "forward" inserts, "backward" deletes, and "turning" deletes an edge and inserts it, reversed or with
    other parents, which includes every reversal of an edge in a DAG of the class (Hauser & Bühlmann 2012). A phase ends
    when no operator has a gain; ``phases`` are run in the given order, and may be repeated. With "until-stable" all
    three are repeated until no insert, delete or turn has a gain. A gain of less than 1e-9 counts as 0.

    The path is determined by the scores. Ties between operators Insert(x, y, T) and Delete(x, y, H) are broken by the
    smallest y, then the smallest x, then the smallest clique: the set of parents of y among its neighbors while the
    operator is applied, compared as a binary number; x and y are compared in the order of ``nodes``. Ties between
    turns are broken by the smallest y, clique and x of the Delete. Two operators that lead to the same class have the
    same gain up to rounding, so which of them is listed has no meaning.

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
    made = read_score(ges, data_or_score, score, reading)
    target = Target.read(made, edge_prior=edge_prior, max_degree=max_degree, knowledge=knowledge)
    if isinstance(start, str) and start == "ges":
        raise SettingsError('start must be None, "empty" or a CPDAG, not "ges", which is for cz.sample')
    first = target.read_start(start)
    check_climbable(target, "ges")
    check_score_equivalence(target.score)
    graph, steps = climb(target, first, order)
    total = target.score.total(graph)
    log_weight = total + target.edge_prior.log_weight(graph.edge_count)
    return GesResult(target.restrict(graph), total, log_weight, steps, first, target)


def ges_start(target: Target, deadline: float) -> CPDAG:
    """The result of the classical search, forward and backward, as the start of chains."""
    check_climbable(target, 'start="ges"')
    return climb(target, target.sparsest(), CLASSICAL, deadline)[0]


def climb(
    target: Target, start: CPDAG, phases: tuple[Phase, ...] | None, deadline: float = math.inf
) -> tuple[CPDAG, tuple[Step, ...]]:
    """The last graph of the search and the steps; ``phases=None`` repeats all phases until none has a gain.

    At the deadline it ends where it is.
    """
    labels = start.labels
    made: list[Phase] = []
    try:
        search = greedy(target, start)

        def run(phase: Phase) -> None:
            while clock.now() < deadline and not search.run(PHASES.index(phase), SLICE):
                pass
            made.extend([phase] * (len(search.steps()) - len(made)))

        for phase in phases or ():
            run(phase)
        ends = [search.graph().hash]
        while phases is None:
            for phase in PHASES:
                run(phase)
            end = search.graph().hash
            if end in ends:  # usually the last one; another one if rounding leads to a cycle
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


def check_climbable(target: Target, asking: str) -> None:
    """A SettingsError if the target has no score to maximize."""
    if target.score.core_score() is None:
        raise SettingsError(f"{asking} maximizes a score, but {target.score!r} is constant; give data or another score")
    if target.coldness == 0:
        raise SettingsError(
            f"{asking} maximizes the score, which has no effect at coldness 0; give a positive coldness"
        )


def _read_phases(phases: Any) -> tuple[Phase, ...] | None:
    if is_word(phases, UNTIL_STABLE):
        return None
    read = tuple(phases) if isinstance(phases, Iterable) and not isinstance(phases, str) else ()
    if not read or not all(is_word(phase, *PHASES) for phase in read):
        names = ", ".join(f'"{phase}"' for phase in PHASES)
        raise SettingsError(f'phases must be "{UNTIL_STABLE}" or a sequence of {names}, not {read or phases!r}')
    return read
