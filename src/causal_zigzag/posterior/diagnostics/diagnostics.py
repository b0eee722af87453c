"""Diagnostics: R-hat, Monte Carlo errors and effective sample sizes, from exact time integrals and from draws."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.answers.errors.batch_means import LEAST_BATCHES, LEAST_CHANGES, chance_ratio
from causal_zigzag.answers.errors.edge_errors import edge_label
from causal_zigzag.graphs.labels import show
from causal_zigzag.graphs.pairs import pair_ends
from causal_zigzag.posterior.diagnostics.exact_check import ExactComparison, affordable_check
from causal_zigzag.posterior.diagnostics.regions import log_mass
from causal_zigzag.posterior.diagnostics.rhat import LEAST_DRAWS, fractional_ranks, r_hat_of_indicators, rank_r_hat
from causal_zigzag.posterior.diagnostics.verdict import MANY_SAMPLES, Finding, Verdict, judge, note_of
from causal_zigzag.sampler.warmup import NEGLIGIBLE
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.notebook_view import view

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.draws import Draws
    from causal_zigzag.answers.errors.batches import Batches
    from causal_zigzag.posterior.posterior import Posterior

TRIVIAL = 0.01  # edges less probable than this, or more certain than 1 - TRIVIAL, have no row of their own
FALSE_ALARM = 1e-3  # probability that agreeing chains are reported to disagree, over all quantities together
SHOWN = 12  # rows that are printed


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """The accuracy of the numbers of a run, and whether its chains agree.

    ``table`` has a row for the number of edges, the score, and every adjacency ``a -- b``, arrow ``a -> b`` and line
    ``a - b`` with a probability between 0.01 and 0.99. Its columns are the ``mean``, its Monte Carlo standard error
    ``mcse``, the effective sample size ``ess`` (the number of independent draws that would give this error), ``r_hat``
    (1 if all chains agree), and a ``note`` if a number is missing or unreliable. ``judgement`` is a value with the
    conclusions; ``verdict`` and ``ok`` are taken from it. ``ess_per_second`` is the smaller one of edges and score, by
    the clock. For a reweighted run, errors come from the weighted draws, R-hat and ranks from the chains as they
    were sampled. ``ranks`` has the ranks of edges and score among all draws, for rank plots: one row per chain.
    ``exact`` compares adjacencies with their exact probabilities, as ``check_exact`` does; it is None unless this is
    possible and estimated to take less than a second (up to 15 nodes for Gaussian scores, about 12 for discrete ones).

    >>> import causal_zigzag as cz
    >>> diagnostics = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1).diagnostics()
    >>> diagnostics.ok
    True
    >>> list(diagnostics.table.columns)
    ['quantity', 'mean', 'mcse', 'ess', 'r_hat', 'note']
    """

    table: pd.DataFrame
    judgement: Verdict
    ess_per_second: float | None
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
        shown = self.table.iloc[order[:SHOWN]]
        shown = shown.assign(ess=[_samples(ess) for ess in shown["ess"]])
        text = shown.to_string(index=False, na_rep="", float_format=lambda x: f"{x:.4g}")
        more = len(self.table) - len(shown)
        return "\n".join(
            [self.verdict, text] + ([f"... and {more} more, with more effective samples"] if more > 0 else [])
        )

    def __repr__(self) -> str:
        return f"Diagnostics({self.verdict})"

    def _repr_html_(self) -> str:
        return view(self.judgement.heading, [remark.text() for remark in self.judgement.remarks], self.table)


def _samples(ess: float) -> str:
    if math.isnan(ess):
        return ""
    return f"over {MANY_SAMPLES:,}" if ess > MANY_SAMPLES else f"{ess:,.0f}"


class _Rows(NamedTuple):
    """Columns of numbers about quantities; ``by_chain`` has one row per chain."""

    names: list[str]
    mean: NDArray[np.float64]
    mcse: NDArray[np.float64]
    variance: NDArray[np.float64]
    r_hat: NDArray[np.float64]
    by_chain: NDArray[np.float64]
    variance_ratio: NDArray[np.float64]  # of the variances between and within chains
    changes: NDArray[np.int64]  # lower bounds for indicators, LEAST_CHANGES for other quantities


def diagnose(run: Posterior, *, compare: bool = True) -> Diagnostics:
    """See ``Posterior.diagnostics``; without ``compare`` there is no comparison with exact probabilities."""
    import pandas as pd

    batches = run.classes.batches
    assert batches is not None
    draws, batching = run.draws(), batches.source.batching
    paths = _paths(run, batches)
    pairs = _pairs(run, batches)
    rows = _Rows(
        paths.names + pairs.names,
        *(np.concatenate([x, y], axis=-1) for x, y in zip(paths[1:], pairs[1:], strict=True)),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ess = rows.variance / rows.mcse**2
    quantile = _tail_quantile(FALSE_ALARM / (len(rows.names) + 2))  # edges and score are compared twice
    far_apart = np.zeros(len(rows.names), dtype=bool)
    far_apart[:2] = _far_apart(batches, quantile)
    disagree = (rows.variance_ratio > batching.critical_ratio(quantile)) | far_apart
    findings = [
        Finding(
            name,
            i >= len(paths.names),
            float(rows.mean[i]),
            float(rows.mcse[i]),
            float(ess[i]),
            float(rows.r_hat[i]),
            rows.by_chain[:, i],
            bool(rows.variance[i] == 0) and not far_apart[i],
            bool(disagree[i]),
            bool(rows.changes[i] < LEAST_CHANGES),
        )
        for i, name in enumerate(rows.names)
    ]
    enough = batching.count >= LEAST_BATCHES
    table = pd.DataFrame(
        {
            "quantity": rows.names,
            "mean": rows.mean,
            "mcse": rows.mcse,
            "ess": np.where(ess > MANY_SAMPLES, np.inf, ess),  # what is larger comes from rounding
            "r_hat": rows.r_hat,
            "note": [note_of(finding, enough) for finding in findings],
        }
    )
    shares = np.add.reduceat(batching.times, batching.chains) / batching.total
    classes = [len(r.hashes) for r in run.results]
    seconds = run.record.seconds if run.record is not None else 0.0
    exact = affordable_check(run) if compare else None
    several = len(run.results) > 1 and not run.score.is_incomplete  # with missing cells, weights of classes are unknown
    masses = [log_mass(run, [chain]) for chain in range(len(run.results))] if several else []
    judgement = judge(
        run.statistics,
        classes,
        shares.tolist(),
        findings,
        enough,
        _same_start(run),
        exact,
        masses,
        bool(run.chain_weights),
        seconds or None,
    )
    least = float(np.nanmin(ess[:2])) if np.isfinite(ess[:2]).any() else math.nan
    ranks = {name: _ranks(draws, name) for name in ("edges", "score")}
    rate = least / seconds if seconds > 0 and math.isfinite(least) else None
    return Diagnostics(table, judgement, rate, MappingProxyType(ranks), exact)


def _same_start(run: Posterior) -> bool:
    """Whether several chains all started at one class, so that they may have missed the same modes.

    Annealed chains start hot, where they forget the class.
    """
    annealed = all(s.annealing is not None for s in run.statistics)
    return len(run.results) > 1 and not annealed and all(g == run.start for g in run.starts)


def _paths(run: Posterior, batches: Batches) -> _Rows:
    """The number of edges and the score."""
    draws, batching = run.draws(), batches.source.batching
    origin = run.score.origin(run.start) + run.results[0].score_reference
    integrals = batches.weighted.moments(origin) if batches.reweighted else batches.time.moments()
    means = integrals.sum(axis=0) / batching.total
    variance = np.maximum(0, means[[1, 3]] - means[[0, 2]] ** 2)
    variance[variance <= 1e-12 * means[[1, 3]]] = 0  # rounding
    first = integrals[:, [0, 2]]
    within, between = batching.variances(first)
    offset, ratio, mean = np.array([0.0, origin]), np.ones(2), means[[0, 2]]
    if batches.reweighted and batches.all_time:  # edges use all the time, the score only the draws
        mean[0] = run.edge_probabilities().adjacent.sum() / 2
        ratio[0] = batches.edge_count_variance_ratio()
    return _Rows(
        ["edges", "score"],
        mean + offset,
        np.where(variance > 0, batching.errors(first, ratio), np.nan),
        variance,
        np.array([rank_r_hat(_common(draws, name)) for name in ("edges", "score")]),
        batches.time.chain_moments()[0] + offset,  # as sampled, like R-hat
        _ratio(between, within),
        np.full(2, LEAST_CHANGES),
    )


def _far_apart(batches: Batches, quantile: float) -> NDArray[np.bool_]:
    """Whether the chains differ in the number of edges and in the score if all chains have the same weight.

    A chain in a deep mode can have almost all of the time, so that the other chains have no weight in any mean. The
    variances of the chains can differ by much; the distribution of the ratio of the variances between and within chains
    is then no wider than χ²(1).
    """
    means, variances = batches.time.chain_moments()
    known = np.isfinite(variances).all(axis=1)
    if known.sum() < 2:
        return np.zeros(2, dtype=bool)
    between, within = means[known].var(axis=0, ddof=1), variances[known].mean(axis=0)
    far = np.ptp(means[known], axis=0) > NEGLIGIBLE
    return np.asarray((between > within * chance_ratio(quantile, 1)) & far)


def _pairs(run: Posterior, batches: Batches) -> _Rows:
    """Indicators of edges that are neither improbable nor certain, by descending probability of the adjacency."""
    draws, batching = run.draws(), batches.source.batching
    pairs = batches.time.moving_pairs()
    names = [show(v) for v in run.nodes]
    edges = run.edge_probabilities()
    probabilities = np.stack([edges.adjacent, edges.directed, edges.directed.T, edges.undirected], axis=-1)
    rows = []
    for block, integrals in batches.source.pair_integrals(pairs):
        shares = probabilities[pair_ends(pairs[block])]
        at, kind = np.nonzero((shares > TRIVIAL) & (shares < 1 - TRIVIAL))
        if not len(at):
            continue
        chosen = integrals[:, at, kind]
        within, between = batching.variances(chosen)
        a, b = pair_ends(pairs[block][at])
        labels = [edge_label(names[i], names[j], k) for i, j, k in zip(a, b, kind, strict=True)]
        mean = shares[at, kind]
        r_hats = _pair_r_hats(draws, pairs[block], at, kind)
        ratio = batches.pair_variance_ratio(pairs[block])[at, kind]
        by_chain, changes = batching.by_chain(chosen), batching.changes(chosen)
        errors = np.where(changes < LEAST_CHANGES, np.nan, batching.errors(chosen, ratio))
        numbers = (mean, errors, mean * (1 - mean), r_hats, by_chain, _ratio(between, within), changes)
        rows.append((shares[at, 0], labels, numbers))
    if not rows:
        nothing, chains = np.zeros(0), len(run.results)
        return _Rows([], nothing, nothing, nothing, nothing, np.zeros((chains, 0)), nothing, nothing.astype(np.int64))
    order = np.argsort(-np.concatenate([adjacent for adjacent, _, _ in rows]), kind="stable")
    joined = [np.concatenate(parts, axis=-1)[..., order] for parts in zip(*(row[2] for row in rows), strict=True)]
    labels = [label for _, part, _ in rows for label in part]
    return _Rows([labels[i] for i in order], *joined)


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


def _ranks(draws: Draws, name: str) -> NDArray[np.float64]:
    return read_only(fractional_ranks(_common(draws, name)))


def _ratio(between: NDArray[np.float64], within: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between > 0, between / within, 0.0)


def _tail_quantile(chance: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - chance)
