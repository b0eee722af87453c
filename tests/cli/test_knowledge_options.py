"""The options --tiers, --require, --forbid and --knowledge."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("data") / "t.csv"
    edges = [("age", "bmi"), ("bmi", "sugar"), ("sugar", "IL-6")]
    cz.datasets.linear_gaussian(edges, rows=200, rng=1).to_csv(path, index=False)
    return str(path)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def found(*arguments: str) -> dict[str, Any]:
    result = call(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


ALL = ["--tiers", "age;bmi,sugar;...", "--require", "age->bmi", "--forbid", "sugar -> bmi", "--forbid", "age,IL-6"]
WORDS = "tiers: age before bmi, sugar before all others; required: age -> bmi; forbidden: sugar -> bmi; "
WORDS += "never joined: age and 'IL-6'"


@pytest.mark.parametrize("command", ["ges", "search", "sample"])
def test_they_become_a_knowledge(table: str, command: str) -> None:
    more = {"sample": ["--jumps", "200", "--chains", "1", "--seed", "1"], "search": ["--restarts", "1", "--seed", "1"]}
    assert found(command, table, *ALL, *more.get(command, []))["knowledge"] == WORDS
    assert found(command, table, *more.get(command, []))["knowledge"] is None


def test_the_exact_command_takes_them_too(table: str) -> None:
    rows = {(row["x"], row["y"]): row for row in _exact(table, *ALL)}
    assert rows["age", "bmi"]["forward"] == pytest.approx(1)
    assert rows["bmi", "sugar"]["backward"] == 0
    assert rows["age", "IL-6"]["adjacent"] == 0
    assert {(row["x"], row["y"]): row for row in _exact(table)}["age", "IL-6"]["adjacent"] > 0


def _exact(*arguments: str) -> list[dict[str, Any]]:
    result = call("exact", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_text_says_which_arrows_come_from_the_knowledge(table: str) -> None:
    text = call("ges", table, "--tiers", "age;...").output
    assert "knowledge   tiers: age before all others" in text
    assert "age -> bmi" in text
    assert "by the knowledge" in text
    text = call("sample", table, "--tiers", "age;...", "--jumps", "500", "--chains", "1", "--seed", "1").output
    assert "From knowledge alone" in text


def test_a_pair_is_never_joined(table: str) -> None:
    result = found("ges", table, "--forbid", "age,bmi")
    assert result["knowledge"] == "never joined: age and bmi"
    pairs = {frozenset((edge["source"], edge["target"])) for edge in result["graph"]["edges"]}
    assert frozenset(("age", "bmi")) not in pairs


@pytest.mark.parametrize("name", ["k.json", "k.yaml", "k.txt"])
def test_a_file_and_options_are_combined(table: str, tmp_path: Path, name: str) -> None:
    cz.Knowledge(tiers=[["age"], ["bmi", "sugar"]], required=[("age", "bmi")], no_edges_within=[0]).save(
        tmp_path / name
    )
    words = found("ges", table, "--knowledge", str(tmp_path / name), "--forbid", "sugar->bmi")["knowledge"]
    assert words == (
        "tiers: age before bmi, sugar; no edges within: age; required: age -> bmi; forbidden: sugar -> bmi"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--require", "age,bmi"], "'age,bmi' is not an arrow"),
        (["--require", "age - bmi"], "'age - bmi' is not an arrow"),
        (["--require", "age -> "], "is not an arrow"),
        (["--forbid", "age"], "'age' is not a pair of columns or an arrow; write a,b or a->b"),
        (["--tiers", "age;;bmi"], "has a group or a column without a name"),
        (["--tiers", "age;bmi,"], "has a group or a column without a name"),
        (["--tiers", "age"], "a single tier says nothing"),
        (["--tiers", "age;wages"], "tier 2 of 2: unknown column wages; the columns are age, bmi"),
        (["--tiers", "age;bmi", "--require", "bmi->age"], "required bmi -> age contradicts the tiers"),
        (["--knowledge", "nowhere.json"], "cannot read 'nowhere.json'"),
    ],
)
def test_faults_are_named(table: str, arguments: list[str], message: str) -> None:
    result = call("ges", table, *arguments)
    assert result.exit_code != 0
    assert message in " ".join(result.output.split())


def test_tiers_are_given_once(table: str, tmp_path: Path) -> None:
    cz.Knowledge(tiers=[["age"], ["bmi"]]).save(tmp_path / "k.json")
    result = call("ges", table, "--knowledge", str(tmp_path / "k.json"), "--tiers", "age;bmi")
    assert result.exit_code != 0
    assert "both have tiers" in " ".join(result.output.split())


def test_names_with_special_characters(table: str) -> None:
    assert found("ges", table, "--forbid", '"IL-6" -> sugar')["knowledge"] == "forbidden: 'IL-6' -> sugar"
    assert found("ges", table, "--tiers", 'age,"IL-6";*')["knowledge"] == "tiers: age, 'IL-6' before all others"
