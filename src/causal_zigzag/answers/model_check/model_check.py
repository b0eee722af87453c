"""ModelCheck: whether the most probable classes and the model of their score fit the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.model_check.implied_regressions import implied_regressions
from causal_zigzag.answers.model_check.level_tests import TABLES, level_dependences, level_tests
from causal_zigzag.answers.model_check.residual_tests import (
    DEPENDENCE_SHARE,
    SIMULATIONS,
    curve_tests,
    linear_dependences,
    residual_tests,
)
from causal_zigzag.answers.model_check.stored_check import StoredCheck, name_of
from causal_zigzag.answers.top_classes import top_classes
from causal_zigzag.errors import DataError, ScoreError, SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.scores.mixed import Blocks, blocks
from causal_zigzag.support.validation import read_count
from causal_zigzag.support.wording import count, percentage
from causal_zigzag.tables.missing_cells import complete_rows
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.target.knowledge import Knowledge

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.model_check.residual_tests import Tested
    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.scores.base import Score
    from causal_zigzag.scores.discrete import CategoricalRows
    from causal_zigzag.tables.table import Table
    from causal_zigzag.target.target import Target

CLASSES = 3  # that are tested
MOST_NODES = 40  # for pages and files; more take several seconds
FLOORS = (1 / (1 + SIMULATIONS) / (1 - DEPENDENCE_SHARE), 1 / (1 + TABLES))  # of simulated p-values
SMALL = 0.05  # p-values below this are called small
MOST_ROWS = 2000  # more rows are not tested, since they make every deviation significant and the tests slow
COMPARABLE = 0.1  # of the probability of the most probable class; classes with less are not tested
LEAST_SHOWN = 1e-99
NAMED = 5  # tests in words
PICTURES, MOST_POINTS = 6, 400
SEED = 21
SECONDS = 0.1  # of a greedy search in the core, after which it can be interrupted

MEANINGS = {
    "dependence": "{y} depends on {x} although no edge joins them",
    "curve": "the relation of {y} to {x} is curved",
    "spread": "the spread of {y} changes with {x}",
    "outliers": "{y} has outlying cells",
}


REASONS = {
    "dependence": "columns that no edge joins depend on each other",
    "curve": "relations are curved",
    "spread": "noise is not the same everywhere",
    "outliers": "cells are far from the rest",
}


class ResidualPicture(NamedTuple):
    """The residual of a node given its parents against another column, for a small picture."""

    node: Hashable
    other: Hashable
    kind: str
    values: NDArray[np.float64]
    residuals: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ModelCheck:
    """Whether the most probable classes and the model of the score fit the rows; ``print`` says it in words.

    ``p_value`` is the probability that a table for which the model holds shows as much as the most extreme test; below
    0.05 the model is rejected. ``tests`` is a pandas.DataFrame with the smallest p-value first: the ``kind``, the
    ``node`` and the ``other`` node, the parents it is ``given``, the ``statistic`` and its ``p_value``. The kinds are
    "dependence" (of two nodes that the classes call independent given the parents), and for numbers "curve", "spread"
    (of the residual, if it changes with the other node) and "outliers". ``residuals`` has the smallest p-value of the
    last three kinds for each regression of a node on its parents. ``classes`` is the number of classes whose
    independences were tested, one DAG each, ``probability`` what they have together, and ``n_rows`` the number of rows.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=300, rng=1)
    >>> check = cz.sample(table, jumps=1000, rng=1).check_model()
    >>> check.ok, len(check.tests)
    (True, 10)
    """

    p_value: float
    tests: pd.DataFrame
    residuals: pd.DataFrame
    classes: int
    probability: float
    n_rows: int
    pictures: tuple[ResidualPicture, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the model is not rejected, at the level of 5 %.

        >>> import causal_zigzag as cz
        >>> x = cz.datasets.linear_gaussian([("a", "b")], rows=300, rng=1)
        >>> cz.sample(x.assign(b=x["a"] ** 2), "gaussian-bic", jumps=1000, rng=1).check_model().ok
        False
        """
        return self.p_value >= SMALL

    @property
    def small_share(self) -> float:
        """The share of tests with a p-value below 0.05, of which chance alone gives 0.05.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=300, rng=1)
        >>> cz.sample(table, jumps=1000, rng=1).check_model().small_share
        0.2
        """
        return float((self.tests["p_value"] < SMALL).mean()) if len(self.tests) else 0.0

    @property
    def found(self) -> tuple[str, ...]:
        """The kinds of tests that reject the model even for this number of tests; empty if it is not rejected.

        >>> import causal_zigzag as cz
        >>> x = cz.datasets.linear_gaussian([("a", "b")], rows=300, rng=1)
        >>> cz.sample(x.assign(b=x["a"] ** 2), "gaussian-bic", jumps=1000, rng=1).check_model().found
        ('curve', 'spread', 'outliers')
        """
        if self.ok or not len(self.tests):
            return ()
        clear = self.tests["p_value"] * len(self.tests) < SMALL
        return tuple(dict.fromkeys(self.tests["kind"][clear] if clear.any() else self.tests["kind"][:1]))

    @property
    def reason(self) -> str:
        """What speaks most against the model, in words; empty if nothing does.

        >>> import causal_zigzag as cz
        >>> x = cz.datasets.linear_gaussian([("a", "b")], rows=300, rng=1)
        >>> cz.sample(x.assign(b=x["a"] ** 2), "gaussian-bic", jumps=1000, rng=1).check_model().reason
        'relations are curved, and noise is not the same everywhere'
        """
        return ", and ".join(REASONS[kind] for kind in self.found[:2])

    def worst(self, k: int = NAMED) -> list[str]:
        """The k most extreme tests with p-values that are small even for this number of tests, in words."""
        rows = self.tests[self.tests["p_value"] * len(self.tests) < SMALL].head(k)
        return [_in_words(row) for row in rows.to_dict("records")]

    def __str__(self) -> str:
        verdict = "The model fits as far as these tests can see" if self.ok else "The model does not fit"
        tested = f"Of {count(len(self.tests), 'test')} {percentage(self.small_share)} have p-values below {SMALL:g}"
        number = "" if self.classes == 1 else f"{self.classes} "
        which = f"the {number}most probable class{'es' * (self.classes > 1)} (probability {self.probability:.2g})"
        lines = [
            f"{verdict}: {_in_figures(self.p_value)}.",
            f"{tested}; chance gives {percentage(SMALL)}. Tested: {which} on {count(self.n_rows, 'row')}.",
        ]
        return "\n".join([*lines, *(f"- {words}" for words in self.worst())])

    def __repr__(self) -> str:
        return f"ModelCheck(p_value={self.p_value:.2g}, {count(len(self.tests), 'test')})"

    def _repr_html_(self) -> str:
        from causal_zigzag.report.model_check import model_check_html

        return model_check_html(self)


