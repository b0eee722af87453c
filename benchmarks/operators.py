"""How apply, from_dag, count_operators and list_operators scale with the graph; apply against the classical method.

    python benchmarks/operators.py [--quick]

Every time is CPU time on one core, the best of several. An exponent b means that time grew like size**b over the upper
half of the sizes in the table. Sizes are the number of nodes n; nodes and edges n + m; and words, n + m + n*n/64: the
core stores a graph as an n x n bit matrix, and its words are copied when a new graph is made, which dominates for
sparse graphs.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from itertools import islice
from pathlib import Path
from time import process_time
from typing import NamedTuple

import classical
import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz

SIZES = [50, 100, 200, 500, 1000, 2000]
QUICK_SIZES = [50, 100, 200]
REPEATS = 5
MOVES = 10  # number of moves to average over
PATIENCE = 10.0  # seconds: if a classical move takes longer, larger sizes are skipped
LISTED_AT_MOST = 1_000_000

Times = dict[str, list[float | None]]


class Case(NamedTuple):
    """A DAG, its class and the moves to time."""

    dag: NDArray[np.uint8]
    g: cz.CPDAG
    moves: list[cz.Insert | cz.Delete]

    @property
    def sizes(self) -> dict[str, int]:
        """The measures of size that times are compared with."""
        n, m = len(self.g), self.g.edge_count
        return {"n": n, "n + m": n + m, "words": n + m + n * -(-n // 64)}


# ---- graphs ----------------------------------------------------------------------------------------------------------


def erdos_renyi(n: int, share: float) -> Case:
    """Every edge with the same probability, and random moves, half of them inserts."""
    rng = np.random.default_rng(n)
    order = rng.permutation(n)
    dag = np.triu(rng.random((n, n)) < share, k=1).astype(np.uint8)[np.ix_(order, order)]
    g = cz.CPDAG.from_dag(dag)
    kinds = ["insert", "delete"] * (MOVES // 2)
    return Case(dag, g, [cz.random_operator(g, kind=kind, rng=rng) for kind in kinds])


def band(n: int, width: int) -> Case:
    """A path whose nodes are joined to the next few: one component. One insert directs nearly all of its edges."""
    dag = np.triu(np.ones((n, n), np.uint8), k=1) * np.tri(n, n, width, dtype=np.uint8)
    dag[:, -1] = 0  # the last node has no edges
    insert = cz.Insert(n - 1, 1, tails=[0])  # the v-structure n-1 -> 1 <- 0
    return Case(dag, cz.CPDAG.from_dag(dag), [insert])


FAMILIES: dict[str, Callable[[int], Case]] = {
    "sparse (Erdős-Rényi, mean degree 3)": lambda n: erdos_renyi(n, 3 / n),
    "dense (Erdős-Rényi, half of all edges)": lambda n: erdos_renyi(n, 0.5),
    "worst case, few edges (a path, all of it changes)": lambda n: band(n, 1),
    "worst case, many edges (a band of width n/10, nearly all of it changes)": lambda n: band(n, n // 10),
}


# ---- measuring and printing ------------------------------------------------------------------------------------------


def seconds(run: Callable[[], object]) -> float:
    """CPU time of one call, the best of several; short calls are repeated until they can be timed."""
    start = process_time()
    run()
    once = process_time() - start
    calls = max(1, min(1000, round(0.01 / max(once, 1e-6))))
    best = once
    for _ in range(REPEATS if once < 1 else 1):
        start = process_time()
        for _ in range(calls):
            run()
        best = min(best, (process_time() - start) / calls)
    return best


def mean_seconds(runs: Sequence[Callable[[], object]]) -> float:
    """The mean over several moves, each the best of several."""
    return float(np.mean([seconds(run) for run in runs]))


def exponent(sizes: Sequence[float], times: Sequence[float | None]) -> str:
    """The slope of log time against log size over the upper half of the sizes, at least three of them."""
    known = [(size, time) for size, time in zip(sizes, times, strict=True) if time is not None]
    upper = np.log(np.array(known[-max(3, (len(known) + 1) // 2) :]))
    spread = len(upper) > 1 and np.ptp(upper[:, 0]) > 0
    return f"{np.polyfit(upper[:, 0], upper[:, 1], 1)[0]:.2f}" if spread else "-"


def written(time: float | None) -> str:
    """A time with its unit."""
    if time is None:
        return "-"
    unit, factor = ("s", 1) if time >= 1 else ("ms", 1e3) if time >= 1e-3 else ("µs", 1e6)
    return f"{time * factor:.3g} {unit}"


def show(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print one table."""
    lines = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    print(f"\n{title}")
    for line in lines:
        print("  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def show_growth(title: str, cases: list[Case], notes: tuple[str, list[str]], times: Times) -> None:
    """Print a table with one row per case: notes, times, and their exponents below."""
    name, texts = notes
    rows: list[list[object]] = [
        [len(case.g), case.g.edge_count, texts[i], *(written(column[i]) for column in times.values())]
        for i, case in enumerate(cases)
    ]
    for size in cases[0].sizes:
        sizes = [case.sizes[size] for case in cases]
        rows.append([f"exponent, {size}", "", "", *(exponent(sizes, column) for column in times.values())])
    show(title, ["n", "m", name, *times], rows)


def machine() -> str:
    """The platform and the model of the processor, if available."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    cpu = models[0] if models else platform.processor() or platform.machine()
    return f"{platform.platform()}; {cpu}; Python {platform.python_version()}, numpy {np.__version__}"


# ---- questions -------------------------------------------------------------------------------------------------------


def ask_apply(family: str, cases: list[Case]) -> None:
    """Print the time of a move by the core and by the classical way; both must lead to the same class."""
    times: Times = {"apply": [], "classical, compiled": [], "classical, Python": []}
    for case in cases:
        last = times["classical, Python"][-1:] or [0.0]
        patient = (
            last[0] is not None and 8 * last[0] < PATIENCE
        )  # the time may grow eightfold from one size to the next
        for column, time in zip(times.values(), apply_times(case, patient), strict=True):
            column.append(time)
    shares = [f"{np.mean([share_changed(case.g, op.apply(case.g)) for op in case.moves]):.1%}" for case in cases]
    show_growth(f"apply, one move: {family}", cases, ("edges that change", shares), times)


def apply_times(case: Case, patient: bool) -> tuple[float, float, float | None]:
    """Times of the three ways; plain Python only for two moves, and only if it is not too slow."""
    matrix, pdag = case.g.matrix(), classical.Pdag(case.g.matrix())
    few = case.moves[:2] if patient else []
    for op in case.moves:
        assert classical.apply_compiled(matrix, op) == op.apply(case.g)
    for op in few:
        assert np.array_equal(classical.matrix_of(*classical.apply_python(pdag, op)), op.apply(case.g).matrix())
    return (
        mean_seconds([partial(op.apply, case.g) for op in case.moves]),
        mean_seconds([partial(classical.apply_compiled, matrix, op) for op in case.moves]),
        mean_seconds([partial(classical.apply_python, pdag, op) for op in few]) if few else None,
    )


def share_changed(g: cz.CPDAG, after: cz.CPDAG) -> float:
    """The share of edges that were removed, added or changed their kind."""
    before, now = g.matrix(), after.matrix()
    differs, either = before != now, (before | now) > 0
    return (differs | differs.T).sum() / (either | either.T).sum()


def ask_from_dag_and_count(family: str, cases: list[Case]) -> None:
    """Print the time to read a DAG from its n x n matrix, and to count the operators of its class."""
    times: Times = {
        "from_dag": [seconds(partial(cz.CPDAG.from_dag, case.dag)) for case in cases],
        "count_operators": [seconds(partial(cz.count_operators, case.g)) for case in cases],
    }
    numbers = [f"{Decimal(cz.count_operators(case.g).total):.3g}" for case in cases]
    show_growth(f"from_dag and count_operators: {family}", cases, ("operators", numbers), times)


def ask_listing(family: str, cases: list[Case]) -> None:
    """Print the time to list the first operator and all (at most a million), and the time per operator."""
    rows: list[list[object]] = []
    listed, times = [], []
    for case in cases:
        first = seconds(lambda g=case.g: next(cz.list_operators(g)))
        start = process_time()
        listed.append(sum(1 for _ in islice(cz.list_operators(case.g), LISTED_AT_MOST)))
        times.append(process_time() - start)
        each = written(times[-1] / listed[-1])
        rows.append([len(case.g), case.g.edge_count, written(first), listed[-1], written(times[-1]), each])
    rows.append(["exponent, listed", "", "", "", exponent(listed, times), ""])
    title = f"list_operators, at most {LISTED_AT_MOST:,}: {family}"
    show(title, ["n", "m", "the first", "listed", "time", "for each"], rows)


def main() -> None:
    """Print all tables for all families of graphs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small graphs only")
    sizes = QUICK_SIZES if parser.parse_args().quick else SIZES
    print(f"causal-zigzag {cz.__version__}; {machine()}")
    for family, make in FAMILIES.items():
        cases = [make(n) for n in sizes]
        ask_apply(family, cases)
        ask_from_dag_and_count(family, cases)
        ask_listing(family, cases)


if __name__ == "__main__":
    main()
