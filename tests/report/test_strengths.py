"""The strengths of arrows in the table of edges of a report."""

import re

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.report import edge_table
from causal_zigzag.report.edge_table import all_edges


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    x = np.random.default_rng(1).normal(size=(200, 3))
    x[:, 2] += x[:, 0] - 2 * x[:, 1]
    return cz.sample(cz.GaussianBIC(dict(zip("abc", x.T, strict=True))), jumps=1000, chains=2, rng=1, progress=False)


def test_every_pair_has_the_strength_of_its_likelier_arrow(posterior: cz.Posterior) -> None:
    html = all_edges(posterior, ["a", "b", "c"])
    found = posterior.strengths(standardized=True).set_index(["cause", "outcome"])
    cells = re.findall(r'data-key="(\w) (\w)">.*?data-value="([^"]*)" data-sign="([^"]*)">', html)
    assert len(cells) == 3
    for x, y, value, sign in cells:
        if (x, y) in found.index:
            row = found.loc[(x, y)]
            assert float(value) == pytest.approx(abs(row["mean"]), rel=1e-3)
            assert sign == ("+" if row["lower"] > 0 else "−" if row["upper"] < 0 else "±")
    assert {sign for *_, sign in cells} >= {"+", "−"}
    assert 'id="edge-sign"' in html


def test_without_strengths_there_is_no_column(posterior: cz.Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    flat = cz.sample(cz.Uniform(3), jumps=500, chains=1, rng=1)
    assert "Strength" not in all_edges(flat, ["0", "1", "2"])
    monkeypatch.setattr(edge_table, "MOST_STRENGTHS", 2)
    assert "Strength" not in all_edges(posterior, ["a", "b", "c"])
