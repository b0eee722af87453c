"""Time of queries to a large posterior: 100 nodes, a million jumps, over 100,000 listed classes.

    python benchmarks/queries.py            # about two minutes; --quick: a tenth of the jumps

Each query runs on a fresh copy of the posterior, so that nothing is cached; the first and a second call are timed.
Times are CPU seconds; that of the run is wall-clock time.
"""

import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

from common import machine
from random_models import linear_gaussian

import causal_zigzag as cz
from causal_zigzag.answers.statements import adjacent, certain_ancestor, directed, path, possible_ancestor

NODES, ROWS = 100, 200


def timed(ask: Callable[[], object]) -> tuple[float, object]:
    """The CPU seconds and the result."""
    begun = process_time()
    answer = ask()
    return process_time() - begun, answer


def weighted(posterior: cz.Posterior) -> cz.Posterior:
    """The posterior uniform over DAGs, without the warning about unlisted classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cz.SamplingWarning)
        return posterior.reweight("dags")


def main() -> None:
    """Print the figures."""
    import pandas  # noqa: F401 - so that no query includes its import

    jumps = 25_000 if "--quick" in sys.argv else 250_000
    data, _ = linear_gaussian(NODES, ROWS, seed=1)
    begun = perf_counter()
    run = cz.sample(cz.GaussianBIC(data), jumps=jumps, chains=4, rng=1, progress=False)
    seconds = perf_counter() - begun
    other = cz.sample(cz.GaussianBIC(data), jumps=jumps // 10, chains=2, rng=2, progress=False)
    print(machine())
    print(f"{NODES} nodes, {ROWS} rows, 4 chains of {jumps:,} jumps in {seconds:.0f} s: {run.class_count:,} classes")
    edges = run.edge_probabilities().adjacent.sum() / 2
    print(f"listed, {run.unlisted:.1%} of the time in others; {edges:.0f} edges expected\n")
    x, y = 3, 60
    g = run.top(1)[0].graph
    level = 0.5 * (1 - run.unlisted)
    questions: dict[str, Callable[[cz.Posterior], object]] = {
        "top(10)": lambda p: p.top(10),
        "top(1000)": lambda p: p.top(1000),
        "probability(graph)": lambda p: p.probability(g),
        "edge_probabilities()": lambda p: p.edge_probabilities(),
        "edge_table()": lambda p: p.edge_table(),
        "summary()": lambda p: p.summary(),
        "credible_set(half of what is listed)": lambda p: p.credible_set(level),
        "median_graph()": lambda p: p.median_graph(),
        "consensus()": lambda p: p.consensus(),
        "consensus(0.05)": lambda p: p.consensus(0.05),
        "probability_that(adjacent)": lambda p: p.probability_that(adjacent(x, y)),
        "probability_that(directed & ~adjacent)": lambda p: p.probability_that(directed(x, y) & ~adjacent(y, 5)),
        "probability_that(path)": lambda p: p.probability_that(path(x, y)),
        "probability_that(certain_ancestor)": lambda p: p.probability_that(certain_ancestor(x, y)),
        "probability_that(possible_ancestor)": lambda p: p.probability_that(possible_ancestor(x, y)),
        "probability_that(g.edge_count < 170)": lambda p: p.probability_that(lambda g: g.edge_count < 170),
        "probability_that(x in g.parents(y))": lambda p: p.probability_that(lambda g: x in g.parents(y)),
        "probability_that((x, y) in g.directed_edges)": lambda p: p.probability_that(
            lambda g: (x, y) in g.directed_edges
        ),
        "mcse(g.edge_count < 170)": lambda p: p.mcse(lambda g: g.edge_count < 170),
        'reweight("dags")': weighted,
        'reweight("dags").edge_table()': lambda p: weighted(p).edge_table(),
        'reweight("dags").diagnostics()': lambda p: weighted(p).diagnostics(),
        "merge(another run)": lambda p: p.merge(other),
        "merge(another run).top(10)": lambda p: p.merge(other).top(10),
        "diagnostics()": lambda p: p.diagnostics(),
        "_repr_html_()": lambda p: p._repr_html_(),
    }
    print(f"{'question':44} {'first, s':>9} {'again, s':>9}")
    for name, ask in questions.items():
        fresh = replace(run)
        first, again = (timed(lambda ask=ask, fresh=fresh: ask(fresh))[0] for _ in range(2))  # type: ignore[misc]
        print(f"{name:44} {first:9.3f} {again:9.3f}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.czz"
        saved, _ = timed(lambda: run.save(file))
        size = file.stat().st_size
        loaded, again_run = timed(lambda: cz.load(file))
        assert isinstance(again_run, cz.Posterior)
        assert again_run.top(3) == run.top(3)
    print(f"{'save(path)':44} {saved:9.3f}")
    print(f"{'cz.load(path)':44} {loaded:9.3f}")
    print(f"the file has {size / 1e6:.1f} MB, {size / run.class_count:.0f} bytes a listed class")


if __name__ == "__main__":
    main()
