"""A Dask cluster on loopback gives the same posterior as threads, also if a worker is killed during the run."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import causal_zigzag as cz
from causal_zigzag import sampling
from causal_zigzag.posterior.diagnostics.goal import Distance
from causal_zigzag.sampler import settings as settings_module
from causal_zigzag.sampler.chain_task import Meter
from causal_zigzag.sampler.parallel import dask_cluster
from causal_zigzag.support.version import package_version
from equality import differing
from experts import options
from milestones import at_jumps, environment, when_all
from targets import gaussian_data

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.long,
    pytest.mark.nosanitize,
    pytest.mark.filterwarnings("ignore"),  # those of distributed are its own
]

SCORE = cz.GaussianBIC(gaussian_data(12, 300, seed=2))
# so many jumps that this process sees some of them, on a busy machine too, before a chain ends
SETTINGS = {"jumps": 4_000_000, "warmup": 3000, "chains": 4, "rng": 4, "max_degree": 6, "progress": False}


def start(*arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-m", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.fixture(scope="module")
def whole() -> cz.Posterior:
    return cz.sample(SCORE, **options(**SETTINGS))  # type: ignore[arg-type]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler with three workers, each a process with one thread and without a nanny."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = f"tcp://127.0.0.1:{port}"
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60"]
    where = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--idle-timeout", "300s"]
    processes = [start("distributed.cli.dask_scheduler", *where)]
    try:
        for number in range(3):
            folder = str(tmp_path / f"worker-{number}")
            processes.append(
                start(
                    "distributed.cli.dask_worker", place, *options, "--name", str(number), "--local-directory", folder
                )
            )
        with distributed.Client(place, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(3, timeout=60)
        yield place
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=20)


def test_the_posterior_of_threads(address: str, whole: cz.Posterior, tmp_path: Path) -> None:
    with distributed.Client(address, set_as_default=False) as client:
        assert differing(cz.sample(SCORE, **options(executor=client, **SETTINGS)), whole) == []
        executor = client.get_executor()
        assert (
            differing(cz.sample(SCORE, **options(executor=executor, checkpoint=tmp_path / "run", **SETTINGS)), whole)
            == []
        )


@pytest.mark.parametrize("n", [20, 140, 300])
def test_annealed_and_polished_chains_of_threads(address: str, n: int) -> None:
    score = cz.GaussianBIC(gaussian_data(n, 400, seed=4))
    more: dict = {"jumps": 300, "chains": 3, "rng": 1, "progress": False, "max_degree": 6}
    with distributed.Client(address, set_as_default=False) as client:
        assert differing(cz.sample(score, executor=client, **more), cz.sample(score, **more)) == []


@pytest.mark.parametrize("kept", [True, False], ids=["checkpoint", "none"])
def test_a_killed_worker(
    address: str, whole: cz.Posterior, tmp_path: Path, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {"checkpoint": tmp_path / "run", "checkpoint_interval": 0.1} if kept else {}
    with distributed.Client(address, set_as_default=False) as client:
        pids = sorted(client.run(os.getpid).values())
        seen = []

        def kill_one(meter: Meter) -> None:
            seen.append(meter)
            if len(seen) == 3:  # each of the workers runs a chain
                os.kill(pids[0], signal.SIGKILL)

        at_jumps(1, kill_one, monkeypatch)
        posterior = cz.sample(SCORE, **options(executor=client, **SETTINGS, **more))
        assert len(seen) >= 3
        while len(client.scheduler_info()["workers"]) > 2:
            time.sleep(0.1)  # the scheduler notices it after a while
        assert pids[0] not in client.run(os.getpid).values()
    assert differing(posterior, whole) == []


def test_data_are_sent_once_per_worker(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    with distributed.Client(address, set_as_default=False) as client:
        submit = client.submit
        monkeypatch.setattr(client, "submit", lambda *a, **k: given.append(a) or submit(*a, **k))
        cz.sample(SCORE, executor=client, jumps=50, settings=cz.Settings(warmup=10), chains=12, rng=1, progress=False)
    assert [function.__name__ for function, *_ in given] == ["identity"] + 12 * ["run_in_worker"]
    assert all(isinstance(shared, distributed.Future) for _, shared, *_ in given[1:])  # not the data


@pytest.mark.parametrize("what", ["scheduler", "workers"])
def test_nothing_waits_for_what_was_killed(address: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "SCHEDULER_PATIENCE", 0.0)
    monkeypatch.setattr(dask_cluster, "WORKERS_PATIENCE", 0.0)
    endless = {**SETTINGS, "jumps": 10**9}
    with distributed.Client(address, set_as_default=False) as client:
        pids = client.run(os.getpid).values() if what == "workers" else [client.run_on_scheduler(os.getpid)]
        when_all(3, 1, lambda: [os.kill(pid, signal.SIGKILL) for pid in pids], monkeypatch)
        words = {"scheduler": "does not answer", "workers": "has no workers"}[what]
        with pytest.raises(cz.WorkerError, match=f"the scheduler of Dask at {address} {words}.* with checkpoint="):
            cz.sample(SCORE, **options(executor=client, **{**endless, "chains": 3}))


def test_earlier_stretches_outlive_the_scheduler(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "SCHEDULER_PATIENCE", 0.0)
    monkeypatch.setattr(settings_module, "STRETCH", 3000)
    monkeypatch.setattr(settings_module, "STRETCH_PER_NODE", 0)
    with distributed.Client(address, set_as_default=False) as client:
        pid = client.run_on_scheduler(os.getpid)

        def kill(_: cz.Posterior) -> Distance:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            return Distance(0.1, 1.2, False)

        monkeypatch.setattr(sampling, "distance_to_goal", kill)
        kept = cz.sample(SCORE, **options(executor=client, **{**SETTINGS, "jumps": None}))
    assert kept._interrupted
    assert len(kept.statistics) == 4
    assert all(s.jumps >= 3000 for s in kept.statistics)


@pytest.mark.parametrize(
    ("name", "here", "words"),
    [
        ("causal-zigzag", "9.9", r"has version [\d.]+; all workers need causal-zigzag 9\.9"),
        ("no-such-package", package_version(), "does not have the package"),
    ],
)
def test_workers_have_the_version_of_this_process(
    address: str, name: str, here: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "DISTRIBUTION", name)
    monkeypatch.setattr(dask_cluster, "package_version", lambda: here)
    with distributed.Client(address, set_as_default=False) as client:
        given = []
        monkeypatch.setattr(client, "submit", lambda *a, **k: given.append(a))
        with pytest.raises(cz.WorkerError, match=f"the worker of Dask at tcp://.* {words}"):
            cz.sample(SCORE, **options(executor=client, **SETTINGS))
    assert not given
    with pytest.raises(cz.SettingsError, match="a client of Dask that is closed"):
        cz.sample(SCORE, **options(executor=client, **SETTINGS))


SCRIPT = """
import sys, warnings
import distributed
import causal_zigzag as cz
from causal_zigzag.sampler.parallel import workers
from milestones import when_all
warnings.simplefilter("ignore")
workers.GRACE_PERIOD = 300  # seconds: however busy the machine is
with distributed.Client(sys.argv[1], set_as_default=False) as client:
    when_all(3, 11, lambda: print("sampling", flush=True))
    posterior = cz.sample(cz.Uniform(20), jumps=10**9, settings=cz.Settings(warmup=10), chains=3,
                          executor=client, rng=1, progress=False)
    print(posterior._interrupted, len(posterior._results), min(s.jumps for s in posterior.statistics) > 0, flush=True)
