"""Many chains on few processors, and several runs at once in the threads of one process."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.chain_task import ChainTask, Meter, Signal
from causal_zigzag.sampler.parallel import workers
from equality import differing
from experts import options
from milestones import let_time_run_out
from targets import gaussian_data

DATA = gaussian_data(6, 200, seed=3)
MANY = 16


class ByParents(cz.Score):
    """A score in Python, which the core calls from all threads."""

    def local(self, node: object, parents: tuple[object, ...]) -> float:
        return -0.75 * len(parents)


class AtOnce:
    """Counts the chains that run at the same time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.most = self.begun = 0
        self._lock = threading.Lock()
        self._run = workers.run_chain
        monkeypatch.setattr(workers, "run_chain", self.run_chain)

    def run_chain(self, task: ChainTask, stop: Signal | None = None, meter: Meter | None = None) -> object:
        with self._lock:
            self.now += 1
            self.begun += 1
            self.most = max(self.most, self.now)
        try:
            return self._run(task, stop, meter)
        finally:
            with self._lock:
                self.now -= 1


def test_many_chains_on_two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = AtOnce(monkeypatch)
    found = []
    for processors in (1, 2):
        at_once.most = at_once.begun = 0
        monkeypatch.setattr(workers, "cores", lambda processors=processors: processors)
        found.append(cz.sample(DATA, jumps=300, chains=MANY, rng=1, progress=False))
        assert at_once.begun == 2 * MANY  # annealing and sampling
        assert at_once.most <= processors  # so the memory is that of two chains, and the results of all
    assert len(found[0]._results) == MANY
    assert differing(*found) == []


def test_many_chains_by_the_clock_run_together(monkeypatch: pytest.MonkeyPatch) -> None:
    let_time_run_out(MANY, 200, monkeypatch)
    posterior = cz.sample(DATA, minutes=10, settings=cz.Settings(warmup=50), chains=MANY, rng=1, progress=False)
    assert len(posterior._results) == MANY
    assert all(s.jumps > 0 for s in posterior.statistics)


def runs(folder: Path) -> list[Callable[[], cz.Posterior]]:
    """Runs of different targets and kinds, the last one with a checkpoint."""
    settings = {"jumps": 1500, "chains": 2, "progress": False}
    return [
        lambda: cz.sample(DATA, **options(rng=1, **settings)),
        lambda: cz.sample((DATA > 0).astype(int), **options(rng=2, **settings)),
        lambda: cz.sample(ByParents(list("abcd")), **options(rng=3, **settings)),
        lambda: cz.sample(
            DATA[:, :4], **options(rng=4, checkpoint=folder, settings=cz.Settings(checkpoint_interval=0.1), **settings)
        ),
    ]


def test_runs_at_once_in_threads_are_those_one_after_another(tmp_path: Path) -> None:
    alone = [run() for run in runs(tmp_path / "alone")]
    together = threading.Barrier(len(alone))

    def begin(run: Callable[[], cz.Posterior]) -> cz.Posterior:
        together.wait(timeout=60)
        return run()

    with ThreadPoolExecutor(len(alone)) as pool:
        at_once = list(pool.map(begin, runs(tmp_path / "at once")))
    for first, second in zip(alone, at_once, strict=True):
        assert differing(first, second) == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("causal-zigzag")]


def test_a_checkpoint_of_a_run_in_another_thread(tmp_path: Path) -> None:
    def run(jumps: int, checkpoint: Path | None = None) -> cz.Posterior:
        return cz.sample(
            DATA, jumps=jumps, settings=cz.Settings(warmup=100), chains=2, rng=5, progress=False, checkpoint=checkpoint
        )

    with ThreadPoolExecutor(1) as pool:  # only the main thread can handle signals
        assert differing(pool.submit(run, 500, tmp_path).result(), run(500)) == []
        longer = pool.submit(cz.resume, tmp_path, 1500, progress=False).result()
    assert differing(longer, run(1500)) == []


def test_one_checkpoint_in_two_threads_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    halfway, over = threading.Event(), threading.Event()
    show = Meter.show

    def wait(self: Meter, made: int, edges: int, score: float) -> None:
        show(self, made, edges, score)
        if made >= 200:
            halfway.set()
            assert over.wait(timeout=60)

    monkeypatch.setattr(Meter, "show", wait)
    settings = {"jumps": 1000, "warmup": 100, "chains": 1, "rng": 5, "progress": False, "checkpoint": tmp_path}
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(cz.sample, DATA, **options(**settings))
        assert halfway.wait(timeout=60)
        try:
            with pytest.raises(cz.CheckpointError, match="is in use by this process"):
                cz.sample(DATA, **options(**settings))
        finally:
            over.set()
        assert len(first.result()._results) == 1
