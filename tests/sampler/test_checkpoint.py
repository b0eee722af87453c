"""Checkpoints: an interrupted run continues to the same posterior; damaged or different files raise or warn."""

import dataclasses
import errno
import os
import shutil
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.facts import shortfalls
from causal_zigzag.sampler import driver
from causal_zigzag.sampler import run as run_file
from causal_zigzag.sampler.checkpoint import chain_files
from causal_zigzag.sampler.checkpoint.chain_files import ChainFiles
from causal_zigzag.sampler.checkpoint.checkpoint import Checkpoint
from causal_zigzag.sampling import resume
from causal_zigzag.storage import container
from equality import differing
from experts import options
from milestones import let_time_run_out
from targets import gaussian_data

DATA = gaussian_data(8, 200, seed=3)
SETTINGS = {"jumps": 4000, "warmup": 500, "chains": 2, "rng": 5, "progress": False, "max_classes": 200}


def run(**more: object) -> cz.Posterior:
    return cz.sample(cz.GaussianBIC(DATA), **options(**{**SETTINGS, **more}))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole() -> cz.Posterior:
    """The run without an interruption."""
    return run()


class HaltError(Exception):
    """Ends a run at an arbitrary point, as a kill does."""


@pytest.fixture
def halted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The checkpoint of a run that died after some slices, with at least two files for the first chain."""
    halt(tmp_path / "run", 12, monkeypatch)
    return tmp_path / "run"


def halt(folder: Path, slices: int, monkeypatch: pytest.MonkeyPatch, **more: object) -> None:
    left = slices
    look = driver.Driver._look

    def tire(self: driver.Driver, jumps: int) -> bool:
        nonlocal left
        left -= self._store.number == 0
        if left < 0:
            raise HaltError
        return look(self, jumps)

    with monkeypatch.context() as patch:
        patch.setattr(driver, "SLICE", 0.0)  # 32 events a slice
        patch.setattr(driver.Driver, "_look", tire)
        with pytest.raises(HaltError):
            run(checkpoint=folder, checkpoint_interval=0, **more)


def newest(folder: Path, chain: int = 0) -> list[Path]:
    return sorted(folder.glob(f"chain-{chain:05}-*.state"), reverse=True)


# ---- continuing


def test_a_checkpoint_does_not_change_the_result(whole: cz.Posterior, tmp_path: Path) -> None:
    assert differing(run(checkpoint=tmp_path / "a" / "b", checkpoint_interval=0), whole) == []


def test_a_killed_run_continues_to_the_same_posterior(whole: cz.Posterior, halted: Path) -> None:
    assert len(newest(halted)) == 2
    assert differing(run(checkpoint=halted), whole) == []


@pytest.mark.parametrize("slices", [3, 10, 17, 25, 40, 60, 90])
def test_a_run_that_was_killed_in_an_automatic_warm_up(
    slices: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    halt(tmp_path, slices, monkeypatch, warmup=None)
    assert differing(run(checkpoint=tmp_path, warmup=None), run(warmup=None)) == []


def test_resume_needs_only_the_directory(whole: cz.Posterior, halted: Path) -> None:
    posterior = resume(halted)
    assert differing(posterior, whole) == []
    assert (
        dataclasses.replace(posterior.settings, checkpoint_interval=whole.settings.checkpoint_interval)
        == whole.settings
    )
    assert posterior.record.seed == 5
    assert posterior.score.total(posterior.top(1)[0].graph) == whole.top(1)[0].score


def test_the_directory_may_be_moved(whole: cz.Posterior, halted: Path) -> None:
    moved = halted.rename(halted.with_name("elsewhere"))
    assert differing(resume(moved), whole) == []


def test_a_finished_run_makes_no_more_jumps(
    whole: cz.Posterior, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(checkpoint=tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    steps = []
    monkeypatch.setattr(ChainFiles, "save_if_due", lambda *_: steps.append(1))
    assert differing(run(checkpoint=tmp_path), whole) == []
    assert steps == []
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_run_can_be_extended(tmp_path: Path) -> None:
    run(checkpoint=tmp_path, jumps=1000)
    assert differing(run(checkpoint=tmp_path, jumps=3000), run(jumps=3000)) == []
    assert differing(resume(tmp_path, jumps=5000), run(jumps=5000)) == []
    assert resume(tmp_path).settings.jumps == 5000  # the new length is stored


def test_an_automatic_warm_up_stays_the_same_in_a_longer_run(tmp_path: Path) -> None:
    first = run(checkpoint=tmp_path, jumps=1000, warmup=None, anneal=False, balance="sqrt")
    longer = run(checkpoint=tmp_path, jumps=3000, warmup=None, anneal=False, balance="sqrt")
    chosen = [s.warmup for s in first.statistics]
    assert [s.warmup for s in longer.statistics] == chosen
    for number, warmup in enumerate(chosen):
        alone, fixed = longer.by_chain()[number], run(jumps=3000, warmup=warmup, balance="sqrt").by_chain()[number]
        assert alone.top(5) == fixed.top(5)
        assert np.array_equal(alone.trace()[0].score, fixed.trace()[0].score)


def test_a_drawn_seed_is_kept(tmp_path: Path) -> None:
    first = run(checkpoint=tmp_path, jumps=1000, rng=None)
    longer = run(checkpoint=tmp_path, jumps=2000, rng=None)
    assert first.record.seed == longer.record.seed
    assert differing(longer, run(jumps=2000, rng=first.record.seed)) == []


def test_a_generator_as_rng(tmp_path: Path) -> None:
    first = run(checkpoint=tmp_path, jumps=1000, rng=np.random.default_rng(8))
    assert differing(run(checkpoint=tmp_path, jumps=1000, rng=np.random.default_rng(8)), first) == []
    with pytest.raises(cz.CheckpointError, match="rng"):
        run(checkpoint=tmp_path, jumps=1000, rng=np.random.default_rng(9))


def test_the_duration_is_that_of_all_calls(tmp_path: Path) -> None:
    first = run(checkpoint=tmp_path, jumps=1000)
    second = run(checkpoint=tmp_path, jumps=2000)
    assert 0 < first.record.seconds < second.record.seconds
    assert first.record.started == second.record.started


class Fewer(cz.Score):
    """A user's score."""

    def local(self, node: object, parents: tuple) -> float:
        return -1.5 * len(parents)


