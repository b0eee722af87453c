"""The commands `uniform`, `count` and `operators`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main

pytestmark = pytest.mark.nosanitize


def call(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def test_uniform_draws_classes_that_other_commands_read() -> None:
    drawn = call("uniform", 6, "--seed", 1, "--count", 3)
    assert drawn.exit_code == 0
    lines = drawn.stdout.splitlines()
    assert len(lines) == 3
    assert drawn.stdout == call("uniform", 6, "--seed", 1, "--count", 3).stdout
    for line, graph in zip(lines, cz.datasets.random_classes(6, 3, rng=1), strict=True):
        counted = call("count", "-", "--json", stdin=line)
        assert counted.exit_code == 0
        assert counted.stderr == ""
        assert json.loads(counted.stdout)["dags"] == graph.count_dags()
    values = json.loads(call("uniform", 6, "--seed", 1, "--json").stdout)
    assert cz.CPDAG.from_json(json.dumps(values[0])) == cz.datasets.random_classes(6, 1, rng=1)[0]
    assert call("uniform", 6, "--seed", 1, "--dot").stdout.startswith("digraph {")


def test_uniform_prints_each_class_when_it_is_drawn() -> None:
    """A million classes take an hour; the first one is printed at once."""
    command = [sys.executable, "-m", "causal_zigzag", "uniform", "5", "--seed", "1", "--count", "1000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.stdout.close()  # as head does
        process.stdout = None
        _, complained = process.communicate(timeout=60)
    assert first == call("uniform", 5, "--seed", 1, "--count", 64).stdout.splitlines(keepends=True)[0]
    assert "Traceback" not in complained


def test_counts_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "complete.json"
    n = 70
    path.write_text(cz.CPDAG.complete(n).to_json())
    value = json.loads(call("count", path, "--json").stdout)
    assert value["deletes"] == str(n * (n - 1) * 2 ** (n - 2))
    assert value["inserts"] == 0
    table = call("count", path).stdout
    assert f"deletes           {n * (n - 1) * 2 ** (n - 2)}" in table


def test_a_note_about_a_graph_that_is_not_a_cpdag() -> None:
    result = call("count", "-", stdin="a -> b")
    assert result.exit_code == 0
    assert result.stderr == "Note: this graph is not a CPDAG; the class of the DAGs that extend it is used\n"
    assert "DAGs              2" in result.stdout


def test_all_operators_are_listed() -> None:
    graph = cz.CPDAG.from_dag([("a", "b"), ("b", "c")])
    counts = cz.count_operators(graph)
    lines = call("operators", "-", stdin="a - b - c").stdout.splitlines()
    assert sum(line.startswith("Insert ") for line in lines) == counts.inserts
    assert sum(line.startswith("Delete ") for line in lines) == counts.deletes
    assert "Insert a, c, T = {b}: leads to 0 directed, 3 undirected" not in lines
    values = [json.loads(line) for line in call("operators", "-", "--json", stdin="a - b - c").stdout.splitlines()]
    read = {
        (cz.Insert if v["kind"] == "insert" else cz.Delete)(v["x"], v["y"], v.get("tails", v.get("heads")))
        for v in values
    }
    assert read == {*cz.list_operators(graph)}
    assert len(call("operators", "-", "--delete", "--limit", 1, stdin="a - b - c").stdout.splitlines()) == 1


@pytest.mark.parametrize("command", ["count", "operators"])
def test_invalid_graphs_give_one_line_of_error(command: str, tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    for source, words in (
        (tmp_path / "none", "cannot read"),
        (binary, "text file in UTF-8"),
        (tmp_path, "cannot read"),
    ):
        result = call(command, source)
        assert result.exit_code == 1
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
    cycle = call(command, "-", stdin="a -> b -> c -> a")
    assert cycle.exit_code == 1
    assert cycle.stderr.startswith("Error: directed cycle ")
    assert cycle.stderr.count("\n") == 1
