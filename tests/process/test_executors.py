"""Chains in other processes give the same posterior as in threads; workers may die."""

import multiprocessing
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

import causal_zigzag as cz
from causal_zigzag import sampling
from causal_zigzag.posterior.diagnostics.goal import Distance
from causal_zigzag.sampler import driver
from causal_zigzag.sampler import settings as settings_module
from causal_zigzag.sampler.chain_task import Beginning, Meter
from causal_zigzag.sampler.checkpoint.checkpoint import Checkpoint
from causal_zigzag.sampler.parallel import shared_folder
from causal_zigzag.support import clock
from equality import differing
from experts import options
from milestones import at_jumps
from targets import gaussian_data

pytestmark = pytest.mark.nosanitize

SCORE = cz.GaussianBIC(gaussian_data(8, 200, seed=3))
SETTINGS = {"jumps": 3000, "warmup": 300, "chains": 3, "rng": 5, "progress": False, "max_classes": 200}


def run(executor: object = None, **more: object) -> cz.Posterior:
    return cz.sample(SCORE, **options(executor=executor, **{**SETTINGS, **more}))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole() -> cz.Posterior:
    return run()


def pool(workers: int = 2, method: str = "fork") -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(method))


class Inline(Executor):
    """Runs each task at once in this process, pickled in both directions as for another process."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        packed = pickle.dumps((fn, args, kwargs))
        self.sizes.append(len(packed))
        future: Future = Future()
        call, arguments, options = pickle.loads(packed)
        try:
            future.set_result(pickle.loads(pickle.dumps(call(*arguments, **options))))
        except BaseException as error:  # noqa: BLE001 - as executors do
            future.set_exception(error)
        return future


def test_a_process_pool_gives_the_posterior_of_threads(whole: cz.Posterior, tmp_path: Path) -> None:
    with pool() as workers:
        assert differing(run(workers), whole) == []
        assert differing(run(workers, checkpoint=tmp_path), whole) == []
        assert differing(run(workers, checkpoint=tmp_path), whole) == []
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("n", [20, 140, pytest.param(300, marks=pytest.mark.long)])
def test_annealed_and_polished_chains_do_not_depend_on_the_executor(n: int, tmp_path: Path) -> None:
    score = cz.GaussianBIC(gaussian_data(n, 400, seed=4))
    more: dict = {"jumps": 300, "chains": 3, "rng": 1, "progress": False, "max_degree": 6}
    threads = cz.sample(score, **more)
    assert all(s.annealing is not None for s in threads.statistics)
    with pool() as workers:
        assert differing(cz.sample(score, executor=workers, **more), threads) == []
        assert differing(cz.sample(score, executor=workers, checkpoint=tmp_path, **more), threads) == []
    assert differing(cz.resume(tmp_path, progress=False), threads) == []


def test_a_start_that_operators_lead_to_is_the_same_in_another_process() -> None:
    graph = cz.CPDAG.empty(8)
    for seed in range(20):
        graph = cz.random_operator(graph, rng=seed).apply(graph)
    assert differing(run(Inline(), start=graph), run(start=graph)) == []


def test_chains_with_their_own_starts() -> None:
    starts = [cz.CPDAG.empty(8), cz.CPDAG.complete(8), "ges"]
    with pool() as workers:
        assert differing(run(workers, start=starts), run(start=starts)) == []


def test_a_spawned_pool_gives_the_posterior_of_threads(whole: cz.Posterior) -> None:
    with pool(2, "spawn") as workers:
        assert differing(run(workers), whole) == []


def test_loky(whole: cz.Posterior) -> None:
    loky = pytest.importorskip("loky")
    with loky.ProcessPoolExecutor(2) as workers:
        assert differing(run(workers), whole) == []


class Fewer(cz.Score):
    """A user's score."""

    def local(self, node: object, parents: tuple) -> float:
        return -1.5 * len(parents)


def test_a_users_score() -> None:
    score = Fewer(list("abcd"))
    with pool() as workers:
        assert (
            differing(
                cz.sample(score, **options(executor=workers, **SETTINGS)), cz.sample(score, **options(**SETTINGS))
            )
            == []
        )


def test_no_folder_is_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pool() as workers:
        run(workers, jumps=100)
        with pytest.raises(cz.ScoreError, match="this score fails"):
            cz.sample(Failing(3), **options(executor=workers, **SETTINGS))
    assert [*tmp_path.iterdir()] == []


