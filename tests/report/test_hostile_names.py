"""Names with characters that a browser obeys: in the page of a report and in notebooks they are shown, not obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "\x1b[2J\x07\u202egnol<b>"
OBEYED = ["\x1b", "\x07", "\u202e", "gnol<b>"]


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    x = np.random.default_rng(1).normal(size=(200, 3))
    x[:, 1] += x[:, 0]
    return cz.sample(pd.DataFrame(x, columns=[HOSTILE, "b", "c"]), jumps=3000, chains=2, rng=1, progress=False)


def test_a_report_obeys_no_name(posterior: cz.Posterior, tmp_path: Path) -> None:
    posterior.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "gnol" in page
    assert not [text for text in OBEYED if text in page]


def test_notebooks_obey_no_name(posterior: cz.Posterior) -> None:
    effect, audit = posterior.effect(HOSTILE, "b"), posterior.audit()
    assert audit is not None
    shown = [posterior, posterior.top(3), posterior.diagnostics(), posterior.check_exact(), posterior.advice(), effect]
    for value in (*shown, audit, posterior.top(1)[0].graph, cz.ges(posterior.score)):
        page = value._repr_html_() if hasattr(value, "_repr_html_") else value._repr_svg_()
        assert not [text for text in OBEYED if text in page], type(value)
