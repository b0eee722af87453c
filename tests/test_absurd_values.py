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
POSTERIOR = cz.sample(DATA, **RUN)
SERIES = {"x": DATA[:, 0], "y": DATA[:, 1]}

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
    "excursions": lambda v: cz.sample(DATA, settings=cz.Settings(excursions=v), **RUN),
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
    "names": lambda v: cz.compare(
        cz.exact_posterior(DATA, edge_prior=None), cz.exact_posterior(DATA, edge_prior=None), names=v
    ),
    "nodes": cz.CPDAG.empty,
    "resume": cz.resume,
    "load": cz.load,
    "knowledge": lambda v: cz.ges(DATA, knowledge=v),
    "weights": lambda v: cz.sample(DATA, weights=v, **RUN),
    "check": lambda v: POSTERIOR.advice(check=v),
    "kind of a plot": lambda v: POSTERIOR.plot.edges(kind=v),
    "kind of a frame": lambda v: POSTERIOR.edge_probabilities().frame(v),
    "k": lambda v: POSTERIOR.plot.top(k=v),
    "f_many": lambda v: cz.SetFunction(lambda _: 0.0, 3, f_many=v),
    "score of lags": lambda v: cz.compare_lags(SERIES, lags=1, score=v, jumps=20, rng=1),
    "scores": lambda v: cz.compare_scores(DATA, [v], jumps=20, rng=1),
    "jointly_with": lambda v: POSTERIOR.effect(0, 1, jointly_with=[v]),
}


VALID = {("edge_prior", "array"), ("nodes", "array")}

FIRST: dict[str, Callable[[Any], object]] = {
    "sample": lambda v: cz.sample(v, **RUN),
    "ges": cz.ges,
    "search": cz.search,
    "exact_posterior": cz.exact_posterior,
    "exact_edge_posterior": cz.exact_edge_posterior,
}


@pytest.mark.parametrize("call", FIRST)
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (cz.GaussianBIC, r"GaussianBIC is a class of scores; make one: GaussianBIC\(data\)"),
        (cz.CPDAG, "the first argument must be a table or a score, not the class CPDAG"),
    ],
)
def test_a_class_in_the_place_of_a_table(call: str, value: type, words: str) -> None:
    with pytest.raises(cz.SettingsError, match=words):
        FIRST[call](value)


def test_one_node_or_none_beside_the_cause() -> None:
    assert POSTERIOR.effect(0, 1, jointly_with=2).joint is not None  # type: ignore[arg-type]
    with pytest.raises(cz.GraphError, match="jointly_with: unknown node 3; the nodes are 0, 1, 2"):
        POSTERIOR.effect(0, 1, jointly_with=3)  # type: ignore[arg-type]


def test_a_bound_beyond_64_bits() -> None:
    bounded = cz.exact_edge_posterior(DATA, max_parents=10**400, edge_prior=None).adjacent
    assert (bounded == cz.exact_edge_posterior(DATA, edge_prior=None).adjacent).all()


def test_a_figure_of_too_many_graphs() -> None:
    with pytest.raises(cz.SettingsError, match=f"k must be at most 100, not {2**63}"):
        POSTERIOR.plot.top(2**63)


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


def test_more_arguments_of_the_wrong_kind() -> None:
    """Those that the campaign of benchmarks/wrong_calls.py has found."""
    flag, effect = np.ones((2, 3)), POSTERIOR.effect(0, 1)
    calls: list[Callable[[], object]] = [
        lambda: POSTERIOR.edge_table(strength=flag),  # type: ignore[arg-type]
        lambda: POSTERIOR.effects(standardized=flag),  # type: ignore[arg-type]
        lambda: POSTERIOR.strengths(least=[None]),  # type: ignore[arg-type]
        lambda: POSTERIOR.to_networkx(standardized=pd.NA),  # type: ignore[arg-type]
        lambda: POSTERIOR.weighted_dags(k=10**400),
        lambda: POSTERIOR.next_experiment([[0], [1]]),
        lambda: POSTERIOR.resample(2, progress=flag),  # type: ignore[arg-type]
        lambda: POSTERIOR.resample(2, by=cz.CPDAG),
        lambda: POSTERIOR.draws().of_chain("x"),  # type: ignore[arg-type]
        lambda: POSTERIOR.plot.consensus(signs=flag),  # type: ignore[arg-type]
        lambda: effect.plot(ax=1.5),  # type: ignore[arg-type]
        lambda: effect.interval(given_path=pd.NA),  # type: ignore[arg-type]
        lambda: cz.Knowledge.from_yaml(np.ones(2)),  # type: ignore[arg-type]
        lambda: cz.Knowledge.load(0),  # type: ignore[arg-type]
        lambda: cz.Knowledge().save(float("nan")),  # type: ignore[arg-type]
        lambda: cz.PAG.from_edges(["a", "b"], 3),  # type: ignore[arg-type]
        lambda: cz.BGe(DATA, standardize=flag),  # type: ignore[arg-type]
        lambda: cz.AdditiveGP(DATA, transform=flag),  # type: ignore[arg-type]
        lambda: cz.GaussianBIC(DATA).row(0, 1j),  # type: ignore[arg-type]
        lambda: cz.read_table(DATA, keep=np.ones((2, 3))),  # type: ignore[arg-type]
        lambda: cz.read_table(DATA, targets=pd.NA),  # type: ignore[arg-type]
        lambda: cz.sample(DATA, minutes=np.ones(2), **RUN),  # type: ignore[arg-type]
        lambda: cz.sample(DATA, edge_prior=len, **RUN),
        lambda: cz.sample_ancestral(DATA, columns=[[0], [1]], steps=20),  # type: ignore[list-item]
        lambda: cz.sample_ancestral(DATA, chains=2**63, steps=20),
        lambda: cz.distance(cz.CPDAG.empty(2), cz.CPDAG.empty(2), normalized=flag),  # type: ignore[arg-type]
    ]
    for number, call in enumerate(calls):
        with pytest.raises(cz.CausalZigzagError) as told:
            call()
        assert 10 < len(str(told.value)) < 6001, number
