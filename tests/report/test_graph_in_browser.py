"""The interactive graph in Chromium: threshold, nodes, classes, one variable, zoom, pan and downloads."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from browser import Browser, Page, executable
from causal_zigzag.report.graph_view import START, THRESHOLDS, differences, is_large

pytestmark = [
    pytest.mark.nosanitize,
    pytest.mark.skipif(executable() is None, reason="no chromium here; apt install chromium"),
]

HOSTILE = ["<script>document.title='owned'</script>", '"><img src=x onerror=alert(1)>', "=1+1", "a,b"]
SAVED = """{
  const make = URL.createObjectURL;
  window.saved = [];
  URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); };
  HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };
}"""  # keeps what would be downloaded


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    started = Browser()
    yield started
    started.close()


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    dag = [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e"), ("f", "e")]
    table = cz.datasets.linear_gaussian(dag, 120, rng=3)
    return cz.sample(table, jumps=4000, chains=2, rng=1)


@pytest.fixture(scope="module")
def report(posterior: cz.Posterior, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "report.html"
    posterior.report(path)
    return path


def _drawn(page: Page, kinds: str = ":not(.absent)") -> set[str]:
    """The edges as drawn: "x → y" if there is an arrowhead at y, "x – y" if there is none."""
    found = page.js(
        f"[...document.querySelectorAll('.czz-live .edge{kinds}')].map(g => "
        "[g.querySelector('title').textContent.split(', ')[0], g.querySelectorAll('.head').length])"
    )
    assert all(heads == ("→" in edge) for edge, heads in found)
    return {edge for edge, _ in found}


def _expected(graph: cz.CPDAG) -> set[frozenset[str] | str]:
    return {f"{x} → {y}" for x, y in graph.directed_edges} | {frozenset((x, y)) for x, y in graph.undirected_edges}


def _as_sets(drawn: set[str]) -> set[frozenset[str] | str]:
    return {edge if "→" in edge else frozenset(edge.split(" – ")) for edge in drawn}


def _choose(page: Page, key: str, value: object, event: str = "change") -> None:
    control = f"document.getElementById('graph-{key}')"
    page.js(f"{control}.value = '{value}'; {control}.dispatchEvent(new Event('{event}'))")


def _detail(page: Page) -> str:
    return str(page.js("document.getElementById('graph-detail').textContent"))


def test_every_position_of_the_slider_shows_the_consensus_of_the_api(
    browser: Browser, report: Path, posterior: cz.Posterior
) -> None:
    page = browser.page(report)
    assert _as_sets(_drawn(page)) == _expected(posterior.consensus())
    for k, threshold in enumerate(THRESHOLDS):
        _choose(page, "least", k, "input")
        assert _as_sets(_drawn(page)) == _expected(posterior.consensus(threshold)), threshold
        assert page.js("document.getElementById('graph-least-shown').textContent") == f"{threshold:.2f}"
    assert page.complaints() == []


def test_tooltips_have_all_probabilities(browser: Browser, report: Path, posterior: cz.Posterior) -> None:
    page = browser.page(report)
    _choose(page, "least", 0, "input")
    edges = posterior.edge_probabilities()
    number = {v: i for i, v in enumerate(edges.nodes)}
    titles = page.js("[...document.querySelectorAll('.czz-live .edge title')].map(t => t.textContent)")
    assert len(titles) > 5
    for title in titles:
        told = re.search(r"joined ([<>0-9.]+): (\w) → (\w) ([<>0-9.]+), \w → \w ([<>0-9.]+), open ([<>0-9.]+)$", title)
        assert told, title
        i, j = number[told[2]], number[told[3]]
        exact = edges.adjacent[i, j], edges.directed[i, j], edges.directed[j, i], edges.undirected[i, j]
        for text, p in zip(told.group(1, 4, 5, 6), exact, strict=True):
            assert float(text.strip("<>")) == pytest.approx(p, abs=0.0011)


def test_a_click_on_a_node_shows_its_neighbourhood(browser: Browser, report: Path, posterior: cz.Posterior) -> None:
    page = browser.page(report)
    c = posterior.nodes.index("c")
    page.click(f".czz-live .node[data-node='{c}'] rect")
    near = {"c", *posterior.consensus().adjacent("c")}
    bright = page.js("[...document.querySelectorAll('.czz-live .node:not(.dim) title')].map(t => t.textContent)")
    assert {*bright} == near
    assert all(name in _detail(page) for name in near)
    page.click("#graph-only")  # the button in the text
    shown = page.js("[...document.querySelectorAll('.czz-live .node title')].map(t => t.textContent)")
    assert {*shown} == near
    d = posterior.nodes.index("d")
    page.click(f".czz-live .node[data-node='{d}'] rect")
    assert page.js("document.getElementById('graph-variable').value") == str(d)
    _choose(page, "variable", "")
    assert page.js("document.querySelectorAll('.czz-live .node').length") == 6


def test_classes_are_compared_with_the_consensus(browser: Browser, report: Path, posterior: cz.Posterior) -> None:
    page = browser.page(report)
    top = posterior.top(6)
    seen = 0
    for k, one in enumerate(top):
        _choose(page, "shown", k)
        assert _as_sets(_drawn(page)) == _expected(one.graph)
        found = differences(posterior, one.graph, [str(v) for v in posterior.nodes])
        assert all(arrow in _detail(page) for text in found for arrow in re.findall(r"\w → \w", text))
        if found:
            assert f"{len(found)} difference" in _detail(page)
        else:
            assert _detail(page) == "The same as the consensus."
        seen += len(found)
        missing = {text for text in found if text.startswith("−")}
        assert len(_drawn(page, ".absent")) == len(missing)
    assert seen > 0


def test_zoom_and_pan(browser: Browser, report: Path) -> None:
    page = browser.page(report)
    box = "document.querySelector('.czz-live').getAttribute('viewBox').split(' ').map(Number)"
    first = page.js(box)
    page.click("#graph-in")
    closer = page.js(box)
    assert closer[2] == pytest.approx(first[2] / 1.25, rel=0.01)
    page.js("document.getElementById('graph-stage').scrollIntoView({block: 'center', behavior: 'instant'})")
    left, top = page.js(
        "(() => {const b = document.getElementById('graph-stage').getBoundingClientRect(); return [b.left, b.top]})()"
    )
    page.mouse("mousePressed", left + 5, top + 5)
    page.mouse("mouseMoved", left + 65, top + 35)
    page.mouse("mouseReleased", left + 65, top + 35)
    moved = page.js(box)
    assert moved[0] < closer[0]
    assert moved[1] < closer[1]
    assert moved[2] == pytest.approx(closer[2])
    page.mouse("mouseWheel", left + 50, top + 50, button="none", buttons=0, deltaX=0, deltaY=-300, modifiers=2)
    assert page.js(box)[2] < moved[2]
    page.click("#graph-fit")
    assert page.js(box) == pytest.approx(first, abs=0.1)


def _saved(page: Page, key: str) -> tuple[str, bytes]:
    page.js("window.saved.length = 0")
    page.click(f"#graph-{key}")
    wait = "new Promise(done => { const look = () => window.saved.length ? done() : setTimeout(look, 5); look(); })"
    data = page.promise(
        f"{wait}.then(() => new Promise(done => {{ const r = new FileReader(); r.onload = () => done(r.result); "
        "r.readAsDataURL(window.saved[0]); }))"
    )
    return str(page.js("window.savedAs")), base64.b64decode(data.split(",", 1)[1])


def test_downloads(browser: Browser, report: Path, posterior: cz.Posterior) -> None:
    page = browser.page(report, "dark")
    page.js(SAVED)
    name, content = _saved(page, "svg")
    assert name == "graph.svg"
    tree = ElementTree.fromstring(content)
    lines = [path for path in tree.iter() if path.tag.endswith("}path")]
    assert len(lines) == posterior.consensus().edge_count
    assert all(path.get("stroke", "").startswith("rgb") for path in lines)  # no variables of the page
    name, content = _saved(page, "png")
    assert (name, content[:8]) == ("graph.png", b"\x89PNG\r\n\x1a\n")
    name, content = _saved(page, "csv")
    assert name == "edges.csv"
    rows = content.decode().splitlines()
    assert rows[0] == "x,y,joined,forward,backward,open,shown"
    assert len(rows) == 1 + 6 * 5 // 2  # all pairs
    assert sum(row.endswith(('"->"', '"<-"', '"-"')) for row in rows) == posterior.consensus().edge_count
    assert page.complaints() == []


def test_hostile_names_in_the_graph_and_in_downloads(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(200, 4)).cumsum(axis=1), columns=HOSTILE)
    path = tmp_path / "report.html"
    cz.sample(table, jumps=2000, chains=2, rng=1).report(path)
    page = browser.page(path)
    page.js(SAVED)
    for k in range(4):
        _choose(page, "variable", k)
    _choose(page, "variable", "")
    page.click(".czz-live .node rect")
    _choose(page, "shown", 0)
    assert page.complaints() == []
    assert len(page.requests()) <= 2
    assert page.js("document.scripts.length") == 1
    assert page.js("document.images.length") == 0
    assert "owned" not in page.js("document.title")
    ElementTree.fromstring(_saved(page, "svg")[1])
    assert b'"a,b"' in _saved(page, "csv")[1]
    assert _saved(page, "png")[1].startswith(b"\x89PNG")


@pytest.mark.parametrize("width", [390, 1400])
def test_no_label_is_clipped_and_large_graphs_open_on_one_variable(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    names = [f"a_rather_long_name_{i}" for i in range(70)]
    table = cz.datasets.linear_gaussian(cz.datasets.random_dag(70, 3.0, rng=1), 500, rng=1)
    table.columns = names
    posterior = cz.sample(table, jumps=300, chains=1, settings=cz.Settings(warmup=2000), rng=1)
    assert is_large(posterior.consensus())
    path = tmp_path / "report.html"
    posterior.report(path)
    page = browser.page(path, width=width)
    assert page.js("document.getElementById('graph-variable').value") != ""
    assert 2 <= page.js("document.querySelectorAll('.czz-live .node').length") < 60
    outside = """(() => { const s = document.getElementById('graph-stage').getBoundingClientRect();
      return [...document.querySelectorAll('.czz-live .node rect')].map(r => r.getBoundingClientRect()).filter(b =>
        b.left < s.left - 1 || b.right > s.right + 1 || b.top < s.top - 1 || b.bottom > s.bottom + 1).length; })()"""
    assert page.js(outside) == 0
    longer = """[...document.querySelectorAll('.czz-live .node')].filter(g =>
      g.querySelector('text').getBBox().width > g.querySelector('rect').getBBox().width).length"""
    assert page.js(longer) == 0
    assert page.js("document.documentElement.scrollWidth") <= width
    assert page.complaints() == []


def test_without_scripts_there_is_a_picture(report: Path, posterior: cz.Posterior) -> None:
    page = report.read_text(encoding="utf-8")
    stage = page[page.index('id="graph-stage"') : page.index('id="graph-detail"')]
    assert stage.count('class="edge ') == posterior.consensus().edge_count
    assert THRESHOLDS[START] == 0.5
