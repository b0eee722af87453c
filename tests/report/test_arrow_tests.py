"""What arrows withstand: the three marks of each, those in bold, and what is said of hidden causes with and without."""

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.figures.scene import BOLD, edge_style
from causal_zigzag.report.hidden_causes.arrow_tests import arrow_tests
from causal_zigzag.report.page import page_html


@pytest.fixture(scope="module")
def plants() -> pd.DataFrame:
    """Fertilizer, which is not a column, raises growth and insects; the model takes insects for a cause of growth."""
    rng = np.random.default_rng(3)
    sun, nests, fertilizer = rng.normal(size=(3, 1000))
    growth = 0.8 * sun + fertilizer + 0.6 * rng.normal(size=1000)
    insects = 0.3 * nests + fertilizer + 0.6 * rng.normal(size=1000)
    harvest = 0.9 * growth + 0.6 * rng.normal(size=1000)
    return pd.DataFrame({"sun": sun, "nests": nests, "growth": growth, "insects": insects, "harvest": harvest})


@pytest.fixture(scope="module")
def posterior(plants: pd.DataFrame) -> cz.Posterior:
    return cz.sample(plants, jumps=20_000, resamples=16, rng=1)


@pytest.fixture(scope="module")
def hidden(posterior: cz.Posterior) -> cz.AncestralPosterior:
    return posterior.hidden_causes(steps=200_000, rng=1)


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def test_an_arrow_that_a_hidden_cause_explains_does_not_hold_and_one_that_none_explains_does(
    posterior: cz.Posterior, hidden: cz.AncestralPosterior
) -> None:
    tests = {(one.x, one.y): one for one in arrow_tests(posterior, hidden)}
    wrong, right = tests["insects", "growth"], tests["growth", "harvest"]
    assert min(wrong.said, wrong.again or 0) > 0.5
    assert wrong.hidden is not None
    assert wrong.hidden < 0.3
    assert not wrong.withstands_all
    assert min(right.said, right.again or 0, right.hidden or 0) > 0.6
    assert right.withstands_all


def test_the_page_has_the_three_marks_and_draws_in_bold_what_withstands_all(
    posterior: cz.Posterior, hidden: cz.AncestralPosterior
) -> None:
    page = page_html(posterior, hidden)
    bold = {(one.x, one.y) for one in arrow_tests(posterior, hidden) if one.withstands_all}
    section = page[page.index('<section id="arrows"') : page.index('<section id="edges"')]
    rows = [text_of(row) for row in re.findall(r"<tr>.*?</tr>", section)]
    assert any(re.search(r"growth → harvest ✓ \S+ ✓ \S+ ✓", row) for row in rows)
    assert any(re.search(r"insects → growth ✓ \S+ ✓ \S+ ○", row) for row in rows)
    assert section.count("<strong>") == len(bold)
    found = re.search(r'data-graph="([^"]*)"', page)
    assert found is not None
    data = json.loads(unescape(found[1]))
    names, drawn = data["names"], [edge for edge in data["edges"] if edge[-1]]
    assert {frozenset((names[edge[0]], names[edge[1]])) for edge in drawn} == {*map(frozenset, bold)}
    assert data["bold"] == BOLD
    assert "Bold: holds when rows are resampled, and when causes may be hidden" in page
    widths = {
        name: float(width)
        for name, width in re.findall(r'<title>([^<,]*), joined[^<]*</title><path [^>]*stroke-width="([\d.]+)"', page)
    }
    assert widths["growth → harvest"] > edge_style(1.0)[1] * 1.5
    assert widths["insects → growth"] <= edge_style(1.0)[1] + 0.01


def test_the_assumption_says_what_this_table_shows(posterior: cz.Posterior, hidden: cz.AncestralPosterior) -> None:
    said = text_of(page_html(posterior, hidden))
    held = sum((one.hidden or 0) > 0.5 for one in arrow_tests(posterior, hidden))
    assert re.search(rf"{held} of \d+ arrows of the model holds? when causes may be hidden\.", said)


def test_a_run_that_was_not_tested_has_the_line_to_paste(posterior: cz.Posterior, tmp_path: Path) -> None:
    page = page_html(posterior)
    assert 'id="arrows"' not in page
    assert "Bold:" not in page
    assert "posterior.hidden_causes()" in page
    posterior.report(tmp_path / "report.html", posterior.hidden_causes(steps=2000, columns=["sun", "growth"], rng=1))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "not tested" in page  # arrows of other columns
    assert "This is provisional." in page or "when causes may be hidden." in page


def test_a_table_of_categories_has_no_such_line() -> None:
    table = cz.datasets.discrete([("a", "b")], rows=200, rng=1)
    page = page_html(cz.sample(table, jumps=1000, rng=1))
    assert "hidden_causes" not in page
    assert "can be asked of tables of 2 to 20 numeric columns" in page


def test_something_else_is_refused(posterior: cz.Posterior, plants: pd.DataFrame) -> None:
    with pytest.raises(cz.SettingsError, match=r"hidden must be what posterior\.hidden_causes\(\) returns, not 3"):
        page_html(posterior, 3)  # type: ignore[arg-type]
    others = cz.sample_ancestral(plants.rename(columns={"sun": "moon"}), steps=1000, rng=1)
    with pytest.raises(cz.SettingsError, match="hidden must be about columns of this posterior"):
        page_html(posterior, others)
