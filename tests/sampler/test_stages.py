"""Runs until converged: stretches give the result of one long run, and end at the goal or by the clock."""

from __future__ import annotations

import math
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import causal_zigzag as cz
from causal_zigzag import sampling
from causal_zigzag.posterior.diagnostics.goal import Distance
from causal_zigzag.sampler import settings as settings_module
from causal_zigzag.sampler.parallel import progress
from causal_zigzag.sampler.settings import RunSettings, first_stretch
from equality import differing
from experts import options
from milestones import let_time_run_out
from targets import gaussian_data

SCORE = cz.GaussianBIC(gaussian_data(6, 60, seed=3))
STRETCH = 2000


@pytest.fixture(autouse=True)
def _short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_module, "STRETCH", STRETCH)
    monkeypatch.setattr(settings_module, "STRETCH_PER_NODE", 0)


def reach_goal_at(monkeypatch: pytest.MonkeyPatch, jumps: float) -> None:
    """The goal is reached by runs with this number of jumps."""

    def distance(run: cz.Posterior) -> Distance:
        return Distance(0.1, 1.2, run.settings.jumps >= jumps)

    monkeypatch.setattr(sampling, "distance_to_goal", distance)


def run(**settings: Any) -> cz.Posterior:
    return cz.sample(SCORE, **options(chains=2, rng=5, progress=False, **settings))


def in_one_stretch(monkeypatch: pytest.MonkeyPatch) -> cz.Posterior:
    with monkeypatch.context() as patched:
        reach_goal_at(patched, 0)
        patched.setattr(sampling, "first_stretch", lambda _: 4 * STRETCH)
        return run()


def test_stretches_give_the_result_of_one_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    reach_goal_at(monkeypatch, 4 * STRETCH)
    stretched = run()
    assert stretched.settings.jumps == 4 * STRETCH
    assert not differing(stretched, in_one_stretch(monkeypatch))


def test_a_run_that_ended_early_continues_from_its_checkpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reach_goal_at(monkeypatch, STRETCH)
    run(checkpoint=tmp_path)
    reach_goal_at(monkeypatch, 4 * STRETCH)
    continued = cz.resume(tmp_path, progress=False)
    assert not differing(continued, in_one_stretch(monkeypatch))
    assert continued.record is not None
    assert not continued.record.extended


def test_processes_give_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    reach_goal_at(monkeypatch, 4 * STRETCH)
    short = f"from causal_zigzag.sampler import settings as s; s.STRETCH, s.STRETCH_PER_NODE = {STRETCH}, 0"
    with ProcessPoolExecutor(2, initializer=exec, initargs=(short,)) as pool:  # not all start methods fork
        assert not differing(run(executor=pool), run())


def test_a_fixed_length_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    reach_goal_at(monkeypatch, math.inf)
    fixed = run(jumps=1000)
    assert [s.jumps for s in fixed.statistics] == [1000, 1000]
    assert not fixed.settings.converge


def test_a_run_that_never_converges_ends_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    reach_goal_at(monkeypatch, math.inf)
    let_time_run_out(2, 8 * STRETCH, monkeypatch)
    assert all(s.jumps > 4 * STRETCH and s.complete for s in run().statistics)


def test_chains_that_cannot_move_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    reach_goal_at(monkeypatch, math.inf)
    with pytest.warns(cz.SamplingWarning, match="froze"):
        frozen = run(coldness=1e6, anneal=False)
    assert all(s.frozen for s in frozen.statistics)
    assert frozen.settings.jumps == 2 * STRETCH


def test_ctrl_c_in_a_later_stretch_keeps_the_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    reach_goal_at(monkeypatch, math.inf)
    from causal_zigzag.sampler import stages

    original, calls = stages.run_chains, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:  # annealing, the first stretch, the second
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(stages, "run_chains", interrupted)
    with pytest.warns(cz.SamplingWarning, match="interrupted"):
        kept = run()
    assert kept._interrupted
    assert [s.jumps for s in kept.statistics] == [STRETCH, STRETCH]


def test_the_first_stretch_grows_with_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert [first_stretch(n) for n in (3, 40, 100, 1000, 2000)] == [200_000, 200_000, 500_000, 200_000, 400_000]
    assert RunSettings.jumps == first_stretch(3)


def test_progress_is_shown_in_notebooks_and_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    import types

    assert not progress.is_shown(None)  # the standard error of tests is no terminal
    assert progress.is_shown(True)
    notebook = types.ModuleType("IPython")
    shell = type("ZMQInteractiveShell", (), {})()
    notebook.get_ipython = lambda: shell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    assert progress.is_shown(None)
    assert not progress.is_shown(False)


def test_a_distance_in_words() -> None:
    assert str(Distance(0.0349, 1.2345, False)) == "errors ±0.035 of ±0.02, R-hat 1.23 of 1.05"
    assert str(Distance(math.nan, math.nan, False)) == "errors ±? of ±0.02, R-hat ? of 1.05"
