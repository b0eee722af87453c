"""Default runs against exact edge probabilities and against each other: what annealing and order excursions gain.

    python benchmarks/convergence.py [--quick] [--parts exact long large cost] [--tables ...] [--variants ...]

exact: the largest absolute difference between the probability of an adjacency in posterior.reweight("dags") and in
    exact_edge_posterior, over five seeds, and the CPU seconds of a run, for the default settings and with one of them
    changed. Without annealing there are no excursions either. "max" is the worst of the seeds. "unlisted" is the
    largest share of the time in classes that reweighting leaves out. "off" is the number of runs with an error above
    0.1 and, after the slash, how many of those the verdict of diagnostics() calls converged.
long: the same for three of the tables with twenty times as many jumps. Reweighting needs the classes by name, and with
    the default max_classes=100_000 some of the time of such runs is spent in classes that are not listed, which biases
    it; so all are listed.
large: data without exact answers. Two independent default runs: the largest difference of an adjacency between them,
    the best score less the edge prior of each, the largest R-hat of each, and the verdicts.
cost: jumps per CPU second of one chain, with and without excursions in alternating windows.

Times are CPU seconds over all threads. The data come from the package, from scikit-learn, and from random models.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import subprocess
import warnings
from collections.abc import Iterator
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from common import machine
from random_models import erdos_renyi
from sklearn.datasets import load_breast_cancer, load_wine

import causal_zigzag as cz
from causal_zigzag.sampler.annealing.annealed_chain import run_annealing
from causal_zigzag.sampler.chain_task import ChainTask, Meter, Stage, Start
from causal_zigzag.sampler.checkpoint.chain_files import ChainMemory
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.excursions.plan import choose_plan
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.scores.choose import as_score
from causal_zigzag.target.target import Target

PARTS = ("exact", "long", "large", "cost")
SEEDS = (1, 2, 3, 4, 5)
JUMPS = 200_000  # a fixed length, to compare settings
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "momentum=0": {"momentum": 0},
    "anneal=False": {"settings": cz.Settings(anneal=False)},
    "excursions=False": {"settings": cz.Settings(excursions=False)},
}
LONG = ("Sachs log", "Sachs raw", "wine")
OFF = 0.1  # an error that a verdict must not call converged


def main() -> None:
    """Run all parts, or those named on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="one seed, and fewer and smaller data sets")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--tables", nargs="+", help="of the parts exact and long; all if not given")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=tuple(VARIANTS), help="of the part exact")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")  # warnings of short runs; the verdict is counted instead
    print(f"{machine()}; {compiler()}")
    if importlib.util.find_spec("sumu") is None:
        print("sumu was not installed, so it was not compared here; see results/peers.txt.")
    seeds = SEEDS[:1] if chosen.quick else SEEDS
    small = dict(list(small_tables())[: 3 if chosen.quick else None])
    small = {name: table for name, table in small.items() if chosen.tables is None or name in chosen.tables}
    variants = {words: VARIANTS[words] for words in chosen.variants}
    if "exact" in chosen.parts:
        against_exact(f"{JUMPS:,} jumps per chain, four chains", small, variants, seeds)
    if "long" in chosen.parts:
        long = {"max_classes=4_000_000": {"jumps": 4_000_000, "settings": cz.Settings(max_classes=4_000_000)}}
        first = {name: table for name, table in small.items() if name in LONG}
        against_exact("Twenty times as long: 4,000,000 jumps per chain, four chains", first, long, seeds)
    if "large" in chosen.parts:
        large_tables(chosen.quick)
    if "cost" in chosen.parts:
        cost(rounds=4 if chosen.quick else 20)


