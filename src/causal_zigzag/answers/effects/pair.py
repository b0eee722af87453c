"""Pair: the posterior of E[g(y) | do(x = a)] for all a and g, as a mixture over groups, classes and sets of parents."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag.answers.effects.mixture import Mixture, joined
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.errors.batch_means import draw_errors
from causal_zigzag.errors import ScoreError, SettingsError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.wording import percentage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.scores.responses.response import ResponseModel, Responses

FEW = 5  # completed tables for effects that none of them has
NOTICEABLE_SHARE = 0.05  # of configurations of parents without rows, from which it is said
ROUNDING = 1e-9
NARROW = "cells are missing, so the interval is somewhat too narrow: in simulations 87 to 98 % contain the effect"
TURNED = (
    "the model can turn arrows between levels and a number the wrong way: in simulations without knowledge of "
    "directions 66 to 96 % of such intervals contain the effect"
)


class EffectError(NamedTuple):
    """Monte Carlo standard errors of the mean of an effect and of the probability that there is one.

    They are 0 for an exact posterior, and NaN if the values of the draws change fewer than ten times.
    """

    mean: float
    probability: float


class Source(NamedTuple):
    """The sets of parents of some causes in the classes of one group, the model of its table, and its weight."""

    weight: float
    model: ResponseModel
    table: ParentSetTable

    def rows(self, x: int, y: int) -> NDArray[np.int64]:
        """The rows of the table of the sets of x with which y is below x, the most probable first."""
        rows = np.flatnonzero((self.table.cause == x) & (self.table.below[:, y] > 0))
        return rows[np.argsort(-self.table.below[rows, y], kind="stable")]


class Sources(NamedTuple):
    """What the effects of some causes are computed from: the groups, whose weights add up to 1.

    The groups of a table with missing cells are some of the completed tables, each with its class. ``path`` are then
    the probabilities over the whole run that the causes (rows) are ancestors of each node. ``spare`` are for effects
    that none of these tables has: all sets of the run with a few of their models.
    """

    classes: WeightedClasses
    groups: list[Source]
    path: NDArray[np.float64] | None = None
    spare: Sequence[Source] = ()

    @property
    def causes(self) -> list[int]:
        """The causes, ascending."""
        causes: list[int] = self.groups[0].table.causes.tolist()
        return causes

    @property
    def is_single(self) -> bool:
        """Whether there is one group, of all classes, so that errors are those of its draws."""
        return len(self.groups) == 1 and self.classes.completions is None


def sources(classes: WeightedClasses, causes: Sequence[int]) -> Iterator[Sources]:
    """The sources for some of the causes at a time; a ScoreError if the score has no effects."""
    classes.check_members()
    score, models = classes.target.score, [model for model in classes.response_models if model is not None]
    if len(models) < len(classes.groups):
        raise ScoreError(
            f"there are no effects under {score!r}, as {score.no_effects}; ancestors() works for every score"
        )
    if len(models) == 1 and classes.completions is None:
        for table in parent_set_tables(classes.groups[0].parts, causes):
            yield Sources(classes, [Source(1.0, models[0], table)])
        return
    for x in causes:
        groups = [
            Source(group.weight, model, table)
            for group, model in zip(classes.groups, models, strict=True)
            for table in parent_set_tables(group.parts, [x])
        ]
        if classes.completions is None:
            yield Sources(classes, groups)
            continue
        (table,) = parent_set_tables(classes.parts, [x])
        chosen = np.linspace(0, len(models) - 1, min(FEW, len(models))).astype(int).tolist()
        spare = [Source(1 / len(chosen), models[k], table) for k in chosen]
        yield Sources(classes, groups, table.below.sum(axis=0, keepdims=True), spare)


class Part(NamedTuple):
    """The components of one group: their responses, weights, and the rows of their sets in its table."""

    source: Source
    responses: Responses
    weights: NDArray[np.float64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pair:
    """What all effects of x on y follow from. ``path`` is the probability that x is an ancestor of y."""

    sources: Sources
    x: int
    y: int
    parts: tuple[Part, ...]
    path: float

    @classmethod
    def of(cls, found: Sources, x: int, y: int) -> Pair:
        """The pair x, y."""
        parts = _parts(found.groups, x, y) or _parts(found.spare, x, y)
        total = float(sum(part.weights.sum() for part in parts))
        if found.path is not None and parts:
            path = float(found.path[found.causes.index(x), y])
            parts = [part._replace(weights=part.weights * (path / total)) for part in parts]
            total = path
        return cls(found, x, y, tuple(parts), min(total, 1.0))

    @property
    def model(self) -> ResponseModel:
        """The model of the first group; all have the same nodes and levels."""
        return self.sources.groups[0].model

    @property
    def from_draws(self) -> float:
        """The share of the probability that was estimated from draws, for unlisted classes."""
        return sum(float(part.weights.sum()) for part in self.sources.classes.parts if part.drawn)

    @property
    def cause(self) -> Hashable:
        return self.model.nodes[self.x]

    @property
    def outcome(self) -> Hashable:
        return self.model.nodes[self.y]

    @property
    def cause_levels(self) -> tuple[Hashable, ...]:
        return self.model.levels[self.x]

    @property
    def outcome_levels(self) -> tuple[Hashable, ...]:
        return self.model.levels[self.y]

    @property
    def parents(self) -> tuple[tuple[Hashable, ...], ...]:
        """The set of parents of each component."""
        return tuple(part.source.table.parents(row) for part in self.parts for row in part.rows.tolist())

    def changes(self, a: Any, b: Any, level: Any) -> Iterator[tuple[Part, NDArray[np.float64], NDArray[np.float64]]]:
        """For each part the change of the vector of x, from a to b or by one unit, and the vector of y."""
        for part in self.parts:
            model = part.source.model
            if a is None and b is None:
                c = model.slope(self.x)
            else:
                c = model.vector_of(self.x, b) - model.vector_of(self.x, a)
            yield part, c, self.outcome_vector(model, level)

    def change(self, a: Any, b: Any, level: Any, given_path: bool = False) -> Mixture:
        """The change of y, or of the probability of a level, if x is set to b instead of a, or raised by 1."""
        terms = [part.responses.change(c, g) for part, c, g in self.changes(a, b, level)]
        return Mixture(self.weights / ((self.path or 1.0) if given_path else 1.0), joined(terms))

    def value(self, value: Any, level: Any, given_path: bool = False) -> Mixture:
        """E[y | do(x = value)], or the probability of a level; without a causal path, those if nothing is done."""
        terms = []
        for part in self.parts:
            model = part.source.model
            terms.append(part.responses.value(model.vector_of(self.x, value), self.outcome_vector(model, level)))
        if given_path:
            return Mixture(self.weights / (self.path or 1.0), joined(terms))
        groups = self.sources.groups
        terms += [group.model.alone(self.y, self.outcome_vector(group.model, level)) for group in groups]
        shares = np.array([group.weight for group in groups]) * max(0.0, 1 - self.path)
        return Mixture(np.append(self.weights, shares), joined(terms))

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of all components."""
        return np.concatenate([np.zeros(0), *(part.weights for part in self.parts)])

    def outcome_vector(self, model: ResponseModel, level: Any) -> NDArray[np.float64]:
        """The vector of y."""
        vectors: list[NDArray[np.float64]] = [*model.outcome_vectors(self.y)]
        if not model.levels[self.y]:
            if level is not None:
                raise SettingsError(f"{show(self.outcome)} is a number and has no levels; its mean changes")
            return vectors[0]
        return vectors[model.place(self.y, level)]

    def largest(self) -> tuple[Any, Any, Any]:
        """The largest change on average from the first level of x, up or down: a, b, and the level of y.

        Of equally large ones, as with two levels of y, it is the last one.
        """
        levels = self.cause_levels
        choices = [
            (levels[0] if levels else None, b, level)
            for b in levels[1:] or (None,)
            for level in self.outcome_levels or (None,)
        ]
        if len(choices) == 1 or not self.parts:
            return choices[-1]
        sizes = [abs(self.change(*choice).mean) for choice in choices]
        return [choice for choice, size in zip(choices, sizes, strict=True) if size >= max(sizes) * (1 - ROUNDING)][-1]

    def error(self, means: NDArray[np.float64]) -> EffectError:
        """The Monte Carlo errors, given the means of all components: from the batches of a single group, or from
        groups of which each is a draw, such as completed tables and resamples."""
        classes, groups = self.sources.classes, self.sources.groups
        if self.sources.is_single:
            table = groups[0].table
            values = np.zeros((len(table), len(table.nodes)))
            self.add_means(values, means)
            return EffectError(*table.errors(classes, values)[self.sources.causes.index(self.x), self.y].tolist())
        weights = np.array([group.weight for group in groups])
        values = np.zeros((len(groups), 2))
        number = {id(group): k for k, group in enumerate(groups)}
        for part, own in self._by_part(means):
            if id(part.source) not in number:
                return EffectError(np.nan, np.nan)  # from spare models
            k = number[id(part.source)]
            values[k] = (part.weights @ own / weights[k], part.weights.sum() / weights[k])
        return EffectError(*group_errors(classes, values, weights).tolist())

    def add_means(self, values: NDArray[np.float64], means: NDArray[np.float64]) -> None:
        """Add the means of the components of a single group to a table of sets by nodes."""
        for part, own in self._by_part(means):
            np.add.at(values[:, self.y], part.rows, part.responses.share * own)

    def _by_part(self, means: NDArray[np.float64]) -> Iterator[tuple[Part, NDArray[np.float64]]]:
        ends = np.cumsum([len(part.weights) for part in self.parts])[:-1]
        return zip(self.parts, np.split(means, ends), strict=True) if self.parts else iter(())

    def note(self, a: Any, b: Any, level: Any) -> str:
        """What to know about a change: where its model, or its rows, are not enough."""
        notes, model = [self._unsupported(a, b, level)], self.model
        if any(model.levels) and self.parts and self.sources.classes.completions is not None:
            notes.append(NARROW)
        if model.levels[self.x] and not self.outcome_levels and self.parts and self._direction_is_open:
            notes.append(TURNED)
        if self.outcome_levels and self.parts and not model.is_bounded:
            points = [a, b] if a is not None else [*np.quantile(model.cells(self.x), [0.02, 0.98])]
            values = [self.value(point, level, given_path=True).mean for point in points]
            outside = [f"{p:.2g}" for p in values if not 0 <= p <= 1]
            notes += [f"the model gives a probability of {p} there, outside of 0 to 1" for p in outside[:1]]
        return "; ".join(filter(None, notes))

    @property
    def _direction_is_open(self) -> bool:
        """Whether knowledge does not forbid that the outcome is a parent of the cause."""
        known = self.sources.classes.target.restriction
        return known is None or (self.y, self.x) not in known.forbidden

    def _unsupported(self, a: Any, b: Any, level: Any) -> str:
        """Positivity: whether both levels of the cause occur with the same values of its parents."""
        if a is None or not self.parts:
            return ""
        share, most = 0.0, 0.0
        names: tuple[Hashable, ...] = ()
        for part, c, _ in self.changes(a, b, level):
            own = part.weights * part.responses.unsupported(c)
            share += float(own.sum())
            if own.max(initial=0.0) > most:
                most = float(own.max())
                names = part.source.table.parents(int(part.rows[int(own.argmax())]))
        share /= self.path or 1.0
        if share < NOTICEABLE_SHARE:
            return ""
        cause = show(self.cause)
        return (
            f"no overlap: in {percentage(share)} of the population no row has both {cause} = {show(a)} and {cause} = "
            f"{show(b)} with the same {show_all(names)}, so the interval depends on the prior there"
        )