class Fewest(Fewer):
    """Another one."""

    def local(self, node: object, parents: tuple) -> float:
        return -2.5 * len(parents)


def test_a_users_score(tmp_path: Path) -> None:
    cz.sample(Fewer(list("abcd")), **options(**{**SETTINGS, "jumps": 500}, checkpoint=tmp_path))
    longer = cz.sample(Fewer(list("abcd")), **options(**SETTINGS, checkpoint=tmp_path))
    assert differing(longer, cz.sample(Fewer(list("abcd")), **options(**SETTINGS))) == []
    with pytest.raises(cz.CheckpointError, match=r"Fewer\(4 nodes\)"):
        resume(tmp_path)
    with pytest.raises(cz.CheckpointError, match=r"Fewer\(4 nodes\) .*Fewest\(4 nodes\)"):
        cz.sample(Fewest(list("abcd")), **options(**SETTINGS, checkpoint=tmp_path))


@pytest.mark.parametrize(
    "score", [cz.Uniform(6), cz.BDeu({"a": list("xyxyx"), "b": list("uuvvv"), "c": list("ststt")})]
)
def test_other_targets(score: cz.Score, tmp_path: Path) -> None:
    cz.sample(score, **options(**{**SETTINGS, "jumps": 300}, checkpoint=tmp_path))
    assert differing(resume(tmp_path, jumps=2000), cz.sample(score, **options(**{**SETTINGS, "jumps": 2000}))) == []


