"""The score of a posterior with the rows of its table, which resampling needs; a file need not hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import ScoreError, SettingsError
from causal_zigzag.graphs.labels import show_all
from causal_zigzag.resampling.units import MOST_NAMES, names_of
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.comparison import score_differences
from causal_zigzag.support.wording import count
from causal_zigzag.tables.lagged import lagged
from causal_zigzag.tables.names_in_words import read_options
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.scores.base import Score


def score_with_rows(posterior: Posterior, data: Any = None, by: Any = None) -> Score:
    """The score, with the rows of ``data`` if they are given; an error says what to give if rows are not known.

    Columns of the data that ``by`` names are not variables.
    """
    score = posterior.score
    if score.is_flat:
        raise SettingsError(f"{score!r} has no rows to resample")
    if score.is_partial:
        raise SettingsError(
            "a posterior from a file has no score of your own; load it with the score, cz.load(path, score=...), to "
            "resample its rows"
        )
    if data is not None and isinstance(score, BuiltinScore):
        return with_table(score, _read(posterior, data, by))
    if score.row_count is not None:
        return score
    if isinstance(score, BuiltinScore):
        raise SettingsError(
            f"the rows of {score!r} are not known, as a file has only what the score is computed from; pass the same "
            f"table, such as data='table.csv'"
        )
    raise ScoreError(
        f"{score!r} is a score of your own, whose rows are not known; implement its property row_count, the number of "
        f"rows, and its method with_row_weights(weights), which returns the score with a weight for each row"
    )


def _read(posterior: Posterior, data: Any, by: Any) -> Table:
    """The table, read as it was read for the run."""
    if isinstance(data, Table):
        return data
    options = read_options("" if posterior.record is None else posterior.record.reading)
    read: Any = lagged if "lags" in options else read_table
    named = isinstance(by, (str, tuple)) or (isinstance(by, list) and len(by) <= MOST_NAMES)
    if named and read is read_table:
        options["by"] = [name for name in names_of(by, -1) or () if name not in posterior.nodes]
    table: Table = read(data, **options)
    return table


def with_table(score: BuiltinScore, table: Table) -> Score:
    """The same score with the rows of this table, which must be the one that it was computed from."""
    if table.nodes != score.nodes:
        raise SettingsError(
            f"data have the columns {show_all(table.nodes)}, but the posterior has {show_all(score.nodes)}; read them "
            f"as they were read before: data=cz.read_table(...)"
        )
    made = score.with_table(table)
    if score.row_count is None:
        found = score_differences(score, made.with_row_weights(np.ones(table.n_rows)))
    else:
        found = [f"they have {count(table.n_rows, 'row')}"] if score.row_count != table.n_rows else []
    if found:
        raise SettingsError(f"data are not those that the posterior was sampled from: {'; '.join(found)}")
    return made
