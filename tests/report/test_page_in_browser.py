"""The report in Chromium: no errors, no requests; sorting, filtering and escaping work."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from browser import Browser, Page, executable

pytestmark = [
    pytest.mark.nosanitize,
    pytest.mark.skipif(executable() is None, reason="no chromium here; apt install chromium"),
]

HOSTILE = [
    "<script>document.title='owned'</script>",
    "</style><img src=x onerror=document.title='owned'>",
    '" onload="x',
    "a&amp;b",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    started = Browser()
    yield started
    started.close()


def _table(columns: list[str], rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(rows, len(columns))), columns=columns)
    for i in range(1, len(columns)):
        table.iloc[:, i] += table.iloc[:, i - 1] * (0.2 if i % 3 else 1)
    return table


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    cz.sample(_table([f"v{i}" for i in range(6)]), jumps=3000, chains=2, rng=1).report(path)
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    cz.sample(_table(HOSTILE), jumps=3000, chains=2, rng=1).report(path)
    return path


def _edges(page: Page, visible: bool = True) -> list[str]:
    where = "tbody tr:not([hidden])" if visible else "tbody tr"
    return list(page.js(f"[...document.querySelectorAll('#edge-table {where}')].map(r => r.cells[0].textContent)"))


def _joined(page: Page) -> list[float]:
    return list(page.js("[...document.querySelectorAll('#edge-table tbody tr')].map(r => +r.cells[1].dataset.value)"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_errors_and_no_requests(browser: Browser, report: Path, scheme: str) -> None:
    page = browser.page(report, scheme)
    assert page.complaints() == []
    assert page.requests() == [report.as_uri()] or page.requests() == [report.as_uri(), "data:,"]


def test_light_and_dark_differ_and_neither_is_blank(browser: Browser, report: Path) -> None:
    paper, ink = ("getComputedStyle(document.body)." + word for word in ("backgroundColor", "color"))
    for scheme, sign in (("light", 1), ("dark", -1)):
        page = browser.page(report, scheme)
        assert _variety(page.screenshot()) > 0.02
        assert sign * (_lightness(page.js(paper)) - _lightness(page.js(ink))) > 150


def test_a_blank_page_is_detected(browser: Browser, tmp_path: Path) -> None:
    blank = tmp_path / "blank.html"
    blank.write_text("<!doctype html><title>blank</title>")
    assert _variety(browser.page(blank).screenshot()) < 0.01


def test_a_click_sorts_and_sets_aria_sort(browser: Browser, report: Path) -> None:
    page = browser.page(report)
    assert _joined(page) == sorted(_joined(page), reverse=True)
    button = "document.querySelectorAll('#edge-table thead button')[1]"
    page.js(f"{button}.click()")
    assert _joined(page) == sorted(_joined(page))
    sorts = "[...document.querySelectorAll('#edge-table thead th')].map(h => h.getAttribute('aria-sort'))"
    assert page.js(sorts)[:2] == ["none", "ascending"]
    page.js("document.querySelectorAll('#edge-table thead button')[0].click()")
    names = [re.sub(r"[→—]", " ", edge) for edge in _edges(page)]
    assert names == sorted(names)
    assert page.js(sorts)[:2] == ["ascending", "none"]


def test_sorting_by_keyboard(browser: Browser, report: Path) -> None:
    page = browser.page(report)
    page.js("document.querySelectorAll('#edge-table thead button')[1].focus()")
    page.press("Enter", 13, "\r")
    assert _joined(page) == sorted(_joined(page))
    page.press("Tab", 9)
    assert page.js("document.activeElement.textContent") == "→"


def test_filters_by_name_and_probability(browser: Browser, report: Path) -> None:
    page = browser.page(report)
    everything = _edges(page, visible=False)
    assert len(everything) == 15
    page.js("document.getElementById('edge-search').focus()")
    page.type("V3 v2")
    assert [sorted(re.findall(r"v\d", edge)) for edge in _edges(page)] == [["v2", "v3"]]
    assert page.js("document.getElementById('edge-count').textContent") == "1 of 15 pairs"
    page.js("document.getElementById('edge-reset').click()")
    assert _edges(page) == everything
    page.js("{const r = document.getElementById('edge-least'); r.value = 0.9; r.dispatchEvent(new Event('input'));}")
    certain = [edge for edge, p in zip(everything, _joined(page), strict=True) if p >= 0.9]
    assert 0 < len(certain) < 15
    assert _edges(page) == certain
    page.js("document.getElementById('edge-reset').click()")
    signs = page.js("[...document.querySelectorAll('#edge-table td[data-sign]')].map(c => c.dataset.sign)")
    for sign in ("+", "−", "±"):
        page.js(f"document.getElementById('edge-sign').value = '{sign}'")
        page.js("document.getElementById('edge-sign').dispatchEvent(new Event('input'))")
        assert _edges(page) == [edge for edge, own in zip(everything, signs, strict=True) if own == sign]
    assert "+" in signs or "−" in signs


def test_hostile_names_are_escaped(browser: Browser, hostile: Path) -> None:
    page = browser.page(hostile)
    assert page.complaints() == []
    assert len(page.requests()) <= 2
    assert "owned" not in page.js("document.title")
    assert page.js("document.scripts.length") == 1
    assert page.js("document.images.length") == 0
    shown = page.js("document.body.innerText")
    for name in HOSTILE:
        assert name in shown
    assert page.js(
        "[...document.querySelectorAll('*')].every(e => !e.hasAttribute('onload') && !e.hasAttribute('onerror'))"
    )


def test_accessible_names(browser: Browser, report: Path) -> None:
    page = browser.page(report)
    assert page.js("document.documentElement.lang") == "en"
    assert page.js("[...document.querySelectorAll('svg[role=img]')].length") >= 4
    nameless = """[...document.querySelectorAll('svg[role=img], [role=region], [role=group], nav, input')].filter(e =>
        !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.closest('label'))).length"""
    assert page.js(nameless) == 0
    dangling = """[...document.querySelectorAll('[aria-labelledby]')].flatMap(e =>
        e.getAttribute('aria-labelledby').split(' ')).filter(id => !document.getElementById(id)).length"""
    assert page.js(dangling) == 0
    ids = page.js("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    assert page.js("[...document.querySelectorAll('h1,h2,h3')].map(h => h.tagName)[0]") == "H1"
    links = (
        "[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.querySelector(a.getAttribute('href')))"
    )
    assert page.js(links + ".length") == 0


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_not_wider_than_the_window(browser: Browser, report: Path, width: int) -> None:
    page = browser.page(report, width=width)
    assert page.js("document.documentElement.scrollWidth") <= width


@pytest.mark.long
def test_fifty_columns(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "fifty.html"
    cz.sample(_table([f"column {i}" for i in range(50)], 300), jumps=4000, chains=4, start="ges", rng=1).report(path)
    assert path.stat().st_size < 2_000_000
    page = browser.page(path)
    assert page.complaints() == []
    assert page.js("document.querySelectorAll('#edge-table tbody tr').length") == 1225
    assert _variety(page.screenshot()) > 0.02


def test_printing(browser: Browser, report: Path) -> None:
    printed = browser.page(report, "dark").pdf()
    assert printed.startswith(b"%PDF")
    assert 3 <= printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") + printed.count(b"/Type /Page/") <= 15


def _variety(png: bytes) -> float:
    """The share of bytes of the PNG that its filter could not predict from neighboring pixels; 0 for a blank page."""
    data, at = b"", 8
    while at < len(png):
        size, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        data += png[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw = np.frombuffer(zlib.decompress(data), dtype=np.uint8)
    return float(np.count_nonzero(raw)) / len(raw)


def _lightness(color: str) -> float:
    return sum(float(part) for part in re.findall(r"[\d.]+", color)[:3]) / 3
