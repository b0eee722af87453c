"""compare() gives the differences of two posteriors with their errors, in any order of the nodes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main

NODES = ["a", "b", "c", "d"]


@cache
def table() -> pd.DataFrame:
    return cz.datasets.linear_gaussian([("a", "c"), ("b", "c"), ("c", "d")], 150, rng=4)[NODES]


@cache
def run(score: str, seed: int = 1) -> cz.Posterior:
    return cz.sample(table(), score=score, edge_prior=None, jumps=10_000, rng=seed)


def test_the_table_holds_both_posteriors() -> None:
    p, q = run("gaussian-bic"), run("bge")
    found = cz.compare(p, q).table
    assert len(found) == 6
    assert (found["difference"].abs().diff().dropna() <= 0).all()
    for row in found.to_dict("records"):
        i, j = NODES.index(row["x"]), NODES.index(row["y"])
        assert row["first"] == p.edge_probabilities().adjacent[i, j]
        assert row["second"] == q.edge_probabilities().adjacent[i, j]
        known = [e for e in (p._classes.edge_errors[i, j, 0], q._classes.edge_errors[i, j, 0]) if e == e]
        assert row["error"] == pytest.approx(
            np.hypot(*known) if len(known) == 2 else (known or [np.nan])[0], nan_ok=True
        )


def test_runs_of_one_target_do_not_differ_clearly() -> None:
    """Two fixed seeds; a difference of four errors in one of six pairs has probability 4e-4, above 0.02 far less."""
    found = cz.compare(run("gaussian-bic"), run("gaussian-bic", 2))
    assert not found.table["clear"].any()
    assert str(found).startswith("0 of 6 pairs differ by more than Monte Carlo error between first and second.")
    assert "Monte Carlo error" in found._repr_html_()


def test_different_targets_differ_clearly_and_edges_are_shown() -> None:
    many = cz.datasets.linear_gaussian([("a", "c"), ("b", "c"), ("c", "d")], 3000, rng=4)[NODES]
    strong = cz.exact_posterior(cz.GaussianBIC(many), edge_prior=None)
    none = cz.exact_posterior(cz.Uniform(NODES), edge_prior=8)
    found = cz.compare(strong, none, names=("data", "prior"))
    assert found.largest_difference > 0.9
    assert found.table["clear"].sum() >= 3
    assert (found.table["error"] == 0).all()
    assert {*found.table["second_edge"]} == {""}
    arrows = {(r["x"], r["y"]): r["first_edge"] for r in found.table.to_dict("records")}
    assert arrows["a", "c"] == arrows["b", "c"] == "->"
    assert "between data and prior" in str(found)
    assert repr(found).startswith("Comparison(")


def test_different_knowledge_is_named() -> None:
    free, tiers = (
        cz.exact_posterior(cz.Uniform(["a", "b", "c"]), knowledge=k) for k in (None, cz.Knowledge(tiers=[["a"], ...]))
    )
    assert "the knowledge that was given, first: none; second: tiers: a before all others." in str(
        cz.compare(free, tiers)
    )
    assert "knowledge" not in str(cz.compare(tiers, tiers))


def test_the_order_of_the_nodes_does_not_matter() -> None:
    p = cz.exact_posterior(cz.GaussianBIC(table()), edge_prior=None)
    q = cz.exact_posterior(cz.GaussianBIC(table()[["d", "b", "a", "c"]]), edge_prior=None)
    assert cz.compare(p, q).largest_difference < 1e-9
    edges = cz.compare(p, q).table
    assert (edges["first_edge"] == edges["second_edge"]).all()


def test_faults() -> None:
    p = cz.exact_posterior(cz.Uniform(["a", "b"]))
    with pytest.raises(cz.SettingsError, match=r"same nodes.*b, c"):
        cz.compare(p, cz.exact_posterior(cz.Uniform(["a", "c"])))
    with pytest.raises(cz.SettingsError, match="compare needs two posteriors, not 3"):
        cz.compare(p, 3)  # type: ignore[arg-type]
    with pytest.raises(cz.SettingsError, match="names must be two texts"):
        cz.compare(p, p, names=("a",))


def test_the_plot() -> None:
    pytest.importorskip("matplotlib", minversion="3.8")
    found = cz.compare(
        cz.exact_posterior(cz.GaussianBIC(table()), edge_prior=None),
        cz.exact_posterior(cz.Uniform(NODES), edge_prior=8),
    )
    ax = found.plot()
    named = {text.get_text() for text in ax.texts}
    assert named <= {f"{x}, {y}" for x, y in zip(found.table["x"], found.table["y"], strict=True)}
    assert 1 <= len(named) <= found.table["clear"].sum()
    assert found.plot(ax=ax) is ax


@pytest.mark.nosanitize
def test_the_command(tmp_path: Path) -> None:
    for score in ("gaussian-bic", "bge"):
        run(score).save(tmp_path / f"{score}.czz")
    paths = [str(tmp_path / "gaussian-bic.czz"), str(tmp_path / "bge.czz")]
    said = CliRunner().invoke(main, ["compare", *paths])
    assert said.exit_code == 0, said.output
    assert "of 6 pairs" in said.stdout
    assert "between gaussian-bic and bge." in said.stdout
    csv = CliRunner().invoke(main, ["compare", *paths, "--csv"]).stdout
    assert csv.splitlines()[0].startswith("x,y,first,second,difference,error")
    rows = json.loads(CliRunner().invoke(main, ["compare", *paths, "--json"]).stdout)
    assert len(rows) == 6
    assert all(row["error"] is None or row["error"] >= 0 for row in rows)
    pytest.importorskip("matplotlib", minversion="3.8")
    made = CliRunner().invoke(main, ["compare", *paths, "--plot", str(tmp_path / "both.png")])
    assert f"Plot written to {tmp_path / 'both.png'}" in made.stdout
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
