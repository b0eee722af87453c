"""judge(): a graph of a user against a distribution over classes, and against the rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.model_check.model_check import dependences
from causal_zigzag.answers.own_graph.judgement import SMALL, Judgement
from causal_zigzag.answers.top_classes import top_classes
from causal_zigzag.errors import KnowledgeError, ScoreError, SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.formats.any_graph import in_order_of, read_any_graph
from causal_zigzag.graphs.labels import show

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.graphs.mpdag import ClassGraph

HALF = 0.5
VERDICTS = ("against", "reversed", "missing", "unclear", "open", "holds", "absent")  # the order of the table


def judge(classes: WeightedClasses, graph: Any, data: Any, prior: str) -> Judgement:
    """See ``Posterior.judge``; ``prior`` is that of the posterior, before score and edge prior."""
    matrix, lacking = in_order_of(*read_any_graph(graph, classes.nodes), classes.nodes)
    is_dag = not (matrix & matrix.T).any()
    g = (CPDAG.from_dag if is_dag else CPDAG.from_pdag)(matrix, classes.nodes)
    excluded, own = _excluded(classes, g, matrix, is_dag)
    row, members = classes.find(g), own.count_dags()
    log_odds = math.inf if excluded else _log_odds(classes, g, row, prior)
    if excluded:
        share = 0.0
    elif row is not None:
        share = float(classes.shares[row])
    elif math.isnan(log_odds):
        share = 0.0  # of a class that is not listed, by an unknown weight
    else:  # the ratio of the weights of two classes is known exactly
        share = min(1.0, float(classes.shares[0]) * math.exp(min(0.0, -log_odds)))
    tests, untested, n_rows = _tests(classes, matrix if is_dag else own.dag(), data)
    return Judgement(
        own,
        is_dag,
        members,
        log_odds,
        share,
        share / members if is_dag else share,
        None if row is None or excluded else row + 1,
        len(classes),
        _edges(classes.edges, matrix),
        tests,
        untested,
        n_rows,
        excluded,
        tuple(lacking),
    )


def _excluded(classes: WeightedClasses, g: CPDAG, matrix: NDArray[np.uint8], is_dag: bool) -> tuple[str, ClassGraph]:
    """Why the graph has no weight, empty if it has some, and its class, with the knowledge if it agrees."""
    restriction = classes.target.restriction
    try:
        classes.target.check_start(g, "the graph")
    except (SettingsError, KnowledgeError) as error:
        return str(error), g
    if restriction is not None and is_dag:
        nodes = classes.nodes
        wrong = [(x, y, "forbids") for x, y in restriction.forbidden if matrix[x, y]]
        wrong += [(x, y, "requires") for x, y in restriction.required if not matrix[x, y]]
        for x, y, what in wrong:
            return f"the knowledge {what} {show(nodes[x])} -> {show(nodes[y])}", classes.target.restrict(g)
    return "", classes.target.restrict(g)


def _log_odds(classes: WeightedClasses, g: CPDAG, row: int | None, prior: str) -> float:
    """The log of the ratio of the most probable class to this one; by exact weights where they are known."""
    score, best = classes.target.score, top_classes(classes, 1)
    if not best:
        return math.nan
    by_weight = classes.mixture is None and prior in ("classes", "dags") and not score.is_incomplete
    if by_weight:
        first = best[0].graph if isinstance(best[0].graph, CPDAG) else best[0].graph.cpdag
        try:
            return _log_weight(classes, first, prior) - _log_weight(classes, g, prior)
        except ScoreError:  # a user-defined score from a file, which has the values of few classes
            pass
    if row is None or not classes.shares[row] > 0:
        return math.nan
    return float(np.log(classes.shares[0] / classes.shares[row]))


def _log_weight(classes: WeightedClasses, g: CPDAG, prior: str) -> float:
    size = math.log(classes.target.restrict(g).count_dags()) if prior == "dags" else 0.0
    return classes.target.log_weight(g) + size


def _edges(edges: EdgeProbabilities, matrix: NDArray[np.uint8]) -> pd.DataFrame:
    """The table of edges with what the graph has, the worst first."""
    marks = np.where(matrix & matrix.T, "-", np.where(matrix > 0, "->", np.where(matrix.T > 0, "<-", "")))
    joined = (matrix | matrix.T) > 0
    low = np.minimum.reduce([one.adjacent for one in edges.every])
    high = np.maximum.reduce([one.adjacent for one in edges.every])
    arrows = np.minimum.reduce([one.directed for one in edges.every]) > HALF
    held = np.where(matrix & matrix.T, True, np.where(matrix > 0, arrows, arrows.T))
    turned = ~(matrix & matrix.T).astype(bool) & np.where(matrix > 0, arrows.T, arrows)
    verdict = np.where(
        joined,
        np.select([high < HALF, low < HALF, turned, held], ["against", "unclear", "reversed", "holds"], "open"),
        np.select([low >= HALF, high < HALF], ["missing", "absent"], "unclear"),
    )
    table = edges.table()
    number = {v: i for i, v in enumerate(edges.nodes)}
    at = [number[v] for v in table["x"]], [number[v] for v in table["y"]]
    table.insert(2, "edge", marks[at].astype(object))
    table.insert(3, "verdict", verdict[at].astype(object))
    rank = table["verdict"].map(VERDICTS.index)
    surprise = np.where(table["edge"] == "", -table["adjacent"], table["adjacent"])
    return table.iloc[np.lexsort((surprise, rank))].reset_index(drop=True)


def _tests(classes: WeightedClasses, dag: NDArray[np.uint8], data: Any) -> tuple[pd.DataFrame | None, str, int]:
    """The tests of the implied independences, why there are none, and the number of rows."""
    score = classes.target.score
    if not score.has_one_model:
        return None, f"{score!r} has a model for each condition", 0
    if data is None and score.categorical_rows() is None and score.source_table is None:
        return None, "the rows are not known; pass them: judge(graph, data=table)", 0
    tests, n_rows = dependences(classes, dag, data)
    tests = tests.drop(columns="kind")
    return tests.assign(violated=tests["p_value"] * len(tests) < SMALL), "", n_rows
