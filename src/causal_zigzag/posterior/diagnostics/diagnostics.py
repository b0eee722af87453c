"""Diagnostics: how far the numbers of a posterior can be trusted, from exact time integrals and from draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.graphs.labels import show
from causal_zigzag.graphs.pairs import pair_ends
from causal_zigzag.posterior.diagnostics.batch_means import (
    LEAST_BATCHES,
    LEAST_CHANGES,
    Batching,
    batching_of,
    chain_moments,
    chance_ratio,
    moments,
    moving_pairs,
    pair_integrals,
)
from causal_zigzag.posterior.diagnostics.rhat import LEAST_DRAWS, fractional_ranks, r_hat_of_indicators, rank_r_hat
from causal_zigzag.posterior.diagnostics.verdict import Finding, judge, note_of
from causal_zigzag.posterior.draws import Draws
from causal_zigzag.posterior.weighted_draws import (
    draw_weights,
    edge_count_relief,
    pair_relief,
    uses_all_time,
    weighed_batching,
    weighed_moments,
    weighed_pair_integrals,
)
from causal_zigzag.sampler.warmup import FAINT
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior

TRIVIAL = 0.01  # edges that are this improbable, or this certain, are not followed one by one
SURE = 1e-3  # the chance of a false word about chains that disagree, over all quantities together
SHOWN = 12  # rows that are printed


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """How far a posterior can be trusted.

    ``table`` has a row for the number of edges, the score, and every adjacency ``a -- b``, arrow ``a -> b`` and line
    ``a - b`` with a probability between 0.01 and 0.99: its ``mean``, the Monte Carlo standard error ``mcse`` of that,
    the effective sample size ``ess`` (independent draws that would give this error), ``r_hat`` (1 where all chains
    tell the same), and a ``note`` where a number is missing or small. ``verdict`` says it in words, and ``ok`` whether
    the run has converged as far as can be told. ``ess_per_second`` is the smaller of those of edges and score, by the
    clock. Of a reweighted posterior errors come from the weighed draws, R-hat and ranks from the chains as they were
    sampled. ``ranks`` has, for rank plots, the ranks of edges and score among all draws: a row a chain.

    >>> import causal_zigzag as cz
    >>> diagnostics = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1).diagnostics()
    >>> diagnostics.ok
    True
    >>> list(diagnostics.table.columns)
    ['quantity', 'mean', 'mcse', 'ess', 'r_hat', 'note']
    """

    table: pd.DataFrame
    verdict: str
    ok: bool
    ess_per_second: float | None
    ranks: Mapping[str, NDArray[np.float64]]

    def __str__(self) -> str:
        order = np.r_[0:2, 2 + np.argsort(self.table["ess"].fillna(0).to_numpy()[2:], kind="stable")]
        shown = self.table.iloc[order[:SHOWN]]
        text = shown.to_string(index=False, na_rep="", float_format=lambda x: f"{x:.4g}")
        more = len(self.table) - len(shown)
        return "\n".join([self.verdict, text] + ([f"... and {more} with more effective samples"] if more > 0 else []))

    def __repr__(self) -> str:
        return f"Diagnostics({self.verdict})"


class _Rows(NamedTuple):
    """Quantities with all that is known of them; the shares of each chain are rows of ``by_chain``."""

    names: list[str]
    mean: NDArray[np.float64]
    mcse: NDArray[np.float64]
    variance: NDArray[np.float64]
    r_hat: NDArray[np.float64]
    by_chain: NDArray[np.float64]
    surprise: NDArray[np.float64]  # the ratio of the variances between and within chains
    changes: NDArray[np.int64]  # of an indicator, at least; of others as many as are asked for


def diagnose(posterior: Posterior) -> Diagnostics:
    """The diagnostics of a posterior."""
    import pandas as pd

    draws = posterior.draws()
    batching = _batching(posterior, draws)
    paths = _paths(posterior, batching, draws)
    pairs = _pairs(posterior, batching, draws)
    rows = _Rows(
        paths.names + pairs.names,
        *(np.concatenate([x, y], axis=-1) for x, y in zip(paths[1:], pairs[1:], strict=True)),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ess = rows.variance / rows.mcse**2
    quantile = _tail_quantile(SURE / (len(rows.names) + 2))  # two are compared twice
    far_apart = np.zeros(len(rows.names), dtype=bool)
    far_apart[:2] = _far_apart(posterior, quantile)
    disagree = (rows.surprise > batching.surprise(quantile)) | far_apart
    findings = [
        Finding(
            name,
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
            "ess": ess,
            "r_hat": rows.r_hat,
            "note": [note_of(finding, enough) for finding in findings],
        }
    )
    shares = np.add.reduceat(batching.times, batching.chains) / batching.total
    classes = [len(r.hashes) for r in posterior.results]
    verdict, ok = judge(posterior.statistics, classes, shares.tolist(), findings, enough, _began_together(posterior))
    seconds = posterior.record.seconds if posterior.record is not None else 0.0
    least = float(np.nanmin(ess[:2])) if np.isfinite(ess[:2]).any() else math.nan
    ranks = {name: _ranks(draws, name) for name in ("edges", "score")}
    rate = least / seconds if seconds > 0 and math.isfinite(least) else None
    return Diagnostics(table, verdict, ok, rate, MappingProxyType(ranks))


def edge_errors(posterior: Posterior) -> NDArray[np.float64]:
    """The Monte Carlo standard errors that i and j are adjacent, i -> j, j -> i and i - j, n by n by 4.

    NaN where that changed too seldom; see ``batch_means``.
    """
    n = len(posterior.nodes)
    errors = np.full((n, n, 4), np.nan)
    pairs = moving_pairs(posterior.results, n)
    draws = posterior.draws()
    batching = _batching(posterior, draws)
    for block, integrals in _pair_integrals(posterior, draws, pairs):
        a, b = pair_ends(pairs[block])
        errors[a, b] = batching.indicator_errors(integrals, pair_relief(posterior, draws, pairs[block]))
        errors[b, a] = errors[a, b][:, [0, 2, 1, 3]]
    return read_only(errors)


def _began_together(posterior: Posterior) -> bool:
    """Whether all chains began at one class, and so may have missed the same."""
    return len(posterior.results) > 1 and all(g == posterior.start for g in posterior.starts)


def _batching(posterior: Posterior, draws: Draws) -> Batching:
    """The batches of the chains; under another prior, the weighed draws."""
    weights = draw_weights(posterior, draws)
    return batching_of(posterior.results) if weights is None else weighed_batching(draws, weights)


def _pair_integrals(
    posterior: Posterior, draws: Draws, pairs: NDArray[np.int64]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    weights = draw_weights(posterior, draws)
    if weights is None:
        return pair_integrals(posterior.results, len(posterior.nodes), pairs)
    return weighed_pair_integrals(draws, weights, pairs)


def _paths(posterior: Posterior, batching: Batching, draws: Draws) -> _Rows:
    """The number of edges and the score."""
    origin = posterior.target.score.total(posterior.start) + posterior.results[0].score_reference
    weights = draw_weights(posterior, draws)
    integrals = moments(posterior.results) if weights is None else weighed_moments(draws, weights, origin)
    means = integrals.sum(axis=0) / batching.total
    variance = np.maximum(0, means[[1, 3]] - means[[0, 2]] ** 2)
    variance[variance <= 1e-12 * means[[1, 3]]] = 0  # rounding
    first = integrals[:, [0, 2]]
    within, between = batching.variances(first)
    offset, relief, mean = np.array([0.0, origin]), np.ones(2), means[[0, 2]]
    if weights is not None and uses_all_time(posterior):  # of edges; the scores of the draws are all that is known
        mean[0] = posterior.edge_probabilities().adjacent.sum() / 2
        relief[0] = edge_count_relief(posterior, draws)
    return _Rows(
        ["edges", "score"],
        mean + offset,
        np.where(variance > 0, batching.errors(first, relief), np.nan),
        variance,
        np.array([rank_r_hat(_common(draws, name)) for name in ("edges", "score")]),
        chain_moments(posterior.results)[0] + offset,  # as sampled, which R-hat is about as well
        _ratio(between, within),
        np.full(2, LEAST_CHANGES),
    )


def _far_apart(posterior: Posterior, quantile: float) -> NDArray[np.bool_]:
    """Whether chains differ in edges, and in score, where each counts the same however long its time.

    A chain in a deep mode may have next to all the time, and what others found elsewhere has no weight in any mean. The
    variances of the chains may differ much, and then the ratio of those between and within is no wider than χ²(1).
    """
    means, variances = chain_moments(posterior.results)
    told = np.isfinite(variances).all(axis=1)
    if told.sum() < 2:
        return np.zeros(2, dtype=bool)
    between, within = means[told].var(axis=0, ddof=1), variances[told].mean(axis=0)
    far = np.ptp(means[told], axis=0) > FAINT
    return np.asarray((between > within * chance_ratio(quantile, 1)) & far)


def _pairs(posterior: Posterior, batching: Batching, draws: Draws) -> _Rows:
    """Adjacencies and orientations that are neither improbable nor certain, the most probable adjacencies first."""
    n, chains = len(posterior.nodes), len(posterior.results)
    pairs = moving_pairs(posterior.results, n)
    names = [show(v) for v in posterior.nodes]
    edges = posterior.edge_probabilities()
    probabilities = np.stack([edges.adjacent, edges.directed, edges.directed.T, edges.undirected], axis=-1)
    rows = []
    for block, integrals in _pair_integrals(posterior, draws, pairs):
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
        relief = pair_relief(posterior, draws, pairs[block])[at, kind]
        by_chain, changes = batching.by_chain(chosen), batching.changes(chosen)
        errors = np.where(changes < LEAST_CHANGES, np.nan, batching.errors(chosen, relief))
        numbers = (mean, errors, mean * (1 - mean), r_hats, by_chain, _ratio(between, within), changes)
        rows.append((shares[at, 0], labels, numbers))
    if not rows:
        nothing = np.zeros(0)
        return _Rows([], nothing, nothing, nothing, nothing, np.zeros((chains, 0)), nothing, nothing.astype(np.int64))
    order = np.argsort(-np.concatenate([adjacent for adjacent, _, _ in rows]), kind="stable")
    joined = [np.concatenate(parts, axis=-1)[..., order] for parts in zip(*(row[2] for row in rows), strict=True)]
    labels = [label for _, part, _ in rows for label in part]
    return _Rows([labels[i] for i in order], *joined)


def edge_label(a: str, b: str, kind: int | np.integer) -> str:
    """How a pair that is adjacent (0), or joined by an edge of one kind (its mark), is written."""
    return (f"{a} -- {b}", f"{a} -> {b}", f"{b} -> {a}", f"{a} - {b}")[int(kind)]


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
    """The edges or the score of as many draws of each chain as the shortest has; a row a chain."""
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
