"""Plots of effects: they show the numbers of the table, on given axes or a new figure, and any label as it is."""

import io
from functools import cache

import numpy as np
import pytest

import causal_zigzag as cz

pytest.importorskip("matplotlib", minversion="3.8")
from matplotlib.figure import Figure
from matplotlib.image import imread

pytestmark = pytest.mark.nosanitize

HOSTILE = ["<script>", "$\\frac{", "a_b^c", "x" * 200]


@cache
def continuous() -> cz.Posterior:
    x = np.random.default_rng(1).normal(size=(200, 4))
    x[:, 2] += x[:, 0] - x[:, 1]
    return cz.sample(cz.GaussianBIC(dict(zip(HOSTILE, x.T, strict=True))), jumps=2000, chains=2, rng=1, progress=False)


@cache
def discrete() -> cz.ExactPosterior:
    rng = np.random.default_rng(2)
    dose = rng.integers(0, 3, 200)
    ill = (rng.random(200) < 0.2 + 0.3 * dose).astype(int)
    return cz.exact_posterior(cz.BDeu({"$dose_": dose, "ill": ill, "age": rng.integers(0, 2, 200)}), edge_prior=None)


def check(figure: Figure) -> None:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=40)
    file.seek(0)
    pixels = imread(file)[..., :3]
    assert pixels.std() > 0.01
    borders = (pixels[:2], pixels[-2:], pixels[:, :2], pixels[:, -2:])
    assert all(border.min() == 1 for border in borders)  # nothing is cut off


def test_the_causes_of_an_outcome_with_their_intervals() -> None:
    table = continuous().effects(outcomes=["a_b^c"])
    ax = continuous().plot.effects("a_b^c")
    check(ax.figure)
    shown = table[table["probability_nonzero"] >= 0.01]
    assert len(shown) >= 2
    bars = [line for line in ax.lines if len({*line.get_ydata()}) == 1 and len(line.get_xdata()) == 2]
    assert [tuple(line.get_xdata()) for line in bars] == [*zip(shown["path_lower"], shown["path_upper"], strict=True)]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert len(labels) == len(shown)
    assert "<script>" in labels
    means = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 1]
    np.testing.assert_allclose(means, shown["mean"] / shown["probability_nonzero"])  # given a causal path
    spikes = [np.ptp(spike.get_segments()[0][:, 1]) for spike in ax.collections]
    np.testing.assert_allclose(spikes, 0.8 * (1 - shown["probability_nonzero"]), atol=1e-12)


def test_effects_in_standard_deviations() -> None:
    table = continuous().effects(outcomes=["a_b^c"], standardized=True)
    ax = continuous().plot.effects("a_b^c", standardized=True)
    means = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 1]
    shown = table[table["probability_nonzero"] >= 0.01]
    np.testing.assert_allclose(means, shown["mean"] / shown["probability_nonzero"])
    assert "standard deviations" in ax.get_xlabel()


def test_risk_differences() -> None:
    ax = discrete().plot.effects("ill")
    check(ax.figure)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[0] == "$dose_: 2 instead of 0, P(1)"


def test_levels() -> None:
    effect = discrete().effect("$dose_", "ill")
    ax = effect.plot()
    check(ax.figure)
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, 3).T
    np.testing.assert_allclose(heights.ravel(), effect.levels["mean"])


def test_given_axes_are_used() -> None:
    figure = Figure((12, 4))
    axes = figure.subplots(1, 3)
    assert continuous().effect("<script>", "a_b^c").plot(ax=axes[0]) is axes[0]
    assert continuous().plot.effects("a_b^c", ax=axes[1]) is axes[1]
    assert discrete().effect("$dose_", "ill").plot(ax=axes[2]) is axes[2]
    assert all(ax.has_data() for ax in axes)


def test_no_effects() -> None:
    score = cz.GaussianBIC.from_covariance(np.eye(2), n_samples=10_000, nodes=["a", "b"])
    ax = cz.exact_posterior(score, edge_prior=20).plot.effects("a")
    assert "no variable has an effect" in [text.get_text() for text in ax.texts]
    with pytest.raises(cz.GraphError, match="unknown node c"):
        cz.exact_posterior(score, edge_prior=None).plot.effects("c")


def test_signs_of_edges_are_colors_or_text() -> None:
    """a raises c and b lowers it; d is joined to e though the sign is not clear."""
    known = cz.Knowledge(required=[("a", "c"), ("b", "c"), ("d", "e")])
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 5))
    x[:, 2] += x[:, 0] - x[:, 1]
    data = dict(zip("abcde", x.T, strict=True))
    run = cz.sample(cz.GaussianBIC(data), knowledge=known, jumps=500, chains=2, rng=1, progress=False)
    strengths = run.strengths().set_index(["cause", "outcome"])
    assert strengths.loc[("d", "e"), "lower"] < 0 < strengths.loc[("d", "e"), "upper"]
    written = run.plot.consensus(signs="text")
    check(written.figure)
    assert sorted(text.get_text() for text in written.texts if text.get_gid() == "sign") == ["+", "±", "−"]
    colored = run.plot.consensus(signs="color")
    check(colored.figure)
    edges = [patch for patch in colored.patches if patch.get_gid() == "arrowhead"]
    assert len({patch.get_facecolor()[:3] for patch in edges}) == 3
    words = [text.get_text() for text in colored.get_legend().get_texts()]
    assert {"+ raises", "− lowers", "± unclear or several levels"} <= {*words}
    with pytest.raises(cz.SettingsError, match="signs must be"):
        run.plot.consensus(signs="red")
