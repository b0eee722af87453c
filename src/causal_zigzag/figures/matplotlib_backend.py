"""The matplotlib backend: pyplot figures with sizes in inches, and scenes drawn on axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import MissingDependencyError, SettingsError
from causal_zigzag.figures.label_text import FONT
from causal_zigzag.figures.routes import BOX_HEIGHT
from causal_zigzag.figures.scene import CIRCLE_RADIUS, edge_style

try:
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path
except ImportError:
    raise MissingDependencyError(
        "plots need matplotlib 3.8 or later; install it with: pip install 'causal-zigzag[plots]'", name="matplotlib"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from causal_zigzag.figures.scene import Curve, DrawnEdge, Scene

POINTS_PER_INCH = 72.0

# The colors of Okabe and Ito, which can be distinguished with all kinds of color vision.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
CHAIN_COLORS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION)
PALE, GREY = "#EAF2F8", "#8A8F94"
SIGN_COLORS = {"": BLUE, "+": BLUE, "−": VERMILLION, "±": GREY}  # which can be told apart by the color-blind

# The lightness decreases with the probability, so that it can be read in grayscale.
PROBABILITY_COLORS = LinearSegmentedColormap.from_list("probability", ["#FFFFFF", "#BFDDF0", SKY, BLUE, "#00263D"])


class Sheet(Figure):
    """A figure with axes placed in inches from its upper left corner."""

    def place(self, left: float, top: float, width: float, height: float, **options: Any) -> Axes:
        """New axes of this size."""
        across, down = self.get_size_inches()
        return self.add_axes((left / across, 1 - (top + height) / down, width / across, height / down), **options)

    def write(self, left: float, top: float, text: str, size: float = 10.0, **options: Any) -> None:
        """Text with its upper left corner at this position."""
        across, down = self.get_size_inches()
        at = {"va": "top", "ha": "left", "parse_math": False, **options}
        self.text(left / across, 1 - top / down, text, fontsize=size, **at)


def sheet(width: float, height: float) -> Sheet:
    """A new figure of pyplot, so that ``plt.show()`` and notebooks display it."""
    from matplotlib import pyplot as plt  # here, as it chooses a backend

    figure = plt.figure(FigureClass=Sheet, figsize=(width, height), facecolor="white")
    assert isinstance(figure, Sheet)
    return figure


def axes_for(ax: Any, wanted: int, make: Callable[[], list[Axes]]) -> NDArray[Any]:
    """The axes of the caller, which ``ax`` is or contains, or those of a new figure that ``make`` places."""
    if ax is None:
        return _array(make())
    given = [ax] if isinstance(ax, Axes) else [*np.ravel(np.asarray(ax, dtype=object))]
    if len(given) != wanted or not all(isinstance(one, Axes) for one in given):
        what = "one matplotlib Axes" if wanted == 1 else f"a sequence of {wanted} matplotlib Axes"
        raise SettingsError(f"ax must be {what} for this plot, not {ax!r}")
    return _array(given)


def check_axes(ax: Any) -> None:
    """A SettingsError if the axes that a caller gives are none of matplotlib."""
    if ax is not None:
        axes_for(ax, 1, list)


def _array(axes: list[Axes]) -> NDArray[Any]:
    found = np.empty(len(axes), dtype=object)
    found[:] = axes
    return found


def figure_of(ax: Axes) -> Figure:
    """The figure of axes; of those of a subfigure, the figure that it belongs to."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def finish(ax: Axes, text: str, x: str = "", y: str = "", **options: Any) -> Axes:
    """The axes, with a title and labels, without upper and right borders."""
    title(ax, text, **options)
    ax.set_xlabel(x, fontsize=9, parse_math=False)
    ax.set_ylabel(y, fontsize=9, parse_math=False)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    return ax


def legend(ax: Axes, **options: Any) -> None:
    """A legend, in which a dollar sign does not start math mode."""
    found = ax.legend(**{"fontsize": 8, "title_fontsize": 8, "frameon": False, **options})
    for text in (found.get_title(), *found.get_texts()):
        text.set_parse_math(False)


