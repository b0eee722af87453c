"""The report as HTML: its contents, escaping of text from users, and atomic writing."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.settled_directions import likeliest_edges
from causal_zigzag.report.page import page_html
from causal_zigzag.report.repetition import promise, repetition, title
from causal_zigzag.support.atomic_write import write_bytes
from experts import options

pytestmark = pytest.mark.nosanitize

VOID = {"wbr", "meta", "link", "input", "img", "br", "path", "rect", "polygon"}


class _Checker(HTMLParser):
    """Fails on tags that do not match; collects the text outside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data


def checked(page: str) -> _Checker:
    checker = _Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


def _table(columns: list[str]) -> pd.DataFrame:
    table = pd.DataFrame(np.random.default_rng(1).normal(size=(150, len(columns))), columns=columns)
    for i in range(1, len(columns)):
        table.iloc[:, i] += table.iloc[:, i - 1]
    return table


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    return cz.sample(_table(["a", "b", "c", "d"]), jumps=3000, chains=2, rng=5)


def test_contents(posterior: cz.Posterior) -> None:
    read = checked(page_html(posterior))
    for words in (
        posterior.diagnostics().verdict,
        repr(posterior.score),
        str(posterior.target.edge_prior),
        "momentum 1 (the Causal Zig-Zag), balance auto",
        "DataFrame, 150 by 4",
        "uniform over classes",
        f"causal-zigzag {cz.__version__}",
        "Causal Structure Learning With Momentum",
        "rng=5",
    ):
        assert words in read.text
    strips = 2 * len(posterior._results)
    effects = (posterior.effects(standardized=True)["probability_nonzero"] >= 0.01).sum()
    assert read.tags.count("svg") == 1 + strips + effects + min(6, posterior.class_count)  # 1 is the consensus
    for edge in likeliest_edges(posterior.edge_probabilities(), 0.9):
        assert f"{edge.x}{'→' if edge.mark == '->' else '—'}{edge.y}" in read.text


@pytest.mark.parametrize(
    "names",
    [
        ["<script>alert(1)</script>", "</script><script>alert(2)</script>", "<!--", "]]>"],
        ['"onmouseover="alert(1)', "' onload='x", "&lt;b&gt;", "</title></svg><b>"],
        ["\x00\x1b[31m", "\x85\x9f", "\u202eabc", "$script ${style}"],
        ["x" * 900, "y\nz", "\u0301", " "],
    ],
)
def test_text_from_users_is_escaped(names: list[str], tmp_path: Path) -> None:
    columns = _table(list("abcd")).to_dict("list")
    data = dict(zip(names, columns.values(), strict=True))  # pandas does not allow some of the names
    posterior = cz.sample(data, jumps=1000, chains=2, rng=1)
    plain = checked(page_html(cz.sample(_table(["a", "b", "c", "d"]), jumps=1000, chains=2, rng=1)))
    read = checked(page_html(posterior))
    assert {*read.tags} == {*plain.tags}
    assert {name for name, _ in read.attributes} == {name for name, _ in plain.attributes}
    path = tmp_path / "report.html"
    posterior.report(path)
    page = path.read_text(encoding="utf-8")
    assert page.count("<script") == 1
    assert "\x00" not in page
    if "<script>" in names[0]:
        assert names[0] in read.text


def test_the_page_has_no_external_links(posterior: cz.Posterior) -> None:
    page = page_html(posterior)
    assert "default-src 'none'" in page
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert "url(" not in page
    assert "@import" not in page


def test_the_code_repeats_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _table(["a", "b", "c"]).to_csv("table.csv", index=False)
    start = cz.CPDAG.from_dag([("a", "b")], nodes=["a", "b", "c"])
    first = cz.sample(
        "table.csv",
        score="bge",
        momentum=0.5,
        balance="barker",
        coldness=0.5,
        edge_prior=0.25,
        max_degree=2,
        knowledge=cz.Knowledge(apart=[("a", "c")]),
        jumps=500,
        settings=cz.Settings(warmup=5, max_classes=5, cache_bytes=2**20, trace_points=50),
        chains=2,
        start=start,
        rng=9,
    )
    namespace: dict[str, object] = {}
    exec(repetition(first), namespace)
    again = namespace["posterior"]
    assert isinstance(again, cz.Posterior)
    assert np.array_equal(first.edge_probabilities().directed, again.edge_probabilities().directed)
    assert again.settings == first.settings
    assert (tmp_path / "report.html").is_file()


