"""exact_draws: a posterior from independent draws of DAGs, for up to 18 nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from causal_zigzag.answers.class_list import ClassList
from causal_zigzag.answers.distribution import Distribution
from causal_zigzag.answers.draws import ChainDraws, Draws
from causal_zigzag.answers.errors.batches import Batches, DrawBatches
from causal_zigzag.answers.prior_weights import log_weights_by, name_of, prior_in_words
from causal_zigzag.answers.top_classes import top_lines
from causal_zigzag.answers.weighted_classes import ClassTable, Part, WeightedClasses
from causal_zigzag.errors import SamplingWarning
from causal_zigzag.exact.drawn_classes import DrawnClasses, check_drawable, draw_classes
from causal_zigzag.exact.exact_posterior import Prior, read_prior
from causal_zigzag.scores.choose import read_score
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.support.arguments import hinted
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.rng import Rng
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.support.validation import as_whole, read_count
from causal_zigzag.support.wording import count
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score
    from causal_zigzag.tables.read_table import Reading
    from causal_zigzag.target.edge_prior import EdgePriorInput
    from causal_zigzag.target.knowledge import Knowledge

FEW_EFFECTIVE = 100  # effective draws below which Monte Carlo errors are unreliable
MOST_DRAWS = 10_000_000


@hinted
def exact_draws(
    data_or_score: Any,
    score: str | type[Score] | int = "auto",
    *,
    draws: int = 10_000,
    knowledge: Knowledge | None = None,
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    max_degree: int | None = None,
    max_parents: int | None = None,
    coldness: float = 1.0,
    prior: Prior = "classes",
    rng: Rng = None,
    **reading: Unpack[Reading],
) -> ExactDraws:
    """The posterior of ``sample`` from independent draws, for up to 18 nodes: there is no chain that has to converge.

    The arguments are those of ``sample``, with the same defaults, and so is the target; a number in the place of
    ``score`` is that of ``draws``. DAGs are drawn from the posterior under the uniform prior over DAGs, and a draw has
    the weight 1 / (number of DAGs in its class). ``ess`` is the effective number of draws with these weights; there is
    a warning if it is below 100. With ``prior="dags"``, the prior is uniform over DAGs, and all draws have the same
    weight.

    ``edge_prior`` must be None, a number or "auto". ``max_parents`` leaves out classes whose DAGs have a node with more
    parents, ``max_degree`` those in which a node has more adjacent nodes, as in ``sample``. With ``knowledge``, only
    DAGs that agree are drawn.

    Sums over all DAGs take 3ⁿ steps, then draws take time in proportion to their number (Talvitie, Vuoksenmaa &
    Koivisto 2019).

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> posterior = cz.exact_draws(table, rng=1)
    >>> posterior.top(1)[0].graph
    CPDAG(3 nodes, 2 directed and 0 undirected edges: rain -> wet, sun -> wet)
    """
    if as_whole(score) is not None:
        score, draws = "auto", cast(int, score)
    made = read_score(exact_draws, data_or_score, score, reading)
    target = Target.read(made, coldness, edge_prior, max_degree, knowledge)
    check_drawable(target)
    number, over = read_count("draws", draws, 1, most=MOST_DRAWS), read_prior(prior)
    bound = None if max_parents is None else read_count("max_parents", max_parents, 0, "None or ")
    check_score_equivalence(target.score)
    return _warned(ExactDraws(target, draw_classes(target, number, rng, bound), over, bound))


@dataclass(frozen=True, eq=False, repr=False)
class ExactDraws(Distribution):
    """A posterior from independent draws of DAGs, see ``exact_draws``; it has the methods of other posteriors.

    The Monte Carlo errors of ``edge_table``, ``mcse`` and ``effects`` are those of independent draws with weights.

    >>> import causal_zigzag as cz
    >>> posterior = cz.exact_draws(cz.Uniform(["a", "b", "c"]), rng=1)
    >>> empty = cz.CPDAG.empty(["a", "b", "c"])
    >>> abs(posterior.probability(empty) - 1 / 11) < 5 * posterior.mcse(empty) < 0.05
    True
    """

    target: Target
    drawn: DrawnClasses
    prior: str
    max_parents: int | None = None
    log_prior: NDArray[np.float64] | None = None

    @property
    def draw_count(self) -> int:
        """The number of draws; with ``max_degree``, of those within it.

        >>> import causal_zigzag as cz
        >>> cz.exact_draws(cz.Uniform(3), draws=500, rng=1).draw_count
        500
        """
        return len(self.drawn.drawn)

    @property
    def ess(self) -> float:
        """The effective number of draws: (Σ w)² / Σ w² with the weight w of each draw (Kish 1965).

        >>> import causal_zigzag as cz
        >>> posterior = cz.exact_draws(cz.Uniform(3), rng=1)
        >>> round(posterior.ess / posterior.draw_count, 1)  # 11² / 25 / (1² · 4 + 1/2 · 3 + 1/3 · 3 + 1/6)
        0.7
        """
        return self.drawn.ess(self._log_weights)

    def reweight(self, prior: Prior | Callable[[Any], float] = "dags") -> ExactDraws:
        """The same draws with another prior in place of the present one: uniform over "dags" or over "classes".

        The prior may also be a function that returns the log weight of a class, minus infinity for weight 0. There is a
        warning if ``ess`` becomes less than 100.

        >>> import causal_zigzag as cz
        >>> posterior = cz.exact_draws(cz.Uniform(3), rng=1).reweight("dags")
        >>> posterior.ess == posterior.draw_count
        True
        """
        if isinstance(prior, str) or not callable(prior):
            return _warned(replace(self, prior=read_prior(prior), log_prior=None))
        every = self.drawn.classes
        log_prior = log_weights_by(prior, every.graphs(np.ones(len(every), dtype=np.bool_)), len(every))
        return _warned(replace(self, prior=name_of(prior), log_prior=read_only(log_prior)))

    def summary(self) -> str:
        """A few lines of text: the target, the draws and the most probable classes.

        >>> import causal_zigzag as cz
        >>> print(cz.exact_draws(cz.Uniform(3), draws=100, prior="dags", rng=1).summary().splitlines()[0])
        Exact draws: 100 DAGs of 3 nodes in 11 classes, prior uniform over DAGs
        """
        classes, nodes = count(self.class_count, "class"), count(len(self.nodes), "node")
        agreeing = "" if self.target.knowledge is None else " that agree with the knowledge"
        bound = [] if self.max_parents is None else [f"max_parents {self.max_parents}"]
        lines = [
            f"Exact draws: {self.draw_count:,} DAGs of {nodes} in {classes}{agreeing}, {self._prior_in_words}",
            str(self.target),
            *bound,
            f"effective   {self.ess:,.0f} draws",
            f"edges       {self._classes.edges.adjacent.sum() / 2:.4g} expected",
            *top_lines(self._classes),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        known = "" if self.target.knowledge is None else f", knowledge {self.target.knowledge}"
        return (
            f"ExactDraws({self.target.score!r}, {self._prior_in_words}, edge prior {self.target.edge_prior}, "
            f"coldness {self.target.coldness:g}{known}: {self.draw_count:,} draws, {self.ess:,.0f} effective)"
        )

    @property
    def _prior_in_words(self) -> str:
        return f"prior {prior_in_words(self.prior)}"

    @cached_property
    def _classes(self) -> WeightedClasses:
        """The classes with their probabilities."""
        shares = self.drawn.shares(self._log_weights)
        table = ClassTable(self.drawn.names, shares, np.zeros(len(shares), np.int64), np.arange(len(shares)))
        weights = np.exp(self._log_weights - self._log_weights.max())[self.drawn.drawn]
        batches = DrawBatches(self._draws, weights, independent=True)
        return WeightedClasses(
            self.target,
            (self.drawn.classes,),
            0.0,
            table.ranked,
            lambda _: (Part(self.drawn.classes, shares),),
            Batches(batches, batches),
        )

    @property
    def _draws(self) -> Draws:
        """The draws in their order, as those of one chain."""
        marks = self.drawn.marks[self.drawn.drawn]
        changes = np.concatenate([marks[:1], marks[1:] ^ marks[:-1]])
        rows, pairs = np.nonzero(changes)
        deltas = pairs.astype(np.uint32) << np.uint32(2) | changes[rows, pairs]
        begin = np.searchsorted(rows, np.arange(len(marks) + 1)).astype(np.uint64)
        every = self.drawn.classes
        drawn = ClassList(every.labels, np.arange(-1, len(marks) - 1), begin, deltas, every.restriction)
        edges = (marks > 0).sum(axis=1, dtype=np.int32)
        score, direction = np.full(len(marks), np.nan), np.ones(len(marks), dtype=np.int8)
        chain = ChainDraws(drawn, 1, self.drawn.names[self.drawn.drawn], edges, score, direction)
        return Draws(self.nodes, 1.0, 0, (chain,))

    @cached_property
    def _log_weights(self) -> NDArray[np.float64]:
        """The log weight of the draws of each class."""
        if self.prior == "dags":
            return np.zeros(len(self.drawn.names))
        return -self.drawn.log_sizes if self.log_prior is None else self.log_prior - self.drawn.log_sizes


def _warned(posterior: ExactDraws) -> ExactDraws:
    if posterior.ess < FEW_EFFECTIVE:
        warn_user(
            f"{posterior.draw_count:,} draws with the weights of the {posterior._prior_in_words} are worth only "
            f"{posterior.ess:.0f} independent ones, so errors are not reliable; draw more, or use cz.sample",
            SamplingWarning,
        )
    return posterior
