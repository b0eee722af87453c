"""What is drawn is what the table says: page, pictures, notebook, DOT, table, consensus and command line agree."""

from __future__ import annotations

import json
import re
from html import escape, unescape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from browser import Browser, executable
from causal_zigzag.cli import main
from causal_zigzag.figures.posterior_scenes import consensus_edges, legend, placing
from causal_zigzag.figures.scene import scene
from causal_zigzag.report.graph_view import THRESHOLDS
from causal_zigzag.report.page import page_html
from causal_zigzag.support.wording import probability

pytestmark = pytest.mark.nosanitize

Edges = set[tuple[str, str, bool]]


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    datasets = pytest.importorskip("sklearn.datasets")
    return cz.sample(datasets.load_diabetes(as_frame=True).frame, jumps=20_000, chains=2, rng=1)


def by_rule(posterior: cz.Posterior, threshold: float) -> Edges:
    """The edges by the rule in words, from the table of edges alone."""
    found = set()
    for row in posterior.edge_table().to_dict("records"):
        if row["adjacent"] >= threshold:
            x, y = (row["x"], row["y"]) if row["forward"] >= row["backward"] else (row["y"], row["x"])
            found.add((x, y, True) if max(row["forward"], row["backward"]) > 0.5 else (*sorted((x, y)), False))
    return found  # type: ignore[return-value]


def of_graph(graph: cz.EdgeGraph) -> Edges:
    return {(x, y, True) for x, y in graph.directed_edges} | {(*sorted(e), False) for e in graph.undirected_edges}  # type: ignore[misc]


def of_titles(titles: list[str]) -> Edges:
    """The edges in the tooltips of a picture: "x → y" and "x – y"."""
    found: Edges = set()
    for title in titles:
        x, mark, y = title.split(",")[0].split(" ")
        found.add((x, y, True) if mark == "→" else (*sorted((x, y)), False))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.9])
def test_the_consensus_follows_the_rule(posterior: cz.Posterior, threshold: float) -> None:
    expected = by_rule(posterior, threshold)
    assert any(directed for *_, directed in expected)
    assert threshold > 0.5 or any(not directed for *_, directed in expected)
    graph = posterior.consensus(threshold)
    assert of_graph(graph) == expected  # there is no cycle here
    dot = {(x, y, "dir" not in rest) for x, y, rest in re.findall(r'"(\w+)" -> "(\w+)"(.*);', graph.to_dot())}
    assert {(*(e[:2] if e[2] else sorted(e[:2])), e[2]) for e in dot} == expected


def test_pictures_show_the_consensus(posterior: cz.Posterior) -> None:
    expected = by_rule(posterior, 0.5)
    for html in (posterior._repr_html_(), page_html(posterior)):
        first = html[html.index("<svg") : html.index("</svg>")]
        titles = [unescape(title) for title in re.findall(r'class="edge \w+"[^>]*><title>(.*?)</title>', first)]
        assert of_titles(titles) == expected
        dashed = re.findall(r'class="edge line"[^>]*><title>(.*?)</title>', first)
        assert of_titles([*map(unescape, dashed)]) == {edge for edge in expected if not edge[2]}
    pytest.importorskip("matplotlib")
    drawn = posterior.plot.consensus().patches
    heads = sum(patch.get_gid() == "arrowhead" for patch in drawn)
    lines = [patch for patch in drawn if patch.get_gid() == "line"]
    assert (heads, len(lines)) == (sum(directed for *_, directed in expected), len(expected))
    assert sum(patch.get_linestyle() != "-" for patch in lines) == len(lines) - heads


def test_the_first_table_has_the_arrows_of_the_picture(posterior: cz.Posterior) -> None:
    page = page_html(posterior)
    rows = re.findall(r'<th scope="row" data-key="[^"]*"><bdi>(\w+)</bdi>.*?>([→—])</span><wbr><bdi>(\w+)</bdi>', page)
    assert len(rows) == 11 * 10 // 2
    marks = {(x, y, True) if mark == "→" else (*sorted((x, y)), False) for x, mark, y in rows}
    assert by_rule(posterior, 0.5) <= marks


