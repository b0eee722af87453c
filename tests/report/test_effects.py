"""The section of effects in the report: its numbers, its limits, and the choice of an outcome in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from browser import Browser, executable
from causal_zigzag.report import effect_chooser as section
from causal_zigzag.report.effect_chooser import effects_html
from causal_zigzag.report.page import page_html

pytestmark = pytest.mark.nosanitize

NAMES = ["<b>a</b>", "b&c", "d", "e"]


@pytest.fixture(scope="module")
def continuous() -> cz.Posterior:
    x = np.random.default_rng(1).normal(size=(200, 4))
    x[:, 2] += x[:, 0] - x[:, 1]
    x[:, 3] += x[:, 2]
    return cz.sample(cz.GaussianBIC(dict(zip(NAMES, x.T, strict=True))), jumps=2000, chains=2, rng=1, progress=False)


@pytest.fixture(scope="module")
def discrete() -> cz.Posterior:
    rng = np.random.default_rng(2)
    dose = rng.choice(["<none>", "low", "high"], 200)
    ill = np.where(rng.random(200) < np.where(dose == "low", 0.2, 0.7), "yes", "no")
    return cz.sample(cz.BDeu({"dose": dose, "ill": ill}), jumps=500, chains=2, rng=1, progress=False)


def rows(html: str) -> list[list[str]]:
    """The text of the cells of all rows of the tables, without tags."""
    found = re.findall(r"<tr><th scope=\"row\">.*?</tr>", html)
    return [[re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in found]


def test_every_outcome_has_its_causes(continuous: cz.Posterior) -> None:
    html = effects_html(continuous, continuous.nodes)
    table = continuous.effects()
    table = table[table["probability_nonzero"] >= 0.01]
    assert len(rows(html)) == len(table)
    outcomes = [escape(node) for node in NAMES if node in {*table["outcome"]}]
    assert re.findall(r"<option value=\"\d\"(?: selected)?>(.*?)</option>", html) == outcomes
    assert html.count("<details") == len({*table["outcome"]})
    assert html.count(" open>") == html.count(" selected>") == 1
    on_d = html[html.index("What happens to <bdi>d</bdi>") :]
    first = rows(on_d)[0]
    largest = table[table["outcome"] == "d"].iloc[0]
    assert float(first[2].replace("−", "-")) == pytest.approx(largest["mean"], rel=0.006)
    assert first[4] in (f"{largest['probability_nonzero']:.3f}", ">0.999", "1")


def test_the_page_contains_it_once(continuous: cz.Posterior) -> None:
    page = page_html(continuous)
    assert page.count('id="what-if"') == 1
    assert '<a href="#what-if">Effects</a>' in page
    assert "<b>a</b>" not in page


def test_risk_differences(discrete: cz.Posterior) -> None:
    html = effects_html(discrete, discrete.nodes)
    largest = discrete.effect("dose", "ill").largest()
    words = f"dose: {largest.a} → {largest.b} P(ill = {largest.level})".replace("<", "&lt;").replace(">", "&gt;")
    assert words in [row[0] for row in rows(html)]


def test_limits(continuous: cz.Posterior, discrete: cz.Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    assert effects_html(cz.sample(cz.Uniform(3), jumps=200, chains=1, rng=1), ["0", "1", "2"]) == ""
    monkeypatch.setattr(section, "MOST_ROWS", 1)
    assert "causes with smaller effects are left out" not in effects_html(continuous, continuous.nodes)  # 3 are kept
    monkeypatch.setattr(section, "MOST_SETS", 1)
    assert "4 possible sets of causes, and a page takes 1" in effects_html(discrete, discrete.nodes)
    monkeypatch.setattr(section, "MOST_VARIABLES", 3)
    html = effects_html(continuous, continuous.nodes)
    assert "the table has 4 variables, and a page has them for up to 3" in html
    assert "posterior.effects(outcomes=...)" in html
    assert "<details" not in html


def test_what_cannot_be_computed_either_is_not_advised() -> None:
    score = cz.GaussianBIC.from_covariance(np.eye(4) * 0.3 + 0.7, n_samples=4.5)
    run = cz.sample(score, jumps=500, chains=1, rng=1, edge_prior=None, progress=False)
    html = effects_html(run, ["0", "1", "2", "3"])
    assert "too few for effects" in html
    assert "posterior.effects" not in html


def test_effects_with_knowledge_are_those_of_agreeing_dags(continuous: cz.Posterior) -> None:
    x, y, *_ = continuous.nodes
    known = cz.Knowledge(forbidden=[(x, y)])
    restricted = cz.sample(continuous.score, knowledge=known, jumps=500, chains=1, rng=1, progress=False)
    assert restricted.effect(x, y).probability_nonzero < 1
    assert not effects_html(restricted, restricted.nodes).startswith("<p>Effects are not on this page")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    started = Browser()
    yield started
    started.close()


@pytest.mark.skipif(executable() is None, reason="no chromium here; apt install chromium")
def test_a_reader_picks_an_outcome(continuous: cz.Posterior, browser: Browser, tmp_path: Path) -> None:
    continuous.report(tmp_path / "report.html")
    page = browser.page(tmp_path / "report.html")
    shown = "[...document.querySelectorAll('.effects-on')].filter(p => p.open && p.checkVisibility()).map(p => p.id)"
    choice = "document.getElementById('effect-outcome')"
    first = page.js(f"{choice}.value")
    assert page.js(shown) == [f"effects-on-{first}"]
    other = "1" if first == "0" else "0"
    page.js(f"{{ {choice}.value = '{other}'; {choice}.dispatchEvent(new Event('change')) }}")
    assert page.js(shown) == [f"effects-on-{other}"]
    assert page.js("[...document.querySelectorAll('.tools')].filter(tools => tools.hidden).length") == 0
    assert page.complaints() == []