def title(ax: Axes, text: str, **options: Any) -> None:
    """A title at the left, in which a dollar sign does not start math mode."""
    ax.set_title(text, **{"fontsize": 11, "loc": "left", "parse_math": False, **options})


def name_ticks(ax: Axes, which: str, names: list[str], size: float, **options: Any) -> None:
    """Ticks 0, 1, ... with these names; a dollar sign does not start math mode."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_ticks(range(len(names)), labels=names, fontsize=size, parse_math=False, **options)


def size_in_points(ax: Axes) -> tuple[float, float]:
    """The width and the height of axes."""
    box, whole = ax.get_position(), ax.figure.bbox
    scale = POINTS_PER_INCH / ax.figure.dpi
    return box.width * whole.width * scale, box.height * whole.height * scale


def draw_scene(
    ax: Axes,
    scene: Scene,
    marked: Collection[DrawnEdge] = (),
    missing: Collection[Curve] = (),
    written_signs: bool = False,
) -> None:
    """Draw a graph in the largest size that fits the axes; marked edges are red, missing ones dotted.

    The signs of edges are their colors, or are written on them.
    """
    wide, high = size_in_points(ax)
    scale = min(wide / scene.width, high / scene.height)
    across, down = (wide / scale - scene.width) / 2, (high / scale - scene.height) / 2
    ax.set_xlim(-across, scene.width + across)
    ax.set_ylim(scene.height + down, -down)
    ax.set_aspect("equal")
    ax.set_axis_off()

    def line(curve: Curve, **style: Any) -> None:
        path = Path(curve.points, [Path.MOVETO] + [Path.CURVE4] * (len(curve.points) - 1))
        ax.add_patch(PathPatch(path, fill=False, **style))

    for curve in missing:
        line(curve, edgecolor=GREY, linewidth=scale, linestyle=":", zorder=0)
    for curve in scene.curves:
        red = curve.edge in marked
        color = VERMILLION if red else BLUE if written_signs else SIGN_COLORS[curve.edge.sign]
        alpha, width = edge_style(curve.edge.weight, curve.edge.bold)
        style: dict[str, Any] = {"alpha": alpha, "zorder": 2 if red else 1}
        dashes = "-" if curve.edge.directed or curve.edge.word else (0, (4, 2.5))
        line(curve, edgecolor=color, linewidth=width * scale, linestyle=dashes, gid="line", **style)
        if curve.mark is not None:
            ax.add_patch(Polygon(curve.mark.tolist(), facecolor=color, linewidth=0, gid="mark", **style))
        if written_signs and curve.edge.sign:
            x, y = curve.points[len(curve.points) // 6 * 3 : len(curve.points) // 6 * 3 + 4].mean(axis=0)
            paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.8 * scale}
            place: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 3, "gid": "sign"}
            ax.text(x, y, curve.edge.sign, fontsize=FONT * scale, color=BLACK, bbox=paper, **place)
        for head in (curve.head, curve.tail):
            if head is not None:
                ax.add_patch(Polygon(head.tolist(), facecolor=color, linewidth=0, gid="arrowhead", **style))
        for center in curve.circles:
            look: dict[str, Any] = {
                "facecolor": "white",
                "edgecolor": color,
                "linewidth": 1.5 * scale,
                "gid": "circle",
                **style,
            }
            ax.add_patch(Circle(center, CIRCLE_RADIUS, **look))
    for box in scene.boxes:
        corner = (box.x - box.width / 2, box.y - BOX_HEIGHT / 2)
        shape = f"round,pad=0,rounding_size={BOX_HEIGHT / 2}"
        look = {"facecolor": PALE, "edgecolor": BLUE, "linewidth": scale, "zorder": 3, "gid": "node"}
        ax.add_patch(FancyBboxPatch(corner, box.width, BOX_HEIGHT, boxstyle=shape, **look))
        middle: dict[str, Any] = {"ha": "center", "va": "center_baseline", "zorder": 4, "parse_math": False}
        ax.text(box.x, box.y, box.shown, fontsize=FONT * 0.92 * scale, **middle)
