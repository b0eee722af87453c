"""The section of effects in the report: its numbers, its limits, and the choice of an outcome in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
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
    found = re.findall(r"<tr data-level=\"[^\"]*\"><th scope=\"row\">.*?</tr>", html)
    return [[unescape(re.sub(r"<.*?>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in found]


def test_effects_are_averages_over_resamples_too(continuous: cz.Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    few = continuous.resample(6, rng=1)
    assert few.resampled is not None
    html = effects_html(few, few.nodes)
    assert "averages over resampled rows too: of 0.7 times" in html
    on_d = html[html.index("What happens to <bdi>d</bdi>") :]
    largest = few.resampled.effects(standardized=True).query("outcome == 'd'").iloc[0]
    assert rows(on_d)[0][5] == f"{100 * largest['robustness']:.0f} % ({100 * largest['robustness_interval']:.0f} %)"
    assert "resampled" not in effects_html(continuous, continuous.nodes)
    monkeypatch.setitem(section.MOST_AGAIN, "lines", 10)
    alone = effects_html(few, few.nodes)
    assert rows(alone) == rows(effects_html(continuous, continuous.nodes))
    assert "those of the model alone" in alone


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
    largest = continuous.effects(standardized=True).query("outcome == 'd'").iloc[0]
    assert first[3] in (f"{largest['probability_nonzero']:.3f}", ">0.999", "1")
    assert first[4] in (f"{largest['probability_positive']:.3f}", "<0.001", ">0.999", "0", "1")
    assert first[5] == f"{100 * largest['robustness']:.0f} % ({100 * largest['robustness_interval']:.0f} %)"


def test_effects_in_standard_deviations_and_in_units(continuous: cz.Posterior) -> None:
    html = effects_html(continuous, continuous.nodes)
    row = html[html.index("What happens to <bdi>d</bdi>") :]
    for kind, standardized in (("per-sd", True), ("per-unit", False)):
        text = re.search(rf'<span class="{kind}">(.*?)</span>', row)[1].replace("−", "-")  # type: ignore[index]
        shown = [*map(float, re.findall(r"-?[\d.]+", text.split(" with")[0]))]
        largest = continuous.effects(standardized=True).query("outcome == 'd'").iloc[0]
        exact = continuous.effects(standardized=standardized).set_index(["cause", "outcome"]).loc[largest["cause"], "d"]
        given = exact["mean"] / exact["probability_nonzero"]
        np.testing.assert_allclose(shown, [given, exact["path_lower"], exact["path_upper"]], rtol=0.006)


def test_an_uncertain_effect_says_how_probable_none_is() -> None:
    score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
    html = effects_html(cz.sample(score, jumps=500, chains=2, rng=1), ["a", "b"])
    assert ") with probability 0.500, otherwise none" in html
    heights = [float(height) for height in re.findall(r'class="none"[^>]*height="([\d.]+)"', html)]
    assert heights == pytest.approx([13.5, 13.5], abs=0.1)  # half of the height of the picture
    peaks = [re.findall(r",([\d.]+)", points) for points in re.findall(r'<polygon points="(.*?)"', html)]
    assert all(min(map(float, peak)) == pytest.approx(29 - 13.5, abs=0.2) for peak in peaks)  # and so is the rest


def test_the_page_contains_it_once(continuous: cz.Posterior) -> None:
    page = page_html(continuous)
    assert page.count('id="what-if"') == 1
    assert '<a href="#what-if">Effects</a>' in page
    assert "<b>a</b>" not in page


def test_levels_can_be_chosen(discrete: cz.Posterior) -> None:
    html = effects_html(discrete, discrete.nodes)
    effect = discrete.effect("dose", "ill")
    first, *others = effect.cause_levels
    words = [row[0] for row in rows(html)]
    for other in others:
        for level in effect.outcome_levels:
            assert f"dose: {other} instead of {first} P(ill = {level})" in words
    assert html.count(">all levels<") == html.count("<details")


def test_mixed_tables_have_changes_of_means_and_probabilities() -> None:
    rng = np.random.default_rng(1)
    sex = rng.choice(["f", "m"], 100)
    table = {"sex": sex, "age": rng.normal(size=100) + 3 * (sex == "f")}
    html = effects_html(cz.sample(table, jumps=200, chains=1, rng=1), ["sex", "age"])
    words = re.sub("<[^>]+>", "", html)
    assert "sex: m instead of f" in words
    assert "P(sex = m)" in words
    assert "Robustness" in words
    assert "one standard deviation" in words


def test_curves_have_pictures_and_no_robustness() -> None:
    x, noise = np.random.default_rng(1).normal(size=(2, 200))
    posterior = cz.sample({"x": x, "y": x**2 + noise}, "additive-gp", jumps=200, chains=1, rng=1)
    html = effects_html(posterior, ["x", "y"])
    assert html.count('class="effect curve"') == 2
    assert "– (–)" in html


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
    assert "nan" not in html
    assert "posterior.effects" not in html


def test_effects_with_knowledge_are_those_of_agreeing_dags(continuous: cz.Posterior) -> None:
    x, y, *_ = continuous.nodes
    known = cz.Knowledge(forbidden=[(x, y)])
    restricted = cz.sample(continuous.score, knowledge=known, jumps=500, chains=1, rng=1, progress=False)
    assert restricted.effect(x, y).probability_nonzero < 1
    assert not effects_html(restricted, restricted.nodes).startswith("<p>Effects are not on this page")


def test_effects_of_a_table_with_missing_cells() -> None:
    table = cz.datasets.linear_gaussian([("a", "c"), ("b", "c")], 200, rng=1)
    table = table.mask(np.random.default_rng(1).random(table.shape) < 0.1)
    html = effects_html(cz.sample(table, jumps=1000, chains=1, rng=1), ["a", "b", "c"])
    assert html.count("<polygon") == len(rows(html)) >= 2


def test_a_score_of_a_user_without_effects_says_why() -> None:
    run = cz.sample(cz.SetFunction(lambda nodes: 0.1 * len(nodes), ["a", "b"]), jumps=50, chains=1, rng=1)
    assert effects_html(run, ["a", "b"]).startswith("<p>Effects are not on this page")


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
