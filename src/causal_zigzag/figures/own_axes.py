"""The plots of a posterior on axes of the caller, in place of figures of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.errors import SettingsError
from causal_zigzag.figures import plots
from causal_zigzag.figures.graph_picture import graph_edges, pictures, printable, shortened
from causal_zigzag.figures.matplotlib_backend import draw_graph
from causal_zigzag.posterior.diagnostics.verdict import FEW, HIGH, MANY
from causal_zigzag.support.validation import read_count
from causal_zigzag.support.wording import class_probability

from matplotlib.axes import Axes  # isort: skip, after matplotlib_backend has raised if matplotlib is missing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from causal_zigzag.figures.graph_picture import Picture
    from causal_zigzag.posterior.posterior import Posterior

POINTS = 72.0  # per inch
FONT = 8.0
LONGEST = 16  # letters of a name at an axis


def edges_on(posterior: Posterior, kind: str | None, ax: Any) -> Figure:
    """Heat maps of edges: one axes for one kind, two for None."""
    kinds = plots.read_kinds(kind)
    names = [shortened(printable(str(v)), LONGEST) for v in posterior.nodes]
    axes = _axes(ax, len(kinds))
    for one, name in zip(axes, kinds, strict=True):
        plots.heat_map(one, getattr(posterior.edge_probabilities(), name), names, FONT)
        one.set_title(f"Probability: {plots.KINDS[name]}", fontsize=11, loc="left")
    return _figure(axes)


def top_on(posterior: Posterior, k: int, ax: Any) -> Figure:
    """One axes per class."""
    found = posterior.top(read_count("k", k, 1))
    axes = _axes(ax, len(found))
    drawn = pictures(posterior.nodes, [graph_edges(one.graph) for one in found])
    for one, (i, graph), cls in zip(axes, enumerate(drawn), found, strict=True):
        _draw(one, graph)
        one.set_title(f"{i + 1}.  probability {class_probability(cls.probability)}", fontsize=11, loc="left")
    return _figure(axes)


def consensus_on(posterior: Posterior, threshold: float, ax: Any) -> Figure:
    """The consensus graph on one axes."""
    axes = _axes(ax, 1)
    _draw(axes[0], plots.consensus_picture(posterior, threshold))
    return _figure(axes)


def trace_on(posterior: Posterior, window: int, ax: Any) -> Figure:
    """Edges, score, and the last points of the first chain, on three axes."""
    axes, traces = _axes(ax, 3), posterior.trace()
    for one, what in zip(axes, ("edges", "score"), strict=False):
        plots.plot_chains(one, traces, what)
        one.set_xlabel(plots.time_label(traces), fontsize=9)
    plots.plot_zigzag(axes[2], traces[0], read_count("window", window, 2))
    return _figure(axes)


def diagnostics_on(posterior: Posterior, ax: Any) -> Figure:
    """Effective samples and R-hats on two axes."""
    axes, shown = _axes(ax, 2), plots.worst_quantities(posterior.diagnostics().table)
    names = [shortened(printable(str(name)), 26) for name in shown["quantity"]]
    plots.plot_dots(axes[0], np.minimum(shown["ess"].to_numpy(), MANY), names, FEW, "effective samples")
    plots.plot_dots(axes[1], shown["r_hat"].to_numpy(), names, HIGH, "R-hat")
    return _figure(axes)


def overview_on(posterior: Posterior, ax: Any) -> Figure:
    """The consensus, the most probable edges and classes, and the traces of edges and score, on five axes."""
    axes, traces = _axes(ax, 5), posterior.trace()
    _draw(axes[0], plots.consensus_picture(posterior, CONSENSUS_THRESHOLD))
    plots.plot_edge_bars(axes[1], posterior, 20)
    plots.plot_class_bars(axes[2], posterior, 15)
    for one, what in zip(axes[3:], ("edges", "score"), strict=True):
        plots.plot_chains(one, traces, what)
        one.set_xlabel(plots.time_label(traces), fontsize=9)
    return _figure(axes)


def _axes(ax: Any, wanted: int) -> list[Axes]:
    """The axes as a list; ``ax`` is one axes, or a sequence or array of them."""
    given = [ax] if isinstance(ax, Axes) else [*np.ravel(np.asarray(ax, dtype=object))]
    if len(given) != wanted or not all(isinstance(one, Axes) for one in given):
        what = "one matplotlib Axes" if wanted == 1 else f"a sequence of {wanted} matplotlib Axes"
        raise SettingsError(f"ax must be {what} for this plot, not {ax!r}")
    return given


def _figure(axes: list[Axes]) -> Figure:
    figure: Figure = axes[0].figure.figure  # of a subfigure, the figure that it belongs to
    return figure


def _draw(ax: Axes, graph: Picture) -> None:
    """The graph in the largest size that fits the axes."""
    figure = ax.figure
    box = ax.get_position()
    across, down = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    scale = min(box.width * across * POINTS / graph.width, box.height * down * POINTS / graph.height)
    draw_graph(ax, graph, scale)
