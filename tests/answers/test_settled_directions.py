"""Arrowheads: every view of a posterior shows one only where the direction is settled."""

from dataclasses import replace

import numpy as np
import pytest

import causal_zigzag as cz
import naive
from causal_zigzag.answers.settled_directions import (
    arrows_from_knowledge,
    likeliest_edges,
    settled_arrows,
)
from causal_zigzag.cli.findings import show_results
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.mpdag import Restriction
from causal_zigzag.report.notebook import posterior_html
from causal_zigzag.report.page import page_html
from knowledges import OF_FOUR, OF_THREE, Known

OPEN, SETTLED = (0.45, 0.30, 0.25), (0.60, 0.15, 0.25)
CASES = pytest.mark.parametrize(("ways", "is_settled"), [(OPEN, False), (SETTLED, True)])


def posterior_with(ways: tuple[float, float, float]) -> cz.Posterior:
    """A run in which z -> y is certain, x and z are not joined, and x -> y, y -> x, x - y have these probabilities.

    All views must show z -> y, and x -> y as an arrow if that arrow itself has more than half of all probability.
    """
    run = cz.sample(cz.Uniform(["x", "y", "z"]), jumps=1000, chains=1, rng=1)
    (result,) = run._results
    forward, backward, undirected = ways
    total = result.total
    arrows = np.array([0 * 3 + 1, 1 * 3 + 0, 2 * 3 + 1]), total * np.array([forward, backward, 1.0])
    lines = np.array([0 * 3 + 1]), total * np.array([undirected])
    return replace(run, _results=(replace(result, directed=arrows, undirected=lines),))


@CASES
def test_the_api(ways: tuple[float, float, float], is_settled: bool) -> None:
    posterior = posterior_with(ways)
    edges = posterior.edge_probabilities()
    assert [edges.directed[0, 1], edges.directed[1, 0], edges.undirected[0, 1]] == pytest.approx(ways)
    assert settled_arrows(edges).tolist() == [[False, is_settled, False], [False] * 3, [False, True, False]]
    assert posterior.consensus().directed_edges == ((("x", "y"), ("z", "y")) if is_settled else (("z", "y"),))
    assert posterior.consensus().undirected_edges == (() if is_settled else (("x", "y"),))
    assert {str(edge) for edge in likeliest_edges(edges, 0.9)} == {"z -> y", "x -> y" if is_settled else "x - y"}


@CASES
def test_the_report(ways: tuple[float, float, float], is_settled: bool) -> None:
    page = page_html(posterior_with(ways))
    first = page[page.index('class="first') : page.index('id="edges"')]
    assert first.count('class="edge arrow"') == (2 if is_settled else 1)
    assert first.count('class="edge line"') == (0 if is_settled else 1)
    mark = "→" if is_settled else "—"
    label = "causes" if is_settled else "no direction has more than half of all probability"
    edge = f'<bdi>x</bdi><span class="mark" role="img" aria-label="{label}">{mark}</span><wbr><bdi>y</bdi>'
    assert page.count(edge) == 2  # in the list of the first screen, and in the table of all edges
    numbers = "".join(f'<td class="num">{p}</td>' for p in ("1", *(f"{p:.3f}" for p in ways)))
    assert numbers in first
    arrow = "→" if is_settled else "–"
    assert f"<title>x {arrow} y, joined 1.00: → {ways[0]:.2f}, ← {ways[1]:.2f}, open {ways[2]:.2f}</title>" in first
    assert [text in first for text in (">Joined<", ">→<", ">←<", ">Open<")] == [True] * 4


@CASES
def test_the_plots(ways: tuple[float, float, float], is_settled: bool) -> None:
    pytest.importorskip("matplotlib", minversion="3.8")
    posterior = posterior_with(ways)
    for ax in (posterior.plot.consensus(), posterior.plot()[0]):
        drawn = [patch.get_gid() for patch in ax.patches]
        assert drawn.count("line") == 2
        assert drawn.count("arrowhead") == (2 if is_settled else 1)


@CASES
def test_the_notebook(ways: tuple[float, float, float], is_settled: bool) -> None:
    html = posterior_html(posterior_with(ways))
    cells = [part.split("</td>")[0].split(">")[-1] for part in html.split("<td")]
    row = cells.index("x -&gt; y" if is_settled else "x - y")
    assert cells[row + 1 : row + 5] == ["1", *(f"{p:.3f}" for p in ways)]
    heads = [part.split("</th>")[0].split(">")[-1] for part in html.split("<th")]
    assert heads[heads.index("edge") :][:5] == ["edge", "joined", "→", "←", "open"]


@CASES
def test_the_command_line(
    ways: tuple[float, float, float], is_settled: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    show_results(posterior_with(ways))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["edge", "joined", "->", "<-", "open"] in lines
    mark = "->" if is_settled else "-"
    assert ["x", mark, "y", "1", *(f"{p:.3f}" for p in ways)] in lines


def test_the_drawn_consensus_has_no_cycle() -> None:
    run = cz.sample(cz.Uniform(["x", "y", "z"]), jumps=1000, chains=1, rng=1)
    (result,) = run._results
    cycle = np.array([0 * 3 + 1, 1 * 3 + 2, 2 * 3 + 0]), result.total * np.array([0.9, 0.8, 0.7])
    none = np.array([], dtype=np.int64), np.array([])
    posterior = replace(run, _results=(replace(result, directed=cycle, undirected=none),))
    assert posterior.consensus().undirected_edges == (("x", "z"),)
    assert [str(edge) for edge in likeliest_edges(posterior.edge_probabilities())] == ["x -> y", "y -> z", "z - x"]
    page = page_html(posterior)
    first = page[page.index('class="first') : page.index('id="edges"')]
    assert (first.count('class="edge arrow"'), first.count('class="edge line"')) == (2, 1)


@pytest.mark.parametrize("known", [*OF_THREE, *OF_FOUR], ids=str)
def test_arrows_from_knowledge_alone_are_those_of_all_agreeing_dags(known: Known) -> None:
    n = 3 if known in OF_THREE else 4
    restriction = Restriction(known.knowledge, Labels(tuple(range(n))))
    agreeing: dict[frozenset, list[naive.Graph]] = {}
    for dag in naive.all_dags(n):
        if known.agrees(naive.to_matrix(dag, n)):
            agreeing.setdefault(naive.skeleton(dag), []).append(dag)
    for dags in agreeing.values():
        matrix = naive.to_matrix(dags[0], n).astype(np.uint8)
        assert {*arrows_from_knowledge(matrix, restriction)} == frozenset.intersection(*dags)
    assert agreeing
