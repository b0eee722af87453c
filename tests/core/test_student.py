"""Student's t distribution and quantiles of mixtures in the core, compared with scipy."""

import numpy as np
import pytest
from scipy import optimize, stats

from causal_zigzag._core import mixture_quantiles, student_cdf


@pytest.mark.parametrize("freedom", [0.3, 1, 2.5, 3, 10, 47.5, 59.9, 60, 200, 1000, 1e5, 1e9])
def test_cdf(freedom: float) -> None:
    t = np.concatenate([-(10.0 ** np.linspace(-12, 4, 500)), [0.0], 10.0 ** np.linspace(-12, 4, 500)])
    expected = stats.t.cdf(t, freedom)
    if freedom == 1:  # there scipy is off by 2e-9 near 0
        expected = np.arctan2(1, -t) / np.pi
    found = student_cdf(t, np.full(len(t), freedom))
    assert np.abs(found - expected).max() < 2e-12
    visible = (expected > 1e-15) & (t < 0)  # the lower tail is precise relative to its own size
    assert np.abs(found / np.where(visible, expected, 1) - 1)[visible].max() < 1e-7


def test_quantiles() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        k = int(rng.integers(1, 6))
        freedom = rng.choice([3.0, 20.0, 500.0], size=k)
        mean, scale = rng.normal(size=k) * 10.0 ** rng.integers(-3, 4), 10.0 ** rng.uniform(-3, 3, size=k)
        parts = rng.dirichlet(np.ones(k + 1))
        weight, rest = parts[:k], float(parts[k])
        levels = np.array([0.001, 0.025, 0.3, 0.5, 0.7, 0.975, 0.999])
        below, quantiles = mixture_quantiles(
            weight[:, None], mean[:, None], scale[:, None], freedom, np.array([rest]), levels
        )

        def continuous(v: float, w: np.ndarray = weight, at: tuple = (freedom, mean, scale)) -> float:
            return float(w @ stats.t.cdf(v, *at))

        assert below[0] == pytest.approx(continuous(0.0), abs=1e-12)
        for level, found in zip(levels, quantiles, strict=True):
            if continuous(0.0) < level <= continuous(0.0) + rest:
                assert found == 0
            else:
                wanted = level - (rest if level > continuous(0.0) else 0.0)
                end = 1e6 * scale.max()
                expected = optimize.brentq(lambda v, w=wanted: continuous(v) - w, -end, end, xtol=1e-13 * scale.min())
                assert continuous(found) == pytest.approx(wanted, abs=1e-9)
                assert found == pytest.approx(expected, abs=1e-6 * scale.max())


def test_nothing_but_the_point_mass() -> None:
    none = np.zeros((0, 1))
    below, quantiles = mixture_quantiles(none, none, none, np.zeros(0), np.ones(1), np.array([0.025, 0.975]))
    assert below.tolist() == [0.0]
    assert quantiles.tolist() == [0.0, 0.0]
