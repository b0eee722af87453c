"""A process that is killed at any moment, and resumed, ends with the posterior of one that was not."""

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

pytestmark = [pytest.mark.nosanitize, pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")]

SCRIPT = """
import sys, warnings
import numpy as np
import causal_zigzag as cz
warnings.simplefilter("error")
score = cz.GaussianBIC(np.load(sys.argv[1]))
executor = None
if sys.argv[4] == "processes":
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    executor = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
print("begun", flush=True)
posterior = cz.sample(score, jumps=int(sys.argv[3]), chains=3, rng=4, max_classes=500, max_degree=6,
                      cache_bytes=2**20, progress=False, executor=executor, checkpoint=sys.argv[2],
                      checkpoint_interval=0.05)
posterior.save(sys.argv[2] + ".czz")
print("ended", flush=True)
"""


def check_kills(folder: Path, kills: int, jumps: int, where: str, seed: int) -> None:
    data = gaussian_data(15, 300, seed=2)
    np.save(folder / "data.npy", data)
    begun = time.monotonic()
    whole = cz.sample(
        cz.GaussianBIC(data), jumps=jumps, chains=3, rng=4, max_classes=500, max_degree=6,
        cache_bytes=2**20, progress=False,
    )  # fmt: skip
    # so that all attempts together come to about 0.4 of the run: it outlasts them on a machine of any speed
    longest = 0.8 * (time.monotonic() - begun) / kills
    moments = random.Random(seed)
    arguments = [sys.executable, "-c", SCRIPT, str(folder / "data.npy"), str(folder / "run"), str(jumps), where]
    killed, groups = 0, []
    try:
        for attempt in range(kills + 1):
            # workers of a pool outlive the process that is killed, and go on writing for a while
            with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
                groups.append(process.pid)
                assert process.stdout is not None
                assert process.stdout.readline() == "begun\n"
                if attempt < kills:
                    time.sleep(moments.uniform(0, longest))
                    killed += process.poll() is None
                    process.kill()
                else:
                    assert process.stdout.readline() == "ended\n"
                assert process.wait(timeout=60) == 0 or attempt < kills
    finally:
        for group in groups:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
    assert killed > kills // 4  # else the run is too short to tell
    assert differing(cz.load(folder / "run.czz"), whole) == []


def test_killed_a_few_times(tmp_path: Path) -> None:
    check_kills(tmp_path, kills=3, jumps=200_000, where="threads", seed=1)


@pytest.mark.long
@pytest.mark.parametrize("where", ["threads", "processes"])
def test_killed_at_25_random_moments(tmp_path: Path, where: str) -> None:
    check_kills(tmp_path, kills=25, jumps=3_000_000, where=where, seed=2)
