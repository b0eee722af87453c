"""The plot of a comparison: the probabilities of two posteriors against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.figures.label_text import printable, shortened
from causal_zigzag.figures.matplotlib_backend import BLUE, GREY, VERMILLION, Sheet, figure_of, plain, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from causal_zigzag.answers.comparison import Comparison

MOST_NAMED = 8  # pairs
LONGEST_NAME = 14  # letters
NAME_WIDTH, NAME_HEIGHT = 0.45, 0.04  # as parts of the axes


def comparison_figure(comparison: Comparison, ax: Axes | None = None) -> Figure:
    """See ``Comparison.plot``."""
    if ax is None:
        ax = Sheet(5.6, 5.4).place(0.75, 0.45, 4.4, 4.2)
    table = comparison.table
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--", zorder=0)
    for clear, color in ((False, BLUE), (True, VERMILLION)):
        rows = table[table["clear"] == clear]
        ax.errorbar(
            rows["first"],
            rows["second"],
            yerr=2 * rows["error"].fillna(0),
            fmt="o",
            markersize=4,
            elinewidth=0.8,
            color=color,
            alpha=0.75,
            label="clear difference" if clear else "no clear difference",
        )
    named: list[tuple[float, float]] = []
    for row in table[table["clear"]].to_dict("records"):
        if len(named) == MOST_NAMED or any(
            abs(row["first"] - x) < NAME_WIDTH and abs(row["second"] - y) < NAME_HEIGHT for x, y in named
        ):
            continue  # names of near dots would be written over each other
        named.append((row["first"], row["second"]))
        names = ", ".join(shortened(printable(str(row[key])), LONGEST_NAME) for key in ("x", "y"))
        left = row["first"] > 0.5
        ax.annotate(
            names,
            (row["first"], row["second"]),
            xytext=(-6 if left else 6, 0),
            textcoords="offset points",
            fontsize=8,
            ha="right" if left else "left",
            va="center",
            parse_math=False,
        )
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel(f"joined, {printable(comparison.names[0])}", fontsize=9, parse_math=False)
    ax.set_ylabel(f"joined, {printable(comparison.names[1])}", fontsize=9, parse_math=False)
    title(ax, "Probability that a pair is joined")
    ax.legend(loc="lower right", fontsize=8, frameon=False)
    plain(ax)
    return figure_of(ax)