def test_the_page_says_whether_the_code_gives_the_same_result(tmp_path: Path) -> None:
    def run(**settings: Any) -> cz.Posterior:
        return cz.sample(cz.Uniform(4), **options(chains=2, **{"jumps": 4000, "rng": 1} | settings))

    same = "With the same version and the same data, the code gives the same numbers."
    assert same in page_html(run())
    assert promise(run(rng=np.random.default_rng(1))) == ""
    assert promise(replace(run(), _interrupted=True)).startswith("This run was interrupted")
    timed = replace(run(), settings=replace(run().settings, minutes=10))  # as after resume(folder, minutes=10)
    assert promise(timed).startswith("The number of jumps")
    for warmup, words in ((500, same), (None, "This run was extended after it had started")):
        run(warmup=warmup, checkpoint=tmp_path / f"{warmup}")
        longer = run(warmup=warmup, jumps=40_000, checkpoint=tmp_path / f"{warmup}")
        whole = run(warmup=warmup, jumps=40_000)
        assert promise(longer).startswith(words)
        assert (longer.statistics[0].warmup == whole.statistics[0].warmup) == (words == same)
        longer.save(tmp_path / "run.czz")
        assert promise(cz.load(tmp_path / "run.czz")) == promise(longer)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (cz.Uniform(3), "cz.Uniform(3),"),
        (cz.Uniform(["a", "b"]), "cz.Uniform(['a', 'b']),"),
        (
            cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], 100),
            "score = ...  # put your score here: GaussianBIC(2 nodes, 100 rows",
        ),
        (_table(["a", "b"]), "data = ...  # put your table here: DataFrame, 150 by 2"),
        (cz.datasets.load("galton"), "cz.datasets.load('galton'),"),
    ],
)
def test_code_for_every_kind_of_data(data: object, words: str) -> None:
    code = repetition(cz.sample(data, jumps=50, chains=1, rng=1))
    assert words in code
    compile(code, "repetition", "exec")


def test_runs_without_a_record_and_interrupted_runs(posterior: cz.Posterior) -> None:
    bare = checked(page_html(replace(posterior, record=None)))
    assert "not recorded" in bare.text
    cut = checked(page_html(replace(posterior, _interrupted=True)))
    assert "interrupted when all chains had ended" in cut.text


def test_reweighted_runs(posterior: cz.Posterior) -> None:
    read = checked(page_html(posterior.reweight("dags")))
    assert "uniform over DAGs; reweighted with " in read.text
    assert "posterior.reweight('dags')" in read.text


@pytest.mark.parametrize("n", [0, 1, 2])
def test_runs_with_few_nodes(n: int) -> None:
    checked(page_html(cz.sample(cz.Uniform(n), jumps=20, chains=1, rng=1)))


def test_labels_with_equal_text_are_distinguished() -> None:
    read = checked(page_html(cz.sample(cz.Uniform([1, "1"]), jumps=100, chains=1, rng=1)))
    assert "'1'" in read.text


def test_a_report_has_the_mode_of_other_new_files(posterior: cz.Posterior, tmp_path: Path) -> None:
    posterior.report(tmp_path / "report.html")
    (tmp_path / "other").touch()
    assert (tmp_path / "report.html").stat().st_mode == (tmp_path / "other").stat().st_mode
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other", "report.html"]


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(cz.OutputError, match=r"cannot write .*file': No space left on device"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_the_path_must_be_that_of_a_file(tmp_path: Path, posterior: cz.Posterior) -> None:
    with pytest.raises(cz.OutputError, match="cannot write"):
        posterior.report(tmp_path)
    with pytest.raises(cz.OutputError, match="cannot write"):
        posterior.report(tmp_path / "none" / "report.html")


def test_titles(tmp_path: Path) -> None:
    path = tmp_path / "weight by age (2).csv"
    _table(["a", "b"]).to_csv(path, index=False)
    for data, words in (
        (path, "weight by age (2).csv"),
        (cz.datasets.load("galton"), "galton"),
        (_table(["a", "b"]), "The causal structure of 2 variables"),
        ({"a": [1.5, 2.5, 3.0], "b": [0.5, 0.1, 0.7]}, "The causal structure of 2 variables"),
        (cz.Uniform(3), "The causal structure of 3 variables"),
    ):
        posterior = cz.sample(data, jumps=50, chains=1, rng=1)
        assert title(posterior) == words
        posterior.save(tmp_path / "run.czz")
        assert title(cz.load(tmp_path / "run.czz")) == words