class Failing(cz.Score):
    """Fails in workers, but not in the main process, which tests it for equivalence."""

    def local(self, node: object, parents: tuple) -> float:
        if multiprocessing.parent_process() is not None:
            raise cz.ScoreError("this score fails")
        return 0.0


def test_a_warning_if_there_was_no_time_for_some_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    at_jumps(500, lambda _: monkeypatch.setattr(clock, "now", lambda: 1e12), monkeypatch)  # in the first chain
    with pytest.warns(cz.SamplingWarning, match="1 of 3 chains"):
        posterior = run(Inline(), jumps=None, minutes=10)
    assert [s.chain for s in posterior.statistics] == [0]


# ---- progress and the signal to stop


def test_chains_in_workers_report_their_progress(tmp_path: Path) -> None:
    watched, meter = shared_folder.SharedFolder(str(tmp_path)), Meter()
    assert not watched.read(4, meter)
    shown = shared_folder.WorkerMeter(folder=watched.path, number=4)
    shown.show(1234, 56, -7.5)
    assert watched.read(4, meter)
    assert (meter.jumps, meter.edges, meter.score) == (1234, 56, -7.5)
    assert not shown.is_set()
    watched.stop()
    assert shown.is_set()
    watched.remove()
    assert shown.is_set()
    shown.show(1, 2, 3.0)  # without the folder it has no effect and raises nothing
    elsewhere = shared_folder.WorkerMeter(folder=watched.path, number=4)
    assert not elsewhere.is_set()


def test_progress_is_streamed_from_workers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker waits after every 1000 jumps until they were read, so the bar shows them at any speed."""
    show, read = shared_folder.WorkerMeter.show, shared_folder.SharedFolder.read

    def show_and_wait(self: shared_folder.WorkerMeter, jumps: int, edges: int, score: float) -> None:
        before = self.jumps
        show(self, jumps, edges, score)
        answer = Path(self.folder, f"read-{self.number}")
        if jumps // 1000 > before // 1000:
            while not answer.exists() or int(answer.read_text() or 0) < jumps:
                time.sleep(0.001)

    def read_and_answer(self: shared_folder.SharedFolder, number: int, meter: Meter) -> bool:
        found = read(self, number, meter)
        Path(self.path, f"read-{number}").write_text(str(meter.jumps))
        return found

    monkeypatch.setattr(driver, "SLICE", 0.0)
    monkeypatch.setattr(shared_folder, "UPDATE_INTERVAL", 0.0)
    monkeypatch.setattr(shared_folder.WorkerMeter, "show", show_and_wait)
    monkeypatch.setattr(shared_folder.SharedFolder, "read", read_and_answer)
    with pool() as workers:
        run(workers, progress=True)
    text = capsys.readouterr().err
    shown = {int(part.split("%")[0].split()[-1]) for part in text.split("\r") if "%" in part}
    assert len(shown) >= 5  # 2 chains at once stop at least 3 times each; whole chains alone would show 4 values
    assert 100 in shown
    assert any(0 < percent < 33 for percent in shown)  # before the first chain has ended


# ---- workers that die


def die_once(marker: str):  # type: ignore[no-untyped-def]
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)


class Deadly(cz.Score):
    """Kills the first process that evaluates it, other than the one that created it."""

    def __init__(self, marker: str) -> None:
        super().__init__(4)
        self.marker, self.home = marker, os.getpid()

    def local(self, node: object, parents: tuple) -> float:
        if os.getpid() != self.home and len(parents) == 3:
            die_once(self.marker)
        return -0.5 * len(parents)


def test_the_error_for_a_dead_worker_names_a_remedy(tmp_path: Path) -> None:
    score, folder = Deadly(str(tmp_path / "marker")), tmp_path / "run"
    with pool() as workers, pytest.raises(cz.WorkerError, match=r"chain \d .*checkpoint="):
        cz.sample(score, **options(executor=workers, **SETTINGS))
    (tmp_path / "marker").unlink()
    with pool() as workers, pytest.raises(cz.WorkerError, match=r"continues from the checkpoint .*run"):
        cz.sample(
            score,
            **options(executor=workers, **SETTINGS, checkpoint=folder, settings=cz.Settings(checkpoint_interval=0)),
        )
    with pool() as workers:
        posterior = cz.sample(score, **options(executor=workers, **SETTINGS, checkpoint=folder))
    assert differing(posterior, cz.sample(score, **options(**SETTINGS))) == []


def test_a_broken_pool_returns_what_earlier_stretches_have_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_module, "STRETCH", 3000)
    monkeypatch.setattr(settings_module, "STRETCH_PER_NODE", 0)
    with pool() as workers:

        def kill(_: cz.Posterior) -> Distance:
            for process in workers._processes.values():
                process.kill()
            return Distance(0.1, 1.2, False)

        monkeypatch.setattr(sampling, "distance_to_goal", kill)
        with pytest.warns(cz.SamplingWarning) as caught:
            kept = run(workers, jumps=None)
    died, _ = map(str, (warning.message for warning in caught))
    assert re.search(r"the worker of chain \d died.*checkpoint=", died)
    assert kept._interrupted
    assert [s.jumps for s in kept.statistics] == [3000] * 3


class Forgetful(Inline):
    """Loses its first and third task."""

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future = super().submit(fn, *args, **kwargs)
        if len(self.sizes) in (1, 3):
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
        return future


def test_a_lost_task_is_submitted_again(whole: cz.Posterior) -> None:
    executor = Forgetful()
    assert differing(run(executor), whole) == []
    assert len(executor.sizes) == 5


def test_a_chain_whose_workers_always_die_raises_an_error() -> None:
    class Never(Executor):
        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            future: Future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(cz.WorkerError, match="the worker of chain 0 died"):
        run(Never(), chains=1)


@pytest.mark.parametrize("bad", [4, "threads", pool])
def test_values_that_are_no_executor_are_refused(bad: object) -> None:
    with pytest.raises(cz.SettingsError, match="executor must be"):
        run(bad)


# ---- MPI


MPI = """
import sys
from mpi4py.futures import MPIPoolExecutor
import numpy as np
import causal_zigzag as cz
if __name__ == "__main__":
    score = cz.GaussianBIC(np.load(sys.argv[1]))
    with MPIPoolExecutor(2) as executor:
        posterior = cz.sample(score, executor=executor, jumps=3000, chains=3, rng=5, progress=False,
                              settings=cz.Settings(warmup=300, max_classes=200))
    posterior.save(sys.argv[2])
