"""Figures of a posterior: heat map of edges, top classes, consensus, traces, diagnostics, and an overview."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.settled_directions import likeliest_edges
from causal_zigzag.errors import SettingsError
from causal_zigzag.figures.graph_picture import graph_edges, picture, pictures, printable, shortened, weighted_edges
from causal_zigzag.figures.matplotlib_backend import (
    BLUE,
    CHAINS,
    GREY,
    ORANGE,
    PROBABILITY,
    SKY,
    VERMILLION,
    Sheet,
    draw_graph,
    edge_style,
    name_ticks,
    plain,
)
from causal_zigzag.posterior.chain_agreement import PROVISIONAL, edge_strengths
from causal_zigzag.posterior.diagnostics.verdict import FEW, HIGH, MANY
from causal_zigzag.support.validation import read_count

from matplotlib.ticker import MaxNLocator  # isort: skip, after matplotlib_backend has raised if matplotlib is missing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from causal_zigzag.answers.top_classes import TopClass
    from causal_zigzag.figures.graph_picture import Picture
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.posterior.traces import Trace

TALLEST = 24.0  # inches of a figure of several graphs
POINTS = 72.0  # per inch
WIDEST = 15.0  # inches
ROWS_SHOWN = 24  # quantities in the plot of diagnostics
CHAINS_SHOWN = 8  # chains in rank plots
RANK_BINS = 20
NUMBERS_UP_TO = 16  # nodes; the cells of larger heat maps are too small for numbers
KINDS = {"adjacent": "joined by any edge", "directed": "row → column", "undirected": "undirected edge"}


def edges_figure(posterior: Posterior, kind: str | None) -> Sheet:
    """A heat map of one kind of edge, or two heat maps of adjacencies and directed edges."""
    kinds = read_kinds(kind)
    edges = posterior.edge_probabilities()
    names = [shortened(printable(str(v)), 16) for v in posterior.nodes]
    n = len(names)
    cell = min(0.45, max(0.13, 6.5 / max(n, 1)))
    size, font = max(1.5, n * cell), min(9.0, cell * POINTS * 0.68)
    label = 0.35 + max((len(name) for name in names), default=0) * font * 0.62 / POINTS
    wide = label + size + 0.75
    across = len(kinds) if len(kinds) * wide <= 16 else 1
    high = label + size + 0.55
    figure = Sheet(across * wide + 0.1, (len(kinds) // across) * high + 0.1)
    for i, name in enumerate(kinds):
        left, top = (i % across) * wide + label, (i // across) * high + 0.45
        ax = figure.place(left, top, size, size)
        image = heat_map(ax, getattr(edges, name), names, font)
        ax.set_title(f"Probability: {KINDS[name]}", fontsize=11, loc="left")
        bar = figure.colorbar(image, cax=figure.place(left + size + 0.12, top, 0.12, min(size, 3.0)))
        bar.ax.tick_params(labelsize=8)
    return figure


def read_kinds(kind: str | None) -> list[str]:
    """The kinds of edges that are plotted."""
    if kind is not None and kind not in KINDS:
        raise SettingsError(f"kind must be None, {', '.join(map(repr, KINDS))}, not {kind!r}")
    return ["adjacent", "directed"] if kind is None else [kind]


def heat_map(ax: Axes, matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]], names: list[str], font: float):  # type: ignore[no-untyped-def]
    """The probabilities as an image, with names at both axes."""
    n = len(names)
    shown = np.where(np.eye(n, dtype=bool), np.nan, matrix)
    ax.set_facecolor("#E4E6E8")  # the diagonal
    image = ax.imshow(shown, cmap=PROBABILITY, vmin=0, vmax=1, interpolation="nearest")
    name_ticks(ax, "x", names, font, rotation=90)
    name_ticks(ax, "y", names, font)
    ax.tick_params(length=0, pad=2)
    ax.set_xticks(np.arange(-0.5, n), minor=True)
    ax.set_yticks(np.arange(-0.5, n), minor=True)
    ax.grid(which="minor", color="#D5D9DC", linewidth=0.4)
    ax.tick_params(which="minor", length=0)
    if n <= NUMBERS_UP_TO:
        for (i, j), value in np.ndenumerate(shown):
            if value >= 0.005:
                ax.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7.5, color="w" if value > 0.5 else "k")
    return image


def top_figure(posterior: Posterior, k: int) -> Sheet:
    """The most probable classes with nodes at the same positions; differences from the first are marked."""
    k = read_count("k", k, 1)
    found = posterior.top(k)
    drawn = pictures(posterior.nodes, [graph_edges(one.graph) for one in found])
    across, scale = _grid(drawn[0], len(found))
    down = math.ceil(len(found) / across)
    scale = min(scale, (TALLEST / down - 0.55) * POINTS / drawn[0].height)
    wide, high = max(3.0, drawn[0].width * scale / POINTS), drawn[0].height * scale / POINTS
    figure = Sheet(across * (wide + 0.2) + 0.2, down * (high + 0.55) + 0.5)
    first = {(edge.x, edge.y, edge.directed) for edge in graph_edges(found[0].graph)}
    for i, (one, graph) in enumerate(zip(found, drawn, strict=True)):
        left, top = 0.2 + (i % across) * (wide + 0.2), 0.15 + (i // across) * (high + 0.55)
        figure.write(left + 0.1, top, f"{i + 1}.  probability {_percent(one.probability)}", 11, weight="bold")
        figure.write(left + 0.1, top + 0.2, _caption(one, found[0]), 8.5, color="#4A4F54")
        marked = [c.edge for c in graph.curves if (c.edge.x, c.edge.y, c.edge.directed) not in first]
        here = {frozenset((c.edge.x, c.edge.y)) for c in graph.curves}
        missing = [c for c in drawn[0].curves if frozenset((c.edge.x, c.edge.y)) not in here]
        draw_graph(figure.place(left, top + 0.4, wide, high), graph, scale, marked, missing)
    if len(found) > 1:
        at = figure.get_size_inches()[1] - 0.3
        figure.write(0.3, at, "red: different in class 1; dotted: in class 1 only", 8.5, color="#4A4F54")
    return figure


def _caption(one: TopClass, best: TopClass) -> str:
    behind = one.score - best.score
    score = f"score {one.score:.6g}" if one is best else f"score {behind:+.3g}"
    lines = len(one.graph.undirected_edges)
    return f"{score}, {one.graph.edge_count} edges, {lines} undirected"


def _percent(probability: float) -> str:
    return "more than 99.9 %" if 0.9995 <= probability < 1 else f"{100 * probability:.3g} %"


def _grid(drawn: Picture, k: int) -> tuple[int, float]:
    """The number of pictures per row and their scale, chosen for a figure with the proportions of a screen."""
    best = (math.inf, 1, 1.0)
    for across in range(1, k + 1):
        down = math.ceil(k / across)
        wide, high = across * max(drawn.width, 216.0), down * (drawn.height + 40)
        scale = min(1.0, WIDEST * POINTS / wide)
        cost = abs(math.log(wide / high / 1.4)) + 3 * max(0.0, math.log(0.6 / scale)) + 0.4 * (across * down - k)
        best = min(best, (cost, across, scale))
    return best[1], best[2]


def consensus_figure(posterior: Posterior, threshold: float) -> Sheet:
    """The consensus class; more probable edges are wider and darker."""
    drawn = consensus_picture(posterior, threshold)
    scale = min(1.0, WIDEST * POINTS / drawn.width)
    wide, high = max(5.2, drawn.width * scale / POINTS), drawn.height * scale / POINTS
    figure = Sheet(wide + 0.4, high + 1.4)
    title = f"Consensus: pairs joined with probability at least {threshold:g}"
    figure.write(0.3, 0.15, title, 11, weight="bold")
    draw_graph(figure.place(0.2, 0.45, wide, high), drawn, scale)
    _consensus_key(figure, 0.3, high + 0.55, posterior)
    return figure


def consensus_picture(posterior: Posterior, threshold: float) -> Picture:
    """The consensus class; the strength of an edge is its weight."""
    edges = weighted_edges(posterior.consensus(threshold), posterior.edge_probabilities(), edge_strengths(posterior))
    return picture(posterior.nodes, edges)


def _consensus_key(figure: Sheet, left: float, top: float, posterior: Posterior) -> None:
    """The legend for widths and arrowheads, and whether the graph is provisional."""
    if not posterior.diagnostics().ok:
        note = f"{PROVISIONAL.capitalize()}. Width: the least probability of any chain."
        figure.write(left, top + 0.5, note, 8.5, color=VERMILLION)
    figure.write(
        left, top + 0.27, "Width: probability that the pair is joined. Arrowhead: the direction is settled.", 8.5
    )
    ax = figure.place(left, top, 4.6, 0.25)
    ax.set_axis_off()
    ax.set_xlim(0, 4.6)
    ax.set_ylim(0, 1)
    for i, weight in enumerate((0.25, 0.5, 0.75, 1.0)):
        alpha, width = edge_style(weight)
        ax.plot([0.9 * i, 0.9 * i + 0.4], [0.5, 0.5], color=BLUE, alpha=alpha, linewidth=width, solid_capstyle="butt")
        ax.text(0.9 * i + 0.46, 0.5, f"{weight:g}", fontsize=8.5, va="center")
    ax.text(3.6, 0.5, "probability", fontsize=8.5, va="center")


def trace_figure(posterior: Posterior, window: int) -> Sheet:
    """Edges and score of all chains over time, and the end of the first chain, colored by direction."""
    window = read_count("window", window, 2)
    traces = posterior.trace()
    figure = Sheet(10.0, 7.2)
    first = figure.place(0.85, 0.4, 8.9, 1.75)
    second = figure.place(0.85, 2.35, 8.9, 1.75, sharex=first)
    plot_chains(first, traces, "edges")
    plot_chains(second, traces, "score")
    first.tick_params(labelbottom=False)
    first.set_title("All chains", fontsize=11, loc="left")
    second.set_xlabel(time_label(traces), fontsize=9)
    if 1 < len(traces) <= len(CHAINS):  # further chains have the same colors
        first.legend(
            loc="lower right", bbox_to_anchor=(1, 1), ncols=len(CHAINS), fontsize=8, frameon=False, handlelength=1.2
        )
    plot_zigzag(figure.place(0.85, 4.95, 8.9, 1.75), traces[0], window)
    return figure


def plot_chains(ax: Axes, traces: tuple[Trace, ...], what: str) -> None:
    """The number of edges or the score of each chain over time."""
    for i, trace in enumerate(traces):
        values = trace.edges if what == "edges" else trace.score
        color = CHAINS[i % len(CHAINS)]
        ax.plot(
            trace.time, values, drawstyle="steps-post", color=color, linewidth=0.7, alpha=0.8, label=f"chain {i + 1}"
        )
    ax.set_ylabel(what, fontsize=9)
    ax.margins(x=0.01)
    plain(ax)


def plot_zigzag(ax: Axes, trace: Trace, window: int) -> None:
    """The last points of a trace; the color is the direction, inserting or deleting."""
    begin = max(0, len(trace.time) - window)
    time, edges, direction = trace.time[begin:], trace.edges[begin:], trace.direction[begin:]
    for i in range(len(time) - 1):
        color = BLUE if direction[i] > 0 else VERMILLION
        ax.plot([time[i], time[i + 1]], [edges[i], edges[i]], color=color, linewidth=1.6, solid_capstyle="butt")
        if edges[i + 1] != edges[i]:
            turned = BLUE if edges[i + 1] > edges[i] else VERMILLION
            ax.plot([time[i + 1]] * 2, [edges[i], edges[i + 1]], color=turned, linewidth=0.8)
    for color, word in ((BLUE, "inserting"), (VERMILLION, "deleting")):
        ax.plot([], [], color=color, linewidth=1.6, label=word)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=8, frameon=False, handlelength=1.2)
    ax.set_title(
        f"Chain 1, the last {len(time)} of {len(trace.time)} points on its grid of times", fontsize=11, loc="left"
    )
    ax.set_ylabel("edges", fontsize=9)
    ax.set_xlabel(time_label((trace,)), fontsize=9)
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.margins(x=0.01)
    plain(ax)


def time_label(traces: tuple[Trace, ...]) -> str:
    """The label of an axis of times."""
    unit = traces[0].log2_unit
    return f"time (in units of 2**{unit})" if unit else "time"


def overview_figure(posterior: Posterior) -> Sheet:
    """The consensus graph; below it the most probable edges and classes, and the traces."""
    drawn = consensus_picture(posterior, CONSENSUS_THRESHOLD)
    width = 13.0
    scale = min(1.0, (width - 0.4) * POINTS / drawn.width, 9.0 * POINTS / drawn.height)
    high = drawn.height * scale / POINTS
    figure = Sheet(width, high + 6.25)
    title = (
        f"{len(posterior.nodes)} variables, {len(posterior.results)} chains, {posterior.class_count:,} classes visited"
    )
    figure.write(0.3, 0.15, title, 12, weight="bold")
    draw_graph(figure.place(0.2, 0.55, width - 0.4, high), drawn, scale)
    _consensus_key(figure, 0.3, high + 0.6, posterior)
    top = high + 1.6
    plot_edge_bars(figure.place(2.6, top, 3.1, 4.0), posterior, 20)
    plot_class_bars(figure.place(6.75, top, 2.25, 4.0), posterior, 15)
    traces = posterior.trace()
    first = figure.place(9.9, top, 2.9, 1.8)
    second = figure.place(9.9, top + 2.1, 2.9, 1.9, sharex=first)
    plot_chains(first, traces, "edges")
    plot_chains(second, traces, "score")
    first.tick_params(labelbottom=False)
    first.set_title("Traces of the chains", fontsize=11, loc="left")
    second.set_xlabel(time_label(traces), fontsize=9)
    return figure


def plot_edge_bars(ax: Axes, posterior: Posterior, most: int) -> None:
    """The most probable pairs, each bar divided into the three kinds of edge."""
    pairs = [pair for pair in likeliest_edges(posterior.edge_probabilities(), most=most) if pair.adjacent > 0]
    names = [", ".join(shortened(printable(str(v)), 11) for v in (pair.x, pair.y)) for pair in pairs]
    left = np.zeros(len(pairs))
    for values, color, word in (
        ([pair.forward for pair in pairs], BLUE, "first → second"),
        ([pair.undirected for pair in pairs], SKY, "open"),
        ([pair.backward for pair in pairs], ORANGE, "first ← second"),
    ):
        ax.barh(range(len(pairs)), values, left=left, color=color, height=0.75, label=word)
        left = left + values
    name_ticks(ax, "y", names, 8)
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_ylim(most - 0.5, -0.5)
    ax.set_title("Most probable edges", fontsize=11, loc="left")
    ax.legend(loc="upper left", bbox_to_anchor=(-0.6, -0.06), ncols=3, fontsize=8.5, frameon=False, handlelength=1.0)
    plain(ax)


def plot_class_bars(ax: Axes, posterior: Posterior, most: int) -> None:
    """The most probable classes, and the probability of all others."""
    found = posterior.top(most)
    ax.barh(range(len(found)), [one.probability for one in found], color=BLUE, height=0.75)
    name_ticks(ax, "y", [f"{i + 1}.  {one.graph.edge_count} edges" for i, one in enumerate(found)], 8)
    ax.set_ylim(most - 0.5, -0.5)
    ax.set_title("Most probable classes", fontsize=11, loc="left")
    rest = 1 - sum(one.probability for one in found)
    ax.text(
        0, -0.09, f"all others: {_percent(max(0.0, rest))}", transform=ax.transAxes, fontsize=9, color=GREY, va="top"
    )
    plain(ax)


def diagnostics_figure(posterior: Posterior) -> Sheet:
    """The verdict, the quantities with the fewest effective samples with their R-hats, and rank plots of the chains."""
    found = posterior.diagnostics()
    table = found.table
    shown = worst_quantities(table)
    verdict = textwrap.wrap(found.verdict, 118)
    tall, top = max(1.2, 0.2 * len(shown)), 0.7 + 0.2 * len(verdict)
    ranks = 0.45 * min(len(posterior.results), CHAINS_SHOWN)
    figure = Sheet(10.5, top + tall + ranks + 1.4)
    figure.write(0.3, 0.15, "\n".join(verdict), 10.5, linespacing=1.35)
    names = [shortened(printable(str(name)), 26) for name in shown["quantity"]]
    samples = np.minimum(shown["ess"].to_numpy(), MANY)
    plot_dots(figure.place(2.6, top, 3.5, tall), samples, names, FEW, "effective samples")
    plot_dots(figure.place(6.6, top, 3.5, tall), shown["r_hat"].to_numpy(), [""] * len(names), HIGH, "R-hat")
    more = len(table) - len(shown)
    if more:
        figure.write(
            2.6, top + tall + 0.42, f"{more} more quantities have more effective samples", 8.5, color="#4A4F54"
        )
    for i, name in enumerate(found.ranks):
        _rank_plot(figure, found.ranks[name], name, 0.7 + 5.0 * i, top + tall + 1.15, ranks)
    return figure


def worst_quantities(table: pd.DataFrame) -> pd.DataFrame:
    """Edges and score, and the quantities with the fewest effective samples."""
    worst = table.iloc[2:].sort_values("ess", kind="stable", na_position="first").index[: ROWS_SHOWN - 2]
    return table.loc[[*table.index[:2], *worst]]


def plot_dots(
    ax: Axes, values: np.ndarray[tuple[int], np.dtype[np.float64]], names: list[str], bound: float, word: str
) -> None:
    """One dot per quantity, with a different color and shape beyond the bound; no dot for NaN."""
    few = word != "R-hat"  # large numbers of samples are good, large R-hats are bad
    bad = values < bound if few else values > bound
    rows = np.arange(len(values))
    ax.axvline(bound, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
    ax.hlines(
        rows,
        np.full(len(values), bound),
        np.where(np.isfinite(values), values, bound),
        color="#D5D9DC",
        linewidth=1.0,
        zorder=0,
    )
    for some, color, marker in ((~bad, BLUE, "o"), (bad, VERMILLION, "X")):
        ax.plot(values[some], rows[some], marker, color=color, markersize=5)
    if few:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
    name_ticks(ax, "y", names, 8)
    ax.set_ylim(len(values) - 0.4, -0.6)
    ax.set_title(word, fontsize=11, loc="left", pad=15)
    ax.text(bound, 1.0, f" {bound:g}", transform=ax.get_xaxis_transform(), fontsize=8, color=GREY, va="bottom")
    plain(ax)


def _rank_plot(
    figure: Sheet,
    ranks: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    name: str,
    left: float,
    top: float,
    tall: float,
) -> None:
    """Histograms of the ranks of each chain among all draws; flat if the chains agree."""
    figure.write(left, top - 0.3, f"Ranks of the {'number of edges' if name == 'edges' else name}, by chain", 11)
    chains = ranks[:CHAINS_SHOWN]
    each = tall / max(1, len(chains))
    # Equal draws have the same mean rank; they are spread over all the ranks that they have together.
    _, value, count = np.unique(ranks, return_inverse=True, return_counts=True)
    ends = np.concatenate([[0], np.cumsum(count)])
    bins = np.linspace(0, ranks.size, RANK_BINS + 1)
    inside = np.diff(np.clip(bins[None, :], ends[:-1, None], ends[1:, None]), axis=1) / count[:, None]
    for i, row in enumerate(value.reshape(ranks.shape)[: len(chains)]):
        ax = figure.place(left, top + i * each, 4.4, each * 0.85)
        heights = np.bincount(row, minlength=len(count)) @ inside * RANK_BINS / ranks.shape[1]
        ax.bar(range(RANK_BINS), heights, width=0.9, color=CHAINS[i % len(CHAINS)])
        ax.axhline(1, color="k", linewidth=0.7, linestyle="--")
        ax.set_ylim(0, max(2.0, float(heights.max()) * 1.05))
        ax.set_xticks([])
        ax.set_yticks([1], labels=[f"{i + 1}"])
        plain(ax)
