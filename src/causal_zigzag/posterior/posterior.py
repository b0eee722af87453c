"""Posterior: what was learned about the classes and their edges, how it was sampled, and what fell short."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag.answers.edge_answers import EdgeAnswers
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.posterior.class_queries import ClassAnswers
from causal_zigzag.posterior.diagnostics.batch_means import draw_errors
from causal_zigzag.posterior.diagnostics.diagnostics import Diagnostics, diagnose, edge_errors
from causal_zigzag.posterior.draws import Draws, draws_of
from causal_zigzag.posterior.edge_times import edge_shares, expected_edge_times
from causal_zigzag.posterior.listed_classes import Classes, Weights, column_of, drawn_edge_times, merge
from causal_zigzag.posterior.merging import merge_posteriors
from causal_zigzag.posterior.plot_methods import Plots
from causal_zigzag.posterior.reweighting import (
    NEGLIGIBLE,
    Reweighting,
    log_weight_of,
    reweight,
    weighed_edges,
    weight_ess,
)
from causal_zigzag.posterior.save import save
from causal_zigzag.posterior.summary import one_line, shortfalls, summary
from causal_zigzag.posterior.traces import Trace, traces
from causal_zigzag.posterior.weighted_draws import draw_weights, drawn_edges, statement_relief
from causal_zigzag.sampler.chain_result import ChainResult, ChainStatistics
from causal_zigzag.sampler.settings import Settings
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Hashable, Iterable

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.statements import Statement
    from causal_zigzag.sampler.record import RunRecord
    from causal_zigzag.scores.base import Score


@final
@dataclass(frozen=True, eq=False, repr=False)
class Posterior(ClassAnswers, EdgeAnswers, Plots):
    """The distribution over classes that ``sample`` has found.

    Probabilities are shares of time, over all chains together. A chain is in a state for a random time; ``weights``
    "expected" counts its expectation, which is less noisy, "drawn" the time as it was drawn.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(["a", "b"]), jumps=1000, chains=2, rng=1)
    >>> [round(probability, 2) for graph, probability, score in posterior.top(2)]
    [0.5, 0.5]
    """

    target: Target
    settings: Settings
    start: CPDAG
    results: tuple[ChainResult, ...]
    interrupted: bool = False
    record: RunRecord | None = None
    reweighting: Reweighting | None = None
    starts: tuple[CPDAG, ...] = ()  # of the chains, where they did not all begin at ``start``

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
        """The score of the target; ``score.reason`` says why it was chosen, where it was.

        >>> import causal_zigzag as cz
        >>> cz.sample({"a": [0.5, 1.5, 0.1], "b": [1.0, 2.5, 0.7]}, jumps=10, chains=1, rng=1).score.reason
        'GaussianBIC, as all 2 columns are continuous'
        """
        return self.target.score

    @property
    def statistics(self) -> tuple[ChainStatistics, ...]:
        """What each chain did.

        >>> import causal_zigzag as cz
        >>> [s.jumps for s in cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1).statistics]
        [1000, 1000]
        """
        return tuple(r.statistics for r in self.results)

    @property
    def unlisted(self) -> float:
        """The share of the time in classes that are not listed by themselves; ``top`` and ``probability`` miss those.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).unlisted
        0.0
        """
        return self._sampled.unlisted[0]

    @property
    def prior(self) -> str:
        """What is uniform before the score and the edge prior: "classes", or "dags" after ``reweight``.

        After ``reweight`` by a function it is the name of that.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).reweight("dags").prior
        'dags'
        """
        return "classes" if self.reweighting is None else self.reweighting.prior

    @property
    def weight_ess(self) -> float:
        """How much of the effective sample size ``reweight`` has left, from 0 to 1; 1 without it.

        With the share p of the time and the weight w of each class it is (Σ p w)² / Σ p w² (Kish 1965): weighed
        draws are worth as much as this share of as many draws from the new posterior. Where it is small, few
        classes make up the result, and their times are what its error comes from.

        >>> import causal_zigzag as cz
        >>> round(cz.sample(cz.Uniform(3), jumps=10_000, rng=1).reweight("dags").weight_ess, 1)  # 25² / (11 · 79)
        0.7
        """
        return weight_ess(self)

    def edge_probabilities(self, weights: Weights = "expected") -> EdgeProbabilities:
        """How likely every edge is, in the order of ``nodes``; all the time counts, that in unlisted classes as well.

        Drawn times of edges come from the listed classes, so ``weights="drawn"`` needs all of them to be listed.

        >>> import causal_zigzag as cz
        >>> edges = cz.sample(cz.Uniform(2), jumps=1000, rng=1).edge_probabilities()
        >>> edges.adjacent.round(1).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        if column_of(weights) == 0:
            return self._edges
        if self.reweighting is not None:
            return self._edges if self.unlisted > NEGLIGIBLE else weighed_edges(self, 1)
        if self._classes.unlisted[1] > 0:
            raise SettingsError(
                f'weights="drawn" needs every class to be listed, but {self._classes.unlisted[1]:.2g} of the time was '
                f'spent in unlisted ones; sample with a larger max_classes or use weights="expected"'
            )
        times = [drawn_edge_times(r, len(self.nodes)) for r in self.results]
        return edge_shares(self.nodes, self.results, times, 1)

    def edge_table(self) -> pd.DataFrame:
        """One row a pair of nodes x and y, the most probably adjacent first.

        The columns: x, y, and the probabilities that they are ``adjacent``, and by which edge: ``forward`` (x -> y),
        ``undirected`` (x - y) or ``backward`` (y -> x); ``mcse`` is the Monte Carlo standard error of ``adjacent``,
        missing (NaN) where that changed less than ten times in all chains, too seldom to tell.

        >>> import causal_zigzag as cz
        >>> table = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1).edge_table()
        >>> list(table.columns)
        ['x', 'y', 'adjacent', 'forward', 'undirected', 'backward', 'mcse']
        >>> bool((abs(table["adjacent"] - 6 / 11) < 5 * table["mcse"]).all())
        True
        """
        return self.edge_probabilities().table(edge_errors(self)[:, :, 0])

    def mcse(self, statement: CPDAG | Statement | Callable[[CPDAG], float]) -> float:
        """The Monte Carlo standard error of the probability of a class, or of the mean of a function of the class.

        It comes from the draws at regular times. Probabilities use all the time between them as well; that is allowed
        for by what it does to the errors of edges and score, so that errors are rather too large than too small. NaN
        where the draws change their answer less than ten times, too seldom to tell.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(3), jumps=10_000, rng=1)
        >>> abs(posterior.probability(cz.CPDAG.empty(3)) - 1 / 11) < 5 * posterior.mcse(cz.CPDAG.empty(3)) < 0.05
        True
        >>> posterior.mcse(lambda g: g.edge_count == 3) < 0.01
        True
        """
        draws = self.draws()
        weights = draw_weights(self, draws)
        return float(draw_errors(draws.counts, draws.values(statement), weights, self._statement_relief))

    def diagnostics(self) -> Diagnostics:
        """Whether the run has converged as far as can be told, in words and numbers: R-hat, ESS and Monte Carlo errors.

        >>> import causal_zigzag as cz
        >>> print(cz.sample(cz.Uniform(3), jumps=10, chains=2, rng=1).diagnostics().verdict[:17])
        Too short to tell
        """
        return diagnose(self)

    def reweight(self, prior: str | Callable[[CPDAG], float] = "dags") -> Posterior:
        """The same posterior under another prior, by a weight for every listed class.

        ``sample`` is uniform over classes, before the score and the edge prior. "dags" is uniform over DAGs instead: a
        class weighs as much as it has DAGs, exactly counted. A function gives the log of the weight of a class, minus
        infinity for none. "classes" is the prior of ``sample`` again: a prior always replaces the one before.

        Classes that are not listed get no probability, and the listed ones too much. Where they took more than a
        thousandth of the time (``unlisted``) there is a warning, and probabilities of edges are told from the weighed
        draws, which are of all classes; a larger ``max_classes`` lists more. ``weight_ess`` tells how much of the
        sample the weights make use of. Merge runs first, and reweight then.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(3), jumps=20_000, rng=1).reweight("dags")
        >>> round(posterior.probability(cz.CPDAG.complete(3)), 1)  # 6 of 25 DAGs
        0.2
        >>> mine = posterior.reweight(lambda g: -2.0 * g.edge_count)
        >>> mine.top(1)[0].graph
        CPDAG(3 nodes, no edges)
        """
        return reweight(self, prior)

    def log_weight_of(self, graphs: Iterable[CPDAG]) -> NDArray[np.float64]:
        """The log weights that ``reweight`` gives to classes: all 0 without it, minus infinity if they are not listed.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(3), jumps=1000, rng=1).reweight("dags")
        >>> posterior.log_weight_of([cz.CPDAG.empty(3), cz.CPDAG.complete(3)]).round(4).tolist()
        [0.0, 1.7918]
        """
        return log_weight_of(self, graphs)

    def trace(self) -> tuple[Trace, ...]:
        """The path of each chain after its warm-up: time, number of edges, score and direction.

        >>> import causal_zigzag as cz
        >>> trace = cz.sample(cz.Uniform(3), jumps=1000, rng=1).trace()[0]
        >>> bool(trace.edges.max() <= 3)
        True
        """
        return traces(self.results, self.target.score.total(self.start))

    def draws(self) -> Draws:
        """The class of each chain on a regular grid of times after its warm-up, the same for all chains.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1).draws().nodes
        (0, 1, 2)
        """
        return draws_of(self.nodes, self.results, self.target.score.total(self.start))

    def to_arviz(self, trivial: float = 0.01) -> Any:
        """The draws as a DataTree for ArviZ, by ``arviz-base`` (the extra ``arviz``).

        The group ``posterior`` has, by chain and draw, ``edges`` and ``score``, and the indicators ``adjacent``,
        ``directed`` and ``undirected`` of edges that are neither less probable than ``trivial`` nor that certain, with
        labels such as "a -- b", "a -> b" and "a - b". The group ``sample_stats`` has ``lp``, the log of the target,
        and ``direction``; after ``reweight``, which leaves the draws as they are, also their ``log_weight``. Chains
        that had more time than the shortest lose the draws at their end. ``to_netcdf`` writes it to a file.

        >>> import causal_zigzag as cz
        >>> tree = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=1000, rng=1).to_arviz()
        >>> tree["posterior"]["adjacent"].sel(pair="a -- b").dims
        ('chain', 'draw')
        """
        from causal_zigzag.interop.arviz import to_arviz

        return to_arviz(self, trivial)

    def by_chain(self) -> tuple[Posterior, ...]:
        """The posterior of each chain by itself.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=1000, chains=3, rng=1).by_chain())
        3
        """
        weights = self.reweighting
        return tuple(
            replace(self, results=(r,), reweighting=weights and weights.of_chain(i)) for i, r in enumerate(self.results)
        )

    def merge(self, *others: Posterior) -> Posterior:
        """One posterior of the chains of all these runs, in their order; weighed, as always, by their times.

        They must be of the same target and process (momentum and balance); jumps, seeds and starts may differ.

        >>> import causal_zigzag as cz
        >>> runs = [cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=seed) for seed in (1, 2)]
        >>> [s.chain for s in runs[0].merge(runs[1]).statistics]
        [0, 1, 2, 3]
        """
        return merge_posteriors([self, *others])

    def shortfalls(self) -> list[str]:
        """What the run lacks beside what was asked for, in plain words; empty where it lacks nothing.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).shortfalls()
        []
        """
        return shortfalls(self.settings, self.statistics, self.interrupted)

    def summary(self) -> str:
        """What was sampled, how, and what was found, in a dozen lines.

        >>> import causal_zigzag as cz
        >>> print(cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1).summary().splitlines()[1])
        score       Uniform(3 nodes), coldness 1
        """
        return summary(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all of it into one file, by custom ``.czz``, that ``cz.load`` reads: wholly, or not at all.

        The file holds what the score is computed from: correlations for Gaussian scores, the coded rows of the data
        for ``BDeu`` and ``DiscreteBIC``. Of a score of your own it holds the values for the most probable classes.
        Labels of nodes must be str, int, float, bool, None or tuples of these.

        >>> import tempfile
        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(3), jumps=1000, rng=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     posterior.save(f"{folder}/mine.czz")
        ...     cz.load(f"{folder}/mine.czz").class_count
        11
        """
        save(self, path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write what was found into one HTML file that opens anywhere and needs nothing else.

        It has the verdict on convergence, the edges to believe, the table of all edges, the most probable classes, the
        paths of the chains, what was run and the code that repeats it. The file is written wholly, or not at all.

        >>> import tempfile
        >>> import causal_zigzag as cz
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cz.sample(cz.Uniform(3), jumps=1000, rng=1).report(f"{folder}/report.html")
        """
        from causal_zigzag.report import write_report

        write_report(self, path)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        from causal_zigzag.report.notebook import posterior_html  # in notebooks only

        return posterior_html(self)

    @cached_property
    def _sampled(self) -> Classes:
        return merge(self.results)

    @cached_property
    def _classes(self) -> Classes:
        return self._sampled if self.reweighting is None else self.reweighting.apply(self._sampled)

    @cached_property
    def _edges(self) -> EdgeProbabilities:
        if self.reweighting is not None:
            return drawn_edges(self) if self.unlisted > NEGLIGIBLE else weighed_edges(self, 0)
        times = [expected_edge_times(r, len(self.nodes)) for r in self.results]
        return edge_shares(self.nodes, self.results, times, 0)

    @cached_property
    def _statement_relief(self) -> float:
        return statement_relief(self, self.draws())