"""


@pytest.mark.long
def test_mpi(whole: cz.Posterior, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    import numpy as np

    mpiexec = Path(sys.executable).with_name("mpiexec")
    if not mpiexec.exists():
        pytest.skip("no mpiexec beside Python; the package mpich has one")
    (tmp_path / "script.py").write_text(MPI)
    np.save(tmp_path / "data.npy", gaussian_data(8, 200, seed=3))
    command = [mpiexec, "-n", "3", sys.executable, "-m", "mpi4py.futures", "script.py", "data.npy", "out.czz"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            output = "it did not end within 300 seconds"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if not (tmp_path / "out.czz").exists() and "MPI" in output and "causal_zigzag" not in output:
        pytest.skip(f"MPI does not run here: {output[-200:]}")
    assert (tmp_path / "out.czz").exists(), output
    assert differing(cz.load(tmp_path / "out.czz"), whole) == []


# ---- folders that other programs delete


class Cleaned(Inline):
    """Deletes a folder at the first jumps of the second chain that it runs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folders: Callable[[], Iterable[Path]]) -> None:
        super().__init__()
        self.folders, self.cleaned = folders, False
        at_jumps(500, self.clean, monkeypatch)

    def clean(self, meter: Meter) -> None:
        if len(self.sizes) == 2 and not self.cleaned:
            self.cleaned = True
            for folder in self.folders():
                shutil.rmtree(folder)


