"""The commands `sample`, `resume`, `ges`, `search`, `report`, `edges` and `graphs`, with valid and invalid input."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main
from milestones import let_time_run_out

pytestmark = pytest.mark.nosanitize

QUICK = ["--jumps", "2000", "--chains", "2", "--seed", "1"]


def call(*arguments: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def done(*arguments: object, stdin: str | bytes | None = None) -> Result:
    result = call(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 4))
    x[:, 2] += x[:, 0] + x[:, 1]
    x[:, 3] += x[:, 2]
    return pd.DataFrame(x, columns=["rain", "sprinkler", "wet", "slippery"])


@pytest.fixture(scope="module")
def table(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "lawn.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def run(table: Path) -> Path:
    path = table.parent / "lawn.czz"
    assert done("sample", table, *QUICK, "--out", path).exit_code == 0
    return path


def test_sample_prints_its_results(table: Path) -> None:
    out = done("sample", table, *QUICK).stdout
    assert "lawn.csv" in out
    assert "The most probable edges" in out
    assert "rain -> wet" in out


def test_sample_prints_the_verdict(table: Path, run: Path) -> None:
    diagnostics = cz.load(run).diagnostics()
    out = " ".join(done("sample", table, *QUICK).stdout.split())
    assert diagnostics.judgement.ok
    assert "Sampling: converged" in out
    assert "Sampling: not converged" not in out
    assert diagnostics.verdict.split("; ")[0] in out  # then follows advice, here in terms of options


def test_json_agrees_with_the_library(table: Path) -> None:
    value = json.loads(done("sample", table, *QUICK, "--json").stdout)
    posterior = cz.sample(str(table), jumps=2000, chains=2, rng=1)
    assert (value["seed"], value["chains"], value["jumps"]) == (1, 2, 4000)
    assert value["nodes"] == ["rain", "sprinkler", "wet", "slippery"]
    assert value["interrupted"] is False
    assert [edge["adjacent"] for edge in value["edges"]] == posterior.edge_table()["adjacent"].tolist()
    graph, probability, score = posterior.top(1)[0]
    best = value["top"][0]
    assert (best["probability"], best["score"]) == (probability, pytest.approx(score))
    assert cz.CPDAG.from_json(json.dumps(best)) == graph
    assert isinstance(value["converged"], bool)
    assert value["verdict"]


def test_a_drawn_seed_is_shown(table: Path) -> None:
    first = json.loads(done("sample", table, "--jumps", "500", "--json").stdout)
    again = json.loads(done("sample", table, "--jumps", "500", "--json", "--seed", first["seed"]).stdout)
    assert first["edges"] == again["edges"]


def test_settings_reach_the_sampler(table: Path) -> None:
    options = ["--score", "bge", "--momentum", "0.5", "--balance", "barker", "--coldness", "0.5", "--max-degree", "2"]
    options += ["--edge-prior", "none", "--forbid", "rain,wet", "--forbid", '"sprinkler", slippery', "--warmup", "10"]
    value = json.loads(done("sample", table, *QUICK, *options, "--start", "ges", "--json").stdout)
    posterior = cz.sample(
        str(table),
        "bge",
        momentum=0.5,
        balance="barker",
        coldness=0.5,
        edge_prior=None,
        max_degree=2,
        knowledge=cz.Knowledge(apart=[("rain", "wet"), ("sprinkler", "slippery")]),
        jumps=2000,
        settings=cz.Settings(warmup=10),
        chains=2,
        start="ges",
        rng=1,
    )
    assert value["score"] == repr(posterior.score)
    assert [edge["adjacent"] for edge in value["edges"]] == posterior.edge_table()["adjacent"].tolist()


def test_the_prior_over_dags(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    value = json.loads(done("sample", table, *QUICK, "--prior", "dags", "--json", "--report", page).stdout)
    posterior = cz.sample(str(table), jumps=2000, chains=2, rng=1).reweight("dags")
    assert value["prior"] == "dags"
    assert [edge["adjacent"] for edge in value["edges"]] == posterior.edge_table()["adjacent"].tolist()
    words = "uniform over DAGs; reweighted with "
    assert words in page.read_text(encoding="utf-8")
    assert words in done("sample", table, *QUICK, "--prior", "dags").stdout
    plain = done("sample", table, *QUICK, "--prior", "dags", "--edge-prior", "none").stdout.splitlines()
    assert "  Edge prior  none" in plain
    assert any(re.match(r"  Prior +uniform over DAGs; reweighted with", line) for line in plain)


def test_minutes_end_a_run(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_time_run_out(2, 1000, monkeypatch)
    options = ["--minutes", "10", "--warmup", "100", "--chains", "2", "--json"]
    value = json.loads(done("sample", table, *options).stdout)
    assert value["jumps"] > 0
    assert value["interrupted"] is False


def test_a_run_is_extended(run: Path, tmp_path: Path) -> None:
    done("extend", run, "--jumps", "2000", "--seed", "5", "--out", tmp_path / "longer.czz")
    assert len(cz.load(tmp_path / "longer.czz")._results) == 2 * len(cz.load(run)._results)
    assert "give one of them" in call("extend", run, "--jumps", "2000", "--minutes", "1").output


def test_a_checkpoint_is_resumed(table: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "lawn.run", tmp_path / "lawn.czz"
    options = ["--warmup", "100", "--chains", "2", "--seed", "1"]
    done("sample", table, "--jumps", "1000", *options, "--checkpoint", folder)
    done("resume", folder, "--jumps", "3000", "--out", out)
    whole = cz.sample(str(table), jumps=3000, settings=cz.Settings(warmup=100), chains=2, rng=1)
    assert cz.load(out).edge_table()["adjacent"].tolist() == whole.edge_table()["adjacent"].tolist()
    missing = call("resume", tmp_path / "none")
    assert missing.exit_code == 1
    assert "there is no checkpoint" in missing.stderr


def test_a_start_from_a_file(table: Path, tmp_path: Path) -> None:
    start = tmp_path / "start.txt"
    start.write_text("rain -> wet <- sprinkler\nwet -> slippery\n")
    assert "rain -> wet" in done("sample", table, *QUICK, "--start", start).stdout
    wrong = call("sample", table, "--start", "scatter")
    assert wrong.exit_code == 1
    assert "cannot read 'scatter'" in wrong.stderr


def test_the_verdict_names_options(table: Path) -> None:
    told = " ".join(done("sample", table, "--jumps", "20000", "--seed", "1", "--no-anneal").stdout.split())
    assert "so their agreement is weaker evidence; --start scattered is a stronger test." in told
    scattered = done("sample", table, "--jumps", "20000", "--seed", "1", "--start", "scattered").stdout
    assert "Sampling: converged" in scattered
    assert "a stronger test" not in scattered


def test_standard_input_and_output(table: Path, tmp_path: Path) -> None:
    text = table.read_bytes()
    piped = done("sample", "-", *QUICK, "--out", "-", stdin=text)
    path = tmp_path / "piped.czz"
    path.write_bytes(piped.stdout_bytes)
    posterior = cz.load(path)
    assert posterior.record is not None
    assert posterior.record.data == "standard input"
    page = done("report", "-", "--out", "-", stdin=piped.stdout_bytes)
    assert page.stdout.startswith("<!doctype html>")
    assert done("edges", "-", "--csv", stdin=piped.stdout_bytes).stdout.startswith("x,y,adjacent")
    assert "The most probable edges" in piped.stderr


def test_help_names_bundled_tables_that_exist() -> None:
    told = " ".join(done("sample", "--help").stdout.split())
    named = told.split("the name of a bundled table (")[1].split(")")[0].split(", ")
    assert {name for name in named if name != "..."} < {*cz.datasets.names()}


def test_an_unknown_table() -> None:
    result = call("sample", "sacks")
    assert result.exit_code == 1
    assert "there is no file 'sacks', and the bundled tables are alzheimer, " in result.stderr


def test_a_truncated_run_on_standard_input(run: Path) -> None:
    result = call("edges", "-", stdin=run.read_bytes()[:2000])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: standard input is damaged or was cut short")


def test_singular_of_edge(tmp_path: Path) -> None:
    x = np.random.default_rng(1).normal(size=(50, 2))
    path = tmp_path / "two.csv"
    pd.DataFrame({"a": x[:, 0], "b": x[:, 0] + x[:, 1]}).to_csv(path, index=False)
    told = done("sample", path, *QUICK).stdout
    assert "1 edge, 1 open" in told
    assert re.search(r"  0 edges +score", told)


def test_a_bundled_table() -> None:
    value = json.loads(done("sample", "galton", "--jumps", "300", "--chains", "1", "--seed", "1", "--json").stdout)
    assert value["data"] == "galton"


def test_sample_writes_run_and_report(table: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "a.czz", tmp_path / "a.html"
    told = done("sample", table, *QUICK, "--out", out, "--report", page).stdout
    assert f"Run written to {out}" in told
    assert f"Report written to {page}" in told
    assert page.read_text(encoding="utf-8").count("<svg") >= 3
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["a.czz", "a.html"]


def test_report_of_a_run(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done("report", run, "--out", page)
    assert "lawn.csv" in page.read_text(encoding="utf-8")
    beside = done("report", run)
    assert f"Report written to {run.with_suffix('.html')}" in beside.stdout


def test_edges_of_a_run(run: Path) -> None:
    table = pd.read_csv(io.StringIO(done("edges", run, "--csv").stdout))
    posterior = cz.load(run)
    assert table["adjacent"].tolist() == pytest.approx(posterior.edge_table()["adjacent"].tolist())
    values = json.loads(done("edges", run, "--json", "--least", "0.5").stdout)
    assert [value["x"] for value in values] == [
        x for x, p in zip(table["x"], table["adjacent"], strict=True) if p >= 0.5
    ]
    assert len(done("edges", run).stdout.splitlines()) == 7


def test_graphs_of_a_run(run: Path) -> None:
    top = cz.load(run).top(3)
    values = json.loads(done("graphs", run, "--top", 3, "--json").stdout)
    assert [value["probability"] for value in values] == [found.probability for found in top]
    assert [cz.CPDAG.from_json(json.dumps(value)) for value in values] == [found.graph for found in top]
    dots = done("graphs", run, "--top", 2, "--dot").stdout
    assert dots.count("digraph {") == 2
    assert top[0].graph.to_dot() in dots
    text = done("graphs", run, "--top", 1).stdout
    assert text.startswith("1. probability ")
    counted = done("count", "-", stdin=json.dumps(values[0]))
    assert "nodes" in counted.stdout


def test_ges_agrees_with_the_library(table: Path, frame: pd.DataFrame) -> None:
    found = cz.ges(str(table), phases="until-stable")
    value = json.loads(done("ges", table, "--phases", "until-stable", "--json").stdout)
    assert value["log_weight"] == pytest.approx(found.log_weight)
    assert value["graph"] == json.loads(found.graph.to_json())
    assert done("ges", table, "--dot").stdout == cz.ges(frame).graph.to_dot() + "\n"
    assert "rain -> wet" in done("ges", "-", stdin=table.read_bytes()).stdout
    assert call("ges", table, "--start", "ges").exit_code == 1


def test_search_agrees_with_the_library(table: Path) -> None:
    settings = [
        "--seed",
        1,
        "--restarts",
        1,
        "--max-degree",
        2,
        "--forbid",
        "rain,wet",
        "--edge-prior",
        3,
        "--score",
        "bge",
    ]
    value = json.loads(done("search", table, *settings, "--json").stdout)
    found = cz.search(
        str(table),
        edge_prior=3.0,
        restarts=1,
        rng=1,
        score="bge",
        max_degree=2,
        knowledge=cz.Knowledge(apart=[("rain", "wet")]),
    )
    assert value["log_weight"] == pytest.approx(found.log_weight)
    assert value["graph"] == json.loads(found.graph.to_json())
    assert (value["times_found"], value["greedy"]) == (found.times_found, pytest.approx(found.greedy))
    assert [one["polished"] for one in value["restarts"]] == [one.polished for one in found.restarts]
    assert done("search", table, *settings, "--dot").stdout == found.graph.to_dot() + "\n"
    out = done("search", "-", "--minutes", 1, stdin=table.read_bytes()).stdout
    assert "2 of 2 restarts ended in this class" in out
    assert "rain -> wet" in out
    assert call("search", table, "--restarts", 0).exit_code == 2


@pytest.mark.parametrize("command", ["sample", "ges", "search"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no file"),
        ("a|b\n1|2\n3|4\n5|6\n", "at least 2 are needed; if '|' separates columns"),
        ("a,b\nx1,0.5\nx2,1.5\nx3,0.25\n", "as many levels as there are rows"),
        ("a\n1.5\n2.5\n3.5\n", "the table has only one column, a"),
        ("a,b\n", "the table has 0 rows"),
        ("", "cannot be read"),
        ("a,a\n1.5,2.5\n2.5,1.25\n", "two columns named a"),
        ("a,b\n1.5,1\n2.5,1\n0.5,1\n", "column b is constant"),
    ],
    ids=["missing", "delimiter", "text", "one-column", "no-rows", "empty", "twice", "constant"],
)
def test_invalid_tables_give_one_line_of_error(command: str, content: str | None, words: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    if content is not None:
        path.write_text(content)
    result = call(command, path)
    assert result.exit_code == 1
    assert words in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_invalid_cells_on_standard_input() -> None:
    result = call("sample", "-", stdin="a,b\n1.5,2\ninf,3\n2.5,1\n")
    assert result.exit_code == 1
    assert "column a has 1 infinite cell, the first in line 3" in result.stderr


def test_unknown_columns(table: Path) -> None:
    result = call("sample", table, "--forbid", "rain,snow")
    assert result.exit_code == 1
    assert "unknown column snow" in result.stderr


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_outputs_are_checked_before_sampling(
    option: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("sampling has begun")

    monkeypatch.setattr(cz, "sample", never)
    for path, words in ((tmp_path / "no" / "x", "there is no folder"), (tmp_path, "it is a folder")):
        result = call("sample", table, option, path)
        assert result.exit_code == 1
        assert words in result.stderr


@pytest.mark.parametrize("command", ["report", "edges", "graphs"])
@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: b"a,b\n1,2\n", lambda data: data[: len(data) // 2], lambda data: data[:-1] + b"?"],
    ids=["empty", "other", "cut", "changed"],
)
def test_files_that_are_not_runs(command: str, damage: Callable[[bytes], bytes], run: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.czz"
    path.write_bytes(damage(run.read_bytes()))
    result = call(command, path)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["bad.czz"]


def test_a_missing_run(tmp_path: Path) -> None:
    result = call("report", tmp_path / "none.czz")
    assert result.exit_code == 1
    assert "none.czz" in result.stderr


def _of_version(version: str, run: Path, path: Path) -> Any:
    """The same run as another version would have written it."""
    import dataclasses

    posterior = cz.load(run)
    assert posterior.record is not None
    changed = dataclasses.replace(posterior, record=dataclasses.replace(posterior.record, version=version))
    changed.save(path)


def test_the_report_of_a_run_of_another_version_names_that_version(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.czz"
    _of_version("0.0.7", run, path)
    done("report", path)
    page = path.with_suffix(".html").read_text(encoding="utf-8")
    assert "causal-zigzag 0.0.7" in page


def test_findings_about_the_data_are_printed(tmp_path: Path) -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 200))
    path = tmp_path / "table.csv"
    pd.DataFrame({"a": a, "b": b, "walk": np.cumsum(b + a)}).to_csv(path, index=False)
    said = done("sample", path, *QUICK)
    assert "What to check in the data" in said.stdout
    assert "Successive rows are alike" in said.stdout
    found = json.loads(done("sample", path, *QUICK, "--json").stdout)["findings"]
    assert [(one["kind"], one["columns"]) for one in found] == [("order", ["walk"])]


def test_numbers_of_an_unsettled_run_are_called_provisional(tmp_path: Path) -> None:
    path = tmp_path / "run.czz"
    cz.sample(cz.Uniform(6), jumps=20, chains=2, rng=1).save(path)
    for command in ("edges", "graphs"):
        assert "the run has not converged, so these numbers are provisional" in done(command, path).stderr
    cz.sample(cz.Uniform(3), jumps=20_000, chains=2, rng=1).save(path)
    for command in ("edges", "graphs"):
        assert done(command, path).stderr == ""


def test_a_bundled_table_is_resampled_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "galton.czz"
    assert done("sample", "galton", *QUICK, "--out", path).exit_code == 0
    again = tmp_path / "again.czz"
    out = done("resample", path, "--data", "galton", "--resamples", "4", "--seed", "1", "--out", again).stdout
    assert "hold when rows are resampled" in out
    assert "Stability: " in out
    assert "joined again" in out
    frame = cz.load(again).edge_table()
    assert done("edges", again, "--csv").stdout.splitlines()[0] == ",".join(frame.columns)
    assert "adjacent_again" in frame.columns
    value = json.loads(done("edges", again, "--json").stdout)
    assert value[0]["mcse_again"] == pytest.approx(float(frame["mcse_again"][0]), nan_ok=True)
    assert "When rows are resampled, they are joined" in done("explain", again, *frame.loc[0, ["x", "y"]]).stdout
