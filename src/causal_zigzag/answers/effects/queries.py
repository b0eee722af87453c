"""effect, effects, strengths and ancestors: questions about causes, answered from weighted classes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from causal_zigzag.answers.effects.effect import COLUMNS, Effect
from causal_zigzag.answers.effects.gaussian import exact_rows
from causal_zigzag.answers.effects.joint_draws import joint_effects
from causal_zigzag.answers.effects.pair import Pair, Sources, arrows_into, sources
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.effects.robustness import strongest_parent
from causal_zigzag.errors import GraphError, ScoreError, SettingsError
from causal_zigzag.graphs.labels import Labels, show, show_all
from causal_zigzag.scores.responses.linear import LinearModel
from causal_zigzag.support.rng import as_generator
from causal_zigzag.support.validation import is_hashable, read_count

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    import pandas as pd

    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.scores.responses.response import ResponseModel
    from causal_zigzag.support.rng import Rng

MOST_DRAWS = 10**6  # of DAGs and coefficients for a joint effect: its error is then 0.1 % of its spread


def effect(classes: WeightedClasses, x: Any, y: Hashable) -> Effect:
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
    (found,) = sources(classes, [cause])
    pair = Pair.of(found, cause, outcome)
    return Effect.of(pair, *pair.largest(), strongest=_strongest(pair))


def effects(classes: WeightedClasses, causes: Any, outcomes: Any, standardized: bool = False) -> pd.DataFrame:
    """See ``Posterior.effects``."""
    import pandas as pd

    labels = Labels(classes.nodes)
    chosen, ends = _read_nodes(labels, causes, "causes"), _read_nodes(labels, outcomes, "outcomes")
    parts = []
    for found in sources(classes, chosen):
        if _is_of_numbers(found.groups[0].model):
            parts.append(exact_rows(found, ends, standardized))
        else:
            parts.append(pd.DataFrame(_rows(found, ends, standardized), columns=[*COLUMNS]))
    return _in_order(parts)


def several_effects(
    classes: WeightedClasses, pairs: Sequence[tuple[Hashable, Hashable]]
) -> dict[tuple[Hashable, Hashable], Effect]:
    """The effects of these pairs, with one pass over the classes for each cause."""
    labels = Labels(classes.nodes)
    numbers = [(labels.number(x), labels.number(y)) for x, y in pairs]
    made = {}
    for found in sources(classes, sorted({x for x, _ in numbers})):
        for names, (x, y) in zip(pairs, numbers, strict=True):
            if x in found.causes:
                pair = Pair.of(found, x, y)
                made[names] = Effect.of(pair, *pair.largest())
    return made


def strengths(classes: WeightedClasses, standardized: bool, least: float) -> pd.DataFrame:
    """See ``Posterior.strengths``."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for found in sources(classes, [*range(len(classes.nodes))]):
        for y in found.causes:
            rows += _direct_rows(found, y, standardized, least)
    frame = _typed(pd.DataFrame(rows, columns=[*STRENGTH_COLUMNS]))
    order = np.lexsort((-frame["mean"].abs(), -frame["probability"].round(6)))
    return frame.iloc[order].reset_index(drop=True)


def sign_of(classes: WeightedClasses, row: Mapping[Any, Any]) -> str:
    """The sign of a row of ``strengths``, "+" or "−" if its 95 % interval leaves out 0, otherwise "±".

    It is "±" too if cause or outcome has more than two levels: some of them may be raised and others lowered.
    """
    model = classes.response_models[0]
    ends = [classes.nodes.index(row[end]) for end in ("cause", "outcome")]
    if model is None or any(len(model.levels[v]) > 2 for v in ends):
        return "±"
    return "+" if row["lower"] > 0 else "−" if row["upper"] < 0 else "±"


def with_strengths(table: pd.DataFrame, classes: WeightedClasses) -> pd.DataFrame:
    """A table of pairs x, y with the strength of the likelier arrow between them."""
    rows = strengths(classes, standardized=False, least=0.0)
    rows.index = [frozenset(ends) for ends in zip(rows["cause"], rows["outcome"], strict=True)]
    pairs = [frozenset(ends) for ends in zip(table["x"], table["y"], strict=True)]
    likelier = rows[~rows.index.duplicated()].reindex(pairs)
    return table.assign(**{name: likelier[own].to_numpy() for name, own in OF_PAIR.items()})


def ancestors(classes: WeightedClasses) -> pd.DataFrame:
    """See ``Posterior.ancestors``."""
    import pandas as pd

    classes.check_members()
    found = np.zeros((len(classes.nodes), len(classes.nodes)))
    for table in parent_set_tables(classes.parts, merged=True):
        found[table.cause] = np.minimum(table.below, 1.0)
    return pd.DataFrame(found, index=[*classes.nodes], columns=[*classes.nodes])