def test_the_command_line_shows_the_same_arrows(posterior: cz.Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "run.czz")
    done = CliRunner().invoke(main, ["edges", str(tmp_path / "run.czz"), "--json"])
    assert done.exit_code == 0
    found: Edges = set()
    for edge in json.loads(done.stdout):
        if edge["adjacent"] >= 0.5:
            x, y = (edge["x"], edge["y"]) if edge["forward"] >= edge["backward"] else (edge["y"], edge["x"])
            settled = max(edge["forward"], edge["backward"]) > 0.5
            found.add((x, y, True) if settled else (*sorted((x, y)), False))  # type: ignore[arg-type]
    assert found == of_graph(posterior.consensus())


@pytest.mark.skipif(executable() is None, reason="no chromium here; apt install chromium")
def test_the_slider_and_its_caption(posterior: cz.Posterior, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    posterior.report(path)
    browser = Browser()
    page = browser.page(path)
    for k in (3, 9, 17):
        least = "document.getElementById('graph-least')"
        page.js(f"{least}.value = '{k}'; {least}.dispatchEvent(new Event('input'))")
        titles = page.js("[...document.querySelectorAll('.czz-live .edge title')].map(t => t.textContent)")
        assert of_titles(titles) == by_rule(posterior, THRESHOLDS[k])
        assert f"probability {THRESHOLDS[k]:.2f} or more" in page.js(
            "document.getElementById('graph-what').textContent"
        )
    shown = "document.getElementById('graph-shown')"
    page.js(f"{shown}.value = '1'; {shown}.dispatchEvent(new Event('change'))")
    assert page.js("document.getElementById('graph-what').textContent").startswith("Class 2, of probability")
    browser.close()


def test_causes_are_above_effects(posterior: cz.Posterior) -> None:
    drawn = scene(posterior.nodes, consensus_edges(posterior, 0.5), **placing(posterior))
    place = {box.label: box.y for box in drawn.boxes}
    assert all(place[x] < place[y] for x, y in posterior.consensus().directed_edges)
    depth = np.array(placing(posterior)["order"])
    lines = [[posterior.nodes.index(v) for v in edge] for edge in posterior.consensus().undirected_edges]
    down = [place[posterior.nodes[a]] < place[posterior.nodes[b]] for a, b in lines]
    # Arrows come first, so that a line may have to oppose the order; most do not.
    assert np.mean([is_down == (depth[a] < depth[b]) for is_down, (a, b) in zip(down, lines, strict=True)]) > 0.5


def test_tiers_are_above_each_other_and_known_arrows_are_marked() -> None:
    table = cz.datasets.linear_gaussian([("a", "c"), ("b", "c"), ("c", "d"), ("e", "f")], 300, rng=1)
    known = cz.Knowledge(tiers=[["d"], ["e", "f"], ["a", "b", "c"]])
    posterior = cz.sample(table, knowledge=known, jumps=4000, chains=2, rng=1)
    edges = consensus_edges(posterior, 0.5)
    drawn = scene(posterior.nodes, edges, **placing(posterior))
    place = {box.label: box.y for box in drawn.boxes}
    assert place["d"] < min(place["e"], place["f"])
    assert max(place["e"], place["f"]) < min(place[v] for v in "abc")
    marked = {(edge.x, edge.y) for edge in edges if edge.known}
    assert marked == {(x, y) for x, y in posterior.consensus().directed_edges if x == "d"}
    assert marked
    assert {(c.edge.x, c.edge.y) for c in drawn.curves if c.mark is not None} == marked
    page = page_html(posterior)
    assert "the tiers that were given" in page
    assert "◆" in page


def test_the_legend_names_arrows_of_an_opened_cycle(monkeypatch: pytest.MonkeyPatch, posterior: cz.Posterior) -> None:
    assert "cycle" not in legend(posterior)
    monkeypatch.setattr("causal_zigzag.figures.posterior_scenes.opened_arrows", lambda _: (("bmi", "bp"),))
    assert "cycle of arrows: bmi → bp" in legend(posterior)
    assert "cycle of arrows: bmi → bp" in page_html(posterior)


def test_the_heat_map_and_the_effects_count_open_edges_alike() -> None:
    table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=300, rng=1)
    posterior = cz.sample(table, jumps=3000, chains=2, rng=1, progress=False)
    html = page_html(posterior)
    paths = posterior.effects().set_index(["cause", "outcome"])["probability_nonzero"]
    for (cause, outcome), path in paths.items():
        assert f'title="{cause} affects {outcome}: {escape(probability(path))}"' in html
