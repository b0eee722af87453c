"""Small pictures of effects: a bar at 0 for the probability of none with the density of the rest, and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.support.wording import probability

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from numpy.typing import NDArray

PICTURE_SIZE = 200, 30


def effect_picture(
    path: float, given: tuple[float, float], ends: tuple[float, float], density: NDArray[np.float64] | None = None
) -> str:
    """``path`` is the probability of a causal path and ``given`` the interval if there is one.

    ``ends`` are those of the axis, and ``density`` is on an even grid between them; without it, the interval is drawn.

    >>> effect_picture(0.25, (0.1, 0.5), (-0.2, 0.6)).count("<rect")
    2
    """
    (low, high), (wide, tall) = ends, PICTURE_SIZE
    width = (high - low) or 1.0

    def at(value: float) -> float:
        return wide * (min(max(value, low), high) - low) / width

    if density is not None and len(density) and density.max() > 0:
        heights = (tall - 3) * path * density / density.max()
        xs = np.linspace(0, wide, len(density))
        inside = np.flatnonzero(heights > 0.05)
        points = " ".join(f"{xs[k]:.0f},{tall - 1 - heights[k]:.1f}" for k in inside)
        first, last = (f"{xs[k]:.0f},{tall - 1}" for k in (inside[0], inside[-1]))
        shape = f'<polygon points="{first} {points} {last}"/>'
    else:
        left, right = map(at, given)
        shape = (
            f'<rect class="range" x="{left:.1f}" y="{tall - 8}" width="{max(2.0, right - left):.1f}" height="7" '
            f'opacity="{0.25 + 0.75 * path:.2f}"/>'
        )
    none = (tall - 3) * (1 - path)
    said = f"{given[0]:.3g} to {given[1]:.3g} with probability {probability(path)}, otherwise none"
    return (
        f'<svg class="effect" viewBox="0 0 {wide} {tall}" role="img" aria-label="{said}">{shape}'
        f'<line x1="{at(0):.1f}" x2="{at(0):.1f}" y1="0" y2="{tall}"/>'
        f'<rect class="none" x="{at(0) - 2:.1f}" y="{tall - 1 - none:.1f}" width="4" height="{none:.1f}"/></svg>'
    )


def curve_picture(curve: pd.DataFrame) -> str:
    """The mean of the outcome as a function of the cause, with its 95 % intervals; from ``Effect.curve``.

    >>> import pandas as pd
    >>> curve_picture(pd.DataFrame({"do": [0, 1], "mean": [2, 3], "lower": [1, 2], "upper": [3, 4]})).count("<poly")
    2
    """
    wide, tall = PICTURE_SIZE
    first, last = curve["do"].iloc[0], curve["do"].iloc[-1]
    low, high = curve["lower"].min(), curve["upper"].max()
    x = wide * (curve["do"] - first) / ((last - first) or 1.0)
    lower, mean, upper = (
        1 + (tall - 2) * (high - curve[name]) / ((high - low) or 1.0) for name in ("lower", "mean", "upper")
    )

    def points(xs: Iterable[float], ys: Iterable[float]) -> str:
        return " ".join(f"{a:.0f},{b:.1f}" for a, b in zip(xs, ys, strict=True))

    band = f"{points(x, upper)} {points(x[::-1], lower[::-1])}"
    said = f"mean from {curve['mean'].iloc[0]:.3g} at {first:.3g} to {curve['mean'].iloc[-1]:.3g} at {last:.3g}"
    return (
        f'<svg class="effect curve" viewBox="0 0 {wide} {tall}" role="img" aria-label="{said}">'
        f'<polygon opacity="0.35" points="{band}"/>'
        f'<polyline fill="none" stroke="currentColor" stroke-width="1.5" points="{points(x, mean)}"/></svg>'
    )