def joint_effect(classes: WeightedClasses, causes: list[Any], y: Hashable, draws: int, rng: Rng) -> Effect:
    """See ``Posterior.effect``, for several causes."""
    labels = Labels(classes.nodes)
    numbers = [labels.number(x) for x in causes]
    outcome = labels.number(y)
    if len({*numbers}) < len(numbers):
        raise SettingsError(f"a cause is given twice: {show_all(causes)}")
    if outcome in numbers:
        raise SettingsError(f"the outcome {show(y)} must not be one of the causes, {show_all(causes)}")
    score = classes.target.score
    if len(classes.groups) > 1:
        rows = "resampled rows" if classes.mixture is not None else "a table with missing cells"
        raise ScoreError(f"joint effects are not averaged over {rows}; the score is {score!r}")
    model = classes.response_models[0]
    if not _is_of_numbers(model):
        raise ScoreError(f"joint effects are those of linear models of numbers, but the score is {score!r}")
    count = read_count("draws", draws, 2, most=MOST_DRAWS)
    found = joint_effects(classes, numbers, outcome, model.moments, count, as_generator(rng))
    made = [replace(one, joint={other.cause: other for other in found}) for one in found]
    return made[0]


def _is_of_numbers(model: ResponseModel | None) -> TypeGuard[LinearModel]:
    """Whether it is a linear model without levels, whose effects have an exact table."""
    return isinstance(model, LinearModel) and not model.has_levels


def _rows(found: Sources, outcomes: Sequence[int], standardized: bool) -> Iterator[dict[str, Any]]:
    """The rows of the table of effects: the largest change of each pair."""
    table = found.groups[0].table
    values, pairs = np.zeros((len(table), len(table.nodes))), []
    for x, y in itertools.product(found.causes, outcomes):
        if x == y:
            continue
        try:
            pair = Pair.of(found, x, y)
        except ScoreError as error:  # rows are too few for this pair
            path = sum(group.weight * group.table.below[group.rows(x, y), y].sum() for group in found.groups)
            ends = {"cause": table.nodes[x], "outcome": table.nodes[y], "probability_nonzero": path}
            yield dict.fromkeys(COLUMNS) | ends | {"note": str(error)}
            continue
        change = Effect.of(pair, *pair.largest())
        unit = change.unit if standardized else 1.0
        if found.is_single:
            pair.add_means(values, change.mixture.terms.mean * unit)
        pairs.append((x, y, change, unit))
    mcse = table.errors(found.classes, values)[:, :, 0] if found.is_single else None
    for x, y, change, unit in pairs:
        yield change.row(unit, None if mcse is None else float(mcse[found.causes.index(x), y]))


STRENGTH_COLUMNS = (
    "cause", "outcome", "level", "from", "to", "probability", "mean", "sd", "lower", "upper", "probability_positive",
)  # fmt: skip

OF_PAIR = {
    "cause": "cause", "strength": "mean", "strength_lower": "lower", "strength_upper": "upper",
    "strength_positive": "probability_positive",
}  # fmt: skip


def _direct_rows(found: Sources, y: int, standardized: bool, least: float) -> Iterator[dict[str, Any]]:
    """The rows of the arrows into y."""
    tables = [arrows_into(group.table, y) for group in found.groups]
    for x in sorted({x for table in tables for x in table}):
        own = [group._replace(table=table[x]) for group, table in zip(found.groups, tables, strict=True) if x in table]
        pair = Pair.of(Sources(found.classes, own), x, y)
        if pair.path < least:
            continue
        choice, model = pair.largest(), pair.model
        unit = model.deviation(x) / model.deviation(y) if standardized else 1.0
        numbers = pair.change(*choice, given_path=True).scaled(unit)
        labels = (pair.cause, pair.outcome, choice[2], *choice[:2], pair.path)
        values = (numbers[name] for name in STRENGTH_COLUMNS[6:])
        yield dict(zip(STRENGTH_COLUMNS, (*labels, *values), strict=True))


def _strongest(pair: Pair) -> tuple[Hashable, float, float] | None:
    """The observed parent that would confound most if it were hidden, in the most probable set that is not empty."""
    model = pair.model
    if len(pair.sources.groups) > 1 or not isinstance(model, LinearModel) or not pair.parts:
        return None
    part = pair.parts[0]
    sets = (part.source.table.parent_numbers(row) for row in part.rows.tolist())
    likely = next((parents for parents in sets if parents), [])
    if not likely or any(model.levels[v] for v in (pair.x, pair.y, *likely)):
        return None
    parent, of_cause, of_outcome = strongest_parent(model, pair.x, pair.y, likely)
    return model.nodes[parent], of_cause, of_outcome


def _in_order(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One row per ordered pair of different nodes, by descending size of the mean.

    Pairs whose 95 % interval is 0 to 0 come last: sizes depend on units, and in small units a mean over improbable
    effects can be large.
    """
    import pandas as pd

    rows = _typed(pd.concat([part for part in parts if len(part)] or [pd.DataFrame(columns=[*COLUMNS])]))
    is_zero = (rows["lower"] == 0) & (rows["upper"] == 0)
    order = np.lexsort((-rows["probability_nonzero"], -rows["mean"].abs(), is_zero))
    return rows.iloc[order].reset_index(drop=True)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Labels as objects, which keeps None, and the rest as numbers."""
    labels = ("cause", "outcome", "level", "from", "to", "note")
    frame = frame.astype({name: object if name in labels else np.float64 for name in frame.columns})
    for name in ("level", "from", "to"):
        frame[name] = frame[name].where(frame[name].notna(), None)
    return frame


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
    listed = [*nodes]
    for node in listed:
        if not is_hashable(node):
            raise GraphError(f"{name}: {node!r} is not the name of a node")
    return listed