def check_model(
    classes: WeightedClasses, data: Any = None, k: Any = CLASSES, stored: StoredCheck | None = None
) -> ModelCheck:
    """See ``Posterior.check_model``; ``stored`` is the check in the file of a run whose rows are not known."""
    if not classes.target.score.has_one_model:
        raise ScoreError(
            f"check_model tests one regression of all rows, but {classes.target.score!r} has one for each condition; "
            "check a run on the rows of one condition"
        )
    listed = top_classes(classes, read_count("classes", k, 1))
    score = classes.target.score
    if data is None and stored is not None and score.source_table is None and stored.graphs == name_of(listed):
        return _restored(stored, classes.nodes)
    top = [one for one in listed if one.probability >= COMPARABLE * listed[0].probability]
    restriction = classes.target.restriction
    given = () if restriction is None else restriction.conditions
    names = classes.nodes
    dags = [one.graph.dag() for one in top]
    known = score.categorical_rows()
    pictures: tuple[ResidualPicture, ...] = ()
    if known is not None:
        codes = _tested_codes(score, known, data)
        found, n_rows = level_tests(codes, dags, partial(_refitted, classes.target), given), codes.shape[1]
    else:
        table = _tested_rows(score, data)
        curves, n_rows, regressions = score.curves(table), table.n_rows, implied_regressions(dags, given)
        if curves is not None:
            found = curve_tests(curves, regressions)
        else:
            columns = _columns(score, table)
            found = residual_tests(columns, regressions)
            pictures = _pictures(columns, found.tests, names)
    tests = _table(found.tests, names)
    return ModelCheck(
        found.p_value, tests, _residuals(tests), len(top), sum(one.probability for one in top), n_rows, pictures
    )


