"""Figures of effects: the density of one by adjustment set, those of all causes on an outcome, levels, and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.figures import matplotlib_backend as mpl
from causal_zigzag.figures.label_text import printable, shortened
from causal_zigzag.support.wording import count, percentage, probability

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd
    from matplotlib.axes import Axes

    from causal_zigzag.answers.effects.effect import Effect

SET_COLORS = (mpl.BLUE, mpl.ORANGE, mpl.GREEN, mpl.PURPLE, mpl.SKY)  # of the most probable sets; the others are grey
DENSITY_POINTS = 801
SHOWN_LEVEL = 0.998  # of the interval that the axis shows
LONGEST_NAME = 40  # characters
LEAST_PROBABLE = 0.01  # of effects, for a cause to be shown
MOST_CAUSES = 40  # shown
MOST_CELLS = 200  # of the cause, as marks below its curve


def effect_plot(effect: Effect, ax: Axes | None = None) -> Axes:
    """See ``Effect.plot``."""
    mpl.check_axes(ax)
    if effect.is_curved:
        return curve_plot(effect, ax)
    if effect.mixture.terms.draw is not None:
        return levels_plot(effect, ax)
    if ax is None:
        ax = mpl.sheet(6.4, 3.9).place(0.75, 0.55, 5.0, 2.6)
    low, high = effect.interval(SHOWN_LEVEL)
    margin = 0.08 * (max(high, 0.0) - min(low, 0.0)) or 1.0
    low, high = min(low, 0.0) - margin, max(high, 0.0) + margin
    grid = np.linspace(low, high, DENSITY_POINTS)
    floor = np.zeros(DENSITY_POINTS)
    sets = [parents for parents in effect.components["parents"] if parents is not None]  # the most probable first
    rank = np.array([min(sets.index(parents), len(SET_COLORS)) for parents in effect.parents], dtype=np.intp)
    for k, color in enumerate((*SET_COLORS, mpl.GREY)[: len(sets)]):
        top = floor + effect.mixture.density(grid, rank == k)
        names = ", ".join(map(_name, sets[k])) or "none"
        name = count(len(sets) - k, "other set") if k == len(SET_COLORS) else shortened(names, LONGEST_NAME)
        share = probability(float(effect.mixture.weights[rank == k].sum()))
        ax.fill_between(grid, floor, top, color=color, alpha=0.75, linewidth=0, label=f"{share}  {name}")
        floor = top
    ax.set_xlim(low, high)
    ax.set_ylim(0, max(1.08 * float(floor.max()), 1e-300))
    cause, outcome = _name(effect.cause), _name(effect.outcome)
    done = "raised by 1" if effect.change is None else "set to {1} instead of {0}".format(*map(_name, effect.change))
    changed = outcome if effect.level is None else f"P({outcome} = {_name(effect.level)})"
    mass = ax.twinx()
    mass.set_ylim(0, 1)
    mass.set_ylabel("probability of no causal path", color=mpl.BLACK)
    mass.bar([0.0], [max(1 - effect.probability_nonzero, 0.0)], width=(high - low) / 80, color=mpl.BLACK, alpha=0.7)
    ends = effect.interval()
    ax.plot(ends, [0, 0], color=mpl.BLACK, linewidth=4, solid_capstyle="butt", clip_on=False, zorder=5)
    if sets:
        mpl.legend(ax, title="parents of the cause", fontsize=7, title_fontsize=7, loc="best", frameon=True)
    share = probability(effect.probability_nonzero)
    heading = f"95 % interval {ends[0]:.3g} to {ends[1]:.3g}, probability of a causal path {share}"
    return mpl.finish(ax, heading, f"change of {changed} if {cause} is {done}", "density", fontsize=10)


def outcome_plot(table: pd.DataFrame, outcome: Hashable, ax: Axes | None = None, standardized: bool = False) -> Axes:
    """See ``EffectPictures.effects``; ``table`` are the effects on this outcome."""
    mpl.check_axes(ax)
    shown = table[table["probability_nonzero"] >= LEAST_PROBABLE].head(MOST_CAUSES)
    levels = table["level"].notna().any()
    names = [_row_name(row) for row in shown.to_dict("records")]
    if ax is None:
        label = 0.3 + max((len(name) for name in names), default=0) * 0.075
        ax = mpl.sheet(label + 5.6, 1.8 + 0.28 * max(1, len(names))).place(label, 0.55, 4.4, 0.28 * max(1, len(names)))
    for place, (_, row) in enumerate(shown.iterrows()):
        path = row["probability_nonzero"]
        color = mpl.BLUE if path >= 0.5 else mpl.SKY
        ax.plot([row["path_lower"], row["path_upper"]], [place] * 2, color=color, linewidth=4, solid_capstyle="butt")
        ax.plot([row["mean"] / path], [place], "o", color=mpl.BLACK, markersize=4, zorder=3)
        ax.vlines(0, place + 0.4, place + 0.4 - 0.8 * (1 - path), color=mpl.BLACK, linewidth=3)
        ax.text(1.02, place, percentage(path), transform=ax.get_yaxis_transform(), va="center", fontsize=8)
    ax.axvline(0, color=mpl.GREY, linewidth=0.8, zorder=0)
    ax.set_ylim(max(1, len(names)) - 0.5, -0.5)
    mpl.name_ticks(ax, "y", names, 9.0)
    if not names:
        ax.text(0.5, 0.5, "no variable has an effect", transform=ax.transAxes, ha="center", va="center", fontsize=9)
    what = "change of a probability of" if levels else "change of"
    unit = "" if levels else ", in standard deviations" if standardized else " per unit of the cause"
    said = f"{what} {_name(outcome)}{unit}: mean and 95 % interval if there is a causal path\nbar at 0: none"
    ax.text(1.02, 1.0, "probability of\na causal path", transform=ax.transAxes, fontsize=8, va="bottom")
    left = len(table) - len(shown)
    more = f"  (not shown: {count(left, 'other variable')})" if left and len(shown) else ""
    return mpl.finish(ax, f"What changes {_name(outcome)}{more}", said, fontsize=10)


def levels_plot(effect: Effect, ax: Axes | None = None) -> Axes:
    """See ``Effect.plot``."""
    a, b = len(effect.cause_levels), len(effect.outcome_levels)
    if ax is None:
        width = min(12.0, max(3.0, 0.28 * a * b + 0.3 * a))
        ax = mpl.sheet(width + 2.8, 3.8).place(0.75, 0.55, width, 2.5)
    table = effect.levels
    step = 0.8 / b
    for j, (level, own) in enumerate(table.groupby("level", sort=False)):
        at = np.arange(a) + (j - (b - 1) / 2) * step
        color = mpl.CHAIN_COLORS[j % len(mpl.CHAIN_COLORS)]
        ax.bar(at, own["mean"], width=0.9 * step, color=color, alpha=0.75, label=_name(level))
        ax.vlines(at, own["lower"], own["upper"], color=mpl.BLACK, linewidth=1.5)
    mpl.name_ticks(ax, "x", [_name(level) for level in effect.cause_levels], 9.0)
    ax.set_ylim(0, 1)
    cause, outcome = _name(effect.cause), _name(effect.outcome)
    mpl.legend(ax, title=outcome, fontsize=7, title_fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    heading = f"mean and 95 % interval; probability of a causal path {percentage(effect.probability_nonzero)}"
    return mpl.finish(ax, heading, f"{cause} is set to", f"probability of {outcome}", fontsize=10)


def curve_plot(effect: Effect, ax: Axes | None = None) -> Axes:
    """See ``Effect.plot``."""
    if ax is None:
        ax = mpl.sheet(6.4, 3.9).place(0.85, 0.55, 5.0, 2.6)
    assert effect.pair is not None
    table, cells = effect.curve(), effect.pair.model.cells(effect.pair.x)
    ax.fill_between(table["do"], table["lower"], table["upper"], color=mpl.SKY, alpha=0.4, linewidth=0)
    ax.plot(table["do"], table["mean"], color=mpl.BLUE, linewidth=2)
    low, high = float(table["do"].iloc[0]), float(table["do"].iloc[-1])
    shown = cells[(cells >= low) & (cells <= high)]
    shown = shown[np.linspace(0, len(shown) - 1, min(len(shown), MOST_CELLS)).astype(int)]
    ax.plot(shown, np.zeros(len(shown)), "|", color=mpl.GREY, transform=ax.get_xaxis_transform(), clip_on=False)
    ax.set_xlim(low, high)
    cause, outcome = _name(effect.cause), _name(effect.outcome)
    what = f"mean of {outcome}" if effect.level is None else f"P({outcome} = {_name(effect.level)})"
    heading = f"mean and 95 % intervals; probability of a causal path {percentage(effect.probability_nonzero)}"
    return mpl.finish(ax, heading, f"{cause} is set to", what, fontsize=10)


def _row_name(row: dict[Hashable, Any]) -> str:
    """The cause, with its levels and that of the outcome if they have some."""
    text = _name(row["cause"])
    if row["to"] is not None:
        text += f": {_name(row['to'])} instead of {_name(row['from'])}"
    if row["level"] is not None:
        text += f", P({_name(row['level'])})"
    return shortened(text, LONGEST_NAME)


def _name(node: object) -> str:
    return shortened(printable(str(node)), LONGEST_NAME)
