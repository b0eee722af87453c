"""Every check finds a table that was made to fail it and names the columns, and clean tables pass all of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.checks.checked_table import MOST_ROWS
from causal_zigzag.tables.finding import Finding

RNG = np.random.default_rng(7)
ROWS = 400
A, B, C = RNG.normal(size=(3, ROWS))
NOISE = RNG.normal(size=ROWS)
KINDS = RNG.integers(3, size=ROWS)
MOSTLY = (KINDS + (np.arange(ROWS) == 5)) % 3
ZEROS = np.where(RNG.random(ROWS) < 0.84, 0.0, np.exp(A))
SPIKED = np.where(RNG.random(ROWS) < 0.4, 7.0, A)
WILD = np.where(np.arange(ROWS) == 17, 40.0, np.where(np.arange(ROWS) == 18, -40.0, B))
UNIT = np.repeat(np.arange(40), 10)
SHUFFLED = RNG.permutation(ROWS)


def doubts(columns: Mapping[str, Any]) -> dict[str, Finding]:
    return {finding.kind: finding for finding in cz.audit(dict(columns)).doubts}


@pytest.mark.parametrize(
    ("kind", "columns", "named", "option"),
    [
        ("skew", {"a": np.exp(1.5 * A), "b": B}, ("a",), "transform={'a': 'log'}"),
        ("skew", {"a": -np.exp(1.5 * A), "b": B}, ("a",), "transform={'a': 'normal-scores'}"),
        ("outliers", {"a": A, "wild": WILD}, ("wild",), "transform={'wild': 'normal-scores'}"),
        ("zeros", {"zeros": ZEROS, "b": B}, ("zeros",), ""),
        ("spikes", {"spiked": SPIKED, "b": B}, ("spiked",), ""),
        ("duplicates", {"a": A, "b": B, "copy": -A + 0.01 * NOISE}, ("a", "copy"), "drop=['copy']"),
        ("duplicates", {"k": KINDS, "name": np.array(["x", "y", "z"])[MOSTLY]}, ("k", "name"), "drop=['name']"),
        ("collinear", {"a": A, "b": B, "sum": A + B + 0.01 * NOISE, "c": C}, ("a", "b", "sum"), "drop=['sum']"),
        ("few rows", {"a": A[:40], "b": B[:40]}, (), ""),
        ("order", {"walk": np.cumsum(A), "b": B}, ("walk",), "lags=1"),
        ("sparse levels", {"k": np.where(np.arange(ROWS) < 3, 3, KINDS), "b": B}, ("k",), ""),
        ("function", {"weight": A, "low": np.where(A < -1, "yes", "no"), "b": B}, ("weight", "low"), "drop=['low']"),
        ("function", {"a": A, "square": np.abs(A) ** 1.7, "b": B}, ("a", "square"), "drop=['square']"),
        ("function", {"a": np.exp(A), "tenth": np.exp(A) ** 0.1, "b": B}, ("a", "tenth"), "drop=['tenth']"),
        ("curve", {"a": A, "bent": A**2 + 0.5 * NOISE, "b": B}, ("a", "bent"), "score='additive-gp'"),
        ("design", {"stratum": KINDS, "a": A, "b": B}, ("stratum",), "drop=['stratum']"),
        ("counts", {"ncases": KINDS + 10, "a": A, "b": B}, ("ncases",), "weights='ncases'"),
    ],
)
def test_each_check_finds_what_it_is_for(
    kind: str, columns: dict[str, Any], named: tuple[str, ...], option: str
) -> None:
    found = doubts(columns)
    assert (found[kind].columns, found[kind].option) == (named, option)
    assert {*found} - {"outliers", "skew", "curve"} <= {kind}  # what is skewed has outliers, and squares are curves
    statistic, threshold = found[kind].statistic, found[kind].threshold
    assert (statistic is None) == (threshold is None)
    if statistic is not None and threshold is not None and kind not in ("few rows", "sparse levels"):
        assert statistic > threshold


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [3, 20])
def test_clean_tables_pass(n: int, seed: int) -> None:
    """A false alarm has probability below 1e-5 for each of the few hundred comparisons; the seeds are fixed."""
    dag = cz.datasets.random_dag(n, 2 * n if n > 3 else 2, rng=seed)
    for table in (cz.datasets.linear_gaussian(dag, 500, rng=seed), cz.datasets.discrete(dag, 2000, 2, rng=seed)):
        assert [f.kind for f in cz.audit(table).doubts if f.kind != "sparse levels"] == []


def test_zeros_are_not_called_skewed() -> None:
    assert "skew" not in doubts({"zeros": ZEROS, "b": B})


def sorted_table(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a, k = rng.normal(size=ROWS), rng.integers(4, size=ROWS)
    frame = pd.DataFrame({"a": a, "b": a + rng.normal(size=ROWS), "k": k, "c": k + rng.normal(size=ROWS)})
    return frame.assign(d=rng.normal(size=ROWS), e=a**2 + rng.normal(size=ROWS))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("by", [["a"], ["k"], ["k", "a"], ["c"], ["e"]])
def test_sorted_tables_are_not_called_time_series(by: list[str], seed: int) -> None:
    """What depends on the column by which a table is sorted changes slowly with the rows, which sorting explains."""
    assert "order" not in doubts(sorted_table(seed).sort_values(by))
    assert "order" not in doubts(sorted_table(seed).sort_values(by, ascending=False))


def test_a_time_series_is_found_although_its_rows_are_sorted_by_time() -> None:
    steady = np.zeros(ROWS)
    for i in range(1, ROWS):
        steady[i] = 0.6 * steady[i - 1] + NOISE[i]
    found = doubts({"year": np.arange(1600, 1600 + ROWS), "x": steady, "b": B})
    assert found["order"].columns == ("x",)


def test_repeated_measures_are_found_in_any_order() -> None:
    """Units with several rows, as numbers or names, kept or left out, sorted or shuffled."""
    effect = RNG.normal(size=(2, 40))
    data = pd.DataFrame({"unit": UNIT + 100, "a": effect[0][UNIT] + A, "b": effect[1][UNIT] + B, "c": C})
    for frame in (data, data.iloc[SHUFFLED], data.assign(unit=[f"u{i}" for i in UNIT]).iloc[SHUFFLED]):
        found = doubts(frame)["groups"]
        assert found.columns[0] == "unit"
        assert {*found.columns[1:]} == {"a", "b"}
        assert found.statistic == pytest.approx(0.5, abs=0.15)
    person = pd.Series(["f", "m"])[np.arange(40) % 2].to_numpy()[UNIT]
    aside = data.assign(unit=[f"u{i}" for i in UNIT], sex=person)
    assert "unit" not in cz.read_table(aside).nodes
    assert doubts(aside)["groups"].columns[0] == "unit"


def test_groups_of_rows_are_proposed_to_be_resampled_together() -> None:
    school, rng = UNIT // 2, np.random.default_rng(5)
    effect, of_school = rng.normal(size=(2, 40)), rng.normal(size=(2, 20))
    data = pd.DataFrame({"unit": UNIT, "a": effect[0][UNIT] + A, "b": effect[1][UNIT] + B})
    audit = cz.audit(data)
    assert [finding.option for finding in audit.about("groups")] == ["by=['unit']"]
    assert "--by unit" in audit.command()
    walks = np.cumsum(rng.normal(size=(2, 40, 10)), axis=2).reshape(2, -1)
    in_time = data.assign(a=data["a"] + walks[0], b=data["b"] + walks[1])
    assert doubts(in_time)["order"].option == "lags=1, by=['unit']"  # never across units
    told = cz.read_table(in_time, by="unit")
    assert not {"groups", "order"} & {doubt.kind for doubt in cz.audit(told).doubts}
    nested = data.assign(school=school + 500, a=of_school[0][school] + data["a"], b=of_school[1][school] + data["b"])
    options = {finding.columns[0]: finding.option for finding in cz.audit(nested).about("groups")}
    assert options == {"school": "by=['school']", "unit": ""}  # schools contain their units


@pytest.mark.parametrize("seed", range(5))
def test_a_cause_with_many_values_is_no_group(seed: int) -> None:
    """Neither an effect of age, which is smooth, nor numbers without any effect."""
    rng = np.random.default_rng(seed)
    age, day = rng.integers(20, 70, size=ROWS), rng.integers(1, 31, size=ROWS)
    assert "groups" not in doubts({"age": age, "x": 0.1 * age + rng.normal(size=ROWS), "day": day})


def test_columns_that_count_equal_rows() -> None:
    table = pd.DataFrame({"a": A > 0, "b": KINDS, "c": B > 0}).value_counts().rename("Freq").reset_index()
    found = doubts(table)["counts"]
    assert (found.columns, found.option, found.flag) == (("Freq",), "weights='Freq'", "--weights Freq")
    assert "counts" not in {f.kind for f in cz.audit(table, weights="Freq").doubts}
    assert "counts" not in doubts({"n": RNG.integers(30, size=ROWS), "k": KINDS, "a": A > 0})


def test_names_are_shortened_to_a_few() -> None:
    skewed = {f"v{i}": np.exp(2 * RNG.normal(size=ROWS)) for i in range(9)}
    finding = doubts(skewed)["skew"]
    assert len(finding.columns) == 9
    assert finding.words.count("(") == 6
    assert "and 3 more" in finding.words


def test_large_tables_are_checked_in_part() -> None:
    rng = np.random.default_rng(1)
    large = cz.audit({"a": np.exp(rng.normal(size=3 * MOST_ROWS)), "b": rng.normal(size=3 * MOST_ROWS)})
    assert large.doubts[0].kind == "skew"
    assert large.rows == 3 * MOST_ROWS


def test_the_audit_is_kept_in_files() -> None:
    data = {"<a>": A, "b": B, "copy": A + 0.01 * NOISE}
    posterior = cz.sample(data, jumps=500, chains=2, rng=1)
    audit = posterior.audit()
    assert audit is not None
    assert audit == cz.audit(data)
    assert audit.about("duplicates")[0].columns == ("<a>", "copy")


def test_runs_of_scores_have_no_audit() -> None:
    assert cz.sample(cz.Uniform(3), jumps=100, rng=1).audit() is None


def test_saved_audits(tmp_path: Path) -> None:
    data = {"a": np.exp(2 * A), "hole": np.where(A > 2, np.nan, B), "site": ["x"] * ROWS, "b": B + NOISE}
    with pytest.warns(cz.DataWarning, match="site"):
        posterior = cz.sample(data, missing="drop", jumps=500, chains=2, rng=1, checkpoint=tmp_path / "run")
    posterior.save(tmp_path / "run.czz")
    assert cz.load(tmp_path / "run.czz").audit() == posterior.audit() == cz.resume(tmp_path / "run").audit()


def test_the_page_has_everything_and_ends_with_the_call() -> None:
    holes = np.where(np.arange(ROWS) % 9 == 0, np.nan, B)
    data = {"a": np.exp(2 * A), "b": holes, "copy": C + 0.01 * NOISE, "c": C, "site": ["x"] * ROWS, "two": A > B}
    audit = cz.audit(data)
    page = str(audit)
    for words in ("400 rows, 5 columns", "355 rows complete", "45 rows without b", "site is constant", "[1; threshold"):
        assert words in page
    assert audit.kinds[4][:3] == ("two", "categorical", "true or false")
    assert page.splitlines()[-1].strip() == audit.code()
    called = eval(audit.code().replace("cz.sample", "cz.read_table"), {"cz": cz, "data": data})
    assert called.nodes == ("a", "b", "copy", "two")
    assert audit.command("t.csv") == "causal-zigzag sample t.csv --drop c --log a"
    assert "<pre>" in audit._repr_html_()


def test_codes_of_missing_cells_are_asked_about(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    income = np.where(rng.random(300) < 0.1, -9, rng.integers(1000, 9000, 300))
    score = np.where(rng.random(300) < 0.05, 99, rng.integers(1, 6, 300))
    table = pd.DataFrame({"income": income * 1.0, "score": score, "percent": rng.integers(0, 100, 300), "a": A[:300]})
    found = doubts(table)["codes"]
    assert found.columns == ("score",)  # the incomes are far from 0 in any case
    assert "99 in score (3.7 % of its cells, 94 from the next number)" in found.words
    assert found.option == ""
    table.to_csv(tmp_path / "t.csv", index=False)
    audit = cz.audit(tmp_path / "t.csv")
    (finding,) = audit.about("codes")
    again = eval(f"cz.read_table(path, {finding.option})", {"cz": cz, "path": tmp_path / "t.csv"})
    assert next(column for column in again.columns if column.name == "score").missing.sum() == (score == 99).sum()


def test_items_of_a_scale_propose_their_order() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({f"q{k}": rng.integers(1, 6, 300) for k in range(5)} | {"a": A[:300]})
    found = doubts(table)["scale"]
    assert found.columns == ("q0", "q1", "q2", "q3", "q4")
    assert cz.read_table(table, **eval(f"dict({found.option})")).kinds["q0"] == "ordinal"


def test_a_few_incomplete_rows_are_left_out_by_the_proposal() -> None:
    table = pd.DataFrame({"a": A.copy(), "b": B.copy()})
    table.loc[3, "a"] = np.nan
    assert cz.audit(table).proposal == {"missing": "drop"}
    table.loc[:40, "b"] = np.nan
    assert cz.audit(table).proposal == {}


def test_names_of_a_design_are_whole_names() -> None:
    assert "design" not in doubts({"heart_block": KINDS, "gene_cluster": KINDS[::-1], "a": A, "b": B})


def test_a_regular_time_is_a_series_although_its_rows_are_not_alike() -> None:
    found = doubts({"year": np.arange(1600, 1600 + ROWS), "a": A, "b": B})["order"]
    assert (found.columns, found.option) == (("year",), "lags=2, time='year'")
