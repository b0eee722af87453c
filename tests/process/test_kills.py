"""A run that is killed at any moment and resumed gives the same posterior as a run that was not killed."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from equality import differing
from targets import gaussian_data

pytestmark = pytest.mark.nosanitize

ENDLESS = 10**9  # jumps; attempts that are to be killed never end by themselves
WARMUP = 20_000
SETTINGS = {"chains": 3, "rng": 4, "max_degree": 6, "progress": False}
EXPERT = {"warmup": WARMUP, "max_classes": 500, "cache_bytes": 2**20}

SCRIPT = f"""
import sys, warnings
import numpy as np
import causal_zigzag as cz
warnings.simplefilter("error")
data, folder, jumps, where = sys.argv[1:]
executor = None
if where == "processes":
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    executor = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
print("begun", flush=True)
posterior = cz.sample(cz.GaussianBIC(np.load(data)), jumps=int(jumps), executor=executor, checkpoint=folder,
                      settings=cz.Settings(checkpoint_interval=0.02, **{EXPERT!r}), **{SETTINGS!r})
posterior.save(folder + ".czz")
print("ended", flush=True)
"""


def states(folder: Path) -> set[str]:
    """The names of the files of the chains; each contains a number of jumps and is never used twice."""
    return {path.name for path in folder.glob("chain-*.state")}


def wait_for_new_states(folder: Path, number: int, process: subprocess.Popen) -> None:
    before = states(folder)
    seen: set[str] = set()
    while len(seen) < number:
        assert process.poll() is None, "the run ended by itself"
        seen |= states(folder) - before
        time.sleep(0.001)


def check_kills(folder: Path, kills: int, where: str, seed: int) -> None:
    """Kill a run again and again, each time after it has written a random number of states; then let it finish."""
    data = gaussian_data(15, 300, seed=2)
    np.save(folder / "data.npy", data)
    rng = random.Random(seed)
    command = [sys.executable, "-c", SCRIPT, str(folder / "data.npy"), str(folder / "run")]
    processes: list[subprocess.Popen[str]] = []

    def start(jumps: int) -> subprocess.Popen[str]:
        arguments = [*command, str(jumps), where]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True)
        processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        return process

    try:
        for _ in range(kills):
            process = start(ENDLESS)
            wait_for_new_states(folder / "run", rng.randint(1, 5), process)
            process.kill()
            assert process.wait(timeout=60) == -signal.SIGKILL
        end(processes)
        made = [int(name.split("-")[2].removesuffix(".state").rstrip("wc")) for name in states(folder / "run")]
        jumps = max([0, *(m - WARMUP for m in made)]) + 1000
        last = start(jumps)
        assert last.stdout is not None
        assert last.stdout.readline() == "ended\n"
        assert last.wait(timeout=60) == 0
    finally:
        end(processes)
    whole = cz.sample(cz.GaussianBIC(data), jumps=jumps, settings=cz.Settings(**EXPERT), **SETTINGS)  # type: ignore[arg-type]
    assert differing(cz.load(folder / "run.czz"), whole) == []


def end(processes: list[subprocess.Popen[str]]) -> None:
    """Kill the processes and their workers, which outlive them and still write for a while, and wait for all."""
    while processes:
        process = processes.pop()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        assert process.stdout is not None
        process.stdout.read()  # it ends when the last worker has died
        process.stdout.close()
        process.wait(timeout=60)


def test_killed_once(tmp_path: Path) -> None:
    check_kills(tmp_path, kills=1, where="threads", seed=1)


@pytest.mark.long
@pytest.mark.parametrize("where", ["threads", "processes"])
def test_killed_at_25_random_moments(tmp_path: Path, where: str) -> None:
    check_kills(tmp_path, kills=25, where=where, seed=2)
