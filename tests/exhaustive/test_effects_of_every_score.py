"""Effects of every score on a table of four columns against sums over all 543 DAGs, or those that knowledge allows."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
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
    return case == "plain" or not dag[:, [0, 2]].any()


@pytest.mark.parametrize(
    ("name", "case"),
    [
        *((name, case) for name in SCORES for case in ("plain", "knowledge", "contexts")),
        *((n, "contexts") for n in TREATED),
    ],
)
def test_sums_over_all_dags(name: str, case: str) -> None:
    score = (SCORES | TREATED)[name]
    knowledge = {"plain": None, "knowledge": TIERS, "contexts": cz.Knowledge.contexts(CONDITIONS)}[case]
    given_nodes = [0, 2] if case == "contexts" else []
    nodes, local = score.nodes, cache(score.local)
    dags = [dag for dag in all_dags(4) if allowed(case, dag)]
    reach = [np.linalg.inv(np.eye(4) - dag).round() > 0 for dag in dags]
    explained = [v for v in range(4) if v not in given_nodes]
    logs = np.array(
        [sum(local(nodes[v], tuple(nodes[p] for p in np.flatnonzero(dag[:, v]))) for v in explained) for dag in dags]
    )
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    posterior = cz.exact_posterior(score, prior="dags", knowledge=knowledge, edge_prior=None)
    frame = posterior.effects().set_index(["cause", "outcome"])
    model = score.response_model()
    for x, y in ((0, 1), (1, 3), (2, 3), (3, 0), (2, 1), (0, 2)):
        effect = posterior.effect(nodes[x], nodes[y])
        a, b = effect.change or (None, None)

        @cache
        def given(
            parents: tuple[int, ...], x: int = x, y: int = y, a: object = a, b: object = b
        ) -> tuple[float, float]:
            """The mean and the variance of the change, with these parents of the cause."""
            responses = model.responses(x, y, [parents])
            g = model.outcome_vectors(y)[model.place(y, effect.level) if model.levels[y] else 0]  # noqa: B023
            c = model.slope(x) if a is None else model.vector_of(x, b) - model.vector_of(x, a)
            terms = responses.change(c, g)
            freedom = np.minimum(terms.freedom, 1e15)
            variances = terms.scale**2 * freedom / (freedom - 2)
            mean = float(responses.share @ terms.mean)
            if name.startswith("mixed") and not model.levels[x]:  # by least squares, or with a prior, close to it
                design = np.column_stack([np.ones(ROWS), *(columns_of(nodes[v]) for v in (x, *parents))])
                plain = np.linalg.lstsq(design, columns_of(nodes[y]) @ np.atleast_1d(g), rcond=None)[0][1]
                assert mean == pytest.approx(plain, abs=1e-10 if name == "mixed-bic" else 0.1)
            return mean, float(responses.share @ (variances + terms.mean**2))

        path = mean = square = 0.0
        for weight, dag, below in zip(weights, dags, reach, strict=True):
            if below[x, y]:
                others = [v for v in given_nodes if v != x and below[v, y]]  # in the place of parents of a given node
                own_mean, own_square = given(tuple(others if x in given_nodes else np.flatnonzero(dag[:, x]).tolist()))
                path, mean, square = path + weight, mean + weight * own_mean, square + weight * own_square
        if path == 0:
            assert case != "plain"
            assert effect.probability_nonzero == effect.mean == 0
            continue
        assert path > 1e-6
        assert effect.probability_nonzero == pytest.approx(path, abs=1e-10)
        assert effect.mean == pytest.approx(mean, abs=1e-10)
        assert effect.sd == pytest.approx(np.sqrt(square - mean**2), abs=1e-8)
        assert effect.between + effect.within == pytest.approx(effect.sd**2)
        row = frame.loc[(nodes[x], nodes[y])]
        assert (row["mean"], row["sd"]) == (pytest.approx(effect.mean, abs=1e-12), pytest.approx(effect.sd, abs=1e-10))
        assert (row["lower"], row["upper"]) == pytest.approx(effect.interval(), abs=1e-9)
        assert (effect.components["probability"] @ effect.components["estimate"]) == pytest.approx(mean, abs=1e-10)
