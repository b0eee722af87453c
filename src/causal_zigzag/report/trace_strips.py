"""The traces of a report: strips that show a number of each chain over time, as small SVG images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.posterior.traces import end_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.posterior.traces import Trace

MOST_CHAINS = 8
MOST_POINTS = 600  # per strip, about one per pixel
AXIS = '<p class="times soft"><span>0</span><span>share of the time: 1</span></p>'
STRIP_SIZE = 600, 60  # units of the image, which is stretched to its place on the page


def trace_strips(traces: Sequence[Trace]) -> str:
    """Number of edges (left) and score (right) of each chain over time, on the same axes."""
    shown = traces[:MOST_CHAINS]
    end = end_of(shown)
    columns = []
    for what, title in (("edges", "Number of edges"), ("score", "Score")):
        values = [np.asarray(getattr(trace, what), dtype=np.float64) for trace in shown]
        ends = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
        strips = "".join(
            strip(trace.time / end, value, ends, f"{title} of chain {i + 1}", i)
            for i, (trace, value) in enumerate(zip(shown, values, strict=True))
        )
        columns.append(f"<div><h3>{title}</h3>{strips}{AXIS}</div>")
    return f'<div class="traces">{"".join(columns)}</div>'


def strip(
    time: NDArray[np.float64],
    value: NDArray[np.float64],
    ends: tuple[float, float],
    title: str,
    color: int,
    points: int = MOST_POINTS,
) -> str:
    """One chain as a path that is constant between changes; ``time`` is between 0 and 1, ``ends`` bound all values."""
    (low, high), (wide, tall) = ends, STRIP_SIZE
    stride = -(-len(value) // points)
    x, y = wide * time[::stride], 3 + (tall - 6) * (high - value[::stride]) / ((high - low) or 1.0)
    change = np.flatnonzero(np.diff(y)) + 1
    path = "".join([f"M{x[0]:.1f} {y[0]:.1f}", *(f"H{x[k]:.1f}V{y[k]:.1f}" for k in change), f"H{x[-1]:.1f}"])
    bounds = "".join(f"<span>{_level(level, high - low)}</span>" for level in ([high, low] if high > low else [low]))
    return (
        f'<div class="strip"><div class="bounds soft">{bounds}</div><svg viewBox="0 0 {wide} {tall}" role="img" '
        f'preserveAspectRatio="none" aria-label="{title}, from {value.min():g} to {value.max():g}">'
        f'<path d="{path}" style="stroke:var(--chain-{color % 4})"/></svg></div>'
    )


def _level(value: float, spread: float) -> str:
    return f"{value:,.0f}" if spread >= 10 or value == round(value) else f"{value:,.2f}"
