"""The notebook view of a posterior: well-formed HTML, in which labels are escaped."""

from html import escape
from html.parser import HTMLParser

import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.facts import facts


class Reader(HTMLParser):
    """Collects tags and the texts of table rows, and checks that tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[str] = []
        self.first = ""  # the text before the tables, without the picture
        self.inside_svg = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside_svg = self.inside_svg or tag == "svg"
        assert self.inside_svg or {name for name, _ in attrs} <= {"style", "border", "class"}
        if not self.inside_svg:
            self.tags.add(tag)
        self.open.append(tag)
        if tag == "tr":
            self.rows.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.inside_svg = self.inside_svg and tag != "svg"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        assert self.inside_svg, tag

    def handle_data(self, data: str) -> None:
        if self.inside_svg:
            return
        if self.rows:
            self.rows[-1] += data.strip("\n")
        else:
            self.first += data


def read(posterior: cz.Posterior) -> Reader:
    reader = Reader()
    reader.feed(posterior._repr_html_())
    reader.close()
    assert not reader.open
    assert {"div", "strong"} <= reader.tags <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    return reader


def test_the_verdict_and_a_picture_come_first() -> None:
    posterior = cz.sample(cz.Uniform(["a", "b", "c"]), edge_prior=-2, jumps=5000, rng=1, progress=False)
    found = read(posterior)
    assert posterior.diagnostics().verdict in found.first
    html = posterior._repr_html_()
    assert html.index("Sampling: converged") < html.index("Assumptions: not checked") < html.index("<svg")
    assert html.index("<svg") < html.index("<table")
    assert "<svg" not in cz.sample(cz.Uniform(60), jumps=100, rng=1, progress=False)._repr_html_()


def test_contents() -> None:
    posterior = cz.sample(cz.Uniform(["a", "b", "c"]), edge_prior=-2, jumps=5000, rng=1, progress=False)
    html = posterior._repr_html_()
    assert "0 pairs joined with probability 0.9 or more." in html
    assert read(posterior).rows[0].split() == ["edge", "joined", "→", "←", "open"]
    assert all(f"<div>{name}: {escape(text)}</div>" in html for name, text in facts(posterior, brief=True))
    assert "uniform over DAGs" in posterior.reweight("dags")._repr_html_()


def test_findings_about_the_data_are_shown() -> None:
    posterior = cz.sample(cz.datasets.load("galton"), jumps=200, chains=1, rng=1, progress=False)
    (doubt,) = posterior.audit().doubts
    first = read(posterior).first
    assert "Assumptions: 1 doubt. Edges may be wrong because of what the table shows" in first
    assert doubt.words in first


def test_top_classes_are_cards() -> None:
    top = cz.sample(cz.Uniform(["<a>", "b", "c"]), jumps=2000, rng=1, progress=False).top(3)
    html = top._repr_html_()
    assert html.count("<svg") == 3
    assert "<a>" not in html
    assert html.count(". Probability ") == 3
    assert isinstance(top, list)
    assert cz.exact_posterior(cz.Uniform(2)).top(2)._repr_html_().count("<svg") == 2


def test_labels_are_escaped() -> None:
    bad = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b", "long " * 100]
    posterior = cz.sample(cz.Uniform(bad), edge_prior=-3, jumps=2000, rng=1, progress=False)
    assert bad[0] in " ".join(read(posterior).rows)
    assert bad[0] not in posterior._repr_html_()
    assert bad[1] not in posterior._repr_html_()


def test_colors_are_those_of_the_page() -> None:
    html = cz.sample(cz.Uniform(3), jumps=500, rng=1, progress=False)._repr_html_()
    html = html[: html.index("<svg")] + html[html.index("</svg>") :]  # a picture has its own paper
    assert "#" not in html


@pytest.mark.parametrize("n", [1, 2])
def test_small_posteriors(n: int) -> None:
    assert "Posterior of the classes" in cz.sample(cz.Uniform(n), jumps=50, rng=1, progress=False)._repr_html_()
    read(cz.sample(cz.Uniform(n), jumps=50, rng=1, progress=False))
