"""acts_on: which variables each experimental condition acts on, and which arrows are directed because of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.top_classes import top_classes
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.target.knowledge import Knowledge

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

    from causal_zigzag.answers.weighted_classes import WeightedClasses


MOST_CLASSES = 1000  # the most probable ones, of which each is looked at on its own


def conditions_of(classes: WeightedClasses) -> tuple[Hashable, ...]:
    """The experimental conditions among the nodes; the past of a series is none."""
    known, past = classes.target.knowledge, _past(classes)
    return () if known is None else tuple(v for v in known.conditions if v not in past)


def _past(classes: WeightedClasses) -> list[Hashable]:
    known = classes.target.knowledge
    return [] if known is None else [one.name for one in past_columns(classes.nodes, known.conditions)]


def acts_on(classes: WeightedClasses) -> pd.DataFrame:
    """See ``Posterior.acts_on``."""
    import pandas as pd

    conditions = conditions_of(classes)
    if not conditions:
        raise SettingsError("there are no experimental conditions; name their columns: cz.sample(data, contexts=[...])")
    number = {v: i for i, v in enumerate(classes.nodes)}
    variables = [v for v in classes.nodes if v not in (*conditions, *_past(classes))]
    rows = [(c, v, classes.edges.directed[number[c], number[v]]) for c in conditions for v in variables]
    frame = pd.DataFrame(rows, columns=["condition", "variable", "probability"])
    return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)


def directed_by_conditions(classes: WeightedClasses) -> pd.DataFrame:
    """See ``Posterior.directed_by_conditions``."""
    import pandas as pd

    conditions, nodes = conditions_of(classes), classes.nodes
    if not conditions:
        raise SettingsError("there are no experimental conditions; name their columns: cz.sample(data, contexts=[...])")
    variables = [i for i, v in enumerate(nodes) if v not in conditions]
    past = Knowledge.contexts(_past(classes))
    n, listed = len(variables), top_classes(classes, MOST_CLASSES)
    arrows, alone, total = np.zeros((n, n)), np.zeros((n, n)), sum(one.probability for one in listed)
    for one in listed:
        dag = one.graph.dag()[np.ix_(variables, variables)]
        matrix = one.graph.matrix()[np.ix_(variables, variables)]
        observed = CPDAG.from_dag(dag, [nodes[i] for i in variables]).with_knowledge(past).matrix()
        share = one.probability / total
        arrows += share * (matrix > matrix.T)
        alone += share * (observed > observed.T)
    rows = [
        (nodes[variables[i]], nodes[variables[j]], arrows[i, j], alone[i, j])
        for i, j in np.argwhere(arrows > alone + 1e-12).tolist()
    ]
    frame = pd.DataFrame(rows, columns=["cause", "outcome", "probability", "without_conditions"])
    gain = frame["without_conditions"] - frame["probability"]
    return frame.iloc[np.argsort(gain.to_numpy(), kind="stable")].reset_index(drop=True)
