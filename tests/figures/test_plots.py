"""Plots: they show the numbers of the posterior and any label as it is, on axes of a pyplot figure."""

import io
import subprocess
import sys
from collections import Counter
from functools import cache

import numpy as np
import pytest

import causal_zigzag as cz

pytest.importorskip("matplotlib", minversion="3.8")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import imread

pytestmark = pytest.mark.nosanitize

HOSTILE = ["<script>alert(1)</script>", "$\\frac{", "a_b^c", "x" * 200, "%s{}", "line\nbreak"]


@cache
def small() -> cz.Posterior:
    table = cz.datasets.linear_gaussian([("a", "c"), ("b", "c"), ("d", "e"), ("c", "f")], 300, rng=3)
    return cz.sample(table, jumps=2000, chains=3, rng=1)


@cache
def large() -> cz.Posterior:
    dag = cz.datasets.random_dag(40, 2.5, rng=1)
    table = cz.datasets.linear_gaussian(dag, 400, rng=1, nodes=[f"gene_{i}" for i in range(40)])
    return cz.sample(table, jumps=2000, chains=2, start="ges", rng=1)


@cache
def hostile() -> cz.Posterior:
    return cz.sample(cz.Uniform(HOSTILE), jumps=500, chains=1, rng=1)


def gids(ax: Axes) -> Counter[str | None]:
    return Counter(patch.get_gid() for patch in ax.patches)


def texts(figure: Figure) -> list[str]:
    found = [text.get_text() for text in figure.texts]
    for ax in figure.axes:
        found += [text.get_text() for text in ax.texts]
        found += [label.get_text() for label in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    return found


def image(figure: Figure) -> np.ndarray:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=40)
    file.seek(0)
    return imread(file)


PLOTS = ["__call__", "edges", "top", "consensus", "trace", "diagnostics"]


def of(drawn: object) -> Figure:
    """The figure of axes, or of an array of them."""
    return np.ravel(np.asarray(drawn, dtype=object))[0].figure


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("make", [small, large, hostile])
def test_every_plot_is_a_figure_that_is_not_blank(name: str, make) -> None:
    figure = of(getattr(make().plot, name)())
    assert isinstance(figure, Figure)
    pixels = image(figure)[..., :3]
    assert pixels.std() > 0.01
    assert (pixels[:2].min(), pixels[-2:].min(), pixels[:, :2].min(), pixels[:, -2:].min()) == (
        1,
        1,
        1,
        1,
    )  # nothing is cut off at the border
    width, height = figure.get_size_inches()
    assert 3 <= width <= 17
    assert 2 <= height <= 25


def test_the_top_classes_have_their_arrows_lines_and_probabilities() -> None:
    posterior = small()
    drawn_axes = posterior.plot.top(3)
    assert len(drawn_axes) == 3
    for i, (ax, (graph, probability, _)) in enumerate(zip(drawn_axes, posterior.top(3), strict=True)):
        drawn = gids(ax)
        assert drawn["arrowhead"] == len(graph.directed_edges)
        assert drawn["line"] == graph.edge_count
        assert drawn["node"] == 6
        assert sorted(text.get_text() for text in ax.texts) == list("abcdef")
        assert ax.get_title(loc="left").startswith(f"{i + 1}.  probability {probability:.3f}\n")
    places = [{text.get_text(): text.get_position() for text in ax.texts} for ax in drawn_axes]
    assert places[0] == places[1] == places[2]


def test_edges_that_differ_from_the_first_class_are_red() -> None:
    from matplotlib.colors import to_hex

    posterior = small()
    for ax, one in zip(posterior.plot.top(3), posterior.top(3), strict=True):
        first, other = posterior.top(1)[0].graph, one.graph
        differ = set(other.directed_edges) - set(first.directed_edges)
        differ |= set(other.undirected_edges) - set(first.undirected_edges)
        red = [p for p in ax.patches if p.get_gid() == "line" and to_hex(p.get_edgecolor()).upper() == "#D55E00"]
        assert len(red) == len(differ)


def test_the_heat_map_shows_the_probabilities() -> None:
    edges = small().edge_probabilities()
    for kind, matrix in (("adjacent", edges.adjacent), ("directed", edges.directed)):
        ax = small().plot.edges(kind)
        shown = np.ma.filled(ax.images[0].get_array().astype(float), np.nan)
        off = ~np.eye(6, dtype=bool)
        np.testing.assert_array_equal(shown[off], matrix[off])
        assert np.isnan(np.diag(shown)).all()
        assert [label.get_text() for label in ax.get_xticklabels()] == list(edges.nodes)
        assert [label.get_text() for label in ax.get_yticklabels()] == list(edges.nodes)
        numbers = [text.get_text() for text in ax.texts]
        assert numbers == [f"{value:.2f}" for value in matrix[off & (matrix >= 0.005)]]
    assert not large().plot.edges("adjacent").texts