"""

FROZEN = """
import os, signal, sys, warnings
import distributed
import causal_zigzag as cz
from milestones import when_all
warnings.simplefilter("ignore")
with distributed.Client(sys.argv[1], set_as_default=False) as client:
    pid = min(client.run(os.getpid).values())
    def freeze():
        os.kill(pid, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGINT)
    when_all(3, 11, freeze)
    try:
        posterior = cz.sample(cz.Uniform(20), jumps=10**9, settings=cz.Settings(warmup=10), chains=3,
                              executor=client, rng=1, progress=False)
        print(len(posterior._results), flush=True)
    except KeyboardInterrupt as error:  # no worker was fast enough
        print(0, flush=True)
"""


def test_ctrl_c_does_not_wait_for_a_frozen_worker(address: str) -> None:
    command = [sys.executable, "-c", FROZEN, address]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment()
    ) as process:
        try:
            assert process.stdout is not None
            assert int(process.stdout.readline()) in range(3)
        finally:
            process.kill()


def test_ctrl_c(address: str) -> None:
    command = [sys.executable, "-c", SCRIPT, address]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment()
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "sampling\n"
            os.killpg(process.pid, signal.SIGINT)
            assert process.stdout.readline() == "True 3 True\n"
        finally:
            process.kill()


def test_the_command(address: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "causal_zigzag", "sample", "galton", "--jumps", "2000", "--seed", "1"]
    for more in ([], ["--scheduler", address]):
        out = tmp_path / f"{len(more)}.czz"
        subprocess.run([*command, *more, "--out", str(out)], check=True, capture_output=True, timeout=100)
    assert differing(cz.load(tmp_path / "0.czz"), cz.load(tmp_path / "2.czz")) == []
    nobody = subprocess.run(
        [*command, "--scheduler", "tcp://127.0.0.1:9"], check=False, capture_output=True, text=True, timeout=100
    )
    assert nobody.returncode == 1
    assert "no scheduler of Dask answers at 'tcp://127.0.0.1:9'" in nobody.stderr
