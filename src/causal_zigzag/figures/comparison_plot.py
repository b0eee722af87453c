"""The plot of a comparison: the probabilities of two posteriors against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causal_zigzag.figures import matplotlib_backend as mpl
from causal_zigzag.figures.label_text import printable, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from causal_zigzag.answers.comparison import Comparison

MOST_NAMED = 8  # pairs
LONGEST_NAME = 14  # letters
NAME_WIDTH, NAME_HEIGHT = 0.45, 0.04  # as parts of the axes


def comparison_plot(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """See ``Comparison.plot``."""
    mpl.check_axes(ax)
    if ax is None:
        ax = mpl.sheet(5.6, 5.4).place(0.75, 0.45, 4.4, 4.2)
    table = comparison.table
    ax.plot([0, 1], [0, 1], color=mpl.GREY, linewidth=0.8, linestyle="--", zorder=0)
    for clear, color in ((False, mpl.BLUE), (True, mpl.VERMILLION)):
        rows = table[table["clear"] == clear]
        look: dict[str, Any] = {"fmt": "o", "markersize": 4, "elinewidth": 0.8, "color": color, "alpha": 0.75}
        word = "clear difference" if clear else "no clear difference"
        ax.errorbar(rows["first"], rows["second"], yerr=2 * rows["error"].fillna(0), label=word, **look)
    named: list[tuple[float, float]] = []
    for row in table[table["clear"]].to_dict("records"):
        if len(named) == MOST_NAMED or any(
            abs(row["first"] - x) < NAME_WIDTH and abs(row["second"] - y) < NAME_HEIGHT for x, y in named
        ):
            continue  # names of near dots would be written over each other
        named.append((row["first"], row["second"]))
        names = ", ".join(shortened(printable(str(row[key])), LONGEST_NAME) for key in ("x", "y"))
        away, side = (-6, "right") if row["first"] > 0.5 else (6, "left")
        look = {"textcoords": "offset points", "fontsize": 8, "ha": side, "va": "center", "parse_math": False}
        ax.annotate(names, named[-1], xytext=(away, 0), **look)
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    mpl.legend(ax, loc="lower right")
    first, second = (f"joined, {printable(name)}" for name in comparison.names)
    return mpl.finish(ax, "Probability that a pair is joined", first, second)
