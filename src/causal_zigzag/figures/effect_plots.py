"""The figure of an effect: its density by adjustment set, and the point mass at 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.figures.graph_picture import printable, shortened
from causal_zigzag.figures.matplotlib_backend import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, Sheet
from causal_zigzag.support.wording import probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.effect import Effect

COLORS = (BLUE, ORANGE, GREEN, PURPLE, SKY)  # of the most probable sets; the others are grey
POINTS = 801  # of the density
TAIL = 0.998  # level of the interval that is shown
LONGEST = 40  # characters of a name


def effect_figure(effect: Effect) -> Sheet:
    """See ``Effect.plot``."""
    figure = Sheet(6.4, 3.9)
    ax = figure.place(0.75, 0.55, 5.0, 2.6)
    low, high = _range(effect)
    grid = np.linspace(low, high, POINTS)
    floor = np.zeros(POINTS)
    order = np.argsort(-effect.weights, kind="stable")
    for rank, color in enumerate((*COLORS, GREY)):
        rows = order[rank : rank + 1] if rank < len(COLORS) else order[rank:]
        if not len(rows):
            continue
        top = floor + _density(effect, rows, grid)
        name = _set_name(effect, rows, rest=rank == len(COLORS))
        share = probability(float(effect.weights[rows].sum()))
        ax.fill_between(grid, floor, top, color=color, alpha=0.75, linewidth=0, label=f"{share}  {name}")
        floor = top
    ax.set_xlim(low, high)
    ax.set_ylim(0, max(1.08 * float(floor.max()), 1e-300))
    cause, outcome = _name(effect.cause), _name(effect.outcome)
    ax.set_xlabel(f"change of {outcome} if {cause} is raised by 1", parse_math=False)
    ax.set_ylabel("density")
    rest = 1 - effect.probability_nonzero
    mass = ax.twinx()
    mass.set_ylim(0, 1)
    mass.set_ylabel("probability of no effect", color=BLACK)
    mass.bar([0.0], [max(rest, 0.0)], width=(high - low) / 80, color=BLACK, alpha=0.7)
    ends = effect.interval()
    ax.plot(ends, [0, 0], color=BLACK, linewidth=4, solid_capstyle="butt", clip_on=False, zorder=5)
    effect_share = probability(effect.probability_nonzero)
    title = f"95 % interval {ends[0]:.3g} to {ends[1]:.3g}, probability of an effect {effect_share}"
    ax.set_title(title, fontsize=10, loc="left")
    if len(effect.weights):
        legend = ax.legend(title="parents of the cause", fontsize=7, title_fontsize=7, loc="best")
        for text in legend.get_texts():
            text.set_parse_math(False)
    return figure


def _range(effect: Effect) -> tuple[float, float]:
    """The ends of the horizontal axis, with 0 inside."""
    low, high = effect.interval(TAIL)
    low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.08 * (high - low) or 1.0
    return low - margin, high + margin


def _density(effect: Effect, rows: NDArray[np.int64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of the weighted Student t densities of these components."""
    total = np.zeros(len(grid))
    for i in rows:
        v, scale = float(effect.freedom[i]), float(effect.scales[i])
        constant = math.lgamma((v + 1) / 2) - math.lgamma(v / 2) - 0.5 * math.log(v * math.pi) - math.log(scale)
        t = (grid - effect.estimates[i]) / scale
        total += effect.weights[i] * np.exp(constant - (v + 1) / 2 * np.log1p(t**2 / v))
    return total


def _set_name(effect: Effect, rows: NDArray[np.int64], rest: bool) -> str:
    if rest:
        return f"{len(rows):,} other sets" if len(rows) > 1 else "1 other set"
    names = ", ".join(_name(v) for v in effect.parents[int(rows[0])])
    return shortened(names, LONGEST) if names else "none"


def _name(node: object) -> str:
    return shortened(printable(str(node)), LONGEST)
