"""Strengths of direct edges: against sums over all DAGs of four nodes, and regressions written out."""

from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.effects.queries import sign_of, strengths
from naive_cells import moments_by_loops
from score_cases import all_dags, gaussian_data


def weighted_dags(score: cz.Score) -> list[tuple[float, np.ndarray]]:
    """All DAGs with their probabilities, under the prior that is uniform over DAGs."""
    dags, nodes = [*all_dags(len(score.nodes))], score.nodes
    logs = np.array(
        [
            sum(score.local(nodes[v], [nodes[p] for p in np.flatnonzero(dag[:, v])]) for v in range(len(nodes)))
            for dag in dags
        ]
    )
    weights = np.exp(logs - logs.max())
    return [*zip((weights / weights.sum()).tolist(), dags, strict=True)]


def test_of_numbers_they_are_coefficients_averaged_over_all_dags() -> None:
    x = gaussian_data(4, 60)
    score = cz.GaussianBIC(x)
    probability, mean, square = (defaultdict(float) for _ in range(3))
    for weight, dag in weighted_dags(score):
        for y in range(4):
            parents = np.flatnonzero(dag[:, y])
            if not len(parents):
                continue
            design = np.column_stack([np.ones(60), x[:, parents]])
            inverse = np.linalg.inv(design.T @ design)
            slopes = inverse @ design.T @ x[:, y]
            freedom = 60 - design.shape[1]
            variances = ((x[:, y] - design @ slopes) ** 2).sum() / freedom * np.diag(inverse) * freedom / (freedom - 2)
            for k, parent in enumerate(parents.tolist(), start=1):
                probability[parent, y] += weight
                mean[parent, y] += weight * slopes[k]
                square[parent, y] += weight * (slopes[k] ** 2 + variances[k])
    posterior = cz.exact_posterior(score, prior="dags", edge_prior=None)
    found = posterior.strengths(least=0.0)
    assert len(found) == 12
    assert found["probability"].round(6).is_monotonic_decreasing
    for row in found.to_dict("records"):
        pair = row["cause"], row["outcome"]
        assert row["probability"] == pytest.approx(probability[pair], abs=1e-10)
        given = mean[pair] / probability[pair]
        assert row["mean"] == pytest.approx(given, abs=1e-10)
        assert row["sd"] == pytest.approx(np.sqrt(square[pair] / probability[pair] - given**2), abs=1e-8)
        assert row["lower"] < row["mean"] < row["upper"]
        assert (row["probability_positive"] > 0.975) == (row["lower"] > 0)
    assert len(posterior.strengths(least=0.5)) == sum(p >= 0.5 for p in probability.values())
    scaled = posterior.strengths(standardized=True, least=0.0)
    merged = found.merge(scaled, on=["cause", "outcome"])
    unit = [x[:, row["cause"]].std() / x[:, row["outcome"]].std() for row in merged.to_dict("records")]
    np.testing.assert_allclose(merged["mean_y"], merged["mean_x"] * unit)


def test_the_table_of_edges_has_those_of_the_likelier_arrows() -> None:
    known = cz.Knowledge(forbidden=[("c", "d"), ("d", "c")])
    posterior = cz.exact_posterior(
        cz.GaussianBIC(pd.DataFrame(gaussian_data(4, 60), columns=[*"abcd"])), knowledge=known
    )
    rows = posterior.strengths(least=0.0).set_index(["cause", "outcome"])
    table = posterior.edge_table(strength=True)
    pd.testing.assert_frame_equal(table.iloc[:, :6], posterior.edge_table())
    for row in table.to_dict("records"):
        if {row["x"], row["y"]} == {"c", "d"}:
            assert pd.isna([*row.values()][6:]).all()
            continue
        effect = row["y"] if row["cause"] == row["x"] else row["x"]
        arrow, back = rows.loc[row["cause"], effect], rows.loc[effect, row["cause"]]
        assert arrow["probability"] >= back["probability"] - 1e-6
        numbers = [row[name] for name in ("strength", "strength_lower", "strength_upper", "strength_positive")]
        assert numbers == [arrow[name] for name in ("mean", "lower", "upper", "probability_positive")]


def test_of_categories_they_are_the_largest_changes() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 2, 80), rng.integers(0, 3, 80)
    c = (rng.random(80) < 0.2 + 0.3 * a + 0.15 * b).astype(int)
    score = cz.BDeu({"a": a, "b": b, "c": c})
    probability, mean = defaultdict(float), defaultdict(lambda: 0.0)
    for weight, dag in weighted_dags(score):
        for x, y in ((0, 2), (1, 2)):
            if dag[x, y]:
                others = tuple(v for v in np.flatnonzero(dag[:, y]).tolist() if v != x)
                probability[x, y] += weight
                mean[x, y] += weight * moments_by_loops([a, b, c], [2, 3, 2], x, y, others, 1.0)[0]
    found = (
        cz.exact_posterior(score, prior="dags", edge_prior=None).strengths(least=0.0).set_index(["cause", "outcome"])
    )
    for pair, total in probability.items():
        row, means = found.loc[tuple("abc"[v] for v in pair)], mean[pair] / total
        changes = (means[1:] - means[0])[:, 1]  # of the last level of c
        assert row["probability"] == pytest.approx(total, abs=1e-10)
        assert (row["level"], row["from"]) == (1, 0)
        assert row["mean"] == pytest.approx(changes[np.abs(changes).argmax()], abs=1e-10)


def test_signs_are_of_numbers_and_two_levels() -> None:
    """Of three levels without an order some are raised and others lowered."""
    rng = np.random.default_rng(1)
    color, on = rng.integers(0, 3, 300), rng.random(300) < 0.5
    size = 2.0 * color - 2.0 * on + rng.normal(size=300)
    data = {"color": np.array(["blue", "green", "red"])[color], "on": np.where(on, "yes", "no"), "size": size}
    known = cz.Knowledge(required=[("color", "size"), ("on", "size")])
    classes = cz.exact_posterior(cz.MixedBIC(data), knowledge=known)._classes
    rows = {row["cause"]: row for row in strengths(classes, standardized=False, least=0.9).to_dict("records")}
    assert {cause: sign_of(classes, row) for cause, row in rows.items()} == {"color": "±", "on": "−"}
    assert sign_of(classes, rows["on"] | {"lower": 1.0, "upper": 2.0}) == "+"
    assert sign_of(classes, rows["on"] | {"lower": -1.0, "upper": 2.0}) == "±"


def test_nothing_leads_into_a_condition_and_every_family_has_them() -> None:
    rng = np.random.default_rng(1)
    drug = np.repeat(["off", "on"], 100)
    dose = rng.normal(size=200) + (drug == "on")
    table = {"drug": drug, "dose": dose, "pain": np.where(dose + rng.normal(size=200) > 0.5, "yes", "no")}
    for score in ("mixed-bic", "mixed-bge", "additive-gp"):
        posterior = cz.sample(cz.read_table(table, contexts="drug"), score, jumps=500, chains=1, rng=1, progress=False)
        found = posterior.strengths(least=0.0)
        assert "drug" not in {*found["outcome"]}
        first = found[(found["cause"] == "drug") & (found["outcome"] == "dose")].iloc[0]
        assert (first["from"], first["to"]) == ("off", "on")
        assert first["lower"] < 1 < first["upper"]
        assert isinstance(found, pd.DataFrame)
    with pytest.raises(cz.ScoreError, match="there are no effects"):
        cz.exact_posterior(cz.Uniform(3)).strengths()
