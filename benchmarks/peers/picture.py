"""The picture of the comparison: error against CPU time, one panel per data set."""

from __future__ import annotations

from typing import Any

from benchmarks.paper.output import COLORS, new_figure, save_figure

MARKERS = "osD^vPX*"


def draw(errors: list[dict[str, Any]], apart: list[dict[str, Any]]) -> None:
    """Draw the largest errors for data with an exact answer, then the largest difference between runs."""
    figure = new_figure(11, 7.5)
    panels = list(dict.fromkeys(line["data"] for line in errors))
    last = list(dict.fromkeys(line["data"] for line in apart))
    axes = figure.subplots(2, 2).ravel()
    methods = list(dict.fromkeys(line["method"] for line in [*errors, *apart]))
    colors = [*COLORS, "black", "0.5"]
    for place, data in zip(axes, panels + last, strict=True):
        column, lines = ("max_error", errors) if data in panels else ("max_between_runs", apart)
        for i, method in enumerate(methods):
            points = [
                (line["cpu_s"], line[column]) for line in lines if (line["data"], line["method"]) == (data, method)
            ]
            if points:
                style = {"color": colors[i % len(colors)], "marker": MARKERS[i % len(MARKERS)]}
                place.plot(*zip(*points, strict=True), label=method, **style)
        place.set(xscale="log", yscale="log", xlabel="CPU seconds", title=data)
        place.set_ylabel("largest error" if data in panels else "largest difference between two runs")
        place.grid(alpha=0.3, which="both", linewidth=0.4)
    named = {line.get_label(): line for place in axes for line in place.lines}
    figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=3, fontsize=9)
    save_figure(figure, "peers")
