"""Sections about experimental conditions and about time, which only their tables have."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.report.page import page_html
from causal_zigzag.support.wording import probability

RNG = np.random.default_rng(1)
DRUG = np.repeat([0, 1], 100)
DOSE = RNG.normal(size=200) + 2 * DRUG
TABLE = {"<drug>": DRUG, "dose": DOSE, "effect": DOSE + RNG.normal(size=200)}
QUIET = {"jumps": 2000, "chains": 2, "rng": 1, "progress": False}


def test_conditions() -> None:
    posterior = cz.sample(TABLE, contexts="<drug>", **QUIET)  # type: ignore[arg-type]
    with pytest.raises(cz.ScoreError, match="one for each condition"):
        posterior.check_model()
    html = page_html(posterior)
    assert 'id="fit"' not in html
    assert 'id="conditions"' in html
    assert "&lt;drug&gt; → dose" in html
    assert "dose → effect" in html
    assert 'id="time"' not in html


def test_time() -> None:
    x, y = RNG.normal(size=(2, 200))
    y[1:] += x[:-1]
    html = page_html(cz.sample(cz.lagged({"x": x, "y": y}, lags=1), **QUIET))  # type: ignore[arg-type]
    assert '<tr><th scope="row">x → y</th><td class="num">1</td>' in html
    assert 'id="conditions"' not in html


def test_what_holds_again_stands_beside_it() -> None:
    conditions = cz.sample(TABLE, contexts="<drug>", resamples=4, **QUIET)  # type: ignore[arg-type]
    assert conditions.resampled is not None
    held = conditions.resampled.acts_on().set_index(["condition", "variable"])["probability"]
    shown = probability(held["<drug>", "dose"]).replace(">", "&gt;")
    found = f'&lt;drug&gt; → dose</th><td class="num">1</td><td class="num">{shown}</td>'
    assert found in page_html(conditions)
    x, y = RNG.normal(size=(2, 200))
    y[1:] += x[:-1]
    series = cz.sample(cz.lagged({"x": x, "y": y}, lags=1), resamples=4, **QUIET)  # type: ignore[arg-type]
    assert '<th scope="col">Probability again</th>' in page_html(series)


def test_other_tables_have_neither() -> None:
    html = page_html(cz.sample(TABLE, **QUIET))  # type: ignore[arg-type]
    assert 'id="conditions"' not in html
    assert 'id="time"' not in html