def test_no_chain_is_lost_with_the_shared_folder(
    whole: cz.Posterior, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its absence was read as the signal to stop, and the run ended with fewer chains."""
    monkeypatch.setattr(driver, "SLICE", 0.0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    executor = Cleaned(monkeypatch, lambda: tmp_path.glob(".workers-*"))
    assert differing(run(executor), whole) == []
    assert executor.cleaned
    assert len(executor.sizes) == 4  # the second chain ran again
    assert [*tmp_path.iterdir()] == []


def test_a_shared_folder_that_is_always_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_folder.SharedFolder, "is_there", True)  # so that it is not made again
    monkeypatch.setattr(driver, "SLICE", 0.0)
    folders = []
    made = shared_folder.SharedFolder.__init__

    def note(self: shared_folder.SharedFolder, checkpoint: str | None) -> None:
        made(self, checkpoint)
        folders.append(Path(self.path))

    monkeypatch.setattr(shared_folder.SharedFolder, "__init__", note)
    at_jumps(500, lambda _: Path(folders[0], "running").unlink(missing_ok=True), monkeypatch)
    with pytest.raises(cz.WorkerError, match="the folder through which it reports was deleted"):
        run(Inline(), chains=1)


@pytest.mark.parametrize("inline", [True, False], ids=["workers", "threads"])
def test_a_checkpoint_that_is_deleted(inline: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It ended with a KeyboardInterrupt that nobody had pressed, or asked for a directory that all workers share."""
    monkeypatch.setattr(driver, "SLICE", 0.0)
    monkeypatch.setattr(settings_module, "STRETCH", 3000)
    monkeypatch.setattr(settings_module, "STRETCH_PER_NODE", 0)
    folder = tmp_path / "run"
    if inline:
        executor = Cleaned(monkeypatch, lambda: [folder])
        with pytest.raises(cz.CheckpointError, match=r"run' was deleted or moved while the run used it"):
            run(executor, checkpoint=folder)

    def delete(_: cz.Posterior) -> Distance:
        shutil.rmtree(folder)
        return Distance(0.1, 1.2, False)

    monkeypatch.setattr(sampling, "distance_to_goal", delete)
    with pytest.warns(cz.SamplingWarning) as caught:
        kept = run(Inline() if inline else None, checkpoint=folder, jumps=None)
    assert any("was deleted or moved while the run used it" in str(warning.message) for warning in caught)
    assert [s.jumps for s in kept.statistics] == [3000] * 3  # what the first stretch has sampled
    assert kept._interrupted


def test_a_checkpoint_that_vanishes_after_the_annealing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    score, folder = cz.GaussianBIC(gaussian_data(20, 400, seed=4)), tmp_path / "run"
    keep = Checkpoint.keep_beginning

    def delete(self: Checkpoint, beginning: Beginning) -> None:
        keep(self, beginning)
        shutil.rmtree(folder)

    monkeypatch.setattr(Checkpoint, "keep_beginning", delete)
    with pytest.raises(cz.CheckpointError, match="was deleted or moved while the run used it"):
        cz.sample(score, jumps=300, chains=2, rng=1, progress=False, max_degree=6, checkpoint=folder)


# ---- executors and memory that cannot be had


def test_executors_that_are_shut_down() -> None:
    for executor in (ThreadPoolExecutor(1), pool(1)):
        executor.shutdown()
        with pytest.raises(cz.SettingsError, match=r"executor takes no chains .*give one that is not shut down"):
            run(executor)


def test_a_score_that_cannot_be_pickled() -> None:
    class Local(Fewer):
        """Known inside of this function alone."""

    with pool(1) as workers, pytest.raises(cz.SettingsError, match=r"Local.* cannot be sent to another process"):
        cz.sample(Local(3), **options(executor=workers, **SETTINGS))


def test_memory_for_threads_or_chains_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    words = r"not enough memory for 3 chains at once \({}\), which may take up to 0\.2 GiB; use fewer chains"

    def fail(*_: object, **__: object) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr("causal_zigzag.sampler.parallel.workers.run_chain", fail)
    with pytest.raises(cz.SettingsError, match=words.format("std::bad_alloc")):
        run(jumps=None, minutes=1)

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(ThreadPoolExecutor, "submit", refuse)
    with pytest.raises(cz.SettingsError, match=words.format("can't start new thread")):
        run(jumps=None, minutes=1)


LIMITED = """
import resource, sys, warnings
import numpy as np
import causal_zigzag as cz
warnings.simplefilter("ignore")
data = np.load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000,) * 2)
try:
    cz.sample(data, chains=32, minutes=0.2, rng=1, progress=False)
    print("enough")
except cz.SettingsError as error:
    print(error)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep this limit")
def test_a_limit_of_memory_ends_in_words(tmp_path: Path) -> None:
    """It aborted the process, or raised an error of Python that said nothing of chains."""
    import numpy as np

    np.save(tmp_path / "data.npy", gaussian_data(300, 500, seed=1))
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "data.npy")]
    limited = subprocess.run(command, capture_output=True, check=False, text=True, timeout=500)
    assert limited.returncode == 0, limited.stderr[-2000:]
    assert limited.stdout == "enough\n" or "not enough memory for 32 chains at once" in limited.stdout
