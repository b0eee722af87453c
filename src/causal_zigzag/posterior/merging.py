"""Merging: several runs of one target as one posterior with the chains of all."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import TYPE_CHECKING

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show_all
from causal_zigzag.scores.comparison import score_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.chain_result import ChainResult
    from causal_zigzag.sampler.settings import Settings

MERGED_FIELDS = {"target", "settings", "start", "results", "interrupted", "record", "starts"}
"""The fields of a posterior that are merged here; all others must have their default values."""


def merge_posteriors(posteriors: Sequence[Posterior]) -> Posterior:
    """See ``Posterior.merge``; raises an error if the targets or processes differ, or if a chain occurs twice."""
    first = posteriors[0]
    for number, other in enumerate(posteriors):
        if type(other) is not type(first):
            raise SettingsError(f"merge needs posteriors of cz.sample, not {other!r}")
        _check_fields(other, number)
        _check_same(first, other, number)
    _check_distinct(posteriors)
    at_first = first.score.origin(first.start)
    results: list[ChainResult] = []
    for posterior in posteriors:
        # Scores of traces are relative to the score of the start, which is now that of the first run.
        shift = 0.0 if posterior.start == first.start else posterior.score.origin(posterior.start) - at_first
        for result in posterior.results:
            moved = replace(result, trace_score=result.trace_score + shift) if shift else result
            moved = replace(moved, score_reference=moved.score_reference + shift) if shift else moved
            results.append(replace(moved, statistics=replace(moved.statistics, chain=len(results))))
    score = next((p.score for p in posteriors if not p.score.is_partial), first.score)
    return replace(
        first,
        target=replace(first.target, score=score),
        settings=_merged_settings([p.settings for p in posteriors]),
        results=tuple(results),
        interrupted=any(p.interrupted for p in posteriors),
        record=first.record if len(posteriors) == 1 else None,
        starts=_merged_starts(posteriors),
    )


def _merged_starts(posteriors: Sequence[Posterior]) -> tuple[CPDAG, ...]:
    """The start of each chain; empty if all chains have the same start."""
    if len(posteriors) == 1:
        return posteriors[0].starts
    starts = [p.starts[s.chain] if p.starts else p.start for p in posteriors for s in p.statistics]
    return () if all(g == starts[0] for g in starts) else tuple(starts)


def _check_fields(posterior: Posterior, number: int) -> None:
    for field in fields(posterior):
        value = getattr(posterior, field.name)
        if field.name not in MERGED_FIELDS and not (field.default is not MISSING and value is field.default):
            raise SettingsError(
                f"posterior {number} was changed after sampling ({field.name} is set); merge the runs as they were "
                "sampled, then reweight"
            )


def _check_same(first: Posterior, other: Posterior, number: int) -> None:
    a, b = first.target, other.target
    if a.nodes != b.nodes:
        raise _differ(number, "nodes", show_all(b.nodes), show_all(a.nodes))
    if score_differences(first.score, other.score):
        alike = " of different data" if repr(a.score) == repr(b.score) else ""
        raise _differ(number, "score", repr(b.score) + alike, repr(a.score))
    for name in ("coldness", "edge_prior", "max_degree", "forbidden", "knowledge"):
        mine, theirs = getattr(a, name), getattr(b, name)
        if mine != theirs and not (name == "edge_prior" and (mine.cost, mine.table) == (theirs.cost, theirs.table)):
            shown = [[(a.nodes[i], a.nodes[j]) for i, j in v] if name == "forbidden" else v for v in (theirs, mine)]
            raise _differ(number, name, str(shown[0]), str(shown[1]))
    for name in ("momentum", "balance"):  # they set the unit of time, and times are the weights of chains
        mine, theirs = getattr(first.settings, name), getattr(other.settings, name)
        if mine != theirs:
            raise _differ(number, name, repr(theirs), repr(mine))


def _differ(number: int, name: str, theirs: str, mine: str) -> SettingsError:
    return SettingsError(
        f"only runs with the same target and process can be merged, but posterior {number} differs in {name}: it has "
        f"{theirs}, and posterior 0 has {mine}"
    )


def _check_distinct(posteriors: Sequence[Posterior]) -> None:
    """Raise an error if a chain occurs twice, which would make errors too small."""
    seen: dict[bytes, tuple[int, int]] = {}
    for number, posterior in enumerate(posteriors):
        for result in posterior.results:
            if not result.statistics.jumps:
                continue
            name = result.times.tobytes()
            if name in seen and seen[name][0] != number:
                other, chain = seen[name]
                raise SettingsError(
                    f"chain {result.statistics.chain} of posterior {number} is chain {chain} of posterior {other}: "
                    "it is the same run, or one with the same rng; sample with a different rng"
                )
            seen.setdefault(name, (number, result.statistics.chain))


def _merged_settings(settings: Sequence[Settings]) -> Settings:
    """The settings of the first run, with the total number of chains, their mean jumps and the largest limits."""
    chains = sum(s.chains for s in settings)
    warmups = [s.warmup for s in settings]
    return replace(
        settings[0],
        chains=chains,
        jumps=-(-sum(s.chains * s.jumps for s in settings) // chains),
        warmup=None if None in warmups else max(w for w in warmups if w is not None),
        max_classes=max(s.max_classes for s in settings),
        cache_bytes=max(s.cache_bytes for s in settings),
        trace_points=max(s.trace_points for s in settings),
        minutes=max((s.minutes for s in settings if s.minutes is not None), default=None),
    )
