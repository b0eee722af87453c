"""Edges of a run that has not converged are called provisional, and are strong only if all chains agree on them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.cli.findings import show_results
from causal_zigzag.posterior.chain_agreement import believed_edges, edge_strengths
from causal_zigzag.report.notebook import posterior_html
from causal_zigzag.report.page import page_html


@cache
def disagreeing() -> cz.Posterior:
    """Chain 1 joins x to y and z to y, chain 2 joins y and z (the other way) and, for 0.85 of the time, x to y."""
    run = cz.sample(cz.Uniform(["x", "y", "z"]), jumps=4000, chains=2, rng=1)
    nothing = np.array([], dtype=np.int64), np.array([])

    def with_arrows(result, shares):  # type: ignore[no-untyped-def]
        at = np.array(sorted(shares))
        return replace(result, directed=(at, result.total * np.array([shares[k] for k in at])), undirected=nothing)

    first, second = run._results
    results = with_arrows(first, {1: 1.0, 7: 1.0}), with_arrows(second, {1: 0.85, 5: 1.0})
    return replace(run, _results=results)


def unsettled(posterior: cz.Posterior, monkeypatch: pytest.MonkeyPatch) -> cz.Posterior:
    found = posterior.diagnostics()
    judgement = replace(found.judgement, ok=False)
    monkeypatch.setattr(cz.Posterior, "diagnostics", lambda _: replace(found, judgement=judgement))
    return posterior


def test_a_sound_run_lists_what_is_probable_for_all_chains_together() -> None:
    posterior = disagreeing()
    assert posterior.diagnostics().ok
    believed = believed_edges(posterior, 5)
    assert believed.heading == "The most probable edges"  # not to be believed until rows were resampled
    assert {frozenset((pair.x, pair.y)) for pair in believed.edges} == {frozenset("xy"), frozenset("yz")}
    edges, strengths = posterior.edge_probabilities(), edge_strengths(posterior)
    assert strengths[0, 1] == edges.directed[0, 1]  # what is shown: an arrow, or else that the pair is joined
    assert strengths[1, 2] == max(edges.directed[1, 2], edges.directed[2, 1])
    assert np.array_equal(strengths, strengths.T)


def test_an_unsettled_run_lists_only_what_all_chains_agree_on(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = unsettled(disagreeing(), monkeypatch)
    believed = believed_edges(posterior, 5)
    assert believed.heading == "Provisional edges"
    assert [{pair.x, pair.y} for pair in believed.edges] == [{"y", "z"}]
    assert believed.edges[0].mark == "-"  # both chains are certain that it is joined, but not of the direction
    assert believed.doubtful == 1
    assert believed.text(5) == (
        "The run has not converged, so these numbers may still change. 1 pair joined with probability 0.9 or more in "
        "each of the 2 chains; 1 more only for all chains together."
    )
    assert edge_strengths(posterior)[0, 1] == pytest.approx(0.85)


def test_every_view_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    posterior = unsettled(disagreeing(), monkeypatch)
    show_results(posterior)
    for text in (page_html(posterior), posterior_html(posterior), posterior.summary(), capsys.readouterr().out):
        assert "rovisional" in text
        assert "edges to believe" not in text


def test_one_chain_has_no_strong_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = unsettled(disagreeing().by_chain()[0], monkeypatch)
    believed = believed_edges(posterior, 5)
    assert believed.edges == []
    assert len(believed.likeliest) == 2
    assert "One chain cannot be compared with others" in believed.text(5)


def texts_of(figure: Any) -> list[str]:
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text)]


def test_plots_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", minversion="3.8")
    posterior = disagreeing()
    assert not any("rovisional" in text for text in texts_of(posterior.plot.consensus().figure))
    posterior = unsettled(posterior, monkeypatch)
    for ax in (posterior.plot.consensus(), posterior.plot()[0]):
        assert any("Provisional" in text for text in texts_of(ax.figure))