def test_the_consensus_is_that_of_the_posterior() -> None:
    for threshold in (0.01, 0.5):
        drawn = gids(small().plot.consensus(threshold))
        graph = small().consensus(threshold)
        assert (drawn["line"], drawn["arrowhead"]) == (graph.edge_count, len(graph.directed_edges))
        assert drawn["node"] == 6
    assert gids(small().plot.consensus()) == drawn
    lines = [p for p in small().plot.consensus(0.01).patches if p.get_gid() == "line"]
    alphas, widths = zip(*[(p.get_alpha(), p.get_linewidth()) for p in lines], strict=True)
    assert np.corrcoef(alphas, widths)[0, 1] > 0.999
    assert max(alphas) > 0.95 > 0.5 > min(alphas)


def test_the_trace_shows_the_chains() -> None:
    posterior = small()
    first, second, zigzag = posterior.plot.trace(window=50)
    end = max(trace.time[-1] for trace in posterior.trace())
    for ax, what in ((first, "edges"), (second, "score")):
        assert len(ax.lines) == 3
        for line, trace in zip(ax.lines, posterior.trace(), strict=True):
            np.testing.assert_array_equal(line.get_xdata(), trace.time / end)
            np.testing.assert_array_equal(line.get_ydata(), getattr(trace, what))
            assert line.get_drawstyle() == "steps-post"
    trace = posterior.trace()[0]
    held = [line for line in zigzag.lines if len(line.get_xdata()) == 2 and line.get_linewidth() > 1]
    assert len(held) == 49
    up = [line for line in held if line.get_color() == "#0072B2"]
    assert len(up) == (trace.direction[-50:-1] > 0).sum()


def test_many_chains_are_drawn_without_a_legend() -> None:
    first = cz.sample(cz.Uniform(3), jumps=50, chains=9, rng=1).plot.trace()[0]
    assert len(first.lines) == 9
    assert first.get_legend() is None
    legend = small().plot.trace()[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["chain 1", "chain 2", "chain 3"]


def test_the_overview_names_the_edges_and_counts_the_classes() -> None:
    figure = of(small().plot())
    said = texts(figure)
    assert f"6 variables, 3 chains, {small().class_count:,} classes" in figure.axes[0].get_title(loc="left")
    assert {"a, c", "b, c", "c, f"} <= set(said)
    bars = figure.axes[1].patches
    table = small().edge_table().head(20)
    assert sum(bar.get_width() for bar in bars) == pytest.approx(table["adjacent"].sum())


def test_the_diagnostics_plot_shows_the_diagnostics() -> None:
    found = small().diagnostics()
    figure = of(small().plot.diagnostics())
    assert " ".join(texts(figure)[0].split()) == found.verdict
    for ax, column in zip(figure.axes, ("ess", "r_hat"), strict=False):
        dots = {y: x for line in ax.lines for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)}
        first = found.table[column].to_numpy()[:2]
        np.testing.assert_array_equal([dots[0], dots[1]], first)
    shown = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert shown[:2] == ["edges", "score"]
    assert set(shown) <= set(found.table["quantity"])
    ranked = figure.axes[2:]
    assert len(ranked) == 2 * 3  # edges and score of three chains
    heights = np.array([[bar.get_height() for bar in ax.patches] for ax in ranked])
    np.testing.assert_allclose(heights.sum(axis=1), 20)
    for of_all in (heights[:3], heights[3:]):  # the ranks of all chains together are uniform
        np.testing.assert_allclose(of_all.mean(axis=0), 1)


def test_a_label_is_drawn_as_it_is() -> None:
    said = texts(of(hostile().plot.consensus(0.5)))
    assert {"$\\frac{", "a_b^c", "%s{}", "line break"} <= set(said)
    assert any("…" in text for text in said)


def test_matplotlib_is_imported_by_plots_only() -> None:
    code = (
        "import sys, causal_zigzag as cz\n"
        "cz.sample(cz.Uniform(3), jumps=100, rng=1).summary()\n"
        "assert 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_error_for_a_missing_matplotlib() -> None:
    code = (
        "import sys, causal_zigzag as cz\n"
        "sys.modules['matplotlib'] = None\n"
        "try: cz.sample(cz.Uniform(3), jumps=100, rng=1).plot()\n"
        "except cz.MissingDependencyError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "install it with: pip install 'causal-zigzag[plots]'" in ran.stdout


def test_pyplot_shows_new_figures_and_not_those_of_the_caller() -> None:
    axes = small().plot.consensus()
    assert plt.fignum_exists(axes.figure.number)
    _, mine = plt.subplots()
    assert small().plot.consensus(ax=mine) is mine
    assert len(plt.get_fignums()) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.plot.edges("undirect"), "kind .* 'undirect'"),
        (lambda p: p.plot.top(0), "k .* 0"),
        (lambda p: p.plot.consensus(1.5), "threshold .* 1.5"),
        (lambda p: p.plot.trace(1), "window .* 1"),
    ],
)
def test_invalid_settings(call, message: str) -> None:
    with pytest.raises(cz.SettingsError, match=message):
        call(small())
