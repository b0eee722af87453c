"""Diagnostics: R-hat, Monte Carlo errors and effective sample sizes, from exact time integrals and from draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.errors.batch_means import LEAST_BATCHES, LEAST_CHANGES, chance_ratio
from causal_zigzag.answers.errors.batches import Batches, edge_label
from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.graphs.labels import show
from causal_zigzag.graphs.pairs import pair_ends, pair_number
from causal_zigzag.posterior.chain_weights import log_mass
from causal_zigzag.posterior.diagnostics.exact_check import ExactComparison, affordable_check
from causal_zigzag.posterior.diagnostics.rhat import LEAST_DRAWS, fractional_ranks, r_hat_of_indicators, rank_r_hat
from causal_zigzag.posterior.diagnostics.verdict import (
    FAR_APART,
    MANY_SAMPLES,
    Advice,
    Finding,
    Remark,
    Verdict,
    judge,
    note_of,
)
from causal_zigzag.posterior.sampled_classes import time_batches
from causal_zigzag.posterior.stability import is_untested, stability_of
from causal_zigzag.sampler.warmup import NEGLIGIBLE
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.notebook_view import view

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.draws import Draws
    from causal_zigzag.answers.errors.batches import TimeBatches
    from causal_zigzag.posterior.posterior import Posterior

TRIVIAL_PROBABILITY = 0.01  # edges with a probability within this of 0 or 1 have no row of their own
FALSE_ALARM = 1e-3  # probability that agreeing chains are reported to disagree, over all quantities together
NO_SPREAD = 1e-3  # a standard deviation of edges or log weight up to this comes from classes of no probability
PRINTED_ROWS = 12
COLUMNS = ["quantity", "mean", "mcse", "ess", "r_hat", "note"]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """The accuracy of the numbers of a run, and whether its chains agree.

    ``table`` has a row for the number of edges, the score, and every adjacency ``a -- b``, arrow ``a -> b`` and line
    ``a - b`` with a probability between 0.01 and 0.99. Its columns are the ``mean``, its Monte Carlo standard error
    ``mcse``, the effective sample size ``ess`` (the number of independent draws that would give this error), ``r_hat``
    (1 if all chains agree), and a ``note`` if a number is missing or unreliable. ``judgement`` is a value with the
    conclusions; ``verdict`` and ``ok`` are taken from it. For a reweighted run, errors come from the weighted draws,
    R-hat and ranks from the chains as they were sampled. ``ranks`` has the ranks of edges and score among all draws,
    for rank plots: one row per chain. ``exact`` compares adjacencies with their exact probabilities, as ``check_exact``
    does; it is None unless this is possible and estimated to take less than a second (up to 15 nodes for Gaussian
    scores, about 12 for discrete ones).

    >>> import causal_zigzag as cz
    >>> diagnostics = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1).diagnostics()
    >>> diagnostics.ok
    True
    >>> list(diagnostics.table.columns)
    ['quantity', 'mean', 'mcse', 'ess', 'r_hat', 'note']
    """

    table: pd.DataFrame
    judgement: Verdict
    ranks: Mapping[str, NDArray[np.float64]]
    exact: ExactComparison | None = None

    @property
    def verdict(self) -> str:
        """The conclusions in words.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(1), jumps=10, rng=1).diagnostics().verdict
        'The target has only one class, so there is nothing to sample and no error.'
        """
        return self.judgement.text()

    @property
    def ok(self) -> bool:
        """Whether the run has converged, as far as the chains can show.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=10, rng=1).diagnostics().ok
        False
        """
        return self.judgement.ok

    def __str__(self) -> str:
        order = np.r_[0:2, 2 + np.argsort(self.table["ess"].fillna(0).to_numpy()[2:], kind="stable")]
        text = self.table.iloc[order[:PRINTED_ROWS]].to_string(index=False, na_rep="", float_format="{:.4g}".format)
        more = len(self.table) - PRINTED_ROWS
        return f"{self.verdict}\n{text}" + (f"\n... and {more} more, with more effective samples" if more > 0 else "")

    def __repr__(self) -> str:
        return f"Diagnostics({self.verdict})"

    def _repr_html_(self) -> str:
        return view(self.judgement.heading, [remark.text() for remark in self.judgement.remarks], self.table)


def diagnose(run: Posterior, *, compare: bool = True) -> Diagnostics:
    """See ``Posterior.diagnostics``; without ``compare`` there is no comparison with exact probabilities."""
    import pandas as pd

    batches = run._classes.batches
    assert isinstance(batches, Batches)
    batching, draws = batches.edges.batching, run.draws()
    findings = _findings(run, batches)
    enough = batching.count >= LEAST_BATCHES
    rows = [
        # a larger number of effective samples comes from rounding
        (f.name, f.mean, f.mcse, math.inf if f.ess > MANY_SAMPLES else f.ess, f.r_hat, note_of(f, enough))
        for f in findings
    ]
    several = len(run._results) > 1
    annealed = all(s.annealing is not None for s in run.statistics)  # such chains forget where they started
    weights = several and not run.score.is_incomplete  # with missing cells, weights of classes are unknown
    exact = affordable_check(run) if compare else None
    judgement = judge(
        run.statistics,
        [len(r.hashes) for r in run._results],
        (np.add.reduceat(batching.times, batching.chains) / batching.total).tolist(),
        findings,
        enough,
        several and not annealed and all(g == run._start for g in run._starts),
        exact,
        [log_mass(run, [chain]) for chain in range(len(run._results))] if weights else [],
        bool(run._chain_weights),
        None if run.record is None else run.record.seconds or None,
    )
    if judgement.ok and (remark := _of_resampling(run)):
        judgement = replace(judgement, remarks=(*judgement.remarks, remark))
    ranks = {name: read_only(fractional_ranks(_common(draws, name))) for name in ("edges", "score")}
    return Diagnostics(pd.DataFrame(rows, columns=COLUMNS), judgement, MappingProxyType(ranks), exact)


def _of_resampling(run: Posterior) -> Remark | None:
    """What holds when rows are resampled, or that it is unknown: convergence does not make arrows right."""
    if is_untested(run):
        return Remark(f"What holds {RESAMPLED} was not tested", (Advice("resample"),))
    found = stability_of(run)
    return None if found is None else Remark(f"This is about the sampling alone: {found.words}")


def largest_r_hat(run: Posterior, trivial: float) -> float:
    """The largest R-hat of an adjacency, arrow or line whose probability is not within ``trivial`` of 0 or 1.

    NaN if there is none, or if the chains have too few draws.
    """
    edges = run.edge_probabilities()
    a, b = np.nonzero(np.triu(edges.adjacent > trivial, 1))
    shares = np.stack([edges.adjacent[a, b], edges.directed[a, b], edges.directed[b, a], edges.undirected[a, b]], -1)
    at, kind = np.nonzero((shares > trivial) & (shares < 1 - trivial))
    r_hats = _pair_r_hats(run.draws(), pair_number(a, b), at, kind) if len(at) else np.zeros(0)
    return float(np.nanmax(r_hats)) if np.isfinite(r_hats).any() else math.nan


def _findings(run: Posterior, batches: Batches) -> list[Finding]:
    """The number of edges and the score, then edges that are neither improbable nor certain, most probable first."""
    from statistics import NormalDist  # imported here because it loads fractions and decimal

    edges = run.edge_probabilities()
    pairs = np.sort(pair_number(*np.nonzero(np.triu(edges.adjacent > TRIVIAL_PROBABILITY, 1))))
    a, b = pair_ends(pairs)
    shares = [edges.adjacent[a, b], edges.directed[a, b], edges.directed[b, a], edges.undirected[a, b]]
    probabilities = np.stack(shares, axis=-1)
    followed = (probabilities > TRIVIAL_PROBABILITY) & (probabilities < 1 - TRIVIAL_PROBABILITY)
    quantile = NormalDist().inv_cdf(1 - FALSE_ALARM / (followed.sum() + 4))  # edges and score are compared twice
    some = followed.any(axis=-1)
    found = _pairs(run, batches, pairs[some], probabilities[some], followed[some], quantile)
    return [*_paths(run, batches, quantile), *(finding for _, finding in sorted(found, key=lambda pair: -pair[0]))]


def _paths(run: Posterior, batches: Batches, quantile: float) -> list[Finding]:
    """The number of edges and the score."""
    draws, batching = run.draws(), batches.edges.batching
    origin = run.score.origin(run._start) + run._results[0].score_reference
    time = time_batches(run)
    integrals = time.moments() if run._reweighting is None else batches.draws.moments(origin)
    means = integrals.sum(axis=0) / batching.total
    variance = np.maximum(0, means[[1, 3]] - means[[0, 2]] ** 2)
    variance[variance <= 1e-12 * means[[1, 3]]] = 0  # rounding
    variance[np.sqrt(variance) * [1.0, max(1.0, run.target.coldness)] <= NO_SPREAD] = 0
    first = integrals[:, [0, 2]]
    mean = means[[0, 2]]
    if run._reweighting is not None:  # edges use all the time if all classes are listed, the score only the draws
        mean[0] = run.edge_probabilities().adjacent.sum() / 2
    mcse = np.where(variance > 0, batching.errors(first), np.nan)
    far = _far_apart(time, quantile)
    apart = batching.disagree(first, quantile) | far
    by_chain = time.chain_moments()[0]  # as sampled, like R-hat
    return [
        Finding(
            name,
            False,
            NEGLIGIBLE[i],
            float(mean[i] + offset),
            float(mcse[i]),
            float(variance[i] / mcse[i] ** 2),
            rank_r_hat(_common(draws, name)),
            by_chain[:, i] + offset,
            bool(variance[i] == 0) and not far[i],
            bool(apart[i]),
            False,
        )
        for i, (name, offset) in enumerate((("edges", 0.0), ("score", origin)))
    ]


def _far_apart(time: TimeBatches, quantile: float) -> NDArray[np.bool_]:
    """Whether the chains differ in the number of edges and in the score if all chains have the same weight.

    A chain in a deep mode can have almost all of the time, so that the other chains have no weight in any mean. The
    variances of the chains can differ by much; the distribution of the ratio of the variances between and within chains
    is then no wider than χ²(1).
    """
    means, variances = time.chain_moments()
    known = np.isfinite(variances).all(axis=1)
    if known.sum() < 2:
        return np.zeros(2, dtype=bool)
    between, within = means[known].var(axis=0, ddof=1), variances[known].mean(axis=0)
    far = np.ptp(means[known], axis=0) > NEGLIGIBLE
    return np.asarray((between > within * chance_ratio(quantile, 1)) & far)


def _pairs(
    run: Posterior,
    batches: Batches,
    pairs: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    followed: NDArray[np.bool_],
    quantile: float,
) -> Iterator[tuple[float, Finding]]:
    """The indicators of edges that are followed, each with the probability of the adjacency."""
    draws, batching = run.draws(), batches.edges.batching
    names = [show(v) for v in run.nodes]
    for block, integrals in batches.edges.pair_integrals(pairs):
        at, kind = np.nonzero(followed[block])
        chosen = integrals[:, at, kind]
        a, b = pair_ends(pairs[block][at])
        mean, changes = probabilities[block][at, kind], batching.changes(chosen)
        errors = np.where(changes < LEAST_CHANGES, np.nan, batching.errors(chosen))
        r_hats, apart = _pair_r_hats(draws, pairs[block], at, kind), batching.disagree(chosen, quantile)
        by_chain, ess = batching.by_chain(chosen), mean * (1 - mean) / errors**2
        for k, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            label, rare = edge_label(names[i], names[j], kind[k]), bool(changes[k] < LEAST_CHANGES)
            p, error, samples, r_hat = (float(column[k]) for column in (mean, errors, ess, r_hats))
            facts = (p, error, samples, r_hat, by_chain[:, k], False, bool(apart[k]), rare)
            yield probabilities[block][at[k], 0], Finding(label, True, FAR_APART, *facts)


def _pair_r_hats(
    draws: Draws, pairs: NDArray[np.int64], at: NDArray[np.int64], kind: NDArray[np.int64]
) -> NDArray[np.float64]:
    count = min(draws.counts)
    if count < LEAST_DRAWS:
        return np.full(len(at), np.nan)
    chosen, column = np.unique(pairs[at], return_inverse=True)
    half = count // 2
    shares = []
    for chain in draws.chains:
        marks = chain.marks(chosen)[:count][:, column]
        is_so = np.where(kind == 0, marks > 0, marks == kind)
        shares.append((is_so[:half].mean(axis=0), is_so[count - half :].mean(axis=0)))
    return r_hat_of_indicators(np.array(shares).reshape(-1, len(at)), half)


def _common(draws: Draws, name: str) -> NDArray[np.float64]:
    """The edges or the score of the draws, one row per chain, cut to the length of the shortest chain."""
    count = min(draws.counts)
    return np.array([getattr(c, name)[:count] for c in draws.chains], dtype=np.float64)
