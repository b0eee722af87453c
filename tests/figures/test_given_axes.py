"""Every plot can be drawn on axes of the caller, and wrong numbers of axes raise an error."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz

pytest.importorskip("matplotlib", minversion="3.8")
from matplotlib.figure import Figure

PLOTS: list[tuple[str, dict[str, Any], int]] = [
    ("__call__", {}, 5),
    ("edges", {}, 1),
    ("top", {"k": 3}, 3),
    ("consensus", {}, 1),
    ("trace", {}, 3),
    ("diagnostics", {}, 2),
]


@cache
def posterior() -> cz.Posterior:
    return cz.sample(cz.Uniform(["a", "b", "c", "d"]), edge_prior=-1, jumps=3000, chains=2, rng=1)


@pytest.mark.parametrize(("name", "options", "wanted"), PLOTS)
def test_a_plot_on_axes_of_the_caller(name: str, options: dict[str, Any], wanted: int) -> None:
    figure = Figure(figsize=(8, 6))
    axes = figure.subplots(1, wanted + 1)
    given = axes[0] if wanted == 1 else axes[:wanted]
    drawn = getattr(posterior().plot, name)(ax=given, **options)
    assert np.ravel([drawn]).tolist() == np.ravel([given]).tolist()
    assert all(ax.has_data() or ax.patches for ax in axes[:wanted])
    assert not axes[wanted].has_data()
    figure.canvas.draw()


def test_a_graph_fits_the_axes() -> None:
    figure = Figure(figsize=(6, 4))
    ax = figure.subplots()
    posterior().plot.consensus(ax=ax)
    figure.canvas.draw()
    inside = ax.get_window_extent()
    for text in ax.texts:
        box = text.get_window_extent()
        assert inside.x0 - 1 <= box.x0
        assert box.x1 <= inside.x1 + 1
    assert {text.get_text() for text in ax.texts} == set("abcd")


@pytest.mark.parametrize(("name", "options", "wanted"), PLOTS)
def test_wrong_axes(name: str, options: dict[str, Any], wanted: int) -> None:
    what = "one" if wanted == 1 else f"a sequence of {wanted}"
    for wrong in (3, "axes", [*Figure().subplots(1, wanted + 1)]):
        with pytest.raises(cz.SettingsError, match=f"ax .* {what} "):
            getattr(posterior().plot, name)(ax=wrong, **options)
