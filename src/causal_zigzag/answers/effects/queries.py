"""effect, effects and ancestors: questions about causes, answered from weighted classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.effects.block_regressions import blocks_of
from causal_zigzag.answers.effects.discrete_queries import discrete_effect, discrete_frame, discrete_rows
from causal_zigzag.answers.effects.effect import Effect, EffectError
from causal_zigzag.answers.effects.gaussian import (
    Coefficients,
    coefficients,
    effect_frame,
    effect_rows,
    moments_of,
)
from causal_zigzag.answers.effects.joint_draws import drawn_dags, joint_effects
from causal_zigzag.answers.effects.joint_effect import DrawnEffect, JointEffect
from causal_zigzag.answers.effects.mixed import MixedEffect, mixed_effect, mixed_frame
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.effects.pooled import pooled_coefficients
from causal_zigzag.answers.effects.resamples import mixed_effect_of, mixed_effects_of
from causal_zigzag.answers.effects.robustness import strongest_parent
from causal_zigzag.errors import GraphError, ScoreError, SettingsError
from causal_zigzag.graphs.labels import Labels, show, show_all
from causal_zigzag.support.rng import as_generator
from causal_zigzag.support.validation import read_count

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

    from causal_zigzag.answers.effects.discrete_effect import DiscreteEffect
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.scores.discrete import CategoricalRows
    from causal_zigzag.scores.regression import RegressionMoments
    from causal_zigzag.support.rng import Rng

MOST_DRAWS = 10**6  # of DAGs and coefficients for a joint effect: its error is then 0.1 % of its spread


def effect(classes: WeightedClasses, x: Any, y: Hashable) -> Effect | DiscreteEffect | MixedEffect:
    """See ``Posterior.effect``, for one cause."""
    labels = Labels(classes.nodes)
    if isinstance(x, list) or (labels.find(x) is None and hasattr(x, "__iter__") and not isinstance(x, str)):
        raise SettingsError(
            f"an effect is of one node, not of {x!r}; for an intervention on several, write "
            "effect(x, y, jointly_with=[...])"
        )
    cause, outcome = labels.number(x), labels.number(y)
    if cause == outcome:
        raise SettingsError(f"an effect is of one node on another, but both are {show(x)}")
    if classes.mixture is not None:
        return mixed_effect_of(classes.mixture, lambda member: effect(member, x, y))
    classes.check_members()
    from_draws = sum(float(part.weights.sum()) for part in classes.parts if part.drawn)
    score = classes.target.score
    rows, blocks = effect_categories(classes), blocks_of(score)
    moments = None if rows is not None or blocks is not None else effect_moments(classes)
    (table,) = parent_set_tables(classes.parts, [cause])
    if rows is not None:
        return discrete_effect(rows, table, outcome, classes, from_draws)
    if blocks is not None:
        return mixed_effect(blocks, table, outcome, classes, from_draws)
    assert moments is not None
    found = effect_coefficients(classes, table)
    errors = table.errors(classes, found.mean)[0, outcome]
    below = np.flatnonzero(table.below[:, outcome] > 0)
    below = below[np.argsort(-table.below[below, outcome], kind="stable")]
    own = found.chosen(below)
    sets = (table.members[table.begin[row] : table.begin[row + 1]].tolist() for row in below)
    likely: list[int] = next((parents for parents in sets if parents), [])
    strongest = strongest_parent(moments, cause, outcome, likely) if likely else None
    return Effect(
        classes.nodes[cause],
        classes.nodes[outcome],
        tuple(table.parents(int(row)) for row in below),
        table.below[below, outcome],
        np.ascontiguousarray(own.mean[:, outcome]),
        np.ascontiguousarray(own.scale[:, outcome]),
        own.freedom,
        EffectError(*errors.tolist()),
        from_draws,
        None if strongest is None else (classes.nodes[strongest[0]], *strongest[1:]),
    )


def effects(classes: WeightedClasses, causes: Any, outcomes: Any, standardized: bool = False) -> pd.DataFrame:
    """See ``Posterior.effects``."""
    labels = Labels(classes.nodes)
    chosen, ends = _read_nodes(labels, causes, "causes"), _read_nodes(labels, outcomes, "outcomes")
    classes.check_members()
    rows = effect_categories(classes)
    if classes.mixture is not None and (rows is not None or blocks_of(classes.target.score) is not None):
        raise ScoreError("only effects of linear models are averaged over resamples yet; ask for those of all rows")
    if rows is not None:
        tables = parent_set_tables(classes.parts, chosen)
        return discrete_frame([row for table in tables for row in discrete_rows(rows, table, ends, classes)])
    blocks = blocks_of(classes.target.score)
    if blocks is not None:
        return mixed_frame(blocks, [*parent_set_tables(classes.parts, chosen)], ends, classes, standardized)
    effect_moments(classes)  # before the work begins, if there are no effects
    if classes.mixture is not None:
        return mixed_effects_of(
            classes.mixture, chosen, ends, lambda member, table: effect_coefficients(member, table, standardized)
        )
    parts = []
    for table in parent_set_tables(classes.parts, chosen):
        found = effect_coefficients(classes, table, standardized)
        parts.append(effect_rows(table, found, ends, table.errors(classes, found.mean)[:, :, 0]))
    return effect_frame(classes.nodes, parts)


def effect_moments(classes: WeightedClasses) -> RegressionMoments:
    """The regression moments of the score; of a completed table if cells are missing."""
    moments = None if classes.completions is None else classes.completions.completed(0).regression_moments()
    return moments_of(classes.target.score) if moments is None else moments


def effect_coefficients(classes: WeightedClasses, table: ParentSetTable, standardized: bool = False) -> Coefficients:
    """The posteriors of the effects of the causes of a table, over the completed tables if cells are missing."""
    if classes.completions is not None:
        return pooled_coefficients(table, classes.completions, standardized)
    return coefficients(table, moments_of(classes.target.score), standardized)


def effect_categories(classes: WeightedClasses) -> CategoricalRows | None:
    """The data of a discrete score; of a completed table if cells are missing."""
    score = classes.target.score if classes.completions is None else classes.completions.completed(0)
    return score.categorical_rows()


def ancestors(classes: WeightedClasses) -> pd.DataFrame:
    """See ``Posterior.ancestors``."""
    import pandas as pd

    classes.check_members()
    found = np.zeros((len(classes.nodes), len(classes.nodes)))
    for table in parent_set_tables(classes.parts, merged=True):
        found[table.cause] = np.minimum(table.below, 1.0)
    return pd.DataFrame(found, index=[*classes.nodes], columns=[*classes.nodes])


def joint_effect(classes: WeightedClasses, causes: list[Any], y: Hashable, draws: int, rng: Rng) -> JointEffect:
    """See ``Posterior.effect``, for several causes."""
    labels = Labels(classes.nodes)
    numbers = [labels.number(x) for x in causes]
    outcome = labels.number(y)
    if len({*numbers}) < len(numbers):
        raise SettingsError(f"a cause is given twice: {show_all(causes)}")
    if outcome in numbers:
        raise SettingsError(f"the outcome {show(y)} must not be one of the causes, {show_all(causes)}")
    score = classes.target.score
    if score.is_incomplete:
        raise ScoreError(f"joint effects need a table without missing cells, but the score is {score!r}")
    if score.categorical_rows() is not None:
        raise ScoreError(f"joint effects are those of linear models, but the score is {score!r}; ask for one cause")
    classes.check_members()
    moments, generator = moments_of(score), as_generator(rng)
    drawn = drawn_dags(classes, read_count("draws", draws, 2, most=MOST_DRAWS), generator)
    values = joint_effects(drawn.dags, numbers, outcome, moments, generator)
    errors = drawn.errors(np.stack([values, values != 0], axis=-1)).tolist()
    names = [classes.nodes[i] for i in numbers]
    return JointEffect(
        tuple(
            DrawnEffect(
                name,
                classes.nodes[outcome],
                tuple(other for other in names if other != name),
                np.ascontiguousarray(values[:, i]),
                drawn.weights,
                EffectError(*errors[i]),
            )
            for i, name in enumerate(names)
        )
    )


def _read_nodes(labels: Labels, nodes: Any, name: str) -> list[int]:
    """The numbers of these nodes, ascending and distinct; ``nodes`` is None, a node or an iterable of nodes."""
    if nodes is None:
        return [*range(len(labels))]
    return sorted({labels.number(node) for node in node_list(labels, nodes, name)})


def node_list(labels: Labels, nodes: Any, name: str) -> list[Any]:
    """The nodes of the argument ``name``, which is a node or an iterable of nodes."""
    if labels.find(nodes) is not None:
        return [nodes]
    if isinstance(nodes, str) or not hasattr(nodes, "__iter__"):
        raise GraphError(f"{name}: {labels.unknown(nodes)}")
    return [*nodes]
