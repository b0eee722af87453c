"""Calls with one wrong argument each, of all public functions, scores and methods: which errors are not of the package.

    python benchmarks/wrong_calls.py --calls 10000 > benchmarks/wrong_calls.txt

Every argument of every call is replaced by every one of VALUES. A call may succeed, since many values are valid for
some arguments. An error that is not a CausalZigzagError is listed with its call, as is a call that takes more than ten
seconds of processor time.
"""

from __future__ import annotations

import argparse
import inspect
import os
import random
import resource
import signal
import sys
import tempfile
import warnings
from collections import Counter
from contextlib import suppress
from datetime import date
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from common import machine

import causal_zigzag as cz
from causal_zigzag.tables.read_table import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

INTERNAL = {
    "from_core",
    "local_by_number",
    "with_table",
    "by_chain",
    "marks",
    "table",
    "with_codes",
    "with_row_weights",
}
"""Methods for the package itself."""

MEMORY = 3 * 2**30
LIMIT = 10  # seconds of all processors

TABLE = {"x": [0.1, 1.3, 2.2, 0.4, 1.9, 0.7, 2.8, 1.1], "y": [1.0, 2.1, 0.3, 1.7, 0.9, 2.5, 1.4, 0.2],
         "z": [0.5, 0.1, 1.9, 2.2, 0.3, 1.2, 0.8, 2.0]}  # fmt: skip
GROUPS = {name: [round(value) for value in column] for name, column in TABLE.items()}
RUN: dict[str, Any] = {"jumps": 20, "chains": 1, "rng": 1, "progress": False}

VALID: dict[str, dict[str, Any]] = {
    "BDeu": {"data": GROUPS}, "DiscreteBIC": {"data": GROUPS}, "InterventionalBGe": {"contexts": "z"},
    "compare_lags": {"folds": 2}, "Knowledge.contexts": {"conditions": ["x"]}, "Knowledge.from_json": {"text": "{}"},
    "Knowledge.from_yaml": {"text": "{}"}, "Knowledge.from_tetrad": {"text": "/knowledge"},
    "CPDAG.from_dag": {"dag": [("x", "y")]}, "MAG.from_dag": {"dag": [("x", "y")]},
    "PAG.from_edges": {"edges": [("x", "o-o", "y")]}, "CPDAG.from_pdag": {"m": np.eye(3, k=1, dtype=int)},
    "CPDAG.from_matrix": {"m": np.zeros((3, 3), dtype=int)}, "PAG.from_marks": {"marks": np.zeros((3, 3), dtype=int)},
    "MAG.from_marks": {"marks": np.zeros((3, 3), dtype=int)}, "score.local": {"node": "x", "parents": ("y",)},
    "score.row": {"node": "x", "parents": ("y",)}, "paths.of_chain": {"number": 0},
}  # fmt: skip
"""Valid arguments that differ from those of other calls."""

VALUES: dict[str, Any] = {
    "None": None, "True": True, "zero": 0, "minus one": -1, "2**63": 2**63, "10**400": 10**400, "half": 0.5,
    "nan": float("nan"), "inf": float("inf"), "complex": 1j, "empty text": "", "text": "nonsense", "NUL": "a\0b",
    "surrogate": "\udc80", "long text": "a" * 10**5, "bytes": b"a", "object": object(), "class": cz.CPDAG,
    "function": len, "empty list": [], "list of None": [None], "list of lists": [[0], [1]],
    "dict": {"a": object()}, "set": {1, 2},
    "array": np.array([1, 2]), "2-d array": np.ones((2, 3)), "objects": np.array([object()], dtype=object),
    "pd.NA": pd.NA, "NaT": pd.NaT, "date": date(2020, 1, 1), "frame": pd.DataFrame({"a": [1]}), "range": range(10**6),
}  # fmt: skip


