"""Three lamps: what is said about sampling hides neither what does not hold nor doubts; and what to do next."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.report.contradiction import contradiction
from causal_zigzag.report.lamps import DOUBTS_SHOWN, assumptions_lamp, sampling_lamp, stability_lamp
from causal_zigzag.report.page import page_html
from resampled_runs import with_again


def moods(page: str) -> dict[str, str]:
    """The lamps of a page and how each looks."""
    return {name: mood for mood, name in re.findall(r'class="panel lamp (\w+)" aria-labelledby="(\w+)-lamp"', page)}


def table(rows: int) -> pd.DataFrame:
    return cz.datasets.linear_gaussian([("a", "c"), ("b", "c"), ("c", "d")], rows, rng=1)


def test_nothing_wrong() -> None:
    page = page_html(cz.sample(table(500), jumps=20_000, rng=1))
    assert moods(page) == {"sampling": "good", "stability": "dark", "assumptions": "good"}
    assert "idden common causes" in page


def test_a_converged_run_on_doubtful_data_is_not_green_as_a_whole() -> None:
    noise = np.random.default_rng(1).normal(size=16)
    few = table(16).assign(copy=lambda frame: frame["a"] + 0.03 * noise)
    posterior = cz.sample(few, jumps=50_000, rng=1)
    audit = posterior.audit()
    assert audit is not None
    kinds = [doubt.kind for doubt in audit.doubts]
    assert {"few rows", "duplicates"} <= {*kinds}
    page = page_html(posterior)
    assert moods(page)["assumptions"] == "warn"
    lamp = assumptions_lamp(posterior)
    assert lamp.details[:DOUBTS_SHOWN] == [doubt.words for doubt in audit.doubts][:DOUBTS_SHOWN]  # the worst first
    for doubt in audit.doubts:  # all of them are on the page
        assert doubt.words in unescape(page)


def test_a_model_that_does_not_fit_is_a_doubt() -> None:
    frame = table(500).assign(e=lambda frame: np.tanh(3 * frame["c"]) + frame["a"] ** 2)
    posterior = cz.sample(frame, "gaussian-bic", jumps=20_000, rng=1)
    check = posterior.check_model()
    assert not check.ok
    assert "does not fit" in assumptions_lamp(posterior, check).details[0]
    page = page_html(posterior)
    assert moods(page)["assumptions"] == "warn"
    assert "Nothing needs to be done" not in page
    assert any("compare_scores" in one.code for one in posterior.advice(check))
    assert "compare_scores" in next_box(posterior)


def test_a_run_that_has_not_converged() -> None:
    posterior = cz.sample(table(500), jumps=20, chains=2, rng=1)
    page = page_html(posterior)
    assert moods(page) == {"sampling": "warn", "stability": "dark", "assumptions": "good"}
    assert "not converged" in sampling_lamp(posterior).heading
    assert posterior.diagnostics().verdict in sampling_lamp(posterior).details


def test_a_score_has_no_table_to_check() -> None:
    assert assumptions_lamp(cz.sample(cz.Uniform(3), jumps=1000, rng=1)).mood == "dark"


def next_box(posterior: cz.Posterior) -> str:
    page = page_html(posterior)
    return unescape(page[page.index('id="next"') : page.index('<section id="')])


@pytest.mark.parametrize("rows", [16, 500])
def test_what_next_is_the_advice(rows: int) -> None:
    posterior = cz.sample(table(rows), jumps=20, chains=2, rng=1)
    box, proposals = next_box(posterior), posterior.advice()
    assert proposals
    for one in proposals:
        assert one.text in box
        assert one.code in box
        assert one.command in box
    assert box.count("<li>") == len(proposals)


def test_nothing_is_said_to_be_fine_if_there_are_doubts() -> None:
    doubtful = cz.sample(cz.datasets.load("galton"), jumps=20_000, rng=1)
    assert not doubtful.audit().ok  # type: ignore[union-attr]
    assert "Nothing needs to be done" not in next_box(doubtful)


def test_the_header_has_the_number_of_rows() -> None:
    assert "<span>500 rows</span>" in page_html(cz.sample(table(500), jumps=100, chains=1, rng=1))


def test_every_section_opens_with_a_sentence_and_words_are_explained() -> None:
    page = page_html(cz.sample(table(500), jumps=2000, chains=2, rng=1))
    sections = re.findall(r'<section id="([\w-]+)"[^>]*><h2[^>]*>[^<]*</h2>(<\w+)', page)
    opened = dict(sections)
    assert {"assumptions", "edges", "what-if", "classes", "map", "paths", "errors", "run", "repeat"} <= opened.keys()
    assert {anchor for anchor, tag in opened.items() if tag != "<p"} == {"words"}
    explained = {unescape(title) for title in re.findall(r'<abbr title="([^"]*)"', page)}
    listed = page[page.index('id="words"') :]
    assert len(explained) >= 8
    assert all(text in unescape(listed) for text in explained)


def resampled(arrows: dict[tuple[str, str], float], joined: float | None = None) -> cz.Posterior:
    """A converged run of a -> c <- b, c -> d, as if resampling gave these arrows, and lines otherwise."""
    return with_again(cz.sample(table(700), jumps=20_000, rng=1), arrows, joined)  # all are above 0.9


EVERYTHING = {("a", "c"): 0.91, ("b", "c"): 0.92, ("c", "d"): 0.95}


def test_arrows_that_hold() -> None:
    posterior = resampled(EVERYTHING)
    lamp = stability_lamp(posterior)
    assert lamp is not None
    assert (lamp.mood, lamp.heading) == ("good", "Stability: all 3 arrows hold")
    page = page_html(posterior)
    assert "The edges to believe" in page
    assert "again when rows are resampled. 3 of 3 arrows reach 0.9 in both." in page
    assert moods(page) == {"sampling": "good", "stability": "good", "assumptions": "good"}


def test_a_converged_run_whose_arrows_do_not_hold_is_not_green_as_a_whole() -> None:
    posterior = resampled(EVERYTHING | {("a", "c"): 0.4, ("c", "d"): 0.1})
    lamp = stability_lamp(posterior)
    assert lamp is not None
    assert (lamp.mood, lamp.heading) == ("warn", "Stability: 1 of 3 arrows stay above 0.9")
    assert lamp.sentence == "When rows are resampled, 1 of 3 arrows and 3 of 3 edges stay above 0.5."
    assert "a → c" in lamp.details[0]
    assert "b → c" not in lamp.details[0]
    page = unescape(page_html(posterior))
    assert moods(page)["stability"] == "warn"
    drawn = page[page.index("<svg") : page.index("</svg>")]
    assert drawn.count('class="edge arrow"') == 1
    assert "Nothing needs to be done" not in page
    words = "1 of 3 arrows and 3 of 3 edges hold when rows are resampled"
    assert words in posterior.summary()
    assert words in posterior.diagnostics().verdict  # the word converged does not stand alone
    assert words in unescape(posterior._repr_html_())


def test_arrows_that_are_no_longer_certain_are_not_green() -> None:
    posterior = resampled(EVERYTHING | {("a", "c"): 0.55})
    assert "2 of 3 arrows reach 0.9 in both." in page_html(posterior)
    lamp = stability_lamp(posterior)
    assert lamp is not None
    assert (lamp.mood, lamp.heading) == ("warn", "Stability: 2 of 3 arrows stay above 0.9")
    assert lamp.sentence == "When rows are resampled, 3 of 3 arrows and 3 of 3 edges stay above 0.5."


def test_too_few_resamples_are_said() -> None:
    few = stability_lamp(cz.sample(table(60), jumps=5000, resamples=2, rng=1))
    assert few is not None
    assert few.sentence.endswith("More resamples are needed.")


def test_edges_that_do_not_hold() -> None:
    posterior = resampled({}, joined=0.4)
    lamp = stability_lamp(posterior)
    assert lamp is not None
    assert lamp.sentence == "When rows are resampled, 0 of 3 arrows and 0 of 3 edges stay above 0.5."
    believed = page_html(posterior)
    assert "0 pairs joined with probability 0.9 or more, and again when rows are resampled." in believed


def test_groups_of_rows_that_were_drawn_apart() -> None:
    rng, unit = np.random.default_rng(1), np.repeat(np.arange(40), 6)
    frame = pd.DataFrame({"unit": unit, **{v: rng.normal(size=40)[unit] + rng.normal(size=240) for v in "ab"}})
    apart = stability_lamp(cz.sample(frame, jumps=5000, resamples=2, rng=1))
    assert apart is not None
    assert apart.mood == "warn"
    assert "Rows of the same unit were drawn apart" in apart.sentence
    together = stability_lamp(cz.sample(frame, by="unit", jumps=5000, resamples=2, rng=1))
    assert together is not None
    assert "apart" not in together.sentence


def test_what_was_not_tested_says_how_to_test_it() -> None:
    lamp = stability_lamp(cz.sample(table(500), jumps=20_000, rng=1))
    assert lamp is not None
    assert (lamp.mood, lamp.line) == ("dark", "posterior = posterior.resample()")
    assert stability_lamp(cz.sample(cz.Uniform(3), jumps=1000, rng=1)) is None  # there are no rows


def test_the_table_of_edges_has_both() -> None:
    posterior = resampled(EVERYTHING)
    page = page_html(posterior)
    edges = page[page.index('id="edge-table"') :]
    heads = [unescape(head) for head in re.findall(r'<button type="button">([^<]*)</button>', edges)]
    kinds = ["Joined", "→", "←", "Open"]
    assert heads == ["Edge", *kinds, "± error", *(f"{kind} again" for kind in kinds), "± again", "Strength"]
    rows = re.findall(r"<tr[^>]*><th[^>]*data-key=\"(\w) (\w)\".*?</tr>", edges)
    assert len(rows) == 6
    (row,) = re.findall(r"<tr[^>]*><th[^>]*data-key=\"a c\".*?</tr>", edges)
    values = [float(value) for value in re.findall(r'data-value="([^"]*)"', row)]
    found = posterior.edge_probabilities()
    i, j = posterior.nodes.index("a"), posterior.nodes.index("c")
    assert values[0] == pytest.approx(found.adjacent[i, j], abs=1e-5)
    assert values[6] == pytest.approx(0.91)


def test_knowledge_that_contradicts_the_data_is_said() -> None:
    table = cz.datasets.linear_gaussian([("a", "c"), ("b", "c"), ("d", "c")], rows=1000, rng=1)
    wrong = cz.Knowledge(required=[("c", "a"), ("c", "b"), ("c", "d")])
    posterior = cz.sample(table, knowledge=wrong, jumps=2000, chains=2, rng=1, progress=False)
    words = contradiction(posterior)
    assert "The data contradict it" in words
    assert "a -> c" in words
    page = page_html(posterior)
    assert page.count("ata contradict it: without it") == 2  # in the lamp and among the assumptions
    for right in (cz.Knowledge(required=[("a", "c")]), cz.Knowledge(tiers=[["a"], ["c"]]), None):
        agreeing = cz.sample(table, knowledge=right, jumps=2000, chains=2, rng=1, progress=False)
        assert contradiction(agreeing) == ""
