"""The errors for arguments and attributes that do not exist, which name those that were meant."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any, ParamSpec, TypeVar

from causal_zigzag.errors import SettingsError

Given = ParamSpec("Given")
Result = TypeVar("Result")

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
    **dict.fromkeys(("outcome", "effect", "on", "response"), "outcomes=..."),
    **dict.fromkeys(("cause", "treatment", "exposure"), "causes=..."),
    **dict.fromkeys(("threshold", "cutoff", "min_probability", "minimum"), "least=..."),
    **dict.fromkeys(("n", "number", "count", "size"), "k=..."),
    **dict.fromkeys(("seed", "random_state", "random_seed"), "rng=..."),
    **dict.fromkeys(("init", "initial", "initvals"), "start=..."),
}
"""What users of other packages look for, and what stands for it here."""

ATTRIBUTES = {
    **dict.fromkeys(("edges", "arrows", "to_pandas", "to_df", "to_dataframe", "to_frame"), "edge_table()"),
    **dict.fromkeys(("marginals", "probabilities", "edge_probability", "adjacency"), "edge_probabilities()"),
    **dict.fromkeys(("graph", "best", "best_graph", "map", "mode", "dag"), "consensus() or top(1)[0].graph"),
    **dict.fromkeys(("graphs", "classes", "top_graphs", "cpdags"), "top(k)"),
    **dict.fromkeys(("dags", "samples", "sample"), "sample_dags(k) or weighted_dags(k)"),
    **dict.fromkeys(("adjustment_sets", "adjustment_set", "parents", "parent_sets"), "effect(x, y).components"),
    **dict.fromkeys(("ate", "do", "intervene", "intervention", "estimate_effect", "total_effect"), "effect(x, y)"),
    **dict.fromkeys(("r_hat", "rhat", "ess", "converged", "convergence", "verdict"), "diagnostics()"),
    **dict.fromkeys(("interrupted", "notes", "warnings", "describe", "info"), "summary()"),
    **dict.fromkeys(("columns", "names", "variables", "features", "feature_names"), "nodes"),
    **dict.fromkeys(("bootstrap", "stability"), "resample()"),
    **dict.fromkeys(("confounders", "latent", "hidden"), "hidden_causes()"),
    **dict.fromkeys(("to_html", "html", "export"), "report(path)"),
    **dict.fromkeys(("plot_graph", "show", "draw"), "plot.consensus()"),
    "plot_edges": "plot.edges()",
    "plot_trace": "plot.trace()",
    "to_dot": "consensus().to_dot()",
}
"""Attributes of a posterior that users of other packages look for, and what stands for them here."""


def hinted(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Raise a SettingsError that names the right argument if the function is called with one that it does not have.

    >>> @hinted
    ... def draw(k: int, *, rng: int = 0) -> int: ...
    >>> draw(3, seed=1)
    Traceback (most recent call last):
    causal_zigzag.errors.SettingsError: draw has no argument seed; write rng=1
    """
    code = function.__code__
    names = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    takes_others = bool(code.co_flags & inspect.CO_VARKEYWORDS)  # which the function checks, but for seeds

    @functools.wraps(function)
    def called(*args: Given.args, **keywords: Given.kwargs) -> Result:
        for name in keywords.keys() - names:
            if INSTEAD.get(name) == "rng=..." and "rng" in names:
                raise SettingsError(f"{function.__name__} has no argument {name}; write rng={keywords[name]!r}")
            if not takes_others:
                check_arguments(function, [name], ())
        return function(*args, **keywords)

    return called


def no_attribute(owner: object, name: str) -> AttributeError:
    """The error for an attribute that a posterior does not have, with the one that does what its name says."""
    kind = type(owner)
    instead = ATTRIBUTES.get(name, "")
    hint = f"; write {instead}" if instead and hasattr(kind, instead.partition("(")[0].partition(".")[0]) else ""
    return AttributeError(f"{kind.__name__!r} object has no attribute {name!r}{hint}", name=name, obj=owner)


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
            remedy = f"it has {', '.join(names[1:])}{', and the arguments of read_table' if known else ''}"
        raise SettingsError(f"{function.__name__} has no argument {name}; {remedy}")
