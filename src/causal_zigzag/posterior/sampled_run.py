"""SampledRun: the data of a posterior, and the quantities that are computed from them at most once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from causal_zigzag.posterior.chain_weights import weighted_results
from causal_zigzag.posterior.diagnostics.batch_means import draw_errors
from causal_zigzag.posterior.diagnostics.diagnostics import diagnose, edge_errors
from causal_zigzag.posterior.draws import draws_of
from causal_zigzag.posterior.edge_times import edge_shares, expected_edge_times
from causal_zigzag.posterior.listed_classes import merge
from causal_zigzag.posterior.reweighting import NEGLIGIBLE, weight_ess, weighted_edges
from causal_zigzag.posterior.traces import traces
from causal_zigzag.posterior.weighted_draws import draw_weights, drawn_edges, statement_variance_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.answers.statements import Statement
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.posterior.diagnostics.diagnostics import Diagnostics
    from causal_zigzag.posterior.draws import Draws
    from causal_zigzag.posterior.listed_classes import Classes
    from causal_zigzag.posterior.reweighting import Reweighting
    from causal_zigzag.posterior.traces import Trace
    from causal_zigzag.sampler.chain_result import ChainResult, ChainStatistics
    from causal_zigzag.sampler.record import RunRecord
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.scores.base import Score
    from causal_zigzag.target.target import Target


AS_SAMPLED = ("weighted_results", "sampled_classes", "_start_score", "_trace", "_draws")
"""The cached quantities that do not depend on ``reweighting``."""


@dataclass(frozen=True, eq=False, repr=False)
class SampledRun:
    """The base class of ``Posterior``: the results of the chains, their edge probabilities, draws and errors."""

    target: Target
    settings: Settings
    start: CPDAG
    results: tuple[ChainResult, ...]
    interrupted: bool = False
    record: RunRecord | None = None
    reweighting: Reweighting | None = None
    starts: tuple[CPDAG, ...] = ()  # one per chain, if they did not all start at ``start``
    chain_weights: tuple[float, ...] = ()  # after weigh_chains, the log of the weight of each chain; they add up to 1

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes, in the order of the arrays.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(["a", "b"]), jumps=1000, rng=1).nodes
        ('a', 'b')
        """
        return self.start.nodes

    @property
    def score(self) -> Score:
        """The score of the target; ``score.reason`` states why it was chosen, if it was chosen automatically.

        >>> import causal_zigzag as cz
        >>> cz.sample({"a": [0.5, 1.5, 0.1], "b": [1.0, 2.5, 0.7]}, jumps=10, chains=1, rng=1).score.reason
        'GaussianBIC, as all 2 columns are continuous'
        """
        return self.target.score

    @property
    def statistics(self) -> tuple[ChainStatistics, ...]:
        """Counters of each chain, such as its numbers of jumps and flips.

        >>> import causal_zigzag as cz
        >>> [s.jumps for s in cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1).statistics]
        [1000, 1000]
        """
        return tuple(r.statistics for r in self.results)

    @property
    def class_count(self) -> int:
        """The number of listed classes.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).class_count
        11
        """
        return len(self.listed_classes)

    @property
    def unlisted(self) -> float:
        """The share of the time in classes that are not listed; ``top`` and ``probability`` do not include those.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).unlisted
        0.0
        """
        return self.sampled_classes.unlisted

    @property
    def prior(self) -> str:
        """The prior before the score and the edge prior: "classes" (uniform), or "dags" after ``reweight``.

        After ``reweight`` with a function it is the name of that function.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).reweight("dags").prior
        'dags'
        """
        return "classes" if self.reweighting is None else self.reweighting.prior

    @property
    def weight_ess(self) -> float:
        """The share of the effective sample size that is left after ``reweight``, from 0 to 1; 1 without it.

        With the share p of the time and the weight w of each class it is (Σ p w)² / Σ p w² (Kish 1965). If it is small,
        the result depends on few classes, and its Monte Carlo error is that of their times.

        >>> import causal_zigzag as cz
        >>> round(cz.sample(cz.Uniform(3), jumps=10_000, rng=1).reweight("dags").weight_ess, 1)  # 25² / (11 · 79)
        0.7
        """
        return weight_ess(self)

    def edge_probabilities(self) -> EdgeProbabilities:
        """The probability of every edge, in the order of ``nodes``; time in unlisted classes is included.

        >>> import causal_zigzag as cz
        >>> edges = cz.sample(cz.Uniform(2), jumps=1000, rng=1).edge_probabilities()
        >>> edges.adjacent.round(1).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        return self._edges

    def edge_table(self) -> pd.DataFrame:
        """One row per pair of nodes x and y, the most probably adjacent first.

        The columns are x, y, the probability that they are ``adjacent``, and the probabilities of the three kinds of
        edge: ``forward`` (x -> y), ``undirected`` (x - y) and ``backward`` (y -> x). ``mcse`` is the Monte Carlo
        standard error of ``adjacent``; it is NaN if the adjacency changed fewer than ten times in all chains.

        >>> import causal_zigzag as cz
        >>> table = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1).edge_table()
        >>> list(table.columns)
        ['x', 'y', 'adjacent', 'forward', 'undirected', 'backward', 'mcse']
        >>> bool((abs(table["adjacent"] - 6 / 11) < 5 * table["mcse"]).all())
        True
        """
        return self.edge_probabilities().table(self.edge_errors[:, :, 0])

    def mcse(self, statement: CPDAG | Statement | Callable[[CPDAG], float]) -> float:
        """The Monte Carlo standard error of the probability of a class, or of the mean of a function of the class.

        It is estimated from the draws at regular times. Probabilities also use the time between draws; the error is
        reduced for this by a factor measured on edges and score, chosen so that the error is too large rather than too
        small. NaN if the values of the draws change fewer than ten times.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(3), jumps=10_000, rng=1)
        >>> abs(posterior.probability(cz.CPDAG.empty(3)) - 1 / 11) < 5 * posterior.mcse(cz.CPDAG.empty(3)) < 0.05
        True
        >>> posterior.mcse(lambda g: g.edge_count == 3) < 0.01
        True
        """
        draws = self.draws()
        weights = draw_weights(self, draws)
        return float(draw_errors(draws.counts, draws.values(statement), weights, self._statement_variance_ratio))

    def diagnostics(self) -> Diagnostics:
        """Whether the run has converged, as far as the chains can show: R-hat, ESS, Monte Carlo errors and a verdict.

        >>> import causal_zigzag as cz
        >>> print(cz.sample(cz.Uniform(3), jumps=10, chains=2, rng=1).diagnostics().verdict[:9])
        Too short
        """
        return replace(self._diagnostics, table=self._diagnostics.table.copy())  # a table can be changed by its user

    def trace(self) -> tuple[Trace, ...]:
        """The path of each chain after its warm-up: time, number of edges, score and direction.

        >>> import causal_zigzag as cz
        >>> trace = cz.sample(cz.Uniform(3), jumps=1000, rng=1).trace()[0]
        >>> bool(trace.edges.max() <= 3)
        True
        """
        return self._trace

    def draws(self) -> Draws:
        """The class of each chain on a regular grid of times after its warm-up; the grid is the same for all chains.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1).draws().nodes
        (0, 1, 2)
        """
        return self._draws

    def under(self, reweighting: Reweighting | None) -> Self:
        """The same run with these weights; what does not depend on them is not computed again. Internal.

        :meta private:
        """
        made = replace(self, reweighting=reweighting)
        _ = self.sampled_classes  # all answers under another prior need them
        made.__dict__.update({name: self.__dict__[name] for name in AS_SAMPLED if name in self.__dict__})
        return made

    def __getstate__(self) -> dict[str, object]:
        """The fields alone: a pickle contains nothing that can be computed from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def weighted_results(self) -> tuple[ChainResult, ...]:
        """The results of the chains, with times scaled by ``chain_weights``. Internal to the package.

        :meta private:
        """
        return weighted_results(self)

    @cached_property
    def sampled_classes(self) -> Classes:
        """The listed classes as they were sampled, without ``reweighting``. Internal to the package.

        :meta private:
        """
        return merge(self.weighted_results)

    @cached_property
    def listed_classes(self) -> Classes:
        """The listed classes with their probabilities. Internal to the package.

        :meta private:
        """
        return self.sampled_classes if self.reweighting is None else self.reweighting.apply(self.sampled_classes)

    @cached_property
    def edge_errors(self) -> NDArray[np.float64]:
        """The Monte Carlo standard errors of all edges, see ``diagnostics.edge_errors``. Internal to the package.

        :meta private:
        """
        return edge_errors(self)

    @cached_property
    def _edges(self) -> EdgeProbabilities:
        if self.reweighting is not None:
            return drawn_edges(self) if self.unlisted > NEGLIGIBLE else weighted_edges(self)
        times = [expected_edge_times(r, len(self.nodes)) for r in self.weighted_results]
        return edge_shares(self.nodes, self.weighted_results, times)

    @cached_property
    def _start_score(self) -> float:
        return self.target.score.total(self.start)

    @cached_property
    def _trace(self) -> tuple[Trace, ...]:
        return traces(self.results, self._start_score)

    @cached_property
    def _draws(self) -> Draws:
        return draws_of(self.nodes, self.results, self._start_score, self.target.restriction)

    @cached_property
    def _diagnostics(self) -> Diagnostics:
        return diagnose(self)

    @cached_property
    def _statement_variance_ratio(self) -> float:
        return statement_variance_ratio(self, self.draws())