def _parts(groups: Sequence[Source], x: int, y: int) -> list[Part]:
    """The components of all groups in which x is an ancestor of y."""
    parts = []
    for group in groups:
        rows = group.rows(x, y)
        if len(rows):
            responses = group.model.responses(x, y, [group.table.parent_numbers(row) for row in rows.tolist()])
            of_sets = rows[responses.place]
            weights = group.weight * group.table.below[of_sets, y] * responses.share
            parts.append(Part(group, responses, weights, of_sets))
    return parts


def group_errors(
    classes: WeightedClasses, values: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The Monte Carlo errors of weighted means over groups, one per row: several per resample if cells are missing."""
    if classes.mixture is not None:
        members = classes.mixture.members
        first = np.cumsum([0, *(len(member.groups) for member in members)])[:-1]
        sums = np.add.reduceat(values * weights.reshape(-1, *[1] * (values.ndim - 1)), first)
        return classes.mixture.error(sums * len(members))
    return draw_errors([len(weights)], values, weights)


def arrows_into(table: ParentSetTable, y: int) -> dict[int, ParentSetTable]:
    """The arrows x -> y of the graphs, by x: the sets of parents of y that contain x, without x, as if x had them.

    The strength of x -> y in a graph is the response of y to x given the other parents of y. No arrow leads to a given
    node.
    """
    if y in table.given:
        return {}
    sets: dict[int, list[tuple[list[int], float]]] = {}
    for row in np.flatnonzero(table.cause == y).tolist():
        parents = table.parent_numbers(row)
        for x in parents:
            sets.setdefault(x, []).append(([v for v in parents if v != x], float(table.weight[row])))
    found = {}
    for x, pairs in sets.items():
        begin = np.append(0, np.cumsum([len(own) for own, _ in pairs]))
        members = np.array([v for own, _ in pairs for v in own], dtype=np.int32)
        weight, below = np.array([w for _, w in pairs]), np.zeros((len(pairs), len(table.nodes)))
        below[:, y] = weight
        found[x] = replace(
            table, cause=np.full(len(pairs), x), begin=begin, members=members, weight=weight, below=below
        )
    return found
