"""Settings and Target: every way to make one validates it, and their defaults are those of the public functions."""

import inspect
from dataclasses import fields, replace
from typing import Any

import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.edge_prior import EdgePrior
from causal_zigzag.target.target import Target


def test_the_defaults_of_sample_are_those_of_settings_and_target() -> None:
    parameters = inspect.signature(cz.sample).parameters
    assert parameters["jumps"].default is None  # until converged, in stretches
    assert parameters["minutes"].default == 1  # None without jumps
    for name in ("momentum", "balance", "chains"):
        assert parameters[name].default == getattr(RunSettings, name)
    for name in ("coldness", "max_degree", "knowledge"):
        assert parameters[name].default == getattr(Target, name)


def test_what_experts_set_is_no_argument_of_sample() -> None:
    assert not {field.name for field in fields(cz.Settings)} & {*inspect.signature(cz.sample).parameters}
    with pytest.raises(TypeError, match="positional"):
        cz.Settings(100)  # type: ignore[misc]


def test_numbers_are_normalized() -> None:
    settings = RunSettings(jumps=1e6, momentum=1, minutes=2)  # type: ignore[arg-type]
    assert settings == RunSettings(jumps=1_000_000, momentum=1.0, minutes=2.0)
    assert [type(v) for v in (settings.jumps, settings.momentum, settings.minutes)] == [int, float, float]


@pytest.mark.parametrize(
    "change",
    [
        {"momentum": 1.5},
        {"balance": "none"},
        {"jumps": 0},
        {"warmup": -1},
        {"chains": 2.5},
        {"max_classes": 1},
        {"cache_bytes": -1},
        {"trace_points": 0},
        {"minutes": 0},
    ],
    ids=str,
)
def test_replacing_a_setting_validates(change: dict[str, Any]) -> None:
    with pytest.raises(cz.SettingsError, match="|".join(change)):
        replace(RunSettings(), **change)


@pytest.mark.parametrize(
    "change",
    [
        {"score": 3},
        {"coldness": float("inf")},
        {"edge_prior": "auto"},
        {"max_degree": 0},
    ],
    ids=str,
)
def test_replacing_a_part_of_a_target_validates(change: dict[str, Any]) -> None:
    with pytest.raises(cz.SettingsError, match="|".join(change).replace("_", ".")):
        replace(Target.read(cz.Uniform(3)), **change)


def test_pairs_apart_are_sorted_and_distinct() -> None:
    target = Target(cz.Uniform(3), knowledge=cz.Knowledge(apart=[(2, 1), (1, 0), (0, 1)]))
    assert target.apart == [(0, 1), (1, 2)]


@pytest.mark.parametrize("bad", [{"cost": float("nan")}, {"table": (0.0, float("-inf"))}, {"table": ("a",)}], ids=str)
def test_an_edge_prior_has_finite_numbers(bad: dict[str, Any]) -> None:
    with pytest.raises(cz.SettingsError, match="must be finite numbers"):
        EdgePrior(**bad)