def compiler() -> str:
    """The C++ compiler of this machine, by which the core is assumed to be built."""
    try:
        found = subprocess.run(["c++", "-dumpfullversion"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown compiler"
    return f"c++ {found.stdout.strip()}"


# ---- data sets with exact answers


def small_tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Names and tables of at most 15 columns."""
    yield "Sachs log", cz.datasets.load("sachs-log")
    yield "Sachs raw", cz.datasets.load("sachs")
    yield "wine", load_wine(as_frame=True).data
    yield "Sachs log, 500 rows", cz.datasets.load("sachs-log").head(500)
    yield "Sachs raw, 500 rows", cz.datasets.load("sachs").head(500)
    yield "alzheimer", cz.datasets.load("alzheimer")
    yield "Sachs discrete", cz.datasets.load("sachs-discrete")
    yield "college plans", cz.datasets.load("college-plans")
    for n in (12, 15):
        dag = cz.datasets.random_dag(n, expected_degree=4.0, rng=n)
        yield f"simulated, {n} nodes", cz.datasets.linear_gaussian(dag, rows=1000, rng=n)


def against_exact(
    title: str,
    tables: dict[str, pd.DataFrame],
    variants: dict[str, dict[str, Any]],
    seeds: tuple[int, ...],
) -> None:
    """Print the errors of each variant on each table."""
    print(f"\n{title}: largest error of an adjacency over {len(seeds)} seeds")
    words = f"{'data':<21} {'n':>2} {'rows':>5}  {'settings':<25} {'median':>7} {'max':>7} {'CPU s':>7} {'unlisted':>8}"
    print(f"{words}  off")
    for name, table in tables.items():
        score = as_score(table, "auto")
        exact = cz.exact_edge_posterior(score, edge_prior="auto").adjacent
        head = f"{name:<21} {len(score.nodes):>2} {len(table):>5}"
        for words, options in variants.items():
            errors, seconds, sound, unlisted = [], [], [], []
            for seed in seeds:
                begun = process_time()
                posterior = cz.sample(score, rng=seed, progress=False, **{"jumps": JUMPS} | options)
                seconds.append(process_time() - begun)
                found = posterior.reweight("dags").edge_probabilities().adjacent
                errors.append(float(np.abs(found - exact).max()))
                sound.append(posterior.diagnostics().ok)
                unlisted.append(posterior.unlisted)
            off = sum(e > OFF for e in errors)
            wrong = sum(e > OFF and ok for e, ok in zip(errors, sound, strict=True))
            print(
                f"{head}  {words:<25} {median(errors):>7.4f} {max(errors):>7.4f} {max(seconds):>7.1f}"
                f" {max(unlisted):>8.4f}  {off}/{wrong}",
                flush=True,
            )
            head = " " * len(head)


# ---- data sets without exact answers


def large_tables(quick: bool) -> None:
    """Print how far two independent default runs are apart."""
    cases = list(large_scores())
    print("\nTwo independent default runs (seeds 1 and 2)")
    print(
        f"{'data':<31} {'jumps':>8} {'CPU s':>11} {'largest gap':>11} {'gaps > 0.1':>10} {'largest R-hat':>15}"
        f" {'best score':>23}  converged"
    )
    for name, score, jumps in cases[:2] if quick else cases:
        runs, seconds = [], []
        for seed in (1, 2):
            begun = process_time()
            runs.append(cz.sample(score, jumps=jumps, rng=seed, progress=False))
            seconds.append(process_time() - begun)
        gaps = np.abs(runs[0].edge_probabilities().adjacent - runs[1].edge_probabilities().adjacent)
        found = [run.diagnostics() for run in runs]
        r_hat = ", ".join(f"{d.table['r_hat'].max():.3f}" for d in found)
        best = ", ".join(f"{best_score(run):.1f}" for run in runs)
        verdicts = ", ".join("yes" if d.ok else "no" for d in found)
        wide = int((np.triu(gaps) > OFF).sum())
        times = ", ".join(f"{s:.1f}" for s in seconds)
        print(
            f"{name:<31} {jumps:>8,} {times:>11} {gaps.max():>11.3f} {wide:>10} {r_hat:>15} {best:>23}  {verdicts}",
            flush=True,
        )


def large_scores() -> Iterator[tuple[str, cz.Score, int]]:
    """Names, scores and numbers of jumps."""
    cancer = cz.GaussianBIC(np.log(load_breast_cancer().data + 1e-3))
    yield "breast cancer, n = 30", cancer, 200_000
    yield "breast cancer, n = 30", cancer, 400_000
    for n, rows, degree in ((50, 1000, 3), (50, 10_000, 3), (50, 1000, 6), (50, 10_000, 6), (100, 10_000, 4)):
        data, _ = erdos_renyi(n, rows, seed=1, degree=degree)
        yield f"ER n = {n}, degree {degree}, N = {rows:,}", cz.GaussianBIC(data), 200_000


def best_score(posterior: cz.Posterior) -> float:
    """The largest score less the edge prior among the hundred most probable classes."""
    cost = math.log(len(posterior.nodes))
    return max(entry.score - cost * entry.graph.edge_count for entry in posterior.top(100))


# ---- cost


def cost(rounds: int, jumps: int = 5_000) -> None:
    """Print the speed of one chain with and without excursions, in alternating windows of jumps."""
    print("\nJumps per CPU second of one chain in alternating windows (ratio: quartiles)")
    print(f"{'data':<31} {'off':>9} {'on':>9}   {'on / off':<22} excursions: per 1,000 jumps; accepted; steps each")
    cancer = cz.GaussianBIC(np.log(load_breast_cancer().data + 1e-3))
    fifty = cz.GaussianBIC(erdos_renyi(50, 1000, seed=1, degree=3)[0])
    sachs = cz.GaussianBIC(cz.datasets.load("sachs-log"))
    cases = {"Sachs log, n = 11": sachs, "breast cancer, n = 30": cancer, "ER n = 50, degree 3, N = 1,000": fifty}
    for name, score in cases.items():
        target, settings = Target.read(score, edge_prior="auto"), RunSettings()
        words = np.random.SeedSequence(1).generate_state(4, np.uint64)
        stage = Stage("anneal", target, settings, (Start(target.read_start(None)),))
        annealed = run_annealing(ChainTask(0, stage, words, ChainMemory()), None, Meter()).result
        assert isinstance(annealed, Start)
        plan = choose_plan(target, settings, [annealed])
        if plan is None:
            raise SystemExit(f"no excursions for {name}")
        running = make_chain(target, settings, annealed.graph, words, excursions=plan.core(target))
        tuning = plan.begin(running.tuning, annealed.log2_pace)
        for _ in range(8):  # as in a warm-up
            tuning.most_excursions = plan.most(jumps)
            running.tune(tuning)
            running.forget()
            running.run(jumps, 60.0)
            plan.tune(tuning, running.statistics(), 0.0)
        log2_rate = tuning.log2_rate
        speeds: dict[bool, list[float]] = {False: [], True: []}
        made = accepted = 0.0
        for on in (False, True) * rounds:
            tuning.log2_rate = log2_rate if on else -math.inf
            running.tune(tuning)
            running.forget()
            begun = process_time()
            ran = running.run(jumps, 60.0)
            speeds[on].append(ran / (process_time() - begun))
            if on:
                state = running.statistics()
                made, accepted = made + state.excursions.made, accepted + state.excursions.accepted
        low, middle, high = np.quantile(np.array(speeds[True]) / np.array(speeds[False]), (0.25, 0.5, 0.75))
        ratio = f"{middle:.2f} ({low:.2f} to {high:.2f})"
        print(
            f"{name:<31} {median(speeds[False]):>9,.0f} {median(speeds[True]):>9,.0f}   {ratio:<22}"
            f" {1000 * made / (rounds * jumps):.1f}; {accepted / max(1.0, made):.2f}; {tuning.steps}",
            flush=True,
        )


if __name__ == "__main__":
    main()