def test_frozen_chains(tmp_path: Path) -> None:
    with pytest.warns(cz.SamplingWarning, match="froze"):
        first = run(checkpoint=tmp_path, coldness=1e6)
    with pytest.warns(cz.SamplingWarning, match="froze"):
        assert differing(run(checkpoint=tmp_path, coldness=1e6), first) == []


# ---- what is refused


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"coldness": 0.5}, "coldness was 1.0 and is 0.5"),
        ({"edge_prior": None}, "edge_prior was .* and is none"),
        ({"max_degree": 3}, "max_degree was None and is 3"),
        ({"knowledge": cz.Knowledge(apart=[(0, 1)])}, "knowledge was None and is .*never joined: 0 and 1"),
        ({"momentum": 0.5}, "momentum was 1.0 and is 0.5"),
        ({"balance": "barker"}, "balance was 'auto' and is 'barker'"),
        ({"chains": 3}, "chains was 2 and is 3"),
        ({"warmup": 10}, "warmup was 500 and is 10"),
        ({"max_classes": 10}, "max_classes was 200 and is 10"),
        ({"start": cz.CPDAG.complete(8)}, "start was .* and is .*28 undirected"),
        ({"rng": 6}, "rng gives other numbers: its seed was 5 and is 6"),
    ],
)
def test_other_settings_are_refused(more: dict, message: str, halted: Path) -> None:
    before = {path: path.read_bytes() for path in halted.iterdir()}
    with pytest.raises(cz.CheckpointError, match=message):
        run(checkpoint=halted, **more)
    assert {path: path.read_bytes() for path in halted.iterdir()} == before


def test_another_score_or_other_data_are_refused(halted: Path) -> None:
    def go_on(score: cz.Score) -> None:
        cz.sample(score, **options(**SETTINGS, checkpoint=halted))

    with pytest.raises(cz.CheckpointError, match=r"data of GaussianBIC\("):
        go_on(cz.GaussianBIC(gaussian_data(8, 200, seed=4)))
    with pytest.raises(cz.CheckpointError, match=r"GaussianBIC\(.* BGe\("):
        go_on(cz.BGe(DATA))
    with pytest.raises(cz.CheckpointError, match=r"penalty .*1.0 .*2.0"):
        go_on(cz.GaussianBIC(DATA, penalty=2.0))
    with pytest.raises(cz.CheckpointError, match=r"the nodes were 0, 1, .* and are a, b"):
        go_on(cz.GaussianBIC.from_covariance(np.cov(DATA.T), 200, nodes=list("abcdefgh")))


def test_data_with_other_rounding_are_the_same(whole: cz.Posterior, halted: Path) -> None:
    score = cz.GaussianBIC(DATA)
    correlation = score._correlation * (1 + 1e-15)
    object.__setattr__(score, "_correlation", correlation)
    assert differing(cz.sample(score, **options(**SETTINGS, checkpoint=halted)), whole) == []


def test_a_directory_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("dear reader")
    with pytest.raises(cz.CheckpointError, match=r"thesis.tex"):
        run(checkpoint=tmp_path)
    with pytest.raises(cz.CheckpointError, match="it is a file"):
        run(checkpoint=tmp_path / "thesis.tex")
    with pytest.raises(cz.CheckpointError, match="no such directory"):
        resume(tmp_path / "nothing")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("bad", [3, b"bytes", ["a"], ""])
def test_a_checkpoint_is_a_path(bad: object) -> None:
    with pytest.raises(cz.SettingsError, match="checkpoint must be"):
        run(checkpoint=bad)


@pytest.mark.parametrize("bad", [-1, float("inf"), float("nan"), "often", None])
def test_an_interval_is_a_number(bad: object, tmp_path: Path) -> None:
    with pytest.raises(cz.SettingsError, match="checkpoint_interval"):
        run(checkpoint=tmp_path, checkpoint_interval=bad)


