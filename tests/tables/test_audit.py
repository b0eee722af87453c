"""Every check finds a table that was made to fail it and names the columns, and clean tables pass all of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.report.page import page_html
from causal_zigzag.tables.audit import MOST_ROWS, Audit, audit_table
from causal_zigzag.tables.finding import Finding

RNG = np.random.default_rng(7)
ROWS = 400
A, B, C = RNG.normal(size=(3, ROWS))
NOISE = RNG.normal(size=ROWS)
KINDS = RNG.integers(3, size=ROWS)
MOSTLY = (KINDS + (np.arange(ROWS) == 5)) % 3
SPIKED = np.where(RNG.random(ROWS) < 0.4, 0.0, A)
WILD = np.where(np.arange(ROWS) == 17, 40.0, np.where(np.arange(ROWS) == 18, -40.0, B))


def checks_of(columns: Mapping[str, Any]) -> Audit:
    found = audit_table(cz.read_table(dict(columns)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("check", "columns", "named", "words"),
    [
        ("skew", {"a": np.exp(1.5 * A), "b": B}, ("a",), "Take logarithms."),
        ("skew", {"a": -np.exp(1.5 * A), "b": B}, ("a",), "Transform them"),
        ("outliers", {"a": A, "wild": WILD}, ("wild",), "wild (2)"),
        ("spikes", {"zeros": SPIKED, "b": B}, ("zeros",), "of zeros are 0"),
        ("duplicates", {"a": A, "b": B, "copy": -A + 0.01 * NOISE}, ("a", "copy"), "Drop all but one of them."),
        (
            "duplicates",
            {"k": KINDS, "name": np.array(["x", "y", "z"])[MOSTLY]},
            ("k", "name"),
            "levels corr",
        ),
        ("collinear", {"a": A, "b": B, "sum": A + B + 0.01 * NOISE, "c": C}, ("a", "b", "sum"), "Drop one of them"),
        ("few rows", {"a": A[:40], "b": B[:40]}, (), "only 40 rows for 2 columns"),
        ("order", {"walk": np.cumsum(A), "b": B}, ("walk",), "Successive rows are alike"),
        ("order", {"k": np.sort(KINDS), "b": B}, ("k",), "k (0.99)"),
        ("sparse levels", {"k": np.where(np.arange(ROWS) < 3, 3, KINDS), "b": B}, ("k",), "k (1 of 4 levels)"),
    ],
)
def test_each_check_finds_what_it_is_for(
    check: str, columns: dict[str, Any], named: tuple[str, ...], words: str
) -> None:
    found = {finding.kind: finding for finding in checks_of(columns).findings}
    assert found[check].columns == named
    assert words in str(found[check])
    assert {*found} - {"outliers"} <= {check}  # what is skewed has outliers as well


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [3, 20])
def test_clean_tables_pass(n: int, seed: int) -> None:
    """A false alarm has probability below 1e-5 for each of the few hundred comparisons; the seeds are fixed."""
    dag = cz.datasets.random_dag(n, 2 * n if n > 3 else 2, rng=seed)
    for table in (cz.datasets.linear_gaussian(dag, 500, rng=seed), cz.datasets.discrete(dag, 2000, 2, rng=seed)):
        found = audit_table(cz.read_table(table))
        assert found is not None
        assert [f for f in found.findings if f.kind != "sparse levels"] == []


def test_names_are_shortened_to_a_few() -> None:
    skewed = {f"v{i}": np.exp(2 * RNG.normal(size=ROWS)) for i in range(9)}
    (finding,) = checks_of(skewed).about("skew")
    assert len(finding.columns) == 9
    assert finding.words.count("(") == 6
    assert "and 3 more" in finding.words


def test_large_tables_are_checked_in_part() -> None:
    rng = np.random.default_rng(1)
    large = checks_of({"a": np.exp(rng.normal(size=3 * MOST_ROWS)), "b": rng.normal(size=3 * MOST_ROWS)})
    assert large.findings[0].kind == "skew"
    assert large.rows == 3 * MOST_ROWS


def test_the_checks_are_kept_in_files_and_shown(tmp_path: Path) -> None:
    data = {"<a>": A, "b": B, "copy": A + 0.01 * NOISE}
    posterior = cz.sample(data, jumps=500, chains=2, rng=1, checkpoint=tmp_path / "run")
    checks = posterior.audit()
    assert checks is not None
    assert checks.about("duplicates")[0].columns == ("<a>", "copy")
    posterior.save(tmp_path / "run.czz")
    assert cz.load(tmp_path / "run.czz").audit() == checks
    assert cz.resume(tmp_path / "run").audit() == checks
    page = page_html(posterior)
    assert "&lt;a&gt; and copy are nearly the same column" in page
    for name in ("No hidden common causes", "Linear effects and normal noise", "Independent rows", "No feedback"):
        assert f"<h3>{name}</h3>" in page
    assert "Nothing against it was found" in page


def test_runs_of_scores_have_no_checks() -> None:
    posterior = cz.sample(cz.Uniform(3), jumps=100, rng=1)
    assert posterior.audit() is None
    assert "The table was not available for checks" in page_html(posterior)


def test_discrete_runs_state_categories() -> None:
    posterior = cz.sample({"a": KINDS, "b": (KINDS + (NOISE > 0)) % 3}, jumps=100, chains=1, rng=1)
    assert "<h3>Categories</h3>" in page_html(posterior)


def test_findings_are_validated() -> None:
    with pytest.raises(cz.SettingsError):
        Finding("skew", ["a"], "text", "remedy")  # type: ignore[arg-type]
    with pytest.raises(cz.SettingsError):
        Audit(3, 2, ("a",))  # type: ignore[arg-type]
