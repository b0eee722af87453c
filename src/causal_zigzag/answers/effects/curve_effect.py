"""CurveEffect: E[y | do(x = a)] as a function of a, averaged over graphs and parameters, and its mean slope."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.effects.effect import LEVEL, Effect, read_tail
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.block_regressions import CauseCurve


class CurveParts(NamedTuple):
    """The Student t posteriors of a curve, one per regression, and that of the mean of y where x does not affect it.

    At the features f of a value of x, a regression has the mean ``centre`` + f'b and the squared scale f'Cf + V, with
    b, C and V its ``estimates``, ``squares`` and ``offsets``. ``alone`` is the scale of the mean of y.
    """

    cause: CauseCurve
    centre: float
    estimates: NDArray[np.float64]
    squares: NDArray[np.float64]
    offsets: NDArray[np.float64]
    alone: float
    rows: float


@dataclass(frozen=True, eq=False, repr=False)
class CurveEffect(Effect):
    """The effect of a number under a score of curves: ``curve()`` is E[y | do(x = a)], or P(y = level | do(x = a)).

    The numbers of an ``Effect``, such as ``mean`` and ``interval()``, are about the mean slope of the curve: that of
    the straight line closest to it in the rows of the table. For each set of parents of the cause, the outcome is
    regressed, in its own units, on curves of the cause and of these parents, which are Gaussian processes.

    >>> import numpy as np
    >>> import causal_zigzag as cz
    >>> x, noise = np.random.default_rng(1).normal(size=(2, 300))
    >>> known = cz.Knowledge(tiers=[["dose"], ["response"]])
    >>> posterior = cz.exact_posterior(cz.AdditiveGP({"dose": x, "response": x**2 + noise / 2}), knowledge=known)
    >>> effect = posterior.effect("dose", "response")
    >>> effect.curve([-1.5, 0.0, 1.5])["mean"].round(0).tolist()
    [2.0, 0.0, 2.0]
    >>> abs(effect.mean) < 0.5  # a parabola has no mean slope
    True
    """

    parts: CurveParts = field(kw_only=True)

    def curve(self, points: Any = None, level: float = LEVEL, *, given_path: bool = False) -> pd.DataFrame:
        """The mean of the outcome if the cause is set to each of ``points``: one row per value in the column ``do``.

        The columns ``mean``, ``sd``, ``lower`` and ``upper`` are those of the posterior of this mean, each point by
        itself; an interval is one of the 95 % that contain it, not a band that contains the whole curve. Where the
        cause is not an ancestor of the outcome, the curve is flat; with ``given_path`` these graphs do not count. By
        default, 41 points cover the middle 98 % of the column.
        """
        import pandas as pd

        tail, at = read_tail(level), self._points(points)
        parts, weights, rest = self.parts, self.weights, max(0.0, 1 - float(self.weights.sum()))
        if given_path:
            weights, rest = weights / (weights.sum() or 1.0), 0.0 if len(weights) else 1.0
        F = parts.cause.at(at)
        means = np.append(parts.centre + parts.estimates @ F.T, np.full((1, len(at)), parts.centre), axis=0)
        squares = np.einsum("pi,rij,pj->rp", F, parts.squares, F) + parts.offsets[:, None]
        scales = np.append(np.sqrt(np.maximum(squares, 0)), np.full((1, len(at)), parts.alone), axis=0)
        freedom = np.append(self.freedom, parts.rows - 1.0)
        shares = np.tile(np.append(weights, rest)[:, None], (1, len(at)))
        tails, none = np.array([tail, 1 - tail]), np.zeros(len(at))
        ends = _core.mixture_quantiles(shares, means, scales, freedom, none, tails)[1].reshape(-1, 2)
        center = (shares * means).sum(axis=0)
        with np.errstate(divide="ignore"):
            factor = np.where(freedom > 2, freedom / np.maximum(freedom - 2, 0), np.inf)[:, None]
        variance = (shares * ((means - center) ** 2 + np.where(shares > 0, scales**2 * factor, 0.0))).sum(axis=0)
        return pd.DataFrame(
            {"do": at, "mean": center, "sd": np.sqrt(variance), "lower": ends[:, 0], "upper": ends[:, 1]}
        )

    @property
    def components(self) -> pd.DataFrame:
        """One row per set of parents of the cause, as for an ``Effect``; its estimate and sd are of the mean slope."""
        import pandas as pd

        table = super().components
        sets = table["parents"].map(lambda parents: "none" if parents is None else repr(parents))
        rows = []
        for _, own in table.groupby(sets, sort=False):
            share = own["probability"] / own["probability"].sum()
            mean = float((share * own["estimate"]).sum())
            variance = float((share * (own["sd"] ** 2 + (own["estimate"] - mean) ** 2)).sum())
            rows.append((own["parents"].iloc[0], own["probability"].sum(), mean, variance**0.5))
        made = pd.DataFrame(rows, columns=[*table.columns])
        return made.sort_values("probability", ascending=False, kind="stable", key=_last(made)).reset_index(drop=True)

    @property
    def robustness(self) -> None:
        """None: the robustness value is about linear regressions."""
        return

    def plot(self, ax: Axes | None = None) -> Figure:
        """The curve with its 95 % intervals, and the mean slope in words, on ``ax`` or on a new figure."""
        from causal_zigzag.figures.effect_plots import curve_figure

        return curve_figure(self, ax)

    @property
    def action(self) -> str:
        """What is done to the cause, in words."""
        return f"{super().action}, on average over its curve,"

    def _points(self, points: Any) -> NDArray[np.float64]:
        if points is None:
            return self.parts.cause.grid()
        cells = self.parts.cause.cells
        try:
            at = np.asarray(points, dtype=np.float64).reshape(-1)
        except (TypeError, ValueError):
            raise SettingsError(f"points must be numbers, values of {show(self.cause)}, not {points!r}") from None
        outside = at[~((at >= cells[0]) & (at <= cells[-1]))]
        if len(outside):
            raise SettingsError(
                f"points contains {outside[0]:g}, but {show(self.cause)} is from {cells[0]:g} to {cells[-1]:g} in the "
                "table, and a curve is not known elsewhere"
            )
        return at


def _last(table: pd.DataFrame) -> Any:
    """A key that puts the point mass, whose parents are None, last."""
    return lambda column: column.where(table["parents"].notna(), -1.0)