# ---- damage


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "flipped":
        content[len(content) // 2] ^= 16
    elif how == "cut":
        del content[len(content) // 2 :]
    elif how == "emptied":
        content.clear()
    path.write_bytes(content)


@pytest.mark.parametrize("how", ["flipped", "cut", "emptied"])
def test_the_file_before_a_damaged_one_is_used(how: str, whole: cz.Posterior, halted: Path) -> None:
    damage(newest(halted)[0], how)
    with pytest.warns(
        cz.SamplingWarning,
        match=r"chain 0: .*checksum .*continued from",
    ):
        assert differing(run(checkpoint=halted), whole) == []


def test_a_change_of_any_byte_is_detected(halted: Path) -> None:
    path = newest(halted)[0]
    content, name = path.read_bytes(), Checkpoint(halted).stored().name  # type: ignore[union-attr]
    chain_files.read_chain_file(path, name, 0)
    for at in np.random.default_rng(1).integers(len(content), size=200):
        bad = bytearray(content)
        bad[at] ^= 1
        path.write_bytes(bad)
        with pytest.raises(container.DamagedError):
            chain_files.read_chain_file(path, name, 0)


def test_a_chain_without_undamaged_files_starts_again(whole: cz.Posterior, halted: Path) -> None:
    for path in newest(halted):
        damage(path, "cut")
    with pytest.warns(cz.SamplingWarning, match="chain 0: .*began again"):
        assert differing(run(checkpoint=halted), whole) == []


@pytest.mark.parametrize("how", ["flipped", "cut", "emptied"])
def test_a_damaged_description_is_refused(how: str, halted: Path) -> None:
    damage(halted / "run.czz", how)
    with pytest.raises(cz.CheckpointError, match=r"run.czz is damaged"):
        run(checkpoint=halted)


def test_a_chain_file_of_another_run_is_refused(halted: Path, tmp_path: Path) -> None:
    run(checkpoint=tmp_path / "other", rng=6)
    shutil.copy(newest(tmp_path / "other")[0], halted / "chain-00000-000000000009999w.state")
    with pytest.raises(cz.CheckpointError, match="belongs to another run or chain"):
        run(checkpoint=halted)


def test_a_chain_file_of_another_version_is_refused(halted: Path) -> None:
    path, name = newest(halted)[0], Checkpoint(halted).stored().name  # type: ignore[union-attr]
    saved = chain_files.read_chain_file(path, name, 0)

    @dataclasses.dataclass
    class WarmUp:
        unknown: str = ""

    object.__setattr__(saved, "schedule", WarmUp())
    path.write_bytes(container.to_bytes(saved, (type(saved), WarmUp)))
    with pytest.raises(cz.CheckpointError, match=r"WarmUp\."):
        run(checkpoint=halted)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target", 3),
        ("settings", "settings"),
        ("start", cz.CPDAG.empty(3)),
        ("start", cz.CPDAG.complete(8)),  # beyond max_degree
        ("entropy", np.zeros(8)),
        ("entropy", np.zeros(3, dtype=np.uint32)),
        ("record", None),
        ("name", 7),
        ("others", (cz.CPDAG.empty(8),) * 2),
        ("others", (3,)),
    ],
)
def test_a_description_with_an_invalid_part_is_refused(field: str, value: object, tmp_path: Path) -> None:
    run(checkpoint=tmp_path, jumps=100, max_degree=5)
    stored = Checkpoint(tmp_path).stored()
    assert stored is not None
    assert run_file.from_bytes(run_file.to_bytes(stored)).name == stored.name
    object.__setattr__(stored, field, value)
    with pytest.raises(cz.FileError):
        run_file.from_bytes(container.to_bytes(stored, run_file.PARTS))


