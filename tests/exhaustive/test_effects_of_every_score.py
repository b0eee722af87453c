"""Effects of every score on a table of four columns against sums over all 543 DAGs, or those that knowledge allows.

Weighted rows are compared with repeated ones, resamples with the average of their sums.
"""

from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.effects.effect import Effect
from causal_zigzag.answers.effects.queries import effect, effects, strengths
from causal_zigzag.answers.resamples.mixture import Resamples, mixed_classes
from causal_zigzag.answers.weighted_classes import WeightedClasses
from causal_zigzag.scores.responses.response import ResponseModel
from score_cases import all_dags

ROWS = 40


def table() -> pd.DataFrame:
    """Two numbers, a column of three levels and one of two, with few rows, so that many DAGs are probable."""
    rng = np.random.default_rng(3)
    group = rng.integers(0, 3, ROWS)
    size = 0.5 * group + rng.normal(size=ROWS)
    flag = rng.random(ROWS) < np.clip(0.2 + 0.2 * group + 0.1 * size, 0, 1)
    last = 0.5 * size + 0.5 * flag + rng.normal(size=ROWS)
    return pd.DataFrame(
        {
            "group": np.array(["low", "mid", "top"])[group],
            "size": size,
            "flag": np.where(flag, "on", "off"),
            "last": last,
        }
    )


TABLE = table()
NUMBERS = TABLE.assign(
    group=TABLE["group"].map({"low": 0.3, "mid": 1.1, "top": 2.4}), flag=TABLE["flag"].eq("on") * 1.5
)
NUMBERS[:] += np.random.default_rng(4).normal(size=NUMBERS.shape) / 10
CODES = TABLE.assign(size=pd.cut(TABLE["size"], 2, labels=["a", "b"]), last=pd.cut(TABLE["last"], 3, labels=[*"abc"]))
CODES = CODES.astype(str)
SCORES = {
    "gaussian-bic": cz.GaussianBIC(NUMBERS),
    "bge": cz.BGe(NUMBERS),
    "discrete-bic": cz.DiscreteBIC(CODES),
    "bdeu": cz.BDeu(CODES),
    "mixed-bic": cz.MixedBIC(TABLE),
    "mixed-bge": cz.MixedBGe(TABLE),
    "additive-gp": cz.AdditiveGP(TABLE),
}


def columns_of(name: str) -> np.ndarray:
    """A number, or the indicators of all levels but the first, for least squares."""
    column = TABLE[name]
    if name in ("group", "flag"):
        return np.array([column == level for level in sorted({*column})[1:]], dtype=float).T
    return column.to_numpy()[:, None]


CONDITIONS = ["group", "flag"]
TREATED = {
    "interventional-bge": cz.InterventionalBGe(TABLE, contexts=CONDITIONS),
    "interventional-bdeu": cz.InterventionalBDeu(CODES, contexts=CONDITIONS),
}
TIERS = cz.Knowledge(
    tiers=[["group"], ["size", "flag"], ["last"]], required=[("size", "last")], forbidden=[("group", "flag")]
)


def allowed(case: str, dag: np.ndarray) -> bool:
    """Whether a DAG of group, size, flag and last agrees with the knowledge of a case."""
    if case == "knowledge":
        return bool(dag[1, 3]) and not (dag[3].any() or dag[1:, 0].any() or dag[0, 2])
    return case != "contexts" or not dag[:, [0, 2]].any()


DAGS = [*all_dags(4)]
CASES = ("plain", "knowledge", "contexts", "weights", "resamples")
COUNTS = np.random.default_rng(8).integers(0, 4, (2, ROWS))  # how often each row is drawn


@pytest.mark.parametrize(
    ("name", "case"), [*((name, case) for name in SCORES for case in CASES), *((n, "contexts") for n in TREATED)]
)
def test_sums_over_all_dags(name: str, case: str) -> None:
    classes, groups, given_nodes = posterior_of(name, case)
    nodes, frame = classes.nodes, effects(classes, None, None).set_index(["cause", "outcome"])
    for x, y in ((0, 1), (1, 3), (2, 3), (3, 0), (2, 1), (0, 2)):
        found = effect(classes, nodes[x], nodes[y])
        path = mean = square = 0.0
        for model, weighted in groups:
            given = cache(partial(change_given, model, x, y, found.change, found.level))
            for weight, dag in weighted:
                below = reach(dag.tobytes())
                if below[x, y]:
                    others = [v for v in given_nodes if v != x and below[v, y]]  # instead of parents of a given node
                    parents = tuple(others if x in given_nodes else np.flatnonzero(dag[:, x]).tolist())
                    own_mean, own_square = given(parents)
                    path, mean, square = path + weight, mean + weight * own_mean, square + weight * own_square
                    if name.startswith("mixed") and not model.levels[x] and case in ("plain", "knowledge", "contexts"):
                        bound = 1e-10 if name == "mixed-bic" else 0.1  # the latter has a prior
                        assert own_mean == pytest.approx(least_squares(x, y, parents, found), abs=bound)
        if path == 0:
            assert case in ("knowledge", "contexts")
            assert found.probability_nonzero == found.mean == 0
            continue
        assert path > 1e-6
        assert found.probability_nonzero == pytest.approx(path, abs=1e-10)
        assert found.mean == pytest.approx(mean, abs=1e-10)
        assert found.sd == pytest.approx(np.sqrt(square - mean**2), abs=1e-8)
        assert found.between + found.within == pytest.approx(found.sd**2)
        row = frame.loc[(nodes[x], nodes[y])]
        assert (row["mean"], row["sd"]) == (pytest.approx(found.mean, abs=1e-12), pytest.approx(found.sd, abs=1e-10))
        assert (row["lower"], row["upper"]) == pytest.approx(found.interval(), abs=1e-9)
        assert (found.components["probability"] @ found.components["estimate"]) == pytest.approx(mean, abs=1e-10)


