"""InterventionalBGe and InterventionalBDeu: formulas, equivalence, rows, files, what they find, and errors."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import multigammaln

import causal_zigzag as cz
from causal_zigzag.answers.held_out import log_predictive

ROWS = 50


def table(variables: int, conditions: int, seed: int = 3) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(ROWS, variables))
    x[:, 1:] += 0.7 * x[:, :-1]
    columns: dict[str, NDArray[Any]] = {f"v{j}": x[:, j] for j in range(variables)}
    return columns | {f"c{k}": np.arange(ROWS) // (k + 2) % (k + 2) for k in range(conditions)}


def make(variables: int, conditions: int, targets: Any = None, **prior: Any) -> cz.InterventionalBGe:
    names = [f"c{k}" for k in range(conditions)]
    return cz.InterventionalBGe(table(variables, conditions), names, targets, **prior)


def make_categories(variables: int, conditions: int, targets: Any = None) -> cz.InterventionalBDeu:
    columns = {
        v: np.digitize(x, [-0.5, 0.8]) if v.startswith("v") else x for v, x in table(variables, conditions).items()
    }
    return cz.InterventionalBDeu(columns, [f"c{k}" for k in range(conditions)], targets, equivalent_sample_size=1.5)


KINDS = pytest.mark.parametrize("kind", [make, make_categories])


def log_marginal(x: NDArray[np.float64], chosen: list[int], alpha_mu: float, alpha_w: float) -> float:
    """Of some of the columns of the rows of one group, as in the paper."""
    p, (rows, d), own = x.shape[1], (len(x), len(chosen)), x[:, chosen]
    if d == 0:
        return 0.0
    t, alpha = alpha_mu * (alpha_w - p - 1) / (alpha_mu + 1), alpha_w - p + d
    mean = own.mean(axis=0)
    scatter = (own - mean).T @ (own - mean) + rows * alpha_mu / (rows + alpha_mu) * np.outer(mean, mean)
    return float(
        -rows * d / 2 * math.log(math.pi)
        + d / 2 * math.log(alpha_mu / (alpha_mu + rows))
        + multigammaln((alpha + rows) / 2, d)
        - multigammaln(alpha / 2, d)
        + alpha * d / 2 * math.log(t)
        - (alpha + rows) / 2 * np.linalg.slogdet(t * np.eye(d) + scatter)[1]
    )


def set_function(score: cz.Score, chosen: tuple[str, ...], sets: tuple[str, ...], mu: float, w: float) -> float:
    data = table(3, 2)
    variables = [v for v in score.nodes if str(v).startswith("v")]
    x = np.array([data[str(v)] for v in variables]).T
    x = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    inside = [i for i, v in enumerate(variables) if v in chosen]
    conditions = [v for v in chosen if v not in variables]
    keys = np.array([data[c] for c in conditions]).reshape(len(conditions), ROWS).T
    total = 0.0
    for key in {tuple(row) for row in keys.tolist()}:
        rows = x[(keys == np.array(key)).all(axis=1)] if conditions else x
        is_set = any(level != 0 for c, level in zip(conditions, key, strict=True) if c in sets)
        parts = [[i] for i in inside] if is_set else [inside]
        total += sum(log_marginal(rows, part, mu, w) for part in parts)
    return total


@pytest.mark.parametrize("sets", [(), ("c0",), ("c0", "c1")])
def test_local_scores_are_differences_of_the_set_function(sets: tuple[str, ...]) -> None:
    score = make(3, 2, {c: ["v0"] for c in sets} or None, alpha_mu=0.5, alpha_w=6.5)
    nodes = tuple(map(str, score.nodes))
    for y in nodes:
        others = [v for v in nodes if v != y]
        for parents in itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(5)):
            joint, before = (set_function(score, s, sets, 0.5, 6.5) for s in ((*parents, y), parents))
            assert score.local(y, parents) == pytest.approx(joint - before, abs=1e-9)


def log_dirichlet(codes: NDArray[Any], levels: list[int], size: float) -> float:
    """The log marginal likelihood of rows of codes, with the prior weight of this many rows spread over all cells."""
    cells = math.prod(levels)
    counts = np.unique(codes, axis=0, return_counts=True)[1]
    total = sum(math.lgamma(size / cells + int(k)) - math.lgamma(size / cells) for k in counts)
    return total + math.lgamma(size) - math.lgamma(size + len(codes))


@pytest.mark.parametrize("sets", [(), ("c0",), ("c0", "c1")])
def test_categories_are_counted_in_groups(sets: tuple[str, ...]) -> None:
    score = make_categories(3, 2, {c: ["v0"] for c in sets} or None)
    levels = {v: len(own) for v, own in score.levels.items()}
    rows = score.categorical_rows().codes.T
    number = {v: i for i, v in enumerate(score.nodes)}

    def value(chosen: tuple[str, ...]) -> float:
        given, inside = ([v for v in chosen if v.startswith(letter)] for letter in "cv")
        keys = rows[:, [number[c] for c in given]]
        size = 1.5 / math.prod(levels[c] for c in given)
        total = 0.0
        for key in np.unique(keys, axis=0).tolist():
            own = rows[(keys == key).all(axis=1)]
            on = any(level for c, level in zip(given, key, strict=True) if c in sets)
            for part in [[v] for v in inside] if on else [inside]:
                total += log_dirichlet(own[:, [number[v] for v in part]], [levels[v] for v in part], size)
        return total

    nodes = tuple(map(str, score.nodes))
    for y in nodes:
        others = [v for v in nodes if v != y]
        for parents in itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(5)):
            assert score.local(y, parents) == pytest.approx(value((*parents, y)) - value(parents), abs=1e-9)


def test_without_targets_categories_have_the_score_of_bdeu() -> None:
    score = make_categories(3, 2)
    names = dict(zip(score.nodes, score.categorical_rows().codes.tolist(), strict=True))
    plain = cz.BDeu(names, equivalent_sample_size=1.5)
    for y in ("v0", "v1", "v2"):
        for k in range(5):
            for parents in itertools.combinations([v for v in score.nodes if v != y], k):
                assert score.local(y, parents) == pytest.approx(plain.local(y, parents), abs=1e-9)


@KINDS
@pytest.mark.parametrize("targets", [None, {"c0": ["v0", "v2"]}])
@pytest.mark.parametrize(("variables", "conditions"), [(3, 1), (3, 2), (4, 1), (4, 2)])
def test_reversing_any_covered_edge_changes_nothing(kind: Any, variables: int, conditions: int, targets: Any) -> None:
    # Any two DAGs of a class are connected by such reversals (Chickering 1995), so this is a proof for all DAGs.
    score = kind(variables, conditions, targets)
    for x, y in itertools.combinations(score.nodes, 2):
        others = [v for v in score.nodes if v not in (x, y)]
        for common in itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(len(others) + 1)):
            forward = score.local(x, common) + score.local(y, (*common, x))
            backward = score.local(y, common) + score.local(x, (*common, y))
            assert forward == pytest.approx(backward, abs=2e-12 * (1 + abs(forward)))


@KINDS
@pytest.mark.parametrize("targets", [None, {"c1": ["v1"]}])
def test_rows_are_differences_of_local_scores(kind: Any, targets: Any) -> None:
    score = kind(4, 2, targets)
    for y in score.nodes:
        others = [v for v in score.nodes if v != y]
        for parents in itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(4)):
            row, base = score.row(y, parents), score.local(y, parents)
            for x in others:
                toggled = [v for v in others if (v in parents) != (v == x)]
                assert row[score.nodes.index(x)] == pytest.approx(score.local(y, toggled) - base, abs=1e-9)


@KINDS
def test_copies_have_the_same_values(kind: Any, tmp_path: Any) -> None:
    score = kind(3, 2, {"c0": ["v0"]})
    posterior = cz.sample(score, jumps=500, chains=1, rng=1)
    posterior.save(tmp_path / "run.czz")
    loaded = cz.load(tmp_path / "run.czz")
    for again in (pickle.loads(pickle.dumps(score)), loaded.score):
        assert again.local("v1", ["v0", "c0"]) == score.local("v1", ["v0", "c0"])
        assert again.contexts == ("c0", "c1")
    assert loaded.acts_on().equals(posterior.acts_on())
    assert loaded.extend(500, rng=1).target.knowledge == posterior.target.knowledge


def test_the_knowledge_comes_with_the_score() -> None:
    target = cz.exact_posterior(make(3, 2, {"c0": ["v0"]}), edge_prior=None).target
    assert target.knowledge == cz.Knowledge.contexts(
        ["c0", "c1"], required=[("c0", "v0")], forbidden=[("c0", "v1"), ("c0", "v2")]
    )
    own = cz.Knowledge(forbidden=[("v2", "v1")])
    assert ("v2", "v1") in cz.sample(make(3, 1), knowledge=own, jumps=100, rng=1).target.knowledge.forbidden


def test_it_sees_what_changes_no_mean() -> None:
    rng = np.random.default_rng(4)
    on = np.repeat([0, 1], 300)
    x = rng.normal(size=600)
    y = np.where(on == 1, 1.6 * rng.normal(size=600), 0.8 * x + 0.6 * rng.normal(size=600))
    data = {"x": x, "y": y, "on": on}
    found = cz.exact_posterior(cz.read_table(data, contexts="on"), edge_prior=None)
    assert isinstance(found.target.score, cz.InterventionalBGe)
    acts = found.acts_on().set_index("variable")["probability"]
    assert acts["y"] > 0.99
    plain = cz.exact_posterior(
        cz.BGe(data), knowledge=cz.Knowledge.contexts(["on"]), edge_prior=None
    ).edge_probabilities()
    assert plain.frame("directed").loc["on", "y"] < 0.2
    directed = found.directed_by_conditions()
    assert (directed["cause"][0], directed["outcome"][0]) == ("x", "y")
    assert directed["probability"][0] > 0.9 > 0.01 > directed["without_conditions"][0]


def test_effects_are_pooled_over_conditions() -> None:
    rng = np.random.default_rng(5)
    drug = np.repeat([0, 1], 500)
    x = rng.normal(size=1000) + drug
    data = {"drug": drug, "x": x, "y": 0.8 * x + rng.normal(size=1000)}
    found = cz.sample(data, contexts="drug", jumps=2000, rng=1)
    assert found.effect("x", "y").mean == pytest.approx(0.8, abs=0.1)
    numbers = np.array([data[str(v)] for v in found.nodes]).T
    moments = found.score.block_moments()
    assert moments is not None
    correlation = np.corrcoef(numbers.T)
    assert np.abs(moments.moments.matrix - correlation).max() < 0.01
    assert moments.moments.mean == pytest.approx(numbers.mean(axis=0), abs=1e-9)


@pytest.mark.parametrize("targets", [None, {"c0": ["v1"]}])
def test_held_out_rows_have_the_ratio_of_marginal_likelihoods(targets: Any) -> None:
    data, new = table(3, 2), {"v0": 0.3, "v1": -0.4, "v2": 1.1, "c0": 1, "c1": 2}
    score = make(3, 2, targets, alpha_mu=0.5, alpha_w=6.5)
    x = np.array([data[f"v{j}"] for j in range(3)]).T
    mean, deviation = x.mean(axis=0), x.std(axis=0, ddof=1)
    z, row = (x - mean) / deviation, (np.array([new[f"v{j}"] for j in range(3)]) - mean) / deviation
    dag = np.array(cz.CPDAG.from_dag([("c0", "v1"), ("v0", "v1"), ("v1", "v2"), ("c1", "v2")], score.nodes).dag())

    def ratio(rows: NDArray[np.float64], chosen: list[int]) -> float:
        before, after = (log_marginal(own, chosen, 0.5, 6.5) for own in (rows, np.vstack([rows, row])))
        return after - before

    on, third = z[data["c0"] == 1], z[data["c1"] == 2]
    expected = ratio(z, [0]) + (ratio(on, [1]) if targets else ratio(on, [0, 1]) - ratio(on, [0]))
    expected += ratio(third, [1, 2]) - ratio(third, [1]) - np.log(deviation).sum()
    found = log_predictive(score, dag[None], {name: [value] for name, value in new.items()})
    assert found[0] == pytest.approx(expected, abs=1e-9)


def test_categories_and_missing_cells_have_other_scores() -> None:
    data = table(2, 1)
    mixed = {**data, "kind": np.where(data["v0"] > 0, "a", "b")}
    with pytest.warns(cz.DataWarning, match="means that it changes"):
        assert type(cz.sample(mixed, contexts="c0", jumps=100, rng=1).score) is cz.MixedBIC
    holes = {**data, "v0": np.where(np.arange(ROWS) % 10 == 0, np.nan, data["v0"])}
    with pytest.warns(cz.DataWarning, match="means that it changes.*keep their causes.*missing"):
        assert "missing" in cz.sample(holes, contexts="c0", targets={"c0": "v0"}, jumps=100, rng=1).score.reason
    with pytest.warns(cz.DataWarning, match="mixed-bge, .*keep their causes"):
        cz.ges(data, "mixed-bge", contexts="c0", targets={"c0": "v0"})
    with pytest.warns(cz.DataWarning, match="mixed-bic, .*keep their causes"):
        cz.ges(cz.lagged(data, 1, contexts="c0", targets={"c0": "v0"}))
    with pytest.raises(cz.DataError, match=r"left out.*constant") as error:
        cz.read_table({**data, "c0": np.zeros(ROWS)}, contexts="c0")
    assert error.value.about == "c0"
    with pytest.raises(cz.ScoreError, match="InterventionalBGe"):
        cz.sample(holes, contexts="c0", score="interventional-bge", jumps=100, rng=1)


@pytest.mark.parametrize(("off", "on"), [("placebo", "active"), ("none", "a"), ("Control", "B"), (False, True)])
def test_a_condition_is_off_where_its_level_says_so(off: object, on: object) -> None:
    """Effects are relative to this level, whether the targets are known or not."""
    data = table(3, 1)
    named = {**data, "c0": np.where(data["c0"] == 1, on, off)}  # type: ignore[call-overload]
    scores = [cz.InterventionalBGe(own, "c0", {"c0": "v0"}) for own in (data, named)]
    assert scores[1].local("v0", ["v1", "c0"]) == pytest.approx(scores[0].local("v0", ["v1", "c0"]))
    posterior = cz.exact_posterior(cz.read_table(named, contexts="c0"), edge_prior=None)
    assert posterior.effects(causes="c0", outcomes="v0").loc[0, ["from", "to"]].tolist() == [off, on]
    for levels in (("a", "b"), (5, 10), ("none", "control")):
        unknown = {**data, "c0": np.where(data["c0"] == 1, *levels)}
        with pytest.raises(cz.DataError) as error:
            cz.InterventionalBGe(unknown, "c0", {"c0": "v0"})
        assert error.value.about == "c0"
        assert cz.InterventionalBGe(unknown, "c0").contexts == ("c0",)


@pytest.mark.parametrize(
    ("given", "about"),
    [
        ({"contexts": ["v0"]}, "v0"),
        ({"contexts": ["c9"]}, "c9"),
        ({"contexts": ["c0"], "targets": {"c0": ["v9"]}}, "v9"),
        ({"contexts": ["c0"], "targets": {"c0": ["c0"]}}, "c0"),
        ({"contexts": ["c0"], "targets": {"c9": ["v0"]}}, "c9"),
        ({"contexts": ["c0"], "targets": {"c0": []}}, "c0"),
        ({"contexts": ["c0"], "targets": ["v0"]}, None),
        ({"targets": {"c0": ["v0"]}}, None),
    ],
)
def test_what_is_refused(given: dict[str, Any], about: str | None) -> None:
    with pytest.raises(cz.DataError) as error:
        cz.sample(table(2, 1), jumps=100, **given)
    assert error.value.about == about
    with pytest.raises(cz.DataError):
        cz.InterventionalBGe(table(2, 0))
