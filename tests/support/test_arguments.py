"""What users of other packages guess works, or its error names the right word; signatures do not change."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import causal_zigzag as cz


@pytest.mark.parametrize("name", ["seed", "random_state", "random_seed"])
@pytest.mark.parametrize("function", [cz.sample, cz.search, cz.Posterior.extend])
def test_functions_with_random_numbers_name_rng(function: Any, name: str) -> None:
    with pytest.raises(cz.SettingsError, match=f"{name}.*rng=7"):
        function(cz.Uniform(3), **{name: 7})


def test_the_signatures_are_unchanged() -> None:
    parameters = inspect.signature(cz.sample).parameters
    assert list(parameters)[:2] == ["data_or_score", "score"]
    assert parameters["rng"].default is None
    assert list(parameters)[-1] == "reading"
    assert (cz.sample.__name__, cz.sample.__module__) == ("sample", "causal_zigzag.sampling")
    with pytest.raises(cz.SettingsError, match="sample has no argument sede"):
        cz.sample(cz.Uniform(3), sede=1)  # type: ignore[call-arg]


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=300, rng=1)
    return cz.sample(table, jumps=2000, resamples=0, rng=1, progress=False)


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("n_chains", "chains"),
        ("n_jobs", "executor"),
        ("time", "minutes"),
        ("random_state", "rng=7"),
        ("warmup", "Settings"),
    ],
)
def test_guessed_arguments_of_sample(name: str, right: str) -> None:
    with pytest.raises(cz.SettingsError, match=f"{name}; write .*{right}"):
        cz.sample(cz.Uniform(3), **{name: 7})  # type: ignore[arg-type]


def test_guessed_arguments_of_methods(posterior: cz.Posterior) -> None:
    with pytest.raises(cz.SettingsError, match="outcome; write outcomes"):
        posterior.effects(outcome="wet")  # type: ignore[call-arg]
    with pytest.raises(cz.SettingsError, match="time; write minutes"):
        posterior.resample(time=3)  # type: ignore[call-arg]
    with pytest.raises(cz.SettingsError, match="n_chains; it has jumps"):
        posterior.extend(n_chains=3)  # type: ignore[call-arg]


def test_edge_table_with_a_least_probability(posterior: cz.Posterior) -> None:
    whole, likely = posterior.edge_table(), posterior.edge_table(least=0.5)
    assert 0 < len(likely) < len(whole) == 3
    assert (likely["adjacent"] >= 0.5).all()
    assert len(posterior.edge_table(least=0.5, strength=True)) == len(likely)


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("edges", r"edge_table\(\)"),
        ("adjustment_sets", r"effect\(x, y\)"),
        ("r_hat", "diagnostics"),
        ("graph", "consensus"),
    ],
)
def test_guessed_attributes(posterior: cz.Posterior, name: str, right: str) -> None:
    with pytest.raises(AttributeError, match=f"{name}'; write {right}"):
        getattr(posterior, name)
    assert not hasattr(posterior, "nothing_like_this")
    exact = cz.exact_posterior(cz.Uniform(2))
    with pytest.raises(AttributeError, match=r"'r_hat'$"):  # an exact posterior has no diagnostics
        _ = exact.r_hat  # type: ignore[attr-defined]


def test_an_error_within_a_property_is_its_own(posterior: cz.Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cz.Posterior, "nodes", property(lambda self: self.target.nothing))
    with pytest.raises(AttributeError, match="nothing"):
        _ = posterior.nodes
