"""Effects in mixed tables and of curves: the models are linear in functions of numbers and indicators of levels.

Given the parents S of x, the regression of the columns of y on those of x and S has coefficients with Student t
posteriors. The effect of a number is per unit, that of levels the difference between two of them; on a number it is a
change of its mean, on a level a change of its probability. The effect per unit of a curve is its mean slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.effects.block_regressions import CurveBlocks, blocks_of
from causal_zigzag.answers.effects.curve_effect import CurveEffect, CurveParts
from causal_zigzag.answers.effects.effect import Effect, EffectError, draws_in_words
from causal_zigzag.answers.effects.gaussian import NUMBERS, mixture_numbers
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.notebook_view import view

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.block_regressions import BlockRegressions, Blocks, CauseCurve
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.answers.weighted_classes import WeightedClasses

COLUMNS = ("cause", "outcome", "level", "from", "to", *NUMBERS, "mcse")
FAR = 2.0  # standard deviations of a number from its mean, at which probabilities are looked at


@dataclass(frozen=True, eq=False, repr=False)
class MixedEffect:
    """The effect of x on y if one of them has levels; ``contrast`` is the effect of one change.

    ``cause_levels`` and ``outcome_levels`` are empty for numbers.

    >>> import numpy as np
    >>> import causal_zigzag as cz
    >>> rng = np.random.default_rng(1)
    >>> dose = rng.integers(0, 3, size=300)
    >>> data = {"dose": np.array(["low", "mid", "top"])[dose], "size": 2.0 * dose + rng.normal(size=300)}
    >>> known = cz.Knowledge(tiers=[["dose"], ["size"]])
    >>> effect = cz.sample(data, knowledge=known, jumps=500, rng=1).effect("dose", "size")
    >>> round(effect.contrast("low", "top").mean)
    4
    """

    cause: Hashable
    outcome: Hashable
    cause_levels: tuple[Hashable, ...]
    outcome_levels: tuple[Hashable, ...]
    regressions: BlockRegressions
    cause_mean: NDArray[np.float64]
    cause_deviation: float  # of a number
    outcome_mean: NDArray[np.float64]
    outcome_deviation: float  # of a number
    n_rows: float
    cause_curve: CauseCurve | None
    error: Callable[[NDArray[np.float64]], EffectError]
    from_draws: float = 0.0
    note: str = ""
    pairs: NDArray[np.float64] | None = None  # shares of rows by level of x and level of y

    def contrast(self, a: Any = None, b: Any = None, outcome: Any = None) -> Effect:
        """The effect of setting x to level b instead of a, or of raising a number by 1, on y or on P(y = outcome).

        By default a is the first level of x, b the last one, and ``outcome`` the last level of y.
        """
        c, change = self._change(a, b)
        g, level = self._combination(outcome)
        known, means = self.regressions, self.regressions.means(c, g)
        spread, most_freedom = self._spread(change, g)
        common: dict[str, Any] = {
            "cause": self.cause,
            "outcome": self.outcome,
            "parents": known.parents,
            "weights": known.weights,
            "estimates": means,
            "scales": known.scales(c, g) * spread,
            "freedom": np.minimum(known.freedom, most_freedom),
            "mcse": self.error(means),
            "from_draws": self.from_draws,
            "change": change,
            "level": level,
            "note": "; ".join(filter(None, [self._outside(change, g) if self.outcome_levels else "", self.note])),
        }
        return Effect(**common) if self.cause_curve is None else CurveEffect(**common, parts=self._curve(g))

    def largest(self) -> Effect:
        """The largest change, up or down, from the first level of x to another, of y or of P(y = level)."""
        others: Sequence[Any] = self.cause_levels[1:] or [None]
        first = self.cause_levels[0] if self.cause_levels else None
        found = [
            (abs(float(self.regressions.weights @ self.regressions.means(self._change(first, b)[0], g))), b, level)
            for b in others
            for g, level in map(self._combination, self.outcome_levels or [None])
        ]
        largest = max(size for size, _, _ in found)
        _, b, level = [one for one in found if one[0] >= largest * (1 - 1e-9)][-1]
        return self.contrast(first, b, level)

    def __repr__(self) -> str:
        return f"{self.largest()!r}{draws_in_words(self.from_draws)}"

    def _repr_html_(self) -> str:
        return view(f"Effect of {show(self.cause)} on {show(self.outcome)}", [repr(self)], self.largest().components)

    def _curve(self, g: NDArray[np.float64]) -> CurveParts:
        assert self.cause_curve is not None
        known = self.regressions
        share = np.einsum("i,rij,j->r", g, known.residuals, g) / known.freedom
        mean = self._share(g) if self.outcome_levels else float(self.outcome_mean[0])
        deviation = math.sqrt(max(mean * (1 - mean), 0.0)) if self.outcome_levels else self.outcome_deviation
        return CurveParts(
            self.cause_curve,
            mean,
            known.estimates @ g,
            known.inverses * share[:, None, None],
            np.einsum("i,rij,j->r", g, known.offsets, g),
            deviation / math.sqrt(self.n_rows),
            self.n_rows,
        )

    def _change(self, a: Any, b: Any) -> tuple[NDArray[np.float64], tuple[Hashable, Hashable] | None]:
        if not self.cause_levels:
            if a is not None or b is not None:
                raise SettingsError(f"{show(self.cause)} is a number and has no levels; its effect is per unit")
            return np.ones(1) if self.cause_curve is None else self.cause_curve.slope, None
        levels = self.cause_levels
        start, end = levels[0] if a is None else a, levels[-1] if b is None else b
        return _indicators(levels, end, self.cause) - _indicators(levels, start, self.cause), (start, end)

    def _combination(self, level: Any) -> tuple[NDArray[np.float64], Hashable]:
        """The combination of the columns of y whose mean changes, and the level whose probability it is."""
        if not self.outcome_levels:
            if level is not None:
                raise SettingsError(f"{show(self.outcome)} is a number and has no levels; its mean changes")
            return np.ones(1), None
        chosen = self.outcome_levels[-1] if level is None else level
        own = _indicators(self.outcome_levels, chosen, self.outcome)
        return (own if own.any() else -np.ones(len(own))), chosen  # the first level is the rest

    def _share(self, g: NDArray[np.float64]) -> float:
        """The share of the level whose probability the combination g is."""
        return float(self.outcome_mean @ g) + (1.0 if (g < 0).any() else 0.0)

    def _spread(self, change: tuple[Hashable, Hashable] | None, g: NDArray[np.float64]) -> tuple[float, float]:
        """The ratio of the error of a difference of probabilities p to that in a model with one variance, and the
        degrees of freedom of Welch (1947).

        The variance of an indicator is p (1 - p), so it differs between the levels of a cause. The regression without
        parents of the cause has the error of two independent shares; with parents, the same ratio is used.
        """
        if self.pairs is None or change is None:
            return 1.0, np.inf
        rows = np.maximum(self.pairs.sum(axis=1) * self.n_rows, 1.0)
        p = (self.pairs[:, 1:] @ g + (g < 0).any() * self.pairs.sum(axis=1)) * self.n_rows
        p = np.clip((p + 0.5) / (rows + 1), 0, 1)  # as after half a row of each kind
        variance, ends = p * (1 - p), [self.cause_levels.index(level) for level in change]
        squares = (variance / rows)[ends]
        pooled = variance @ rows / rows.sum() * (1 / rows)[ends].sum()
        freedom = squares.sum() ** 2 / (squares**2 / np.maximum(rows[ends] - 1, 1)).sum()
        return float(np.sqrt(squares.sum() / pooled)), float(freedom)

    def _outside(self, change: tuple[Hashable, Hashable] | None, g: NDArray[np.float64]) -> str:
        """A note, if the linear model gives probabilities below 0 or above 1 for these values of x."""
        share = self._share(g)
        if self.cause_curve is not None:
            points = [*self.cause_curve.at(self.cause_curve.grid())]
        elif change is None:
            points = [np.array([FAR * self.cause_deviation]), np.array([-FAR * self.cause_deviation])]
        else:
            points = [_indicators(self.cause_levels, level, self.cause) - self.cause_mean for level in change]
        shares = [share + float(self.regressions.weights @ self.regressions.means(c, g)) for c in points]
        wrong = next((p for p in shares if not 0 <= p <= 1), None)
        return "" if wrong is None else f"the model gives a probability of {wrong:.2g} there, outside of 0 to 1"


def mixed_effect(
    blocks: Blocks, table: ParentSetTable, y: int, classes: WeightedClasses, from_draws: float
) -> Effect | MixedEffect:
    """The effect of the one cause of a table on y."""
    x = int(table.causes[0])
    rows = _rows(table, x, y)
    regressions = blocks.regressions(table, rows, x, y)
    error = partial(_error, classes, table, regressions, y)
    found = _effect(blocks, table, x, y, regressions, error, from_draws)
    return found if found.cause_levels or found.outcome_levels else found.contrast()


def mixed_frame(
    blocks: Blocks,
    tables: Sequence[ParentSetTable],
    outcomes: Sequence[int],
    classes: WeightedClasses,
    standardized: bool,
) -> pd.DataFrame:
    """One row per ordered pair of nodes, by descending size of the largest change."""
    import pandas as pd

    found = []
    for table in tables:
        values, own = np.zeros((len(table), len(table.nodes))), []
        for x in table.causes.tolist():
            for y in outcomes:
                if x == y:
                    continue
                known = blocks.regressions(table, _rows(table, x, y), x, y)
                change = _effect(blocks, table, x, y, known, _unknown).largest()
                unit = blocks.deviation(x) / blocks.deviation(y) if standardized else 1.0
                np.add.at(values[:, y], known.rows, known.shares * change.estimates * unit)
                own.append((x, y, change, unit))
        mcse = table.errors(classes, values)[:, :, 0]
        place = {x: i for i, x in enumerate(table.causes.tolist())}
        found += [effect_row(change, unit, float(mcse[place[x], y])) for x, y, change, unit in own]
    columns = {name: [row[name] for row in found] for name in COLUMNS}
    labels = {name: pd.Series(columns[name], dtype=object) for name in COLUMNS[:5]}  # which keeps None
    frame = pd.DataFrame({**labels, **{name: np.array(columns[name], dtype=np.float64) for name in COLUMNS[5:]}})
    is_zero = (frame["lower"] == 0) & (frame["upper"] == 0)
    order = np.lexsort((-frame["probability_nonzero"], -frame["mean"].abs(), is_zero))
    return frame.iloc[order].reset_index(drop=True)


def effect_curves(
    classes: WeightedClasses, pairs: Sequence[tuple[Hashable, Hashable]]
) -> dict[tuple[Hashable, Hashable], pd.DataFrame]:
    """The curves of those effects of causes on outcomes that have one."""
    blocks, number, found = blocks_of(classes.target.score), {v: i for i, v in enumerate(classes.nodes)}, {}
    if isinstance(blocks, CurveBlocks):
        for table in parent_set_tables(classes.parts, sorted({number[cause] for cause, _ in pairs})):
            for cause, outcome in pairs:
                x, y = number[cause], number[outcome]
                if x in table.causes:
                    known = blocks.regressions(table, _rows(table, x, y), x, y)
                    change = _effect(blocks, table, x, y, known, _unknown).largest()
                    if isinstance(change, CurveEffect):
                        found[cause, outcome] = change.curve()
    return found


def effect_row(effect: Effect, unit: float = 1.0, mcse: float | None = None) -> dict[str, Any]:
    """The row of an effect in the table of all, in these units; ``mcse`` replaces the error of its mean."""
    weights, means, scales = (
        part.reshape(-1, 1) for part in (effect.weights, effect.estimates * unit, effect.scales * unit)
    )
    numbers = mixture_numbers(weights, means, scales, effect.freedom)
    if isinstance(effect, CurveEffect):
        numbers |= {name: np.full(1, np.nan) for name in ("robustness", "robustness_interval")}
    labels = (effect.cause, effect.outcome, effect.level, *(effect.change or (None, None)))
    error = effect.mcse.mean if mcse is None else mcse
    return dict(zip(COLUMNS, (*labels, *(float(v[0]) for v in numbers.values()), error), strict=True))


def _effect(
    blocks: Blocks,
    table: ParentSetTable,
    x: int,
    y: int,
    regressions: BlockRegressions,
    error: Callable[[NDArray[np.float64]], EffectError],
    from_draws: float = 0.0,
) -> MixedEffect:
    return MixedEffect(
        table.nodes[x],
        table.nodes[y],
        blocks.levels[x],
        blocks.levels[y],
        regressions,
        blocks.mean(x),
        blocks.deviation(x),
        blocks.mean(y),
        blocks.deviation(y),
        blocks.n_rows,
        blocks.cause_curve(x),
        error,
        from_draws,
        blocks.note,
        blocks.pairs(x, y) if blocks.levels[x] and blocks.levels[y] else None,
    )


def _indicators(levels: Sequence[Hashable], level: Any, node: Hashable) -> NDArray[np.float64]:
    """The indicators of all levels but the first."""
    if level not in levels:
        raise SettingsError(f"{level!r} is not a level of {show(node)}; its levels are {show_all(levels)}")
    return np.eye(len(levels))[levels.index(level), 1:]


def _rows(table: ParentSetTable, x: int, y: int) -> NDArray[np.int64]:
    """The parent sets of x with which y is below x, the most probable first."""
    rows = np.flatnonzero((table.cause == x) & (table.below[:, y] > 0))
    return rows[np.argsort(-table.below[rows, y], kind="stable")]


def _error(
    classes: WeightedClasses, table: ParentSetTable, known: BlockRegressions, y: int, means: NDArray[np.float64]
) -> EffectError:
    values = np.zeros((len(table), len(table.nodes)))
    np.add.at(values[:, y], known.rows, known.shares * means)
    return EffectError(*table.errors(classes, values)[0, y].tolist())


def _unknown(_: object) -> EffectError:
    return EffectError(np.nan, np.nan)
