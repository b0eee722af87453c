"""Memory of long and of many runs, and whether checkpoints can be continued at any moment.

    python benchmarks/soak.py calls [--calls 10000]   # many runs of small problems in one process
    python benchmarks/soak.py run [--minutes 60]      # one long run with checkpoints, excursions and tempering

`run` copies the checkpoint of the running process about every ten seconds and continues the copy for a moment.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import tempfile
import threading
import time
import warnings
from pathlib import Path

from common import machine
from random_models import linear_gaussian

import causal_zigzag as cz

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def megabytes() -> float:
    """The memory that this process holds."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE / 2**20


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
    """Runs of 50 and 200 nodes, each for half of the time, the first one tempered as well."""
    for n, tempering in ((50, 4), (200, None)):
        data, _ = linear_gaussian(n, 1000, 1)
        with tempfile.TemporaryDirectory() as folder:
            run, copies = Path(folder) / "run", [0, 0]
            stop = threading.Event()

            def watch(n: int = n, run: Path = run, copies: list[int] = copies, stop: threading.Event = stop) -> None:
                begun = time.monotonic()
                while not stop.wait(10):
                    if not (run / "run.czz").exists():
                        continue
                    copy = run.parent / "copy"
                    copy.mkdir()
                    for file in run.glob("*.*"):  # older states are removed meanwhile
                        with contextlib.suppress(FileNotFoundError):
                            shutil.copy(file, copy)
                    copies[0] += 1
                    try:
                        cz.resume(copy, minutes=0.001, progress=False)
                    except (cz.SettingsError, cz.SamplingWarning):
                        pass  # the time was over before the end of the warm-up
                    except cz.CausalZigzagError as error:
                        copies[1] += 1
                        print("  a copy could not be continued:", error)
                    shutil.rmtree(copy)
                    print(f"{n:>6} {(time.monotonic() - begun) / 60:>8.1f} {megabytes():>8.1f}", flush=True)

            print(f"{'nodes':>6} {'minutes':>8} {'MiB':>8}")
            watcher = threading.Thread(target=watch)
            watcher.start()
            found = cz.sample(
                data, jumps=200_000, minutes=minutes / 2, rng=1, progress=False, tempering=tempering,
                checkpoint=run, checkpoint_interval=1,
            )  # fmt: skip
            stop.set()
            watcher.join()
            made = sum(s.jumps for s in found.statistics)
            print(f"{n} nodes: {made:,} jumps, {copies[0]} copies of the checkpoint, {copies[1]} of them damaged")


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calls", "run"])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=60)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine())
    if options.what == "calls":
        many_calls(options.calls)
    else:
        long_run(options.minutes)


if __name__ == "__main__":
    main()
