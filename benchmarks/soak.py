"""Memory of long and of many runs, and whether checkpoints can be continued at any moment.

    python benchmarks/soak.py calls [--calls 10000]   # many runs of small problems in one process
    python benchmarks/soak.py run [--minutes 60]      # long runs with checkpoints and excursions
    python benchmarks/soak.py chains                  # 64 chains on one and on two processors
    python benchmarks/soak.py threads                 # two runs at once in the threads of one process

`run` samples 50 and then 200 nodes, each for half of the time. Another process copies the checkpoint of the running one
about every ten seconds and continues the copy for a moment, so the memory that is printed is that of the run alone.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from common import machine
from random_models import linear_gaussian

import causal_zigzag as cz
from causal_zigzag.sampler.checkpoint import chain_files

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
BETWEEN_COPIES = 10.0  # seconds
BETWEEN_WRITES = 3.0
CONTINUED = 0.02  # minutes that a copy is continued
WRITING = 5  # states are written in up to a sixth of the time, not a fiftieth, so that copies are taken during writes


def megabytes() -> float:
    """The memory that this process holds."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE / 2**20


def peak_megabytes() -> float:
    """The most memory that this process has held since the peak was last reset."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def many_calls(calls: int) -> None:
    """Small runs one after another: Gaussian, discrete and uniform targets, with all that a default run does."""
    data, _ = linear_gaussian(5, 100, 1)
    scores = [cz.GaussianBIC(data), cz.BDeu((data > 0).astype(int)), cz.Uniform(4)]
    print(f"{'calls':>8} {'MiB':>8}")
    for call in range(calls + 1):
        if call % max(1, calls // 10) == 0:
            print(f"{call:>8} {megabytes():>8.1f}", flush=True)
        cz.sample(scores[call % 3], jumps=300, chains=2, rng=call, progress=False).edge_probabilities()


def long_run(minutes: float) -> None:
    """Runs of 50 and 200 nodes, each for half of the time, with excursions."""
    for n in (50, 200):
        data, _ = linear_gaussian(n, 1000, 1)
        chain_files.LEAST_RATIO = WRITING
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            watcher = subprocess.Popen(
                [sys.executable, __file__, "copies", "--folder", str(run)], stdout=subprocess.PIPE, text=True
            )
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets the peak of the memory
            stop = threading.Event()
            printer = threading.Thread(target=print_memory, args=(n, run, minutes / 40, stop))
            print(f"{'nodes':>6} {'minutes':>8} {'jumps':>14} {'MiB':>8} {'peak':>8}")
            printer.start()
            try:
                found = cz.sample(
                    data, minutes=minutes / 2, rng=1, progress=False, checkpoint=run, resamples=0,
                    settings=cz.Settings(excursions=True, checkpoint_interval=BETWEEN_WRITES),
                )  # fmt: skip
            finally:
                stop.set()
                printer.join()
                (run.parent / "stop").touch()
                said = watcher.communicate()[0].splitlines()
            made = sum(s.jumps for s in found.statistics)
            excursions = sum(s.excursions.made for s in found.statistics if s.excursions is not None)
            for line in said[:-1]:
                print(line)
            print(
                f"{n} nodes: {made:,} jumps, {excursions:,} excursions, "
                f"{found.class_count:,} classes listed; {said[-1]}",
                flush=True,
            )
            del found


def print_memory(n: int, run: Path, every: float, stop: threading.Event) -> None:
    """Print the memory of this process after every ``every`` minutes."""
    begun = time.monotonic()
    while not stop.wait(60 * every):
        newest: dict[str, int] = {}
        for file in run.glob("chain-*.state"):
            _, chain, made = file.stem.split("-")
            newest[chain] = max(newest.get(chain, 0), int(made[:-1]))
        minutes = (time.monotonic() - begun) / 60
        print(
            f"{n:>6} {minutes:>8.1f} {sum(newest.values()):>14,} {megabytes():>8.1f} {peak_megabytes():>8.1f}",
            flush=True,
        )


def watch_copies(run: Path) -> None:
    """Copy the checkpoint of a running process again and again, and continue each copy, until a file says stop."""
    copies = damaged = 0
    due = time.monotonic() + BETWEEN_COPIES
    while not (run.parent / "stop").exists():
        time.sleep(1.0)
        if time.monotonic() < due or not (run / "run.czz").exists():
            continue
        copy = run.parent / "copy"
        copy.mkdir()
        for file in run.glob("*.*"):  # older states are removed meanwhile
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(file, copy)
        copies += 1
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                cz.resume(copy, minutes=CONTINUED, progress=False)
            faults = [str(w.message) for w in caught if "damaged" in str(w.message)]
        except cz.CausalZigzagError as error:
            faults = [] if "were over before the end of the warm-up" in str(error) else [str(error)]
        for fault in faults:
            print("  a copy was damaged:", fault)
        damaged += bool(faults)
        shutil.rmtree(copy)
        due = time.monotonic() + BETWEEN_COPIES
    print(f"{copies} copies of the checkpoint continued, {damaged} of them damaged")


def many_chains() -> None:
    """Time and memory of 4 and of 64 chains; each line is a new process, and all of 64 chains are equal."""
    print(f"{'chains':>8} {'processors':>10} {'length':>14} {'seconds':>8} {'peak MiB':>8}  edge probabilities")
    for chains, processors, length in ((4, 2, "jumps"), (64, 1, "jumps"), (64, 2, "jumps"), (64, 2, "minutes")):
        command = [sys.executable, __file__, "of-chains", str(chains), str(processors), length]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="", flush=True)


def one_of_many_chains(chains: int, processors: int, length: str) -> None:
    """Sample 20 nodes on this number of processors, by the number of jumps or by the clock."""
    from causal_zigzag.sampler.parallel import workers

    workers.cores = lambda: processors
    data, _ = linear_gaussian(20, 500, 1)
    before, begun = peak_megabytes(), time.monotonic()
    minutes = 0.5 if length == "minutes" else None
    found = cz.sample(data, minutes=minutes, resamples=0, chains=chains, rng=1, progress=False)
    seconds, words = time.monotonic() - begun, "half a minute" if minutes else "20,000 jumps"
    print(
        f"{chains:>8} {processors:>10} {words:>14} {seconds:>8.1f} {peak_megabytes() - before:>8.1f}  {digest(found)}"
    )


def digest(posterior: cz.Posterior) -> str:
    """A few digits that differ if any edge probability does."""
    return hashlib.sha256(posterior.edge_probabilities().directed.tobytes()).hexdigest()[:8]


def two_threads() -> None:
    """Two runs one after another, and at once in two threads."""
    runs = [(linear_gaussian(n, 500, 1)[0], seed) for n, seed in ((20, 1), (30, 2))]

    def sample(data_and_seed: tuple[Any, int]) -> str:
        data, seed = data_and_seed
        return digest(cz.sample(data, jumps=100_000, rng=seed, progress=False))

    for words, threads in (("one after another", 1), ("at once", 2)):
        begun = time.monotonic()
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(sample, runs))
        print(f"two runs {words:<18} {time.monotonic() - begun:>6.1f} s  edge probabilities {', '.join(found)}")


def main() -> None:
    """Run one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calls", "run", "chains", "threads", "copies", "of-chains"])
    parser.add_argument("more", nargs="*", help="chains, processors and length, for of-chains")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--folder", type=Path, help="the checkpoint to copy, for copies")
    options = parser.parse_args()
    if options.what == "copies":
        watch_copies(options.folder)
        return
    warnings.simplefilter("ignore")
    if options.what == "of-chains":
        chains, processors, length = options.more
        one_of_many_chains(int(chains), int(processors), length)
        return
    print(machine())
    if options.what == "calls":
        many_calls(options.calls)
    elif options.what == "chains":
        many_chains()
    elif options.what == "threads":
        two_threads()
    else:
        long_run(options.minutes)


if __name__ == "__main__":
    main()
