"""Posterior: the result of ``sample``, with queries, summaries, plots, reports and files."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, final

from causal_zigzag.ancestral.sampling import sample_beside
from causal_zigzag.answers.distribution import Distribution
from causal_zigzag.answers.top_classes import top_lines
from causal_zigzag.posterior.advice import Proposals, advice
from causal_zigzag.posterior.chain_weights import weigh_chains
from causal_zigzag.posterior.diagnostics.diagnostics import Diagnostics, diagnose
from causal_zigzag.posterior.diagnostics.exact_check import ExactComparison, check_exact
from causal_zigzag.posterior.facts import facts, one_line, shortfalls, title
from causal_zigzag.posterior.merging import merge_posteriors
from causal_zigzag.posterior.methods_paragraph import methods_paragraph
from causal_zigzag.posterior.posterior_plots import Plots
from causal_zigzag.posterior.reweighting import Reweighting, reweight
from causal_zigzag.posterior.sampled_classes import Listed, listed, weighted_classes
from causal_zigzag.posterior.save import save
from causal_zigzag.posterior.traces import Trace, draws_of, traces
from causal_zigzag.support.arguments import hinted
from causal_zigzag.support.rng import Rng

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Hashable, Iterable

    from causal_zigzag.ancestral.columns import Normalizing
    from causal_zigzag.ancestral.posterior import AncestralPosterior
    from causal_zigzag.answers.draws import Draws
    from causal_zigzag.answers.model_check.model_check import ModelCheck
    from causal_zigzag.answers.model_check.stored_check import StoredCheck
    from causal_zigzag.answers.own_graph.judgement import Judgement
    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.posterior.resampled import Resampled
    from causal_zigzag.sampler.chain_result import ChainResult, ChainStatistics
    from causal_zigzag.sampler.run import RunRecord
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.scores.base import Score
    from causal_zigzag.tables.audit import Audit
    from causal_zigzag.target.target import Target


@final
@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Distribution):
    """The distribution over classes that ``sample`` has found.

    Probabilities are shares of the time of all chains together. A chain stays in a state for a random time; its
    expectation is used, which has less noise than the time that was drawn.

    ``resampled`` is None, or what holds when rows are resampled, see ``resample``.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(["a", "b"]), jumps=1000, chains=2, rng=1)
    >>> [round(probability, 2) for graph, probability, score in posterior.top(2)]
    [0.5, 0.5]
    """

    target: Target
    settings: RunSettings
    _start: CPDAG
    _results: tuple[ChainResult, ...]
    _interrupted: bool = False
    record: RunRecord | None = None
    _reweighting: Reweighting | None = None
    _starts: tuple[CPDAG, ...] = ()  # one per chain, if they did not all start at ``_start``
    _chain_weights: tuple[float, ...] = ()  # after weigh_chains, the log of the weight of each chain; they add up to 1
    resampled: Resampled | None = None
    _checked: StoredCheck | None = None

    @property
    def plot(self) -> Plots:
        """Pictures: ``plot()`` is an overview; see ``Plots`` for ``plot.edges()``, ``plot.consensus()`` and the others.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot.edges("directed").get_title(loc="left")
        'Probability: row → column'
        """
        return Plots(self)

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
        return tuple(r.statistics for r in self._results)

    @property
    def unlisted(self) -> float:
        """The share of the time in classes that are not listed; ``top`` and ``probability`` do not include those.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).unlisted
        0.0
        """
        return self._listed.unlisted

    @property
    def prior(self) -> str:
        """The prior before the score and the edge prior: "classes" (uniform), or "dags" after ``reweight``.

        After ``reweight`` with a function it is the name of that function.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).reweight("dags").prior
        'dags'
        """
        return "classes" if self._reweighting is None else self._reweighting.prior

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
        return traces(self._results, self._start_score)

    def draws(self) -> Draws:
        """The class of each chain on a regular grid of times after its warm-up; the grid is the same for all chains.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1).draws().nodes
        (0, 1, 2)
        """
        return self._draws

    def reweight(self, prior: str | Callable[[CPDAG], float] = "dags") -> Posterior:
        """The same run under another prior, by a weight for every listed class.

        ``sample`` is uniform over classes, before the score and the edge prior. "dags" is uniform over DAGs instead:
        the weight of a class is the exact number of its DAGs. A function returns the log weight of a class; minus
        infinity excludes it. "classes" is the prior of ``sample`` again: a prior always replaces the previous one.

        Classes that are not listed get no probability. If they took more than a thousandth of the time (``unlisted``),
        there is a warning, and edge probabilities are computed from the weighted draws, which come from all classes; a
        larger ``max_classes`` lists more classes. ``summary`` states the share of the effective sample size that is
        left. To combine runs, merge them first, then reweight.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(3), jumps=20_000, rng=1).reweight("dags")
        >>> round(posterior.probability(cz.CPDAG.complete(3)), 1)  # 6 of 25 DAGs
        0.2
        >>> mine = posterior.reweight(lambda g: -2.0 * g.edge_count)
        >>> mine.top(1)[0].graph
        CPDAG(3 nodes, no edges)
        """
        return reweight(self, prior)

    @hinted
    def resample(
        self,
        resamples: int | Literal["auto"] = "auto",
        by: Any = None,
        *,
        data: Any = None,
        minutes: float | None = None,
        rng: Rng = None,
        executor: Any = None,
        progress: bool | None = None,
    ) -> Posterior:
        """The same posterior with ``resampled``: what holds when rows are resampled.

        A posterior is right if its model is. On real tables the model is never quite right, and then a posterior over
        structures is far too certain. The average of the posteriors of resampled tables is not (the bagged posterior of
        Huggins & Miller 2023): an arrow that holds there too would be found again in other rows. ``resampled`` answers
        what a posterior answers, and ``edge_table`` and ``consensus`` then use it as well.

        Each resample has 0.7 times as many rows as the table, drawn with replacement, which predicted another half of
        real tables better than full bootstrap samples or half-samples. "auto" goes on until the Monte Carlo error
        between resamples of every open arrow and adjacency is at most 0.05, for one minute or ``minutes``; 0 removes
        ``resampled``. Its chains begin where those of this posterior ended, and are made longer until they agree.

        ``by`` says which rows belong together and are drawn together: several rows per person, school or country. It is
        the name of a column of the table, some names, or an array with one value per row. For ``lagged`` tables blocks
        of time are drawn, whose length is chosen by their autocorrelation (Politis & White 2004).

        The rows are those of the table that was sampled. A posterior from a file may need ``data``, the same table.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> posterior = cz.sample(table, jumps=20_000, rng=1).resample(16, rng=2)
        >>> bool(posterior.edge_table()["forward_again"].max() > 0.8)
        True
        """
        from causal_zigzag.resampling.resample import resample

        return resample(self, resamples, by, data, minutes, rng, executor, progress)

    @hinted
    def hidden_causes(
        self,
        minutes: float | None = None,
        *,
        columns: Iterable[Hashable] | None = None,
        data: Any = None,
        edge_prior: float | str | None = "auto",
        transform: Normalizing = "auto",
        steps: int | None = None,
        chains: int = 2,
        rng: Rng = None,
        progress: bool | None = None,
    ) -> AncestralPosterior:
        """What holds when causes may be hidden: a posterior over ancestral graphs of the same columns.

        See ``sample_ancestral``, which has the same arguments. The knowledge is that of this posterior, and one chain
        starts at a DAG drawn from it. Scores other than ``GaussianBIC`` need the rows of the table: after loading a
        file pass them as ``data``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> posterior = cz.sample(table, jumps=20_000, rng=1)
        >>> bool(posterior.ancestors().loc["rain", "wet"] > 0.9)  # but not if both may have a hidden cause
        True
        >>> bool(posterior.hidden_causes(steps=50_000, rng=1).ancestors().loc["rain", "wet"] < 0.7)
        True
        """
        return sample_beside(
            self.target, self.sample_dags, data, columns, edge_prior, transform, minutes, steps, chains, rng, progress
        )

    def by_chain(self) -> tuple[Posterior, ...]:
        """The posterior of each chain by itself.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=1000, chains=3, rng=1).by_chain())
        3
        """
        weights = self._reweighting
        return tuple(
            replace(
                self, _results=(r,), _reweighting=weights and weights.of_chain(i), _chain_weights=(), resampled=None
            )
            for i, r in enumerate(self._results)
        )

    def weigh_chains(self) -> Posterior:
        """The same run with chains weighted by the masses of the regions they are in, for chains that did not mix.

        Chains that never meet sample different regions, and their times say nothing about the masses of these. The mass
        of a region is estimated from the exact weights of its classes divided by their shares of the time. Chains that
        overlap are in the same region and keep their weights relative to each other; if all chains overlap, the
        posterior is unchanged. ``summary`` states the weights. A region that no chain visited is still missing, so
        the verdict of ``diagnostics`` stays "not converged".

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1)
        >>> posterior.weigh_chains().edge_table().equals(posterior.edge_table())  # both chains visited all classes
        True
        """
        return weigh_chains(self)

    def check_exact(self) -> ExactComparison:
        """The sampled probabilities of adjacencies compared with the exact ones, for up to 18 nodes.

        Both are under the uniform prior over DAGs, see ``reweight`` and ``exact_edge_posterior``, which takes 0.2 s for
        14 nodes and 15 s for 18, longer for discrete scores. The target must have no ``max_degree``, and its
        edge prior must be a cost per edge.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=20_000, rng=1).check_exact().largest_difference < 0.05
        True
        """
        return check_exact(self)

    def audit(self) -> Audit | None:
        """What ``cz.audit`` found in the table when it was sampled; None if the run was given a score.

        Its ``notes`` are what reading left out or changed, its ``doubts`` what speaks against the assumptions of the
        scores. It prints as a page, and is saved with the posterior.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("a", "b")], rows=300, rng=1)
        >>> cz.sample(table, jumps=100, rng=1).audit().ok
        True
        """
        found = None if self.record is None else self.record.audit
        if found is None or not (harmless := self.score.harmless()):
            return found
        return replace(found, findings=tuple(f for f in found.findings if f.kind not in harmless))

    def advice(self, check: ModelCheck | None = None) -> Proposals:
        """What to do next: at most three proposals that follow from the result, the most urgent first.

        Each has a reason and the line of code, or the command, to paste: to read the table otherwise, in one run with
        all changes that belong together (series in time first, then groups of rows), to sample longer if the run has
        not converged, to resample its rows if this was not done, and to say what was assigned or comes first if many
        edges have no direction. With a ``check`` from ``check_model``, as in reports, a model that does not fit is
        compared with another one. Lines are tried before they are proposed, unless the table is not at hand: the
        table is read and the score is made, but nothing is sampled.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("age", "bmi"), ("bmi", "died")], rows=500, rng=1)
        >>> for proposal in cz.sample(table, jumps=20_000, rng=1).advice():
        ...     print(proposal.code)
        posterior = posterior.resample()
        posterior = cz.sample(data, knowledge=cz.Knowledge(tiers=[['age'], ...]))
        """
        return advice(self, check)

    def merge(self, *others: Posterior) -> Posterior:
        """One posterior with the chains of all these runs, in their order, weighted by their times.

        The runs must have the same target and process (momentum and balance); jumps, seeds and starts may differ.

        >>> import causal_zigzag as cz
        >>> runs = [cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=seed) for seed in (1, 2)]
        >>> [s.chain for s in runs[0].merge(runs[1]).statistics]
        [0, 1, 2, 3]
        """
        return merge_posteriors([self, *others])

    @hinted
    def extend(
        self,
        jumps: int | None = None,
        *,
        minutes: float | None = 1,
        rng: Rng = None,
        executor: Any = None,
        progress: bool | None = None,
    ) -> Posterior:
        """A longer run: new chains that begin where those of this run ended, together with the chains of this run.

        A new chain begins in the class and the direction in which the old one ended. No checkpoint is needed. By
        default it goes on until the whole has converged, for at most one minute or ``minutes``, as in ``sample``; with
        ``jumps`` each new chain makes this number of jumps. The chains of this run are left out if they have less than
        a tenth of the jumps of the new ones, as if they were part of the warm-up. A run with a checkpoint is better
        continued with ``resume``, which makes its chains themselves longer.

        >>> import causal_zigzag as cz
        >>> short = cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1)
        >>> [s.jumps for s in short.extend(jumps=3000, rng=2).statistics]
        [1000, 1000, 3000, 3000]
        """
        from causal_zigzag.sampling import extend

        return extend(self, jumps, minutes=minutes, rng=rng, executor=executor, progress=progress)

    def summary(self) -> str:
        """The target, the run and the results, in about ten lines.

        >>> import causal_zigzag as cz
        >>> print(cz.sample(cz.Uniform(3), jumps=1000, chains=2, rng=1).summary().splitlines()[1])
        score       Uniform(3 nodes), coldness 1
        """
        lines = [f"{name.lower():<11} {text}" for name, text in facts(self, brief=True)]
        notes = [f"note        {shortfall}" for shortfall in shortfalls(self)]
        return "\n".join([title(self), *lines, *top_lines(self._classes), *notes])

    def methods(self) -> str:
        """A paragraph for the methods section of a paper, with the settings of this run; reports contain it too.

        >>> import causal_zigzag as cz
        >>> print(cz.sample(cz.Uniform(3), jumps=1000, rng=1).methods()[:63])
        We sampled the posterior distribution over Markov equivalence c
        """
        return methods_paragraph(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the posterior to one file, usually ``.czz``, that ``cz.load`` reads. The file is written atomically.

        The file contains what the score is computed from: correlations for Gaussian scores, the coded rows of the data
        for ``BDeu`` and ``DiscreteBIC``. For a user-defined score it contains the values for the most probable classes.
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

    def report(
        self,
        path: str | os.PathLike[str],
        hidden: AncestralPosterior | None = None,
        judgement: Judgement | None = None,
    ) -> None:
        """Write an HTML report: one file that works offline.

        It contains the verdict on convergence, what holds when rows are resampled, an interactive graph, the most
        probable edges, the assumptions and what the data look like against them, the table of all edges, the most
        probable classes, the traces of the chains, the settings, and the code that repeats the run. With
        ``hidden``, the result of ``hidden_causes``, it says which arrows hold when causes may be hidden, and draws
        those in bold that hold then and when rows are resampled. With ``judgement``, the result of ``judge``, it has a
        section on a graph of your own. The file is written atomically.

        >>> import tempfile
        >>> import causal_zigzag as cz
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cz.sample(cz.Uniform(3), jumps=1000, rng=1).report(f"{folder}/report.html")
        """
        from causal_zigzag.report import write_report

        write_report(self, path, hidden, judgement)

    def to_arviz(self, trivial: float = 0.01, draws: int | None = 1000) -> Any:
        """The draws for ArviZ (extra ``arviz``): a DataTree, or an InferenceData if an ArviZ before 1.0 is installed.

        The group ``posterior`` has, by chain and draw, ``edges``, ``score``, and the indicators ``adjacent``,
        ``directed`` and ``undirected`` of the edges with probabilities between ``trivial`` and 1 - ``trivial``. Their
        labels are such as "a -- b", "a -> b" and "a - b". The group ``sample_stats`` has ``lp``, the log of the target,
        and ``direction``; after ``reweight`` or ``weigh_chains``, which do not change the draws, also their
        ``log_weight``. All chains are cut to the length of the shortest and thinned evenly to at most ``draws``,
        which the plots of ArviZ can take; None keeps all. If rows were resampled, the group ``resampled`` has the
        probabilities of the same edges, with the resamples as draws. ``to_netcdf`` of the result writes it to a file.

        >>> import causal_zigzag as cz
        >>> tree = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=1000, rng=1).to_arviz()
        >>> tree["posterior"]["adjacent"].sel(pair="a -- b").dims
        ('chain', 'draw')
        """
        from causal_zigzag.interop.arviz import to_arviz

        return to_arviz(self, trivial, draws)

    def _under(self, reweighting: Reweighting | None, resampled: Resampled | None = None) -> Posterior:
        """The same run with these weights; what does not depend on them is not computed again."""
        made = replace(self, _reweighting=reweighting, resampled=resampled)
        vars(made).update(_listed=self._listed, _start_score=self._start_score, _draws=self._draws)
        return made

    @cached_property
    def _listed(self) -> Listed:
        """What the chains have listed, without ``reweighting``."""
        return listed(self)

    @cached_property
    def _classes(self) -> WeightedClasses:
        """The classes with their probabilities."""
        found = weighted_classes(self)
        return found if self.resampled is None else replace(found, resampled=self.resampled._classes)

    @cached_property
    def _start_score(self) -> float:
        return self.score.origin(self._start)

    @cached_property
    def _draws(self) -> Draws:
        return draws_of(self, self._start_score)

    @cached_property
    def _diagnostics(self) -> Diagnostics:
        return diagnose(self)

    def __getstate__(self) -> dict[str, object]:
        """The fields alone: a pickle contains nothing that can be computed from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        from causal_zigzag.report.notebook import posterior_html

        return posterior_html(self)