def dependences(classes: WeightedClasses, dag: NDArray[np.uint8], data: Any = None) -> tuple[pd.DataFrame, int]:
    """The tests of the independences that one DAG implies, the smallest p-value first, and the number of rows."""
    score, restriction = classes.target.score, classes.target.restriction
    regressions = implied_regressions([dag], () if restriction is None else restriction.conditions)
    known = score.categorical_rows()
    if known is not None:
        codes = _tested_codes(score, known, data)
        return _table(level_dependences(codes, regressions), classes.nodes), codes.shape[1]
    table = _tested_rows(score, data)
    curves = score.curves(table)
    if curves is not None:
        tests = curve_tests(curves, regressions).tests
    else:
        tests = linear_dependences(_columns(score, table), regressions)
    return _table(tests, classes.nodes), table.n_rows


def _tested_codes(score: Score, known: CategoricalRows, data: Any) -> NDArray[np.int64]:
    """The levels of the rows that are tested, one row per node."""
    codes = known.codes.astype(np.int64) if data is None else _codes(score, data)
    if data is None and len(known.weights):
        codes = np.repeat(codes, known.weights.astype(np.int64), axis=1)
    return np.asarray(codes[:, _chosen(codes.shape[1])])


def storable_check(classes: WeightedClasses) -> StoredCheck | None:
    """The check for a file; None if its rows are part of the score, or cannot be tested."""
    score = classes.target.score
    if score.categorical_rows() is not None or len(classes.nodes) > MOST_NODES:
        return None
    try:
        return StoredCheck.of(check_model(classes), top_classes(classes, CLASSES), classes.nodes)
    except (DataError, ScoreError):  # too few complete rows, or no one model of all rows
        return None


def _restored(stored: StoredCheck, nodes: Sequence[Hashable]) -> ModelCheck:
    tests = _frame(stored.tests(nodes))
    pictures = stored.pictures(nodes, ResidualPicture)
    residuals = _residuals(tests)
    return ModelCheck(stored.p_value, tests, residuals, stored.classes, stored.probability, stored.n_rows, pictures)


def _tested_rows(score: Score, data: Any) -> Table:
    """The complete rows that are tested."""
    table = score.source_table if data is None else read_table(data)
    if table is None:
        raise SettingsError(
            f"the rows from which {score!r} was computed are not known, as it comes from a file; pass them: "
            "check_model(data=table)"
        )
    _same_nodes(score, table)
    complete = complete_rows(table.columns)
    rows = complete[_chosen(len(complete))]
    return replace(table, columns=tuple(column.rows(rows) for column in table.columns), n_rows=len(rows))


