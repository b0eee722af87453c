"""Mixture: the posterior of an effect, with a component per set of parents of the cause and a point mass at 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.effects.robustness import robustness_values
from causal_zigzag.errors import SettingsError
from causal_zigzag.scores.responses.response import Terms
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.95  # of intervals
TAILS = np.array([0.025, 0.975])
DRAWS = 10_000  # of which intervals are quantiles where components have no closed form; the seed is fixed
SEED = 7
NORMAL = 1e6  # degrees of freedom of what is drawn as a normal density
NUMBERS = (
    "mean", "sd", "lower", "upper", "probability_nonzero", "probability_positive", "path_lower", "path_upper",
    "robustness", "robustness_interval", "between", "within",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Mixture:
    """The components with their weights, the rest of which is a point mass at 0.

    Student t components have exact quantiles. Others have exact means and variances, and quantiles of ``DRAWS`` draws,
    which are allotted to the components by systematic sampling, so that their numbers differ by less than one from the
    weights; or of ``fixed`` draws, one per component.
    """

    weights: NDArray[np.float64]
    terms: Terms
    fixed: NDArray[np.float64] | None = None

    @property
    def variances(self) -> NDArray[np.float64]:
        """Of the components; infinite with 2 or fewer degrees of freedom."""
        return self.terms.scale**2 * variance_factor(self.terms.freedom)

    @property
    def mean(self) -> float:
        """The mean, with 0 for the point mass."""
        return float(self.weights @ self.terms.mean)

    @cached_property
    def sd(self) -> float:
        """The standard deviation."""
        weights, mean, scale = (part.reshape(-1, 1) for part in (self.weights, self.terms.mean, self.terms.scale))
        return float(mixture_numbers(weights, mean, scale, self.terms.freedom, is_student=False)["sd"][0])

    @cached_property
    def numbers(self) -> dict[str, float]:
        """What tables have about the mixture, by name."""
        weights, (_, _, freedom, _, strength, of_strength) = self.weights, self.terms
        column, mean, scale = (part.reshape(-1, 1) for part in (weights, self.terms.mean, self.terms.scale))
        has_draws = self._draws is not None
        found = mixture_numbers(column, mean, scale, freedom, not has_draws)
        if has_draws:
            found["probability_positive"] = np.array([min(self._share(lambda draws: draws > 0), weights.sum())])
            found["lower"], found["upper"] = self.quantiles(TAILS)
            found["path_lower"], found["path_upper"] = self.quantiles(TAILS, given_path=True)
        numbers = {name: float(np.ravel(found[name])[0]) for name in NUMBERS if name in found}
        path = numbers["probability_nonzero"]
        robust = robustness_values(strength, of_strength) if path > 0 else (np.full(1, np.nan),) * 2
        of_path = weights / weights.sum() if path > 0 else np.ones(1)
        for name, values in zip(("robustness", "robustness_interval"), robust, strict=True):
            numbers[name] = float(of_path @ values)
        return numbers

    def quantiles(self, levels: NDArray[np.float64], given_path: bool = False) -> NDArray[np.float64]:
        """With ``given_path`` those without the point mass."""
        weights, path = self.weights, float(self.weights.sum())
        if not path > 0:
            return np.zeros(len(levels))
        if self._draws is None:
            shares = (weights / path if given_path else weights).reshape(-1, 1)
            mean, scale = self.terms.mean.reshape(-1, 1), self.terms.scale.reshape(-1, 1)
            rest = np.array([0.0 if given_path else max(0.0, 1 - path)])
            return _core.mixture_quantiles(shares, mean, scale, self.terms.freedom, rest, levels)[1]
        values, weight = self._draws
        if not given_path:
            zero = np.searchsorted(values, 0.0)
            values = np.insert(values, zero, 0.0)
            weight = np.insert(weight * min(path, 1.0), zero, max(0.0, 1 - path))
        ends = np.cumsum(weight)
        at = np.searchsorted(ends, np.asarray(levels) * ends[-1] * (1 - 1e-12))
        return np.asarray(values[np.minimum(at, len(values) - 1)])

    def density(
        self, grid: NDArray[np.float64], rows: NDArray[np.bool_] | None = None, unit: float = 1.0
    ) -> NDArray[np.float64]:
        """The density of some components in these units, all by default, times their probability.

        Fixed draws are smoothed, with the bandwidth of Silverman (1986).
        """
        kept, (mean, scale, freedom, *_) = slice(None) if rows is None else rows, self.terms
        if self.fixed is not None:
            width = 0.9 * self.fixed.std() * len(self.fixed) ** -0.2
            mean, scale = self.fixed, np.full(len(self.fixed), max(width, 1e-300))
        mean, scale, v = mean[kept] * unit, scale[kept] * unit, np.minimum(freedom[kept], NORMAL)
        constant = np.array([math.lgamma((f + 1) / 2) - math.lgamma(f / 2) - 0.5 * math.log(f * math.pi) for f in v])
        t = (grid - mean[:, None]) / scale[:, None]
        logs = (constant - np.log(scale))[:, None] - (v[:, None] + 1) / 2 * np.log1p(t**2 / v[:, None])
        return np.asarray(self.weights[kept] @ np.exp(logs))

    def scaled(self, unit: float) -> dict[str, float]:
        """The numbers in other units."""
        powers = dict.fromkeys(("mean", "sd", "lower", "upper", "path_lower", "path_upper"), unit)
        powers |= dict.fromkeys(("between", "within"), unit**2)
        return {name: value * powers.get(name, 1.0) for name, value in self.numbers.items()}

    @cached_property
    def _draws(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Draws given a causal path, ascending, with weights that add up to 1."""
        path = self.weights.sum()
        if self.fixed is not None:
            order = np.argsort(self.fixed, kind="stable")
            return self.fixed[order], self.weights[order] / (path or 1.0)
        if self.terms.draw is None:
            return None
        ends = np.cumsum(self.weights) / (path or 1.0)
        chosen = np.searchsorted(ends, (np.arange(DRAWS) + 0.5) / DRAWS)
        counts = np.bincount(np.minimum(chosen, len(ends) - 1), minlength=len(ends)) if len(ends) else np.zeros(0, int)
        draws = np.sort(self.terms.draw(np.random.default_rng(SEED), counts.astype(np.int64)))
        return draws, np.full(len(draws), 1 / max(len(draws), 1))

    def _share(self, holds: Any) -> float:
        values, shares = self._draws or (np.zeros(0), np.zeros(0))
        return float(self.weights.sum() * shares[holds(values)].sum())


