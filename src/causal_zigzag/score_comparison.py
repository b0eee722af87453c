"""compare_scores, compare_lags: which model, or how much of the past, predicts rows best that were not used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from causal_zigzag.answers.held_out import log_predictive
from causal_zigzag.errors import DataWarning, SettingsError
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.sampling import sample
from causal_zigzag.scores.choose import choose_score, make_score
from causal_zigzag.search.annealed_search import search
from causal_zigzag.support.arguments import hinted
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.support.validation import is_word, read_count
from causal_zigzag.tables.exact_dependencies import without_dependent
from causal_zigzag.tables.lagged import lagged, past_columns
from causal_zigzag.tables.missing_cells import complete_rows
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score
    from causal_zigzag.tables.read_table import ReadingColumns
    from causal_zigzag.tables.table import Table
    from causal_zigzag.target.edge_prior import EdgePriorInput
    from causal_zigzag.target.knowledge import Knowledge

DRAWN_DAGS = 200  # over which densities are averaged
CHAINS = 2
RESTARTS = 2  # of the search for the best graph
OF_CONTEXTS = "no log_evidence: contexts are given, and the total of a score would count their densities"


@hinted
def compare_scores(
    data: Any,
    scores: Sequence[str | type[Score]] | Mapping[str, str | Callable[[Table], Score]],
    folds: int = 5,
    *,
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    knowledge: Knowledge | None = None,
    jumps: int = 20_000,
    rng: Rng = None,
) -> pd.DataFrame:
    """Which model predicts rows best that it has not seen: one row per score, the best first.

    ``scores`` are names such as "gaussian-bic" and "additive-gp", classes such as ``cz.BGe``, or a dict with names of
    yours and functions of a table, such as ``{"strict": lambda table: cz.GaussianBIC(table, penalty=2)}``. The rows are
    divided into ``folds`` random parts, or into blocks of time if the table is one of ``lagged``. For each part,
    ``jumps`` jumps of two chains are sampled given the other parts, with this ``edge_prior`` and ``knowledge``, and the
    densities of the rows of the part are averaged over DAGs drawn from this posterior. All densities are on the scale
    of the table, so models with different transforms can be compared.

    The columns are ``log_density``, the mean log density of a row, and its standard ``error``; the mean ``difference``
    to the best score and its ``difference_error``, from the differences of each row; and ``log_evidence``, the log
    marginal likelihood of the whole table at the best graph that was found. It is NaN for scores that are not marginal
    likelihoods of the columns, such as BIC or normal scores, and for tables with contexts, and ``note`` says why.

    A column that others determine in all rows but those of one part is left out of all scores, with a warning.
    A row with a level that no other part contains is not predicted. Incomplete rows are left out. Contexts are given:
    their own densities do not count.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=200, rng=1)
    >>> found = cz.compare_scores(table.assign(c=table["b"] ** 2), ["gaussian-bic", "additive-gp"], jumps=500, rng=1)
    >>> found["score"].tolist()
    ['additive-gp', 'gaussian-bic']
    >>> bool(found["difference"][1] < -4 * found["difference_error"][1])
    True
    """
    makers = _makers(scores)
    table = _complete(read_table(data))
    generator = as_generator(rng)
    parts = _parts(table, folds, generator)
    table = _independent(table, parts)
    candidates = {name: (maker, table) for name, maker in makers.items()}
    logs = _held_out(candidates, parts, generator, edge_prior, knowledge, jumps)
    seed = int(generator.integers(0, 2**32))
    whole = [make_score(maker, table) for maker in makers.values()]
    evidence = [_log_evidence(score, edge_prior, knowledge, seed) for score in whole]
    made = _frame(logs, "score", _in_time(table)).assign(
        log_evidence=evidence, note=[OF_CONTEXTS if score.contexts else score.evidence_note() for score in whole]
    )
    return made.sort_values("log_density", ascending=False, kind="stable", ignore_index=True)


@hinted
def compare_lags(
    data: Any,
    lags: int = 4,
    folds: int = 5,
    *,
    by: Hashable | Sequence[Hashable] | None = None,
    time: Hashable | None = None,
    score: str | Callable[[Table], Score] = "auto",
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    jumps: int = 20_000,
    rng: Rng = None,
    **reading: Unpack[ReadingColumns],
) -> pd.DataFrame:
    """How much of the past predicts the present best: one row for each number of lags, from 0 to ``lags``.

    ``data``, ``by``, ``time`` and ``reading`` are those of ``lagged``, the other arguments those of ``compare_scores``.
    All numbers of lags use the same rows, those with a past of ``lags`` steps. The parts that are held out are blocks
    of successive rows, and the densities are those of the present given the past. Use the smallest number of lags whose
    ``difference`` to the best is within about two of its errors.

    >>> import causal_zigzag as cz
    >>> x, y = np.random.default_rng(1).normal(size=(2, 200))
    >>> y[1:] += x[:-1]
    >>> found = cz.compare_lags({"x": x, "y": y}, lags=2, jumps=500, rng=1)
    >>> (found["difference"] < -0.1).tolist()
    [True, False, False]
    """
    table = lagged(data, lags, by, time, **reading)
    generator = as_generator(rng)
    parts = _parts(table, folds, generator)
    maker = choose_score(table).score_name if is_word(score, "auto") else score
    behind = {past.name: past.lag for past in past_columns(table.nodes, table.contexts)}
    candidates = {}
    for steps in range(lags + 1):
        columns = tuple(column for column in table.columns if behind.get(column.name, 0) <= steps)
        contexts = tuple(name for name in table.contexts if behind.get(name, 0) <= steps)
        labels = Labels([column.name for column in columns])
        candidates[steps] = (maker, replace(table, columns=columns, labels=labels, contexts=contexts))
    return _frame(_held_out(candidates, parts, generator, edge_prior, None, jumps), "lags", in_time=True)


def _held_out(
    candidates: Mapping[Any, tuple[Any, Table]],
    parts: Sequence[NDArray[np.intp]],
    generator: np.random.Generator,
    edge_prior: Any,
    knowledge: Any,
    jumps: int,
) -> dict[Any, NDArray[np.float64]]:
    """The log densities of the held-out rows of each candidate, a score with a table; all tables have the same rows."""
    logs: dict[Any, list[NDArray[np.float64]]] = {name: [] for name in candidates}
    widest = max((table for _, table in candidates.values()), key=lambda table: len(table.columns))
    for part, seed in zip(parts, generator.integers(0, 2**32, size=len(parts)).tolist(), strict=True):
        tested = _predictable(widest, part)
        if not len(tested):
            continue
        others = np.setdiff1d(np.arange(widest.n_rows), tested)
        for name, (maker, table) in candidates.items():
            posterior = sample(
                make_score(maker, _rows(table, others)),
                edge_prior=edge_prior,
                knowledge=knowledge,
                jumps=jumps,
                chains=CHAINS,
                rng=seed,
                progress=False,
            )
            dags = posterior.sample_dags(DRAWN_DAGS, rng=seed)
            logs[name].append(log_predictive(posterior.score, dags, _rows(table, tested)))
    if not logs[next(iter(logs))]:
        raise SettingsError("no row can be predicted: every row has a level that no other row has")
    return {name: np.concatenate(own) for name, own in logs.items()}


def _makers(scores: Any) -> dict[str, Any]:
    """The scores by name."""
    if isinstance(scores, Mapping):
        made = dict(scores)
    elif isinstance(scores, Sequence) and not isinstance(scores, str):
        made = {score if isinstance(score, str) else getattr(score, "__name__", repr(score)): score for score in scores}
    else:
        raise SettingsError(f"scores must be a list of names or classes of scores, or a dict, not {scores!r}")
    if not made or len(made) != len(scores):
        raise SettingsError("scores must name at least one score, and none of them twice")
    return made


def _complete(table: Table) -> Table:
    return table if table.complete else _rows(table, complete_rows(table.columns))


def _independent(table: Table, parts: Sequence[NDArray[np.intp]]) -> Table:
    """The table without columns that others determine in all rows but those of a part, where no score can use them."""
    every, left_out = np.arange(table.n_rows), dict[str, None]()
    for part in parts:
        columns = [column.rows(np.setdiff1d(every, part)) for column in table.columns]
        _, notes = without_dependent(columns, {*table.contexts})
        left_out |= dict.fromkeys(name for note in notes for name in note.columns)
    kept = tuple(column for column in table.columns if str(column.name) not in left_out)
    if len(kept) == len(table.columns) or len(kept) < 2:
        return table
    names = ", ".join(left_out)
    warn_user(f"left out of the comparison, since others determine it in all rows but a few: {names}", DataWarning)
    return replace(table, columns=kept, labels=Labels([column.name for column in kept]))


def _parts(table: Table, folds: Any, generator: np.random.Generator) -> list[NDArray[np.intp]]:
    """Random rows; successive ones in a table of ``lagged``, whose rows are alike if they are close in time."""
    rows = np.arange(table.n_rows)
    order = rows if _in_time(table) else generator.permutation(rows)
    return np.array_split(order, read_count("folds", folds, 2, most=table.n_rows))


def _in_time(table: Table) -> bool:
    return bool(past_columns(table.nodes, table.contexts))


def _rows(table: Table, rows: NDArray[np.intp]) -> Table:
    return replace(table, columns=tuple(column.rows(rows) for column in table.columns), n_rows=len(rows))


def _predictable(table: Table, part: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows of a part of which every level also occurs in other parts; the rest stays with the rows that are known,
    so that these have all levels."""
    others = np.setdiff1d(np.arange(table.n_rows), part)
    kept = np.ones(len(part), dtype=bool)
    for column in table.columns:
        if column.codes is not None:
            kept &= np.isin(column.codes[part], column.codes[others])
    return part[kept]


def _log_evidence(score: Score, edge_prior: Any, knowledge: Any, seed: int) -> float:
    scale = score.log_jacobian()
    if scale is None or score.contexts:
        return float("nan")
    found = search(score, edge_prior=edge_prior, restarts=RESTARTS, knowledge=knowledge, rng=seed, progress=False)
    return found.score + scale


def _frame(logs: Mapping[Any, NDArray[np.float64]], name_of: str, in_time: bool) -> pd.DataFrame:
    """Means with errors, which are those of means of batches if successive rows in time depend on each other."""
    import pandas as pd

    def error(values: NDArray[np.float64]) -> float:
        means = [part.mean() for part in np.array_split(values, math.isqrt(len(values)) if in_time else len(values))]
        return float(np.std(means, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else float("nan")

    best = max(logs.values(), key=lambda own: float(own.mean()))
    rows = [(name, own.mean(), error(own), (own - best).mean(), error(own - best)) for name, own in logs.items()]
    return pd.DataFrame(rows, columns=[name_of, "log_density", "error", "difference", "difference_error"])
