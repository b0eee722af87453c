"""search: the best class that annealed chains and greedy search find, with restarts until it is found twice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack, final

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.mpdag import class_of
from causal_zigzag.sampler.annealing.schedule import COLD_BLOCKS, COOLING, HOT_BLOCKS
from causal_zigzag.sampler.parallel.progress import ProgressBar, is_shown
from causal_zigzag.scores.choose import read_score
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.search.greedy_search import FoundClass, check_climbable, ges_start
from causal_zigzag.search.restarts import Restart, Restarts, TimeIsUpError
from causal_zigzag.support import clock
from causal_zigzag.support.arguments import hinted
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.validation import LARGEST, is_real, read_count
from causal_zigzag.support.wording import count
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    import numpy as np

    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.scores.base import Score
    from causal_zigzag.tables.read_table import Reading
    from causal_zigzag.target.edge_prior import EdgePriorInput
    from causal_zigzag.target.knowledge import Knowledge

__all__ = ["Restart", "SearchResult", "search", "search_start"]

ENOUGH = 2  # restarts that end in the best class
MOST_RESTARTS = 5


@final
@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(FoundClass):
    """The best class that a search found: the ``graph``, its ``score``, and its ``log_weight``, edge prior included.

    ``restarts`` says what each restart reached, and ``greedy`` is the log weight of the result of ``ges``.
    ``interrupted`` says whether Ctrl-C ended the search, and ``out_of_time`` whether ``minutes`` did, in which case the
    last restart may not have been made to its end.

    >>> import causal_zigzag as cz
    >>> found = cz.search(cz.datasets.load("alzheimer"), rng=1)
    >>> found.times_found
    2
    >>> found.log_weight >= found.greedy
    True
    """

    graph: ClassGraph
    score: float
    log_weight: float
    restarts: tuple[Restart, ...]
    greedy: float
    interrupted: bool
    out_of_time: bool
    target: Target

    @property
    def times_found(self) -> int:
        """The number of restarts that ended in the graph."""
        return sum(restart.graph == self.graph for restart in self.restarts)

    def summary(self) -> str:
        """A few lines of text: the target, what each restart reached, and the result.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> print(cz.search(score, rng=1).summary())
        Annealed search among the classes of 2 nodes
        score       GaussianBIC(2 nodes, 100 rows, penalty 1), coldness 1
        edge prior  exp(-0.693147) per edge (auto: by the number of pairs that can be edges)
        bounds      none
        greedy      log weight -93.2168
        restart 1   log weight -93.2168, polished -93.2168
        restart 2   log weight -93.2168, polished -93.2168
        found       1 edge, score -92.5237, log weight -93.2168
        confidence  2 of 2 restarts ended in this class, which does not prove that it is the best
        """
        reached = [
            f"{f'restart {number}':<11} log weight {restart.annealed:.6g}, polished {restart.polished:.6g}"
            for number, restart in enumerate(self.restarts, start=1)
        ]
        greedy, confidence = f"greedy      log weight {self.greedy:.6g}", f"confidence  {self._confidence()}"
        return self._page("Annealed search", greedy, *reached, "found", confidence)

    def _confidence(self) -> str:
        made, times = len(self.restarts), self.times_found
        ended = "Ctrl-C ended the search; " if self.interrupted else "the time was up; " if self.out_of_time else ""
        if not made:
            return f"{ended}no restart was made, so this is the result of greedy search"
        if not times:
            return f"{ended}none of {count(made, 'restart')} improved on greedy search, whose result this is"
        words = f"{ended}{times} of {count(made, 'restart')} ended in this class"
        enough = times >= ENOUGH
        return words + (", which does not prove that it is the best" if enough else "; more may find a better one")

    def __repr__(self) -> str:
        found = f"{count(self.graph.edge_count, 'edge')}, score {self.score:.6g}"
        times = f"found by {self.times_found} of {count(len(self.restarts), 'restart')}"
        return self._in_words(f"{found}, {times}")


@hinted
def search(
    data_or_score: Any,
    score: str | type[Score] = "auto",
    *,
    knowledge: Knowledge | None = None,
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    max_degree: int | None = None,
    minutes: float | None = None,
    restarts: int | None = None,
    rng: Rng = None,
    progress: bool | None = None,
    **reading: Unpack[Reading],
) -> SearchResult:
    """Search for the class with the highest score, edge prior included.

    ``data_or_score``, ``score``, ``knowledge``, ``edge_prior``, ``max_degree`` and ``reading`` (``kinds``, ``keep``,
    ``drop``, ...) are those of ``sample`` and ``ges``. The result is never worse than that of ``ges``, and on dense
    graphs usually much better, but it need not be the best class of all; ``best_graph`` guarantees that for a few
    nodes.

    A restart anneals a chain: the chain begins hot, where scores hardly differ, and is cooled to the target. From the
    best class that it visits there, greedy search climbs on, and then retries without one edge or one node at a time
    (the first is the idea of XGES, Nazaret & Blei 2024). For a few nodes (up to 17 for continuous data) each restart
    also walks among the orders of the nodes. If two restarts disagree, each further one cools more slowly than the one
    before. For more than 150 nodes the first two restarts are not annealed: they climb from the result of ``ges`` and
    from the graph without edges. The next ones begin at the best class and are heated mildly; for more than 500 nodes
    they are made only if the first two disagree and ``minutes`` are given.

    The search ends when two restarts have ended in the best class, and otherwise after ``restarts`` restarts (5 by
    default), or after ``minutes``: with ``minutes`` alone the number of restarts is not limited. For more than 150
    nodes and without ``minutes`` it also ends when an annealed restart gains nothing, and for more than 500 after two
    restarts. The same ``rng`` gives the same result, unless ``minutes`` ends the search. ``progress`` shows a bar on
    stderr; None shows it if that is a terminal. Ctrl-C returns the best class so far if a restart has ended, and
    otherwise raises a KeyboardInterrupt.

    >>> import causal_zigzag as cz
    >>> cov = [[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]]
    >>> cz.search(cz.GaussianBIC.from_covariance(cov, n_samples=200, nodes=["a", "b", "c"]), rng=1).graph
    CPDAG(3 nodes, 2 directed and 0 undirected edges: a -> c, b -> c)
    """
    begun = clock.now()
    if progress is not None and not isinstance(progress, bool):
        raise SettingsError(f"progress must be None, True or False, not {progress!r}")
    if minutes is not None and (not is_real(minutes) or not 0 < minutes < math.inf):
        raise SettingsError(f"minutes must be None or a finite number above 0, not {minutes!r}")
    most = MOST_RESTARTS if minutes is None else LARGEST
    if restarts is not None:
        most = read_count("restarts", restarts, 1, "None or ", LARGEST)
    generator = as_generator(rng)
    made = read_score(search, data_or_score, score, reading)
    target = Target.read(made, edge_prior=edge_prior, max_degree=max_degree, knowledge=knowledge)
    check_climbable(target, "search")
    check_score_equivalence(target.score)
    return _search(target, generator, most, math.inf if minutes is None else begun + 60 * minutes, is_shown(progress))


def search_start(target: Target, rng: np.random.Generator, deadline: float) -> CPDAG:
    """The result of a search as the start of chains."""
    check_climbable(target, 'start="search"')
    return class_of(_search(target, rng, MOST_RESTARTS, deadline, False).graph, "start")


def _search(target: Target, rng: np.random.Generator, most: int, deadline: float, shown: bool) -> SearchResult:
    best = ges_start(target, deadline)
    greedy = highest = target.log_weight(best)
    restarts = Restarts(target, best, deadline)
    expected = ENOUGH * (HOT_BLOCKS + COOLING + COLD_BLOCKS) * restarts.schedule().length
    restarts.bar = bar = ProgressBar(shown, expected if deadline == math.inf else None, "search")
    made: list[Restart] = []
    interrupted, gained = False, True
    try:
        while len(target.nodes) > 1 and len(made) < most and not restarts.is_over(gained):
            if len(made) >= restarts.least and sum(one.graph == best for one in made) >= ENOUGH:
                break
            made.append(restarts.make(rng))
            gained = made[-1].polished > highest
            if gained:
                restarts.best = best = class_of(made[-1].graph, "search")
                highest = made[-1].polished
    except TimeIsUpError:
        pass
    except KeyboardInterrupt:
        if not made:
            raise
        interrupted = True
    finally:
        bar.close()
    late = clock.now() >= deadline and not interrupted
    reached = tuple(one._replace(graph=target.restrict(class_of(one.graph, "search"))) for one in made)
    total = target.score.total(best)
    return SearchResult(target.restrict(best), total, highest, reached, greedy, interrupted, late, target)
