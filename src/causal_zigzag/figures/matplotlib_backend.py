"""The basis of all plots: figures with sizes in inches, without pyplot or global state, and graphs on them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import MissingDependencyError
from causal_zigzag.figures.graph_picture import BOX_HEIGHT, FONT

try:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path
except ImportError:
    raise MissingDependencyError(
        "plots need matplotlib 3.8 or later; install it with: pip install 'causal-zigzag[plots]'", name="matplotlib"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Collection

    from matplotlib.axes import Axes

    from causal_zigzag.figures.graph_picture import Curve, DrawnEdge, Picture

# The colors of Okabe and Ito, which can be distinguished with all kinds of color vision.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILLION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
CHAINS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION, BLACK)
PALE = "#EAF2F8"
GREY = "#8A8F94"

# The lightness decreases with the probability, so that it can be read in grayscale.
PROBABILITY = LinearSegmentedColormap.from_list("probability", ["#FFFFFF", "#BFDDF0", SKY, BLUE, "#00263D"])


class Sheet(Figure):
    """A figure that notebooks display, with axes placed in inches from its upper left corner."""

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), facecolor="white")

    def place(self, left: float, top: float, width: float, height: float, **options: Any) -> Axes:
        """New axes of this size."""
        across, down = self.get_size_inches()
        return self.add_axes((left / across, 1 - (top + height) / down, width / across, height / down), **options)

    def write(self, left: float, top: float, text: str, size: float = 10.0, **options: Any) -> None:
        """Text with its upper left corner at this position."""
        across, down = self.get_size_inches()
        at = {"va": "top", "ha": "left", "parse_math": False, **options}
        self.text(left / across, 1 - top / down, text, fontsize=size, **at)

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        self.savefig(image, format="png", dpi=100)
        return image.getvalue()


def plain(ax: Axes) -> None:
    """Remove the upper and right borders of axes."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)


def name_ticks(ax: Axes, which: str, names: list[str], size: float, **options: Any) -> None:
    """Ticks 0, 1, ... with these names; a dollar sign does not start math mode."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_ticks(range(len(names)), labels=names, fontsize=size, parse_math=False, **options)


def draw_graph(
    ax: Axes,
    drawn: Picture,
    scale: float,
    marked: Collection[DrawnEdge] = (),
    missing: Collection[Curve] = (),
) -> None:
    """Draw a graph, scaled by ``scale``; marked edges are red, missing ones dotted."""
    ax.set_xlim(0, drawn.width)
    ax.set_ylim(drawn.height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    for curve in missing:
        ax.add_patch(
            PathPatch(_path(curve.points), fill=False, edgecolor=GREY, linewidth=1.0 * scale, linestyle=":", zorder=0)
        )
    for curve in drawn.curves:
        color = VERMILLION if curve.edge in marked else BLUE
        alpha, width = edge_style(curve.edge.weight)
        style: dict[str, Any] = {"alpha": alpha, "zorder": 2 if curve.edge in marked else 1}
        ax.add_patch(
            PathPatch(_path(curve.points), fill=False, edgecolor=color, linewidth=width * scale, gid="line", **style)
        )
        if curve.head is not None:
            ax.add_patch(Polygon(curve.head.tolist(), facecolor=color, linewidth=0, gid="arrowhead", **style))
    for box in drawn.boxes:
        ax.add_patch(
            FancyBboxPatch(
                (box.x - box.width / 2, box.y - BOX_HEIGHT / 2),
                box.width,
                BOX_HEIGHT,
                boxstyle=f"round,pad=0,rounding_size={BOX_HEIGHT / 2}",
                facecolor=PALE,
                edgecolor=BLUE,
                linewidth=1.0 * scale,
                zorder=3,
                gid="node",
            )
        )
        ax.text(
            box.x,
            box.y,
            box.shown,
            fontsize=FONT * 0.92 * scale,
            ha="center",
            va="center_baseline",
            zorder=4,
            parse_math=False,
        )


def edge_style(weight: float) -> tuple[float, float]:
    """The opacity and the width in points of an edge of this weight."""
    return 0.2 + 0.8 * weight, 0.5 + 1.7 * weight


def _path(points: np.ndarray[Any, np.dtype[np.float64]]) -> Path:
    return Path(points, [Path.MOVETO] + [Path.CURVE4] * (len(points) - 1))
