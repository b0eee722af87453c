"""The error for an argument that a function does not have, which names the one that was meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from causal_zigzag.errors import SettingsError

SETTINGS = ("warmup", "anneal", "excursions", "max_classes", "cache_bytes", "trace_points", "checkpoint_interval")
KNOWLEDGE = ("tiers", "required", "forbidden", "apart")

INSTEAD = {
    **{name: f"settings=cz.Settings({name}=...)" for name in SETTINGS},
    **{name: f"knowledge=cz.Knowledge({name}=...)" for name in KNOWLEDGE},
    **dict.fromkeys(("n_chains", "num_chains", "nchains"), "chains=..."),
    **dict.fromkeys(("n_jobs", "cores", "workers", "num_workers"), "executor=..., a pool or a Dask client"),
    **dict.fromkeys(("time", "timeout", "time_limit", "max_time", "seconds", "hours"), "minutes=..."),
    **dict.fromkeys(("n_samples", "num_samples", "draws", "samples", "iterations", "n_iter", "steps"), "jumps=..."),
    **dict.fromkeys(("tune", "burn_in", "burnin", "warm_up"), "settings=cz.Settings(warmup=...)"),
    **dict.fromkeys(("n_bootstrap", "bootstrap", "n_resamples"), "resamples=..."),
    **dict.fromkeys(("groups", "group", "cluster", "clusters"), "by=..., the column of the groups"),
    **dict.fromkeys(("prior", "prior_odds", "penalty"), "edge_prior=..."),
    **dict.fromkeys(("blacklist", "forbidden_edges"), "knowledge=cz.Knowledge(forbidden=...)"),
    **dict.fromkeys(("whitelist", "required_edges"), "knowledge=cz.Knowledge(required=...)"),
    **dict.fromkeys(("background_knowledge", "prior_knowledge", "constraints"), "knowledge=cz.Knowledge(...)"),
    **dict.fromkeys(("discrete", "categorical", "types", "dtypes"), "kinds=..., the kinds of columns"),
    **dict.fromkeys(("max_parents", "max_indegree", "degree"), "max_degree=..."),
    **dict.fromkeys(("temperature", "beta"), "coldness=..."),
    **dict.fromkeys(("interventions", "intervention_targets"), "contexts=... and targets=..."),
    **dict.fromkeys(("score_type", "score_func", "criterion", "method"), "score=..."),
    **dict.fromkeys(("verbose", "progressbar", "show_progress"), "progress=..."),
    **dict.fromkeys(("init", "initial", "initvals"), "start=..."),
}
"""What users of other packages look for, and what stands for it here."""


def check_arguments(function: Callable[..., Any], given: Iterable[str], known: Iterable[str]) -> None:
    """A SettingsError if a name in ``given``, which the function does not list, is not ``known`` either.

    >>> def sample(data, *, chains=4, minutes=1, **reading): ...
    >>> check_arguments(sample, ["n_chains"], ["drop"])
    Traceback (most recent call last):
    causal_zigzag.errors.SettingsError: sample has no argument n_chains; write chains=...
    >>> check_arguments(sample, ["minuts"], ["drop"])
    Traceback (most recent call last):
    causal_zigzag.errors.SettingsError: sample has no argument minuts; did you mean minutes?
    """
    for name in given:
        if name in known:
            continue
        names = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        instead = INSTEAD.get(name, "")
        close = get_close_matches(name, [*names, *sorted(known)], 1, 0.7)
        if instead.partition("=")[0] in names or (instead and instead.partition("=")[0] in known):
            remedy = f"write {instead}"
        elif close:
            remedy = f"did you mean {close[0]}?"
        else:
            remedy = f"it has {', '.join(names[1:])}, and the arguments of read_table"
        raise SettingsError(f"{function.__name__} has no argument {name}; {remedy}")