def joined(parts: Sequence[Terms]) -> Terms:
    """The components of all parts."""
    draws = [part.draw for part in parts]
    sizes = [len(part.mean) for part in parts]

    def draw(rng: np.random.Generator, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        own = np.split(counts, np.cumsum(sizes)[:-1])
        return np.concatenate([make(rng, n) for make, n in zip(draws, own, strict=True) if make is not None])

    def all_of(arrays: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.concatenate([np.zeros(0), *arrays])

    return Terms(
        all_of(part.mean for part in parts),
        all_of(part.scale for part in parts),
        all_of(part.freedom for part in parts),
        draw if parts and draws[0] is not None else None,
        all_of(part.strength for part in parts),
        all_of(part.freedom_of_strength for part in parts),
    )


def mixture_numbers(
    weights: NDArray[np.float64],
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    freedom: NDArray[np.float64],
    is_student: bool = True,
) -> dict[str, NDArray[np.float64]]:
    """The numbers about mixtures of Student t distributions and a point mass at 0, one mixture per column.

    Rows are components; the rest of their weights is the point mass. Without ``is_student`` there are no quantiles.
    """
    path = np.minimum(weights.sum(axis=0), 1.0)
    rest = 1 - path
    variance = np.where(weights > 0, scale**2 * variance_factor(freedom)[:, None], 0.0)
    center = (weights * mean).sum(axis=0)
    between = (weights * (mean - center) ** 2).sum(axis=0) + rest * center**2
    within = (weights * variance).sum(axis=0)
    numbers = {
        "mean": center, "sd": np.sqrt(between + within), "probability_nonzero": path, "between": between,
        "within": within,
    }  # fmt: skip
    if is_student:
        with np.errstate(invalid="ignore", divide="ignore"):
            of_path = np.where(path > 0, weights / path, 0.0)
        below, ends = _core.mixture_quantiles(weights, mean, scale, freedom, rest, TAILS)
        _, path_ends = _core.mixture_quantiles(of_path, mean, scale, freedom, np.where(path > 0, 0.0, 1.0), TAILS)
        numbers["lower"], numbers["upper"] = ends.reshape(-1, 2).T
        numbers["path_lower"], numbers["path_upper"] = path_ends.reshape(-1, 2).T
        numbers["probability_positive"] = np.maximum(path - below, 0.0)
    return numbers


def variance_factor(freedom: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variance of Student t distributions of scale 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(freedom > 2, freedom / np.maximum(freedom - 2, 0), np.inf)
    return np.where(np.isinf(freedom), 1.0, factor)


def read_tail(level: Any) -> float:
    """The probability on each side of an equal-tailed interval of this level."""
    if not is_real(level) or not 0 < level < 1:
        raise SettingsError(f"level must be a number between 0 and 1, not {level!r}")
    return (1 - float(level)) / 2
