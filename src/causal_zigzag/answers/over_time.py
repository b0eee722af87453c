"""over_time: which series causes which, and with what delay, for tables of ``lagged``."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from causal_zigzag.answers.statement_probability import probability_that
from causal_zigzag.answers.statements import directed
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.tables.lagged import past_columns

if TYPE_CHECKING:
    import pandas as pd

    from causal_zigzag.answers.weighted_classes import WeightedClasses


def over_time(classes: WeightedClasses) -> pd.DataFrame:
    """See ``Posterior.over_time``."""
    import pandas as pd

    known, nodes = classes.target.knowledge, classes.nodes
    given = () if known is None else known.conditions
    past = past_columns(nodes, given)
    if not past:
        raise SettingsError("over_time is for series: sample a table of cz.lagged, which has columns of the past")
    labels, edges = Labels(nodes), classes.edges
    present = [node for node in nodes if node not in given]
    rows = []
    for cause in dict.fromkeys([*present, *(one.series for one in past)]):
        columns = [(one.lag, one.name) for one in past if one.series == cause]
        for outcome in present:
            own = [(0, cause)] if cause in present and cause != outcome else []
            arrows = [directed(name, outcome) for _, name in (*own, *columns)]
            at_any_lag = float(probability_that(classes, reduce(or_, arrows)))
            for lag, name in (*own, *columns):
                x, y = labels.number(name), labels.number(outcome)
                rows.append((cause, lag, outcome, edges.directed[x, y], edges.undirected[x, y], at_any_lag))
    frame = pd.DataFrame(rows, columns=["cause", "lag", "outcome", "probability", "open", "any_lag"])
    return frame.sort_values(["any_lag", "probability"], ascending=False, kind="stable", ignore_index=True)
