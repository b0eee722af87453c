"""DAGs with parameters in the Bayesian interchange format."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import causal_zigzag as cz

RNG = np.random.default_rng(4)
DATA = {
    "Rain, mm": [["low", "high"][i] for i in RNG.integers(0, 2, size=60)],
    "sun": RNG.integers(0, 3, size=60).tolist(),
    "wet": [["no", "yes"][i] for i in RNG.integers(0, 2, size=60)],
}
DAG = [("Rain, mm", "wet"), ("sun", "wet")]


def read(text: str) -> tuple[dict[str, list[str]], dict[str, tuple[list[str], dict[tuple[str, ...], list[float]]]]]:
    """The levels of the variables, and for each its parents and table."""
    variables = dict(re.findall(r"variable (\w+) \{\n  type discrete \[ \d+ \] \{ ([\w, ]+) \};\n\}", text))
    tables = {}
    for name, parents, body in re.findall(r"probability \( (\w+)(?: \| ([\w, ]+))? \) \{\n(.*?)\}", text, re.DOTALL):
        rows = re.findall(r"^  (?:\(([\w, ]+)\)|table) ([^;]+);$", body, re.MULTILINE)
        numbers = {tuple(given.split(", ")) if given else (): [*map(float, row.split(", "))] for given, row in rows}
        tables[name] = parents.split(", ") if parents else [], numbers
    return {name: own.split(", ") for name, own in variables.items()}, tables


@pytest.mark.parametrize(("make", "size"), [(lambda d: cz.BDeu(d, 2.0), 2.0), (cz.DiscreteBIC, 1.0)])
def test_tables_are_posterior_means(make, size: float) -> None:
    variables, tables = read(make(DATA).to_bif(DAG))
    assert variables == {"Rain__mm": ["high", "low"], "sun": ["0", "1", "2"], "wet": ["no", "yes"]}
    parents, table = tables["wet"]
    assert parents == ["Rain__mm", "sun"]
    assert len(table) == 6
    rows = [*zip(DATA["Rain, mm"], map(str, DATA["sun"]), DATA["wet"], strict=True)]
    for given in itertools.product(["high", "low"], ["0", "1", "2"]):
        counts = [rows.count((*given, wet)) + size / 12 for wet in ("no", "yes")]
        np.testing.assert_allclose(table[given], np.array(counts) / sum(counts), rtol=1e-12)
    assert tables["sun"][0] == []
    counts = np.bincount(DATA["sun"], minlength=3) + size / 3
    np.testing.assert_allclose(tables["sun"][1][()], counts / counts.sum(), rtol=1e-12)


def test_a_drawn_dag_and_merged_rows() -> None:
    many = {name: [*cells] * 40 for name, cells in DATA.items()}  # equal rows are merged with weights
    posterior = cz.sample(cz.BDeu(many), jumps=500, chains=2, rng=1)
    score = posterior.score
    assert isinstance(score, cz.BDeu)
    dag = posterior.sample_dags(1, rng=1)[0]
    _, tables = read(score.to_bif(dag))
    assert [len(parents) for parents, _ in tables.values()] == dag.sum(axis=0).tolist()
    assert sum(tables["sun"][1][()] if not tables["sun"][0] else [1.0]) == pytest.approx(1)


def test_what_cannot_be_written() -> None:
    with pytest.raises(cz.GraphError, match="directed cycle"):
        cz.BDeu(DATA).to_bif([("sun", "wet"), ("wet", "Rain, mm"), ("Rain, mm", "sun")])
    wide = {f"v{i}": np.arange(200) % 20 for i in range(6)}
    with pytest.raises(cz.ScoreError, match="the table of v5 given its 5 parents has 64,000,000 numbers, but at most"):
        cz.BDeu(cz.read_table(wide, kinds="categorical", strict=True)).to_bif([(f"v{i}", "v5") for i in range(5)])
    alike = {"a b": [0, 1] * 20, "a_b": [0, 1] * 20}
    assert {*read(cz.BDeu(alike).to_bif([]))[0]} == {"a_b_0", "a_b_1"}
