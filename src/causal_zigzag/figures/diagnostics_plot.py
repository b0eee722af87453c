"""The plot of diagnostics: the verdict, effective samples and R-hats, and rank plots of the chains."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.figures import matplotlib_backend as mpl
from causal_zigzag.figures.label_text import printable, shortened
from causal_zigzag.posterior.diagnostics.verdict import FEW_SAMPLES, HIGH_R_HAT, MANY_SAMPLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior

QUANTITIES_SHOWN = 24
RANKED_CHAINS = 8
RANK_BINS = 20


def plot_diagnostics(posterior: Posterior, ax: Any = None) -> NDArray[Any]:
    """See ``Plots.diagnostics``; rank plots and the verdict are on new figures only."""
    found = posterior.diagnostics()
    worst = found.table.iloc[2:].sort_values("ess", kind="stable", na_position="first").index[: QUANTITIES_SHOWN - 2]
    shown = found.table.loc[[*found.table.index[:2], *worst]]
    verdict = textwrap.wrap(found.verdict, 118)
    tall, top = max(1.2, 0.2 * len(shown)), 0.7 + 0.2 * len(verdict)
    ranks = 0.45 * min(len(posterior._results), RANKED_CHAINS)
    figure = mpl.sheet(10.5, top + tall + ranks + 1.4) if ax is None else None
    axes = mpl.axes_for(ax, 2, lambda: [figure.place(left, top, 3.5, tall) for left in (2.6, 6.6)] if figure else [])
    names = [shortened(printable(str(name))) for name in shown["quantity"]]
    _plot_dots(axes[0], np.minimum(shown["ess"].to_numpy(), MANY_SAMPLES), names, FEW_SAMPLES, "effective samples")
    _plot_dots(axes[1], shown["r_hat"].to_numpy(), names if ax is not None else [""] * len(names), HIGH_R_HAT, "R-hat")
    if figure is not None:
        figure.write(0.3, 0.15, "\n".join(verdict), 10.5, linespacing=1.35)
        if more := len(found.table) - len(shown):
            figure.write(2.6, top + tall + 0.42, f"{more} more quantities have more effective samples", 8.5)
        for i, name in enumerate(found.ranks):
            _rank_plot(figure, found.ranks[name], name, 0.7 + 5.0 * i, top + tall + 1.15, ranks)
    return axes


def _plot_dots(ax: Axes, values: NDArray[np.float64], names: list[str], bound: float, word: str) -> None:
    """One dot per quantity, with a different color and shape beyond the bound; no dot for NaN."""
    few = word != "R-hat"  # large numbers of samples are good, large R-hats are bad
    bad = values < bound if few else values > bound
    rows = np.arange(len(values))
    ax.axvline(bound, color=mpl.GREY, linewidth=0.8, linestyle="--", zorder=0)
    ends = np.where(np.isfinite(values), values, bound)
    ax.hlines(rows, np.full(len(values), bound), ends, color="#D5D9DC", linewidth=1.0, zorder=0)
    for some, color, marker in ((~bad, mpl.BLUE, "o"), (bad, mpl.VERMILLION, "X")):
        ax.plot(values[some], rows[some], marker, color=color, markersize=5)
    if few:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
    mpl.name_ticks(ax, "y", names, 8)
    ax.set_ylim(len(values) - 0.4, -0.6)
    ax.text(bound, 1.0, f" {bound:g}", transform=ax.get_xaxis_transform(), fontsize=8, color=mpl.GREY, va="bottom")
    mpl.finish(ax, word, pad=15)


def _rank_plot(figure: mpl.Sheet, ranks: NDArray[np.float64], name: str, left: float, top: float, tall: float) -> None:
    """Histograms of the ranks of each chain among all draws; flat if the chains agree."""
    figure.write(left, top - 0.3, f"Ranks of the {'number of edges' if name == 'edges' else name}, by chain", 11)
    chains = ranks[:RANKED_CHAINS]
    each = tall / max(1, len(chains))
    # Equal draws have the same mean rank; they are spread over all the ranks that they have together.
    _, value, count = np.unique(ranks, return_inverse=True, return_counts=True)
    ends = np.concatenate([[0], np.cumsum(count)])
    bins = np.linspace(0, ranks.size, RANK_BINS + 1)
    inside = np.diff(np.clip(bins[None, :], ends[:-1, None], ends[1:, None]), axis=1) / count[:, None]
    for i, row in enumerate(value.reshape(ranks.shape)[: len(chains)]):
        ax = figure.place(left, top + i * each, 4.4, each * 0.85)
        heights = np.bincount(row, minlength=len(count)) @ inside * RANK_BINS / ranks.shape[1]
        ax.bar(range(RANK_BINS), heights, width=0.9, color=mpl.CHAIN_COLORS[i % len(mpl.CHAIN_COLORS)])
        ax.axhline(1, color="k", linewidth=0.7, linestyle="--")
        ax.set_ylim(0, max(2.0, float(heights.max()) * 1.05))
        ax.set_xticks([])
        ax.set_yticks([1], labels=[f"{i + 1}"])
        mpl.finish(ax, "")
