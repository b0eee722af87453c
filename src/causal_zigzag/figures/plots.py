"""Plots of a posterior: heat map of edges, top classes, consensus, traces and an overview; on a new figure or axes."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.settled_directions import likeliest_edges
from causal_zigzag.errors import SettingsError
from causal_zigzag.figures import matplotlib_backend as mpl
from causal_zigzag.figures.label_text import printable, shortened
from causal_zigzag.figures.posterior_scenes import class_edges, consensus_edges, legend, placing, with_signs
from causal_zigzag.figures.scene import edge_style, graph_edges, scene, scenes
from causal_zigzag.posterior.traces import end_of
from causal_zigzag.support.validation import is_word, read_count
from causal_zigzag.support.wording import class_probability

from matplotlib.lines import Line2D  # isort: skip, after matplotlib_backend has raised if matplotlib is missing
from matplotlib.ticker import MaxNLocator  # isort: skip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from causal_zigzag.answers.top_classes import TopClass
    from causal_zigzag.figures.scene import Scene
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.posterior.traces import Trace

TALLEST_FIGURE, WIDEST_FIGURE = 24.0, 15.0  # inches, of figures of graphs
MOST_DRAWN = 100  # graphs of a figure
MOST_NUMBERED = 16  # nodes; the cells of larger heat maps are too small for numbers
EDGE_KINDS = {"adjacent": "joined by any edge", "directed": "row → column", "undirected": "undirected edge"}
TIME_LABEL = "share of the time"
OVERVIEW_WIDTH, OVERVIEW_EDGES, OVERVIEW_CLASSES = 13.0, 20, 15  # inches; bars


def plot_edges(posterior: Posterior, kind: str, ax: Any = None) -> Axes:
    """See ``Plots.edges``."""
    if not is_word(kind, *EDGE_KINDS):
        raise SettingsError(f"kind must be {', '.join(map(repr, EDGE_KINDS))}, not {kind!r}")
    names = [shortened(printable(str(v)), 16) for v in posterior.nodes]
    one: Axes = mpl.axes_for(ax, 1, lambda: [_square_axes(names)])[0]
    image = _heat_map(one, getattr(posterior.edge_probabilities(), kind), names)
    mpl.title(one, f"Probability: {EDGE_KINDS[kind]}")
    if ax is None:
        bar = one.figure.colorbar(image, cax=one.inset_axes((1.03, 0, 0.03, 1)))
        bar.ax.tick_params(labelsize=8)
    return one


def _square_axes(names: list[str]) -> Axes:
    """New axes for a heat map, with space for the names."""
    size = max(1.5, len(names) * min(0.45, max(0.13, 6.5 / max(len(names), 1))))
    font = _heat_font(size * mpl.POINTS_PER_INCH, names) / mpl.POINTS_PER_INCH
    label = 0.35 + max(map(len, names), default=0) * font * 0.62
    wide, high = label + size + 0.75, label + size + 0.55
    return mpl.sheet(wide + 0.1, high + 0.1).place(label, 0.45, size, size)


def _heat_font(side: float, names: list[str]) -> float:
    return min(9.0, 0.68 * side / max(len(names), 1))


def _heat_map(ax: Axes, matrix: NDArray[np.float64], names: list[str]) -> Any:
    """The probabilities as an image, with names at both axes."""
    n, font = len(names), _heat_font(min(mpl.size_in_points(ax)), names)
    shown = np.where(np.eye(n, dtype=bool), np.nan, matrix)
    ax.set_facecolor("#E4E6E8")  # the diagonal
    image = ax.imshow(shown, cmap=mpl.PROBABILITY_COLORS, vmin=0, vmax=1, interpolation="nearest")
    mpl.name_ticks(ax, "x", names, font, rotation=90)
    mpl.name_ticks(ax, "y", names, font)
    ax.tick_params(length=0, pad=2)
    ax.set_xticks(np.arange(-0.5, n), minor=True)
    ax.set_yticks(np.arange(-0.5, n), minor=True)
    ax.grid(which="minor", color="#D5D9DC", linewidth=0.4)
    ax.tick_params(which="minor", length=0)
    for (i, j), value in np.ndenumerate(shown):
        if n <= MOST_NUMBERED and value >= 0.005:
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7.5, color="w" if value > 0.5 else "k")
    return image


def plot_top(posterior: Posterior, k: int, ax: Any = None) -> NDArray[Any]:
    """See ``Plots.top``."""
    found = posterior.top(read_count("k", k, 1, most=MOST_DRAWN))
    drawn = scenes(posterior.nodes, [class_edges(posterior, one.graph) for one in found], **placing(posterior))
    axes = mpl.axes_for(ax, len(found), lambda: _grid_axes(drawn[0], len(found)))
    first = {(edge.x, edge.y, edge.directed) for edge in graph_edges(found[0].graph)}
    for i, (one, cls, graph) in enumerate(zip(axes, found, drawn, strict=True)):
        marked = [c.edge for c in graph.curves if (c.edge.x, c.edge.y, c.edge.directed) not in first]
        here = {frozenset((c.edge.x, c.edge.y)) for c in graph.curves}
        missing = [c for c in drawn[0].curves if frozenset((c.edge.x, c.edge.y)) not in here]
        mpl.draw_scene(one, graph, marked, missing)
        heading = f"{i + 1}.  probability {class_probability(cls.probability)}\n{_caption(cls, found[0])}"
        mpl.title(one, heading, fontsize=9)
    figure = mpl.figure_of(axes[0])
    if isinstance(figure, mpl.Sheet) and len(found) > 1:
        at = figure.get_size_inches()[1] - 0.3
        figure.write(0.3, at, "red: different in class 1; dotted: in class 1 only", 8.5)
    return axes


def _caption(one: TopClass, best: TopClass) -> str:
    score = f"score {one.score:.6g}, " if one is best else f"score {one.score - best.score:+.3g}, "
    score = "" if math.isnan(one.score) else score  # with missing cells
    return f"{score}{one.graph.edge_count} edges, {len(one.graph.undirected_edges)} undirected"


def _grid_axes(drawn: Scene, k: int) -> list[Axes]:
    """New axes for k graphs of one size, in rows that make the figure about as wide as high."""
    across = min(k, max(1, round(math.sqrt(k * 1.4 * drawn.height / max(drawn.width, 216.0)))))
    down = math.ceil(k / across)
    scale = min(1.0, WIDEST_FIGURE * mpl.POINTS_PER_INCH / across / drawn.width)
    scale = min(scale, (TALLEST_FIGURE / down - 0.55) * mpl.POINTS_PER_INCH / drawn.height) / mpl.POINTS_PER_INCH
    wide, high = max(3.0, drawn.width * scale), drawn.height * scale
    figure = mpl.sheet(across * (wide + 0.2) + 0.2, down * (high + 0.55) + 0.5)
    places = [(0.2 + (i % across) * (wide + 0.2), 0.55 + (i // across) * (high + 0.55)) for i in range(k)]
    return [figure.place(left, top, wide, high) for left, top in places]


def plot_consensus(posterior: Posterior, threshold: float, ax: Any = None, signs: str | None = None) -> Axes:
    """See ``Plots.consensus``."""
    if signs is not None and not is_word(signs, "color", "text"):
        raise SettingsError(f"signs must be 'color', 'text' or None, not {signs!r}")
    drawn = consensus_scene(posterior, threshold, signs is not None)
    scale = min(1.0, WIDEST_FIGURE * mpl.POINTS_PER_INCH / drawn.width) / mpl.POINTS_PER_INCH
    wide, high = max(5.2, drawn.width * scale), drawn.height * scale
    below = 0.9 + 0.15 * len(_legend_lines(posterior, wide))
    one: Axes = mpl.axes_for(ax, 1, lambda: [mpl.sheet(wide + 0.4, high + below).place(0.2, 0.45, wide, high)])[0]
    _draw_consensus(one, drawn, posterior, ax is None, signs)
    if ax is None:
        mpl.title(one, f"Consensus: pairs joined with probability at least {threshold:g}")
    return one


def consensus_scene(posterior: Posterior, threshold: float, signs: bool = False) -> Scene:
    """The consensus; the weight of an edge is its probability."""
    edges = consensus_edges(posterior, threshold)
    return scene(posterior.nodes, with_signs(posterior, edges) if signs else edges, **placing(posterior))


def _draw_consensus(ax: Axes, drawn: Scene, posterior: Posterior, explained: bool, signs: str | None = None) -> None:
    """The consensus, with a legend for widths and arrowheads below the axes, and whether it is provisional."""
    mpl.draw_scene(ax, drawn, written_signs=signs == "text")
    if not explained:
        return
    lines = []
    for weight in (0.25, 0.5, 0.75, 1.0):
        alpha, width = edge_style(weight)
        lines.append(Line2D([], [], color=mpl.BLUE, alpha=alpha, linewidth=width, label=f"{weight:g}"))
    notes = "\n".join(_legend_lines(posterior, mpl.size_in_points(ax)[0] / mpl.POINTS_PER_INCH))
    if signs == "color":
        words = {"+": "+ raises", "−": "− lowers", "±": "± unclear or several levels"}
        lines += [Line2D([], [], color=mpl.SIGN_COLORS[sign], linewidth=3, label=words[sign]) for sign in words]
    elif signs == "text":
        notes += "\n+ raises, − lowers, ± unclear or several levels: the 95 % interval includes 0, or levels differ"
    mpl.legend(ax, handles=lines, ncols=4, title=notes, loc="upper left", bbox_to_anchor=(0, 0), alignment="left")


def _legend_lines(posterior: Posterior, inches: float) -> list[str]:
    return textwrap.wrap(legend(posterior), max(60, int(15.5 * inches)))


def plot_trace(posterior: Posterior, window: int, ax: Any = None) -> NDArray[Any]:
    """See ``Plots.trace``."""
    window, traces = read_count("window", window, 2), posterior.trace()
    axes = mpl.axes_for(ax, 3, _trace_axes)
    _plot_chains(axes[0], axes[1], traces)
    mpl.title(axes[0], "All chains")
    if 1 < len(traces) <= len(mpl.CHAIN_COLORS):  # further chains have the same colors
        mpl.legend(axes[0], loc="lower right", bbox_to_anchor=(1, 1), ncols=len(traces))
    _plot_zigzag(axes[2], traces[0], end_of(traces), window)
    return axes


def _trace_axes() -> list[Axes]:
    figure = mpl.sheet(10.0, 7.2)
    return [figure.place(0.85, top, 8.9, 1.75) for top in (0.4, 2.35, 4.95)]


def _plot_chains(upper: Axes, lower: Axes, traces: tuple[Trace, ...]) -> None:
    """The number of edges and the score of each chain over time."""
    end = end_of(traces)
    for ax, what in ((upper, "edges"), (lower, "score")):
        for i, trace in enumerate(traces):
            color = mpl.CHAIN_COLORS[i % len(mpl.CHAIN_COLORS)]
            look: dict[str, Any] = {"drawstyle": "steps-post", "linewidth": 0.7, "alpha": 0.8, "color": color}
            ax.plot(trace.time / end, getattr(trace, what), label=f"chain {i + 1}", **look)
        ax.margins(x=0.01)
        mpl.finish(ax, "", TIME_LABEL if ax is lower else "", what)


def _plot_zigzag(ax: Axes, trace: Trace, end: float, window: int) -> None:
    """The last points of a trace; the color is the direction, inserting or deleting."""
    begin = max(0, len(trace.time) - window)
    time, edges, direction = trace.time[begin:] / end, trace.edges[begin:], trace.direction[begin:]
    for i in range(len(time) - 1):
        color = mpl.BLUE if direction[i] > 0 else mpl.VERMILLION
        ax.plot([time[i], time[i + 1]], [edges[i], edges[i]], color=color, linewidth=1.6, solid_capstyle="butt")
        if edges[i + 1] != edges[i]:
            turned = mpl.BLUE if edges[i + 1] > edges[i] else mpl.VERMILLION
            ax.plot([time[i + 1]] * 2, [edges[i], edges[i + 1]], color=turned, linewidth=0.8)
    for color, word in ((mpl.BLUE, "inserting"), (mpl.VERMILLION, "deleting")):
        ax.plot([], [], color=color, linewidth=1.6, label=word)
    mpl.legend(ax, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, handlelength=1.2)
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.margins(x=0.01)
    heading = f"Chain 1, the last {len(time)} of {len(trace.time)} points on its grid of times"
    mpl.finish(ax, heading, TIME_LABEL, "edges")


def plot_overview(posterior: Posterior, ax: Any = None) -> NDArray[Any]:
    """See ``Plots``: the consensus; below it the most probable edges and classes, and the traces."""
    drawn = consensus_scene(posterior, CONSENSUS_THRESHOLD)
    axes = mpl.axes_for(ax, 5, lambda: _overview_axes(drawn))
    _draw_consensus(axes[0], drawn, posterior, ax is None)
    if ax is None:
        ran = f"{len(posterior._results)} chains, {posterior.class_count:,} classes visited"
        mpl.title(axes[0], f"{len(posterior.nodes)} variables, {ran}", fontsize=12, weight="bold")
    _plot_edge_bars(axes[1], posterior)
    _plot_class_bars(axes[2], posterior)
    _plot_chains(axes[3], axes[4], posterior.trace())
    mpl.title(axes[3], "Traces of the chains")
    return axes


def _overview_axes(drawn: Scene) -> list[Axes]:
    wide = OVERVIEW_WIDTH - 0.4
    high = drawn.height * min(1.0, wide * mpl.POINTS_PER_INCH / drawn.width, 9.0 * mpl.POINTS_PER_INCH / drawn.height)
    high, top = high / mpl.POINTS_PER_INCH, high / mpl.POINTS_PER_INCH + 1.6
    figure = mpl.sheet(OVERVIEW_WIDTH, high + 6.25)
    places = [(0.2, 0.55, wide, high), (2.6, top, 3.1, 4.0), (6.75, top, 2.25, 4.0)]
    return [figure.place(*place) for place in (*places, (9.9, top, 2.9, 1.8), (9.9, top + 2.1, 2.9, 1.9))]


def _plot_edge_bars(ax: Axes, posterior: Posterior) -> None:
    """The most probable pairs, each bar divided into the three kinds of edge, again if rows were resampled."""
    pairs = [p for p in likeliest_edges(posterior.edge_probabilities(), most=OVERVIEW_EDGES) if p.adjacent > 0]
    names = [", ".join(shortened(printable(str(v)), 11) for v in (pair.x, pair.y)) for pair in pairs]
    left = np.zeros(len(pairs))
    for kind, color in (("forward", mpl.BLUE), ("undirected", mpl.SKY), ("backward", mpl.ORANGE)):
        values = [getattr(pair.again or pair.kinds, kind) for pair in pairs]
        word = "open" if kind == "undirected" else kind
        ax.barh(range(len(pairs)), values, left=left, color=color, height=0.75, label=word)
        left = left + values
    mpl.name_ticks(ax, "y", names, 8)
    ax.set_xlim(0, 1)
    ax.set_ylim(OVERVIEW_EDGES - 0.5, -0.5)
    mpl.legend(ax, loc="upper left", bbox_to_anchor=(-0.6, -0.06), ncols=3, handlelength=1.0)
    mpl.finish(ax, "Most probable edges" + (", rows resampled" if posterior.resampled else ""))


def _plot_class_bars(ax: Axes, posterior: Posterior) -> None:
    """The most probable classes, and the probability of all others."""
    found = posterior.top(OVERVIEW_CLASSES)
    ax.barh(range(len(found)), [one.probability for one in found], color=mpl.BLUE, height=0.75)
    mpl.name_ticks(ax, "y", [f"{i + 1}.  {one.graph.edge_count} edges" for i, one in enumerate(found)], 8)
    ax.set_ylim(OVERVIEW_CLASSES - 0.5, -0.5)
    mpl.finish(ax, "Most probable classes")
    rest = f"all others: {class_probability(max(0.0, 1 - sum(one.probability for one in found)))}"
    ax.text(0, -0.09, rest, transform=ax.transAxes, fontsize=9, color=mpl.GREY, va="top")
