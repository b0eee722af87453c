"""Values that nobody would pass: an error of the package that names them, in a few thousand characters at most."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from targets import gaussian_data

pytestmark = [pytest.mark.nosanitize, pytest.mark.filterwarnings("ignore::UserWarning")]

DATA = gaussian_data(3, 40, seed=1)
RUN: dict[str, Any] = {"jumps": 20, "chains": 1, "rng": 1, "progress": False}

VALUES: dict[str, Any] = {
    "array": np.array([1, 2]),
    "missing": pd.NA,
    "digits": 10**400,
    "nan": float("nan"),
    "bytes": b"a",
    "long": "a" * 10**6,
    "complex": 1j,
    "object": object(),
}

CALLS: dict[str, Callable[[Any], object]] = {
    "excursions": lambda v: cz.sample(DATA, excursions=v, **RUN),
    "score": lambda v: cz.sample(DATA, score=v, **RUN),
    "score of ges": lambda v: cz.ges(DATA, score=v),
    "edge_prior": lambda v: cz.ges(DATA, edge_prior=v),
    "decimal": lambda v: cz.read_table(DATA, decimal=v),
    "drop": lambda v: cz.read_table(DATA, drop=v),
    "penalty": lambda v: cz.GaussianBIC(DATA, penalty=v),
    "equivalent_sample_size": lambda v: cz.BDeu({"a": list("xyx"), "b": list("xxy")}, equivalent_sample_size=v),
    "alpha_mu": lambda v: cz.BGe(DATA, v),
    "n_samples": lambda v: cz.GaussianBIC.from_covariance(np.eye(2), n_samples=v),
    "covariance": lambda v: cz.GaussianBIC.from_covariance(v, n_samples=10),
    "names": lambda v: cz.compare(cz.exact_posterior(DATA), cz.exact_posterior(DATA), names=v),
    "nodes": cz.CPDAG.empty,
    "resume": cz.resume,
    "load": cz.load,
    "knowledge": lambda v: cz.ges(DATA, knowledge=v),
}


VALID = {("edge_prior", "array"), ("nodes", "array")}


@pytest.mark.parametrize(("call", "value"), sorted({*itertools.product(CALLS, VALUES)} - VALID))
def test_a_value_of_the_wrong_kind(call: str, value: str) -> None:
    with pytest.raises(cz.CausalZigzagError) as told:
        CALLS[call](VALUES[value])
    assert 10 < len(str(told.value)) < 6001


@pytest.mark.parametrize("value", [None, 5, b"a", ["a"]])
def test_what_is_no_path(value: Any) -> None:
    posterior = cz.sample(cz.Uniform(3), **RUN)
    for write in (posterior.save, posterior.report):
        with pytest.raises(cz.CausalZigzagError):
            write(value)


def test_an_edge_prior_beyond_all_numbers() -> None:
    """It gave an exact probability of NaN."""
    for cost in (1e308, -1e308):
        with pytest.raises(cz.SettingsError, match="must be finite numbers"):
            cz.sample(DATA, edge_prior=cost, **RUN)


def test_nodes_without_an_end() -> None:
    with pytest.raises(cz.GraphError, match="at most 100,000 nodes, not 1,000,000,000"):
        cz.CPDAG.empty(range(10**9))


def test_many_names_are_checked_in_linear_time(tmp_path: Path) -> None:
    names = [f"v{i}" for i in range(20_000)]
    with pytest.raises(cz.KnowledgeError, match="v5 is in tier 1 and in tier 2"):
        cz.Knowledge(tiers=[names, ["v5"]])
    (tmp_path / "t.csv").write_text(",".join([*names, "v5"]) + "\n" + ",".join("1" * 20_001) + "\n")
    with pytest.raises(cz.DataError, match="two columns named v5"):
        cz.read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("words", [["edges", "--least", "nan"], ["effects", "--least", "nan"]], ids=" ".join)
def test_limits_that_are_no_number(words: list[str]) -> None:
    from click.testing import CliRunner

    from causal_zigzag.cli import main

    result = CliRunner().invoke(main, [words[0], "run.czz", *words[1:]])
    assert result.exit_code == 2
    assert "'nan' is not a number" in result.stderr


@pytest.mark.parametrize("name", ["x", "x.nonsense", "x.czz", "-"])
def test_plots_without_a_known_ending(name: str) -> None:
    from click.testing import CliRunner

    from causal_zigzag.cli import main

    result = CliRunner().invoke(main, ["compare", "a.czz", "b.czz", "--plot", name])
    assert result.exit_code == 1
    assert f"cannot write the plot {name!r}: its name must end in one of .png" in result.stderr