@pytest.mark.parametrize(("name", "case"), [(name, case) for name in SCORES for case in CASES])
def test_strengths_are_sums_over_all_dags(name: str, case: str) -> None:
    """Given x -> y: the response of y to x, given the other parents of y."""
    classes, groups, _ = posterior_of(name, case)
    frame = strengths(classes, standardized=False, least=0.0)
    assert len(frame) == (6 if case in ("knowledge", "contexts") else 12)
    for row in frame.to_dict("records"):
        x, y = (classes.nodes.index(row[end]) for end in ("cause", "outcome"))
        change = None if row["from"] is None else (row["from"], row["to"])
        probability = mean = square = 0.0
        for model, weighted in groups:
            given = cache(partial(change_given, model, x, y, change, row["level"]))
            for weight, dag in weighted:
                if dag[x, y]:
                    own_mean, own_square = given(tuple(v for v in np.flatnonzero(dag[:, y]).tolist() if v != x))
                    mean, square = mean + weight * own_mean, square + weight * own_square
                    probability += weight
        assert row["probability"] == pytest.approx(probability, abs=1e-10)
        mean, square = mean / probability, square / probability
        assert row["mean"] == pytest.approx(mean, rel=1e-8, abs=1e-10)
        assert row["sd"] == pytest.approx(np.sqrt(square - mean**2), abs=1e-8)


@cache
def reach(dag: bytes) -> np.ndarray:
    """Which nodes (rows) are ancestors of which, or equal to them."""
    return np.linalg.inv(np.eye(4) - np.frombuffer(dag, dtype=DAGS[0].dtype).reshape(4, 4)).round() > 0


@cache
def posterior_of(
    name: str, case: str
) -> tuple[WeightedClasses, list[tuple[ResponseModel, list[tuple[float, np.ndarray]]]], list[int]]:
    """The posterior; for each table, its model and all allowed DAGs with their probabilities; the given nodes."""
    score = (SCORES | TREATED)[name]
    knowledge = {"knowledge": TIERS, "contexts": cz.Knowledge.contexts(CONDITIONS)}.get(case)
    given_nodes = [0, 2] if case == "contexts" else []
    drawn = {"weights": [COUNTS[0]], "resamples": [*COUNTS]}.get(case, [])
    scores = [score.with_row_weights(counts) for counts in drawn] or [score]
    members = [cz.exact_posterior(own, prior="dags", knowledge=knowledge, edge_prior=None)._classes for own in scores]
    resamples = Resamples(members, [*range(len(members))])
    classes = members[0] if len(members) == 1 else mixed_classes(members[0].target, resamples)
    if case == "weights" and name != "additive-gp":  # whose curves stay those of all rows
        rows = np.repeat(np.arange(ROWS), COUNTS[0])
        table = {"gaussian-bic": NUMBERS, "bge": NUMBERS, "discrete-bic": CODES, "bdeu": CODES}.get(name, TABLE)
        scores = [type(score)(table.iloc[rows].reset_index(drop=True))]
    dags = [dag for dag in DAGS if allowed(case, dag)]
    groups = []
    for own in scores:
        weights = probabilities(own, dags, given_nodes) / len(scores)
        groups.append((own.response_model(), [*zip(weights.tolist(), dags, strict=True)]))
    return classes, groups, given_nodes


def probabilities(score: cz.Score, dags: list[np.ndarray], given_nodes: list[int]) -> np.ndarray:
    """The probabilities of DAGs, from local scores; given nodes are not explained."""
    nodes, local = score.nodes, cache(score.local)
    logs = np.array(
        [
            sum(
                local(nodes[v], tuple(nodes[p] for p in np.flatnonzero(dag[:, v])))
                for v in range(4)
                if v not in given_nodes
            )
            for dag in dags
        ]
    )
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def change_given(
    model: ResponseModel, x: int, y: int, change: tuple[Any, Any] | None, level: Any, parents: tuple[int, ...]
) -> tuple[float, float]:
    """The mean of the change, and of its square, with these other causes of the outcome."""
    responses, (a, b) = model.responses(x, y, [parents]), change or (None, None)
    g = model.outcome_vectors(y)[model.place(y, level) if model.levels[y] else 0]
    terms = responses.change(model.slope(x) if a is None else model.vector_of(x, b) - model.vector_of(x, a), g)
    freedom = np.minimum(terms.freedom, 1e15)
    variances = terms.scale**2 * freedom / (freedom - 2)
    return float(responses.share @ terms.mean), float(responses.share @ (variances + terms.mean**2))


def least_squares(x: int, y: int, parents: tuple[int, ...], found: Effect) -> float:
    """The slope of a mixed column, or of the indicator of a level of it, on a number and its parents."""
    names = [*TABLE]
    design = np.column_stack([np.ones(ROWS), *(columns_of(names[v]) for v in (x, *parents))])
    outcome = TABLE[names[y]] if found.level is None else TABLE[names[y]] == found.level
    return float(np.linalg.lstsq(design, outcome.to_numpy(dtype=float), rcond=None)[0][1])