def calls(folder: Path) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Names, callables and the arguments with which they are valid."""
    graph = cz.CPDAG.from_edges(["x", "y", "z"], directed=[("x", "z"), ("y", "z")])
    posterior = cz.sample(TABLE, **RUN | {"jumps": 200})
    longer = cz.sample(TABLE, **RUN | {"jumps": 200, "rng": 2})
    exact = cz.exact_posterior(TABLE)
    drawn = cz.exact_draws(TABLE, draws=50, rng=1)
    mag = cz.MAG.from_dag(graph.dag())
    saved = folder / "run.czz"
    posterior.save(saved)
    cz.sample(TABLE, checkpoint=folder / "run", **RUN)
    reading = dict.fromkeys(Reading.__annotations__)
    by_name: dict[str, Any] = {
        "data": TABLE, "data_or_score": TABLE, "nodes": ["x", "y", "z"], "x": "x", "y": "y", "cause": "x",
        "outcome": "y", "causes": ["x"], "outcomes": ["y"], "g": graph, "graph": graph, "dag": graph, "p": exact,
        "q": posterior, "n": 3, "path": saved, "estimate": graph, "truth": graph, "f": lambda some: float(len(some)),
        "scores": ["GaussianBIC", "BGe"], "text": graph.to_json(), "matrix": graph.matrix(),
        "covariance": np.eye(3), "n_samples": 10, "other": longer, "others": longer, "statement": cz.ancestor("x", "y"),
        "known": cz.Knowledge(), "knowledge": cz.Knowledge(), "kind": None, "edges": [("x", "y")], "contexts": "z",
        "node": "x",
    }  # fmt: skip
    short = {"jumps": 20, "rng": 1, "progress": False, "chains": 1, "draws": 20, "steps": 20, "restarts": 1,
             "resamples": 2, "k": 2}  # fmt: skip
    functions = [name for name in cz.__all__ if inspect.isfunction(getattr(cz, name))]
    classes = [name for name in cz.__all__ if inspect.isclass(getattr(cz, name))]
    scores = [name for name in classes if issubclass(getattr(cz, name), cz.Score) and name != "Score"]
    named: list[tuple[str, Any]] = [(name, getattr(cz, name)) for name in [*functions, *scores]]
    named += [(name, getattr(cz, name)) for name in ("Knowledge", "Settings", "Insert", "Delete")]
    for owner in ("CPDAG", "MAG", "PAG", "MPDAG", "Knowledge"):
        kind = getattr(cz, owner)
        methods = [(f"{owner}.{name}", getattr(kind, name)) for name in public(kind)]
        named += [(name, method) for name, method in methods if inspect.ismethod(method)]
    things = {"posterior": posterior, "exact": exact, "draws": drawn, "graph": graph, "mag": mag,
              "plot": posterior.plot, "edges": posterior.edge_probabilities(), "effect": posterior.effect("x", "y"),
              "score": cz.GaussianBIC(TABLE), "knowledge": cz.Knowledge(required=[("x", "y")]),
              "insert": cz.Insert("x", "y"), "paths": posterior.draws()}  # fmt: skip
    for owner, thing in things.items():
        named += [(f"{owner}.{name}", getattr(thing, name)) for name in public(type(thing))
                  if inspect.isfunction(inspect.getattr_static(type(thing), name))]  # fmt: skip
    for name, call in named:
        if name.split(".")[-1] in INTERNAL or ":meta private:" in (call.__doc__ or ""):
            continue
        parameters = inspect.signature(call).parameters.values()
        given = {
            one.name: by_name.get(one.name, short.get(one.name))
            for one in parameters
            if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL) and (one.default is one.empty or one.name in short)
        }
        given |= VALID.get(name, {})
        if name == "resume":
            given["path"] = folder / "run"
        optional = {one.name: None for one in parameters
                    if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)} | (
            reading if any("Reading" in str(one.annotation) for one in parameters) else {})  # fmt: skip
        yield name, call, {"given": given, "all": list(optional)}


def public(kind: type) -> list[str]:
    """The public methods of a class."""
    return [name for name in dir(kind) if not name.startswith("_")]


class TooLong(BaseException):
    """Raised in a call that has taken too long; nobody catches it."""


def too_long(_: int, __: FrameType | None) -> None:
    """Ends a call."""
    raise TooLong


def main() -> None:
    """Make the calls and print what they raised."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=0, help="of all, drawn at random with seed 1; 0 for all")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    counts: Counter[str] = Counter()
    begun = process_time()
    print(f"# {machine()}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        todo = [(what, call, given, argument, value) for what, call, given in calls(Path(name))
                for argument in given["all"] for value in VALUES]  # fmt: skip
        todo = random.Random(1).sample(todo, asked.calls) if asked.calls else todo
        for what, call, given, argument, value in todo:
            counts["calls"] += 1
            if counts["calls"] % 500 == 0:
                print(dict(counts), f"{process_time() - begun:.0f} s", file=sys.stderr, flush=True)
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            with suppress(TooLong):  # one that comes late
                try:
                    call(**{**given["given"], argument: VALUES[value]})
                    counts["valid"] += 1
                except (cz.CausalZigzagError, KeyboardInterrupt):
                    counts["refused"] += 1
                except Exception as error:  # noqa: BLE001 - that is what is looked for
                    counts["untyped"] += 1
                    text = " ".join(str(error).split())
                    text = f"{what}({argument}={value}): {type(error).__name__}: {text[:90]}"
                    print(text.encode("ascii", "backslashreplace").decode(), flush=True)
                except TooLong:
                    counts["slow"] += 1
                    print(f"{what}({argument}={value}): more than {LIMIT} seconds", flush=True)
                signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
        os.chdir("/")
    print(f"{counts['calls']:,} calls in {process_time() - begun:.0f} s: {counts['refused']:,} errors of the package, "
          f"{counts['valid']:,} valid, {counts['untyped']:,} other errors, "
          f"{counts['slow']} of more than {LIMIT} s")  # fmt: skip


if __name__ == "__main__":
    main()
