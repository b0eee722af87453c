"""The charts of a report as SVG: the heat map of edge probabilities, and the traces of the chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.report.markup import escape, shortened
from causal_zigzag.support.wording import probability

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.posterior.traces import Trace

MOST_NUMBERED = 14  # cells of larger maps are too small for digits
MOST_MAPPED = 150  # nodes; larger maps are not legible and make the file large
LONGEST_NAME = 18
FAINTEST = 0.005  # cells of smaller probabilities are blank

MOST_CHAINS = 8
MOST_POINTS = 600  # per trace, about one per pixel


def heat_map(edges: EdgeProbabilities, texts: Sequence[str]) -> str:
    """Row i, column j: the probability of i -> j or i - j; a settled direction is dark on one side only."""
    n = len(texts)
    cell = min(44.0, max(11.0, 700 / n))
    font = min(13.0, cell * 0.8)
    labels = [shortened(text, LONGEST_NAME) for text in texts]
    margin = max(len(label) for label in labels) * font * 0.58 + 10
    side = n * cell
    may = edges.directed + edges.undirected
    full = f"{margin + side + 1:.0f}"
    label = "Heat map of the probabilities of edges; the table of edges has the same numbers"
    parts = [f'<svg viewBox="0 0 {full} {full}" width="{full}" role="img" aria-label="{label}">']
    for i, (label, text) in enumerate(zip(labels, texts, strict=True)):
        middle = margin + (i + 0.5) * cell
        title = f"<title>{escape(text)}</title>" if label != text else ""
        parts.append(
            f'<text x="{margin - 6:.1f}" y="{middle:.1f}" text-anchor="end" dominant-baseline="central" '
            f'font-size="{font:.1f}">{title}{escape(label)}</text>'
            f'<text transform="translate({middle:.1f} {margin - 6:.1f}) rotate(-90)" dominant-baseline="central" '
            f'font-size="{font:.1f}">{title}{escape(label)}</text>'
        )
    parts.append('<g fill="var(--accent)">')
    for i, j in np.argwhere(may >= FAINTEST).tolist():
        parts.append(
            f'<rect x="{margin + j * cell:.1f}" y="{margin + i * cell:.1f}" width="{cell:.1f}" height="{cell:.1f}" '
            f'fill-opacity="{may[i, j]:.2f}"><title>{escape(texts[i])} → {escape(texts[j])}: '
            f"{probability(edges.directed[i, j])}, undirected: {probability(edges.undirected[i, j])}</title></rect>"
        )
    parts.append("</g>")
    parts += _digits(may, margin, cell) if n <= MOST_NUMBERED else []
    lines = "".join(
        f"M{margin + k * cell:.1f} {margin:.1f}v{side:.1f}M{margin:.1f} {margin + k * cell:.1f}h{side:.1f}"
        for k in range(n + 1)
    )
    parts.append(f'<path d="{lines}" stroke="var(--line)" stroke-width="{0.5 if n > 30 else 1}" fill="none"/>')
    diagonal = "".join(
        f"M{margin + k * cell + cell * 0.3:.1f} {margin + k * cell + cell * 0.3:.1f}l{cell * 0.4:.1f} {cell * 0.4:.1f}"
        for k in range(n)
    )
    parts.append(f'<path d="{diagonal}" stroke="var(--line)" stroke-width="1" fill="none"/></svg>')
    return "".join(parts)


def _digits(may: NDArray[np.float64], margin: float, cell: float) -> list[str]:
    return [
        f'<text x="{margin + (j + 0.5) * cell:.1f}" y="{margin + (i + 0.5) * cell:.1f}" text-anchor="middle" '
        f'dominant-baseline="central" font-size="{cell * 0.29:.1f}" pointer-events="none" '
        f'style="fill:var({"--panel" if may[i, j] > 0.6 else "--ink"})">{may[i, j]:.2f}</text>'
        for i, j in np.argwhere(may >= FAINTEST).tolist()
    ]


class _Frame(NamedTuple):
    """The position of a trace on the page, and the ranges of its axes."""

    left: float
    top: float
    width: float
    height: float
    end: float
    low: float
    high: float

    def x(self, time: float) -> float:
        return self.left + self.width * time / self.end

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - (value - self.low) / (self.high - self.low))


def trace_chart(traces: Sequence[Trace]) -> str:
    """Number of edges (left) and score (right) of each chain over time, as steps on the same axes."""
    shown = list(traces[:MOST_CHAINS])
    end = max(float(trace.time[-1]) for trace in shown if len(trace.time)) or 1.0
    row, lead, gap, width = 78.0, 64.0, 76.0, 448.0
    total = lead + 2 * width + gap + 8
    height = 30 + row * len(shown) + 30
    label = f"Number of edges and score of {len(shown)} chains over time"
    parts = [f'<svg viewBox="0 0 {total:.0f} {height:.0f}" width="{total:.0f}" role="img" aria-label="{label}">']
    for k, (what, title) in enumerate((("edges", "Number of edges"), ("score", "Score"))):
        values = [np.asarray(getattr(trace, what), dtype=np.float64) for trace in shown]
        low, high = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
        pad = 0.05 * (high - low) or 1.0
        left = lead + k * (width + gap)
        parts.append(f'<text x="{left:.0f}" y="16" font-size="13" font-weight="600">{title}</text>')
        for chain, (trace, value) in enumerate(zip(shown, values, strict=True)):
            frame = _Frame(left, 30 + chain * row, width, row - 16, end, low - pad, high + pad)
            parts.append(_strip(frame, trace.time, value, chain, (low, high)))
        parts.append(
            f'<text class="soft" x="{left:.0f}" y="{height - 12:.0f}" font-size="12">0</text>'
            f'<text class="soft" x="{left + width:.0f}" y="{height - 12:.0f}" font-size="12" text-anchor="end">'
            f"time {_time(end, shown[0].log2_unit)}</text>"
        )
    return "".join([*parts, "</svg>"])


def strips(traces: Mapping[str, Trace]) -> str:
    """The number of edges of chains over time, one titled strip per chain, with the same scale."""
    low = min(float(trace.edges.min()) for trace in traces.values())
    high = max(float(trace.edges.max()) for trace in traces.values())
    parts = [f'<svg viewBox="0 0 928 {len(traces) * 150}" width="928" role="img" aria-label="Edges over time">']
    for chain, (title, trace) in enumerate(traces.items()):
        frame = _Frame(56, chain * 150 + 26, 864, 108, float(trace.time[-1]), low, high)
        parts.append(f'<text x="56" y="{chain * 150 + 16}" font-size="13" font-weight="600">{escape(title)}</text>')
        parts.append(_strip(frame, trace.time, trace.edges.astype(np.float64), chain, (low, high), MOST_POINTS * 4))
    return "".join([*parts, "</svg>"])


def _strip(
    frame: _Frame,
    time: NDArray[np.float64],
    value: NDArray[np.float64],
    chain: int,
    ends: tuple[float, float],
    points: int = MOST_POINTS,
) -> str:
    low, high = ends
    bounds = "".join(
        f'<text class="soft" x="{frame.left - 7:.0f}" y="{frame.y(level):.1f}" font-size="11" text-anchor="end" '
        f'dominant-baseline="central">{_level(level, high - low)}</text>'
        for level in ({low, high} if high > low else {low})
    )
    return (
        f'<rect x="{frame.left:.1f}" y="{frame.top:.1f}" width="{frame.width:.1f}" height="{frame.height:.1f}" '
        f'fill="var(--faint)" rx="3"/>{bounds}'
        f'<path d="{_steps(frame, time, value, points)}" fill="none" stroke="var(--chain-{chain % 4})" '
        f'stroke-width="1.1" stroke-linejoin="round">'
        f"<title>chain {chain + 1}: from {value.min():g} to {value.max():g}</title></path>"
    )


def _steps(frame: _Frame, time: NDArray[np.float64], value: NDArray[np.float64], points: int) -> str:
    """A path that is constant between changes."""
    stride = -(-len(value) // points)
    time, value = time[::stride], value[::stride]
    change = np.flatnonzero(np.diff(value)) + 1
    d = [f"M{frame.x(float(time[0])):.1f} {frame.y(float(value[0])):.1f}"]
    d += [f"H{frame.x(float(time[k])):.1f}V{frame.y(float(value[k])):.1f}" for k in change.tolist()]
    return "".join([*d, f"H{frame.x(float(time[-1])):.1f}"])


def _level(value: float, spread: float) -> str:
    return f"{value:,.0f}" if spread >= 10 or value == round(value) else f"{value:,.2f}"


def _time(end: float, log2_unit: int) -> str:
    return (f"{end:,.0f}" if 100 <= end < 1e9 else f"{end:.4g}") + (f" · 2^{log2_unit}" if log2_unit else "")