def test_a_file_that_holds_something_else_is_refused(halted: Path) -> None:
    path, name = newest(halted)[0], Checkpoint(halted).stored().name  # type: ignore[union-attr]
    state = path.read_bytes()
    path.write_bytes(container.to_bytes(3, ()))
    with pytest.raises(cz.CheckpointError, match="int"):
        chain_files.read_chain_file(path, name, 0)
    shutil.copy(halted / "run.czz", path)
    with pytest.raises(cz.CheckpointError, match="Run"):
        chain_files.read_chain_file(path, name, 0)
    with pytest.raises(cz.FileError, match="SavedChain"):
        run_file.from_bytes(state)


def test_a_run_of_another_version_warns(halted: Path, whole: cz.Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("causal_zigzag.sampler.checkpoint.checkpoint.package_version", lambda: "99.0")
    with pytest.warns(cz.SamplingWarning, match=r"version .*99\.0"):
        assert differing(resume(halted), whole) == []


# ---- a full disk


def test_a_run_on_a_full_disk_warns_and_gives_the_same_posterior(
    whole: cz.Posterior, halted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.read_bytes() for path in newest(halted)}
    real = os.fsync

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert differing(run(checkpoint=halted, checkpoint_interval=0), whole) == []
    assert (
        len([w for w in caught if "could be written" in str(w.message) and "No space left on device" in str(w.message)])
        == 2
    )
    assert {path: path.read_bytes() for path in newest(halted)} == before
    assert not [path for path in halted.iterdir() if path.name.endswith(".part")]
    monkeypatch.setattr(os, "fsync", real)
    assert differing(run(checkpoint=halted), whole) == []


def test_a_full_disk_at_the_start_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(cz.CheckpointError, match="No space left on device"):
        run(checkpoint=tmp_path)


# ---- one process at a time


def test_a_second_thread_is_refused(halted: Path) -> None:
    with Checkpoint(halted), pytest.raises(cz.CheckpointError, match=r"is in use by this process"):
        run(checkpoint=halted)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS])
def test_a_file_system_without_locks_is_refused(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(number, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(cz.CheckpointError, match="No locks available"):
        run(checkpoint=tmp_path / "here")


def test_the_lock_is_released_in_another_thread(halted: Path) -> None:
    checkpoint = Checkpoint(halted)
    checkpoint.__enter__()
    thread = threading.Thread(target=checkpoint.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    with Checkpoint(halted):
        pass


# ---- minutes


def test_minutes_end_a_run_that_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    let_time_run_out(3, 1000, monkeypatch)
    posterior = run(minutes=10, jumps=None, warmup=100, chains=3)
    assert not posterior._interrupted
    assert shortfalls(posterior) == []
    assert all(s.complete and s.jumps > 10 and s.warmup == 100 for s in posterior.statistics)
    assert posterior.settings.minutes == 10


def test_minutes_and_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_until(jumps: int) -> cz.Posterior:
        with monkeypatch.context() as patch:
            let_time_run_out(2, jumps, patch)
            return run(minutes=10, jumps=None, warmup=100, checkpoint=tmp_path)

    made = [s.jumps for s in run_until(1000).statistics]
    again = run_until(100 + max(made) + 1000)
    assert all(s.jumps > before for s, before in zip(again.statistics, made, strict=True))
    most = max(s.jumps for s in again.statistics)
    assert differing(resume(tmp_path, jumps=most + 100), run(jumps=most + 100, warmup=100)) == []


def test_a_warm_up_for_which_there_is_no_time_ends_by_the_clock() -> None:
    posterior = run(minutes=1e-6, jumps=None, warmup=10**9)
    assert [s.drifting for s in posterior.statistics] == [True, True]
    assert not posterior.diagnostics().ok


@pytest.mark.parametrize("bad", [0, -1, float("inf"), float("nan"), "ten", True])
def test_minutes_are_a_number(bad: object) -> None:
    with pytest.raises(cz.SettingsError, match="minutes must be"):
        run(minutes=bad, jumps=None)
