"""Where chains begin to sample is stored with a checkpoint, so that a resumed run continues as it was planned."""

import shutil
import warnings
from pathlib import Path

import pytest

import causal_zigzag as cz
from causal_zigzag.sampler import stages
from causal_zigzag.sampler.annealing import annealed_chain
from causal_zigzag.sampling import resume
from equality import differing
from targets import gaussian_data

SETTINGS: dict = {"chains": 2, "rng": 1, "progress": False}


def narrow(**more: object) -> cz.Posterior:
    return cz.sample(cz.GaussianBIC(gaussian_data(8, 200, seed=3)), **{"jumps": 500, **SETTINGS, **more})


def wide(**more: object) -> cz.Posterior:
    data = gaussian_data(130, 200, seed=3)
    data[:, 2] = data[:, 0] + data[:, 1] + 0.5 * data[:, 2]
    return cz.sample(cz.GaussianBIC(data), **{"jumps": 300, **SETTINGS, **more})


def test_a_run_of_many_nodes_continues_without_time_and_as_it_was_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = wide(checkpoint=tmp_path / "a")
    assert all(s.excursions is not None for s in first.statistics)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    whole = resume(tmp_path / "b", jumps=2000, progress=False)
    for module, name in ((annealed_chain, "polish"), (stages, "choose_plan")):
        monkeypatch.setattr(module, name, None)  # not called again
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cz.SamplingWarning)
        short = resume(tmp_path / "a", minutes=1e-5, progress=False)
    assert [s.annealing for s in short.statistics] == [s.annealing for s in first.statistics]
    assert differing(resume(tmp_path / "a", jumps=2000, progress=False), whole) == []


def test_chains_are_annealed_again_if_the_file_of_where_they_begin_is_damaged(tmp_path: Path) -> None:
    first = narrow(checkpoint=tmp_path)
    (tmp_path / "beginning.czz").write_bytes(b"PK")
    with pytest.warns(cz.SamplingWarning, match="annealed again"):
        assert differing(narrow(checkpoint=tmp_path), first) == []
    assert differing(narrow(checkpoint=tmp_path), first) == []