def _refitted(target: Target, codes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """A DAG of the class that greedy search finds for these rows, free of knowledge and bounds but for conditions."""
    known = None if target.knowledge is None else Knowledge(conditions=target.knowledge.conditions)
    free = replace(target, score=target.score.with_codes(codes), max_degree=None, knowledge=known)
    start, score = free.sparsest(), free.score.core_score()
    assert score is not None, "discrete scores are computed in the core"
    search = _core.make_greedy(
        start=start.core,
        score=score,
        prior=free.edge_prior.core(free.coldness),
        max_degree=len(free.nodes),
        forbidden=[],
        arrows=free.arrows,
    )
    for phase in (0, 1):  # forward and backward
        while not search.run(phase, SECONDS):
            pass
    return free.restrict(CPDAG.from_core(search.graph(), start.labels)).dag()


def _columns(score: Score, table: Table) -> Blocks:
    """The columns of a linear model."""
    if score.regression_moments() is None:
        return blocks(table)
    return Blocks(table.numbers("check_model"), np.arange(len(table.nodes) + 1), [*table.nodes])


def _codes(score: Score, data: Any) -> NDArray[np.int64]:
    table = read_table(data)
    _same_nodes(score, table)
    return table.codes("check_model")[0].astype(np.int64)


def _same_nodes(score: Score, table: Table) -> None:
    if table.nodes != score.nodes:
        raise SettingsError(
            f"the table has the columns {show_all(table.nodes)}, but the posterior has {show_all(score.nodes)}"
        )


def _chosen(rows: int) -> NDArray[np.intp]:
    """The rows that are tested: all, or some chosen at random."""
    if rows <= MOST_ROWS:
        return np.arange(rows)
    return np.sort(np.random.default_rng(SEED).choice(rows, MOST_ROWS, replace=False))


def _table(tests: Sequence[Tested], names: Sequence[Hashable]) -> pd.DataFrame:
    rows = [
        (one.kind, names[one.node], names[one.other], tuple(names[p] for p in one.parents), one.statistic, one.p_value)
        for one in sorted(tests, key=lambda one: one.p_value)
    ]
    return _frame(rows)


def _frame(rows: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=["kind", "node", "other", "given", "statistic", "p_value"])


def _residuals(tests: pd.DataFrame) -> pd.DataFrame:
    """The smallest p-value of each kind for each regression, corrected for the number of nodes it was tested with."""
    kinds = ["curve", "spread", "outliers"]
    own = tests[tests["kind"].isin(kinds)]
    found = own.groupby(["node", "given", "kind"], sort=False)["p_value"].agg(lambda p: min(1.0, len(p) * p.min()))
    return found.unstack().reindex(columns=kinds).reset_index()


def _in_figures(p: float) -> str:
    """The p-value; if no simulation was as extreme, the bound that their number gives."""
    floor = next((one for one in FLOORS if math.isclose(p, one)), None)
    return f"p = {p:.2g}" if floor is None else f"p < {math.ceil(floor * 1000) / 1000:g}"


def _in_words(row: dict[Any, Any]) -> str:
    given = f", given {show_all(row['given'])}" if row["given"] and row["kind"] != "outliers" else ""
    meaning = MEANINGS[row["kind"]].format(y=show(row["node"]), x=show(row["other"]))
    p = row["p_value"]
    return f"{meaning}{given} (p {f'= {p:.1g}' if p > LEAST_SHOWN else f'< {LEAST_SHOWN:g}'})"


def _pictures(columns: Blocks, tests: Sequence[Tested], names: Sequence[Hashable]) -> tuple[ResidualPicture, ...]:
    """The residuals of the most extreme tests, one picture per pair of nodes."""
    drawn: dict[tuple[int, int], ResidualPicture] = {}
    places = np.split(np.arange(columns.begin[-1]), columns.begin[1:-1])
    step = -(-len(columns.columns) // MOST_POINTS)
    for one in sorted(tests, key=lambda one: one.p_value):
        other = one.other if one.kind != "outliers" or not one.parents else one.parents[0]
        if len(places[one.node]) > 1 or len(places[other]) > 1 or (one.node, other) in drawn or other == one.node:
            continue
        given = [columns.columns[:, places[p]] for p in one.parents]
        design = np.column_stack([np.ones(len(columns.columns)), *given])
        y = columns.columns[:, places[one.node][0]]
        residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        x = columns.columns[:, places[other][0]]
        picture = ResidualPicture(names[one.node], names[other], one.kind, x[::step], residual[::step])
        drawn[one.node, other] = picture
        if len(drawn) == PICTURES:
            break
    return tuple(drawn.values())
