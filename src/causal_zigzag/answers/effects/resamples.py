"""Effects when rows are resampled: the mixture of those in all resamples, each by the score of its own rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.effects.effect import Effect, EffectError
from causal_zigzag.answers.effects.gaussian import effect_frame, mixture_numbers
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.errors import ScoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from causal_zigzag.answers.effects.gaussian import Coefficients
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.answers.resamples.mixture import Resamples
    from causal_zigzag.answers.weighted_classes import WeightedClasses


def mixed_effect_of(resamples: Resamples, effect: Callable[[WeightedClasses], Any]) -> Effect:
    """The mixture of the effects that ``effect`` finds in each resample."""
    found = [effect(member) for member in resamples.members]
    other = next((one for one in found if type(one) is not Effect), None)
    if other is not None:
        raise ScoreError(
            f"a {type(other).__name__} is not averaged over resamples yet; ask for that of the whole table"
        )
    share = 1 / len(found)
    strongest = [one.strongest for one in found if one.strongest is not None]
    return Effect(
        found[0].cause,
        found[0].outcome,
        tuple(parents for one in found for parents in one.parents),
        np.concatenate([one.weights for one in found]) * share,
        np.concatenate([one.estimates for one in found]),
        np.concatenate([one.scales for one in found]),
        np.concatenate([one.freedom for one in found]),
        EffectError(
            float(resamples.error(one.mean for one in found)),
            float(resamples.error(one.probability_nonzero for one in found)),
        ),
        share * sum(one.from_draws for one in found),
        strongest[0] if strongest else None,
    )


def mixed_effects_of(
    resamples: Resamples,
    causes: Sequence[int],
    outcomes: Sequence[int],
    coefficients: Callable[[WeightedClasses, ParentSetTable], Coefficients],
) -> pd.DataFrame:
    """The mixtures of the effects of linear models in all resamples, as ``effects`` returns them."""
    import pandas as pd

    members, parts = resamples.members, []
    share, ends = 1 / len(members), np.array(outcomes, dtype=np.int64)
    for x in causes:
        tables = [next(parent_set_tables(member.parts, [x])) for member in members]
        found = [coefficients(member, table) for member, table in zip(members, tables, strict=True)]
        columns = ends[ends != x]
        weights = [np.ascontiguousarray(table.below[:, columns]) for table in tables]
        means = [own.mean[:, columns] for own in found]
        numbers = mixture_numbers(
            np.concatenate(weights) * share,
            np.concatenate(means),
            np.concatenate([own.scale[:, columns] for own in found]),
            np.concatenate([own.freedom for own in found]),
        )
        mcse = resamples.error((w * mean).sum(axis=0) for w, mean in zip(weights, means, strict=True))
        parts.append(pd.DataFrame({"x": x, "y": columns, **numbers, "mcse": mcse}))
    return effect_frame(members[0].nodes, parts)
