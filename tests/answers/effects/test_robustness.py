"""Robustness values: compared with ordinary regressions written out by hand, and with a hidden cause that is added."""

import numpy as np
import pytest
from scipy.stats import t as student

import causal_zigzag as cz
from causal_zigzag.answers.effects.robustness import robustness_values

ARROWS = [("a", "x"), ("b", "x"), ("a", "y"), ("b", "y"), ("x", "y")]


def regression(y: np.ndarray, *columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Coefficients, their t statistics and the degrees of freedom, with a constant first."""
    design = np.column_stack([np.ones(len(y)), *columns])
    coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
    freedom = len(y) - design.shape[1]
    residual = y - design @ coefficients
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * (residual @ residual) / freedom)
    return coefficients, coefficients / errors, freedom


def value(f: float) -> float:
    return 0.5 * (np.sqrt(f**4 + 4 * f**2) - f**2)


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 80))
    x = 0.5 * a + 0.2 * b + rng.normal(size=80)
    y = 0.4 * x + 0.6 * a - 0.1 * b + rng.normal(size=80)
    return {"a": a, "b": b, "x": 3 * x, "y": y}


def test_the_value_of_one_graph_is_that_of_its_regression(table: dict[str, np.ndarray]) -> None:
    posterior = cz.exact_posterior(cz.GaussianBIC(table), knowledge=cz.Knowledge(required=ARROWS), edge_prior=None)
    effect = posterior.effect("x", "y")
    a, b, x, y = (table[name] for name in "abxy")
    coefficients, t, freedom = regression(y, x, a, b)
    assert effect.mean == pytest.approx(coefficients[1])
    f = abs(t[1]) / np.sqrt(freedom)
    critical = student.ppf(0.975, freedom - 1) / np.sqrt(freedom - 1)
    assert effect.robustness.estimate == pytest.approx(value(f))
    assert effect.robustness.interval == pytest.approx(value(f - critical))
    row = posterior.effects("x", "y").iloc[0]
    assert (row["robustness"], row["robustness_interval"]) == pytest.approx((value(f), value(f - critical)))

    of_cause, freedom_of_cause = regression(x, a, b)[1:]
    explained = {
        name: (of_cause[k] ** 2 / (of_cause[k] ** 2 + freedom_of_cause), t[k + 1] ** 2 / (t[k + 1] ** 2 + freedom))
        for k, name in ((1, "a"), (2, "b"))
    }
    assert effect.robustness.strongest == "a"
    assert (effect.robustness.of_cause, effect.robustness.of_outcome) == pytest.approx(explained["a"])
    assert all(text in repr(effect.robustness) for text in ("x", "y", "a", "95 %"))


def test_a_hidden_cause_of_this_strength_brings_the_estimate_to_0(table: dict[str, np.ndarray]) -> None:
    """A column is made that explains the share R of what is left of x and of y, with the sign of the estimate."""
    effect = cz.exact_posterior(cz.GaussianBIC(table), knowledge=cz.Knowledge(required=ARROWS), edge_prior=None).effect(
        "x", "y"
    )
    a, b, x, y = (table[name] for name in "abxy")
    given = np.column_stack([np.ones(80), a, b])
    left_x, left_y = (v - given @ np.linalg.lstsq(given, v, rcond=None)[0] for v in (x, y))
    unit_x = left_x / np.linalg.norm(left_x)
    rest = left_y - (unit_x @ left_y) * unit_x  # of y, given x
    unit_y = rest / np.linalg.norm(rest)
    share = effect.robustness.estimate
    # z with partial R² share with x; given x, it is along what is left of y with partial R² share
    noise = np.random.default_rng(1).normal(size=80)
    basis = np.column_stack([given, unit_x, unit_y])
    noise -= basis @ np.linalg.lstsq(basis, noise, rcond=None)[0]
    noise /= np.linalg.norm(noise)
    z = np.sqrt(share) * unit_x + np.sqrt(1 - share) * (np.sqrt(share) * unit_y + np.sqrt(1 - share) * noise)
    assert regression(y, x, a, b, z)[0][1] == pytest.approx(0, abs=1e-9)


def test_values_are_averaged_over_graphs_with_a_path(table: dict[str, np.ndarray]) -> None:
    posterior = cz.exact_posterior(cz.GaussianBIC(table), edge_prior=None)
    effect = posterior.effect("x", "y")
    assert len(effect.mixture.weights) > 1
    weights, (means, scales, freedom, *_) = effect.mixture.weights, effect.mixture.terms
    each = robustness_values(np.abs(means) / (scales * np.sqrt(freedom)), freedom)
    expected = [np.average(values, weights=weights) for values in each]
    assert (effect.robustness.estimate, effect.robustness.interval) == pytest.approx(expected)
    frame = posterior.effects().set_index(["cause", "outcome"])
    assert frame.loc[("x", "y"), "robustness"] == pytest.approx(expected[0])
    known = cz.Knowledge(required=[("y", "x")])
    assert (
        cz.exact_posterior(cz.GaussianBIC(table), knowledge=known, edge_prior=None).effect("x", "y").robustness is None
    )


def test_extreme_numbers() -> None:
    estimate, interval = robustness_values(np.array([0.0, 1e9, 1.0]) / np.sqrt(50), np.full(3, 50.0))
    assert estimate[0] == interval[0] == interval[2] == 0
    assert 0.999 < interval[1] <= estimate[1] <= 1
    assert robustness_values(np.array([5.0]), np.ones(1))[1] == 0  # no interval with one more column
