"""Merging and extending: several runs of one target, or a run and its extension, as one posterior."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.posterior.resampled import merge_resampled
from causal_zigzag.sampler.balance import SQRT_ALONE
from causal_zigzag.sampler.chain_task import Start
from causal_zigzag.scores.comparison import score_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainResult


SHORT_RUN = 0.1  # a run with fewer jumps than this share of its extension is left out


def merge_posteriors(posteriors: Sequence[Posterior]) -> Posterior:
    """See ``Posterior.merge``; raises an error if the targets or processes differ, or if a chain occurs twice."""
    first = posteriors[0]
    if len(posteriors) == 1:
        return first
    for number, other in enumerate(posteriors):
        if type(other) is not type(first):
            raise SettingsError(f"merge needs posteriors of cz.sample, not {other!r}")
        if other._reweighting is not None or other._chain_weights:
            raise SettingsError(
                f"posterior {number} was reweighted; merge the runs as they were sampled, then reweight"
            )
        _check_same(first, other, number)
    _check_distinct(posteriors)
    at_first = first.score.origin(first._start)
    results: list[ChainResult] = []
    for posterior in posteriors:
        # Scores of traces are relative to the score of the start, which is now that of the first run.
        shift = 0.0 if posterior._start == first._start else posterior.score.origin(posterior._start) - at_first
        for result in posterior._results:
            trace_score = result.trace_score + shift if shift else result.trace_score
            reference, statistics = result.score_reference + shift, replace(result.statistics, chain=len(results))
            results.append(replace(result, trace_score=trace_score, score_reference=reference, statistics=statistics))
    starts = [p._starts[s.chain] if p._starts else p._start for p in posteriors for s in p.statistics]
    settings = [p.settings for p in posteriors]
    chains, jumps = sum(s.chains for s in settings), sum(s.chains * s.jumps for s in settings)
    minutes = max((s.minutes for s in settings if s.minutes is not None), default=None)
    return replace(
        first,
        target=replace(first.target, score=next((p.score for p in posteriors if not p.score.is_partial), first.score)),
        settings=replace(first.settings, chains=chains, jumps=-(-jumps // chains), minutes=minutes),
        _results=tuple(results),
        _interrupted=any(p._interrupted for p in posteriors),
        record=None,
        _starts=() if all(g == starts[0] for g in starts) else tuple(starts),
        resampled=merge_resampled(posteriors),
    )


def _check_same(first: Posterior, other: Posterior, number: int) -> None:
    mine, theirs = (_compared(run) for run in (first, other))
    other_data = mine["nodes"] == theirs["nodes"] and score_differences(first.score, other.score)
    theirs["score"] = f"{other.score!r} ({'; '.join(other_data)})" if other_data else mine["score"]
    for name, own in mine.items():
        if theirs[name] != own:
            raise SettingsError(
                f"only runs with the same target and process can be merged, but posterior {number} differs in {name}: "
                f"it has {theirs[name]}, and posterior 0 has {own}"
            )


def _compared(run: Posterior) -> dict[str, object]:
    """What merged runs must have in common."""
    target, nodes = run.target, run.nodes
    return {
        "nodes": nodes,
        "score": target.score,
        "coldness": target.coldness,
        "edge_prior": (target.edge_prior.cost, target.edge_prior.table),
        "max_degree": target.max_degree,
        "knowledge": target.knowledge,
        "momentum": run.settings.momentum,  # it and the balance set the unit of time, and times are weights of chains
        "balance": run.settings.balance,
    }


def _check_distinct(posteriors: Sequence[Posterior]) -> None:
    """Raise an error if a chain occurs twice, which would make errors too small."""
    seen: dict[bytes, int] = {}
    for number, posterior in enumerate(posteriors):
        for result in posterior._results:
            if result.statistics.jumps and seen.setdefault(result.times.tobytes(), number) != number:
                raise SettingsError(
                    f"posterior {number} has a chain of posterior {seen[result.times.tobytes()]}: it is the same run, "
                    "or one with the same rng; sample with a different rng"
                )


def last_states(posterior: Posterior) -> list[Start]:
    """Where all chains ended and their extensions begin, with scores relative to that of the first."""
    n = len(posterior.nodes)
    found: list[Start] = []
    for result in posterior._results:
        edges = np.zeros(n * n, dtype=np.uint8)
        edges[result.end] = 1
        graph = CPDAG.from_matrix(edges.reshape(n, n), posterior.nodes)
        ran, time = result.statistics, result.total
        pairs, held = (np.concatenate(both) for both in zip(result.directed, result.undirected, strict=True))
        found.append(
            Start(
                graph,
                posterior.score.origin(graph) - posterior.score.origin(found[0].graph if found else graph),
                ran.annealing,
                math.log2(max(1, ran.jumps)) - (math.log2(time) + result.unit) if time > 0 else 0.0,
                result.end_direction,
                continues=True,
                cells=None if result.tables is None else result.tables.end,
                sqrt_weight=ran.sqrt_weight or SQRT_ALONE,
                adjacent=(pairs, held / (time if time > 0 else 1.0)),
            )
        )
    return found


def joined(earlier: Posterior, later: Posterior) -> Posterior:
    """The chains of a run and of its extension as one posterior, with the record of the run.

    A run that is much shorter than its extension is left out, as if it were part of the warm-up: chains are compared
    over the length of the shortest.
    """
    before, after = (sum(s.jumps for s in run.statistics) for run in (earlier, later))
    is_short = before < SHORT_RUN * after
    merged = replace(later, resampled=earlier.resampled) if is_short else merge_posteriors([earlier, later])
    record, added = earlier.record, later.record
    if record is None or added is None:
        return merged
    return replace(merged, record=replace(record, seconds=record.seconds + added.seconds, extended=True))
