"""Effects of categorical columns and of several causes: sampled posteriors, files, intervals, words and errors."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import causal_zigzag as cz


def categories(rows: int = 200) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    dose = rng.choice(["high", "low", "none"], rows)
    ill = np.where(rng.random(rows) < np.select([dose == "high", dose == "low"], [0.2, 0.4], 0.6), "yes", "no")
    return {"dose": dose, "ill": ill, "age": rng.integers(0, 2, rows)}


@pytest.fixture(scope="module")
def discrete() -> cz.Posterior:
    return cz.sample(
        cz.BDeu(categories()),
        jumps=5000,
        chains=2,
        rng=1,
        edge_prior=None,
        settings=cz.Settings(warmup=500),
        progress=False,
    )


@pytest.fixture(scope="module")
def gaussian() -> cz.Posterior:
    table = cz.datasets.linear_gaussian([("a", "b"), ("a", "y"), ("b", "y"), ("c", "y")], rows=100, rng=2)
    return cz.sample(
        cz.GaussianBIC(table),
        jumps=5000,
        chains=2,
        rng=1,
        edge_prior=None,
        settings=cz.Settings(warmup=500),
        progress=False,
    )


@pytest.mark.parametrize("prior", ["classes", "dags"])
def test_sampled_discrete_effects_agree_with_exact_ones(discrete: cz.Posterior, prior: str) -> None:
    exact = cz.exact_posterior(discrete.score, prior=prior, edge_prior=None)
    sampled = discrete.reweight(prior)
    for cause, outcome, b, level in [("dose", "ill", "none", "yes"), ("ill", "dose", "yes", "high")]:
        a = "high" if cause == "dose" else "no"
        expected = exact.effect(cause, outcome).contrast(a, b, level=level)
        found = sampled.effect(cause, outcome).contrast(a, b, level=level)
        assert expected.mcse == (0, 0)
        # 8 of the estimated errors: less than 1e-6 of all seeds fail even if they are 1.6 times too small
        assert abs(found.mean - expected.mean) < 8 * found.mcse.mean
        assert abs(found.probability_nonzero - expected.probability_nonzero) < 8 * found.mcse.probability
    table = sampled.effects(causes="dose", outcomes=["ill", "age"])
    assert sorted(table["outcome"]) == ["age", "ill"]
    largest = sampled.effect("dose", "ill")
    row = table[table["outcome"] == "ill"].iloc[0]
    assert (row["level"], row["from"], row["to"]) == (largest.level, *largest.change)
    assert row["mean"] == pytest.approx(largest.mean, abs=1e-12)
    assert (row["lower"], row["upper"]) == largest.interval()
    assert row["mcse"] == pytest.approx(largest.mcse.mean)


def test_a_file_has_what_discrete_effects_need(discrete: cz.Posterior, tmp_path: Path) -> None:
    discrete.save(tmp_path / "discrete.czz")
    again = cz.load(tmp_path / "discrete.czz")
    assert repr(again.effect("dose", "ill")) == repr(discrete.effect("dose", "ill"))
    assert again.effect("dose", "ill").cause_levels == ("high", "low", "none")


def test_intervals_are_quantiles_of_the_mixture() -> None:
    """With two nodes there are three DAGs, and P(y | do(x)) has a Beta distribution in each."""
    rng = np.random.default_rng(8)
    x = rng.integers(0, 2, 60)
    y = np.where(rng.random(60) < 0.75, x, 1 - x)
    score = cz.BDeu({"x": x, "y": y}, equivalent_sample_size=2.0)
    effect = cz.exact_posterior(score, edge_prior=None).effect("x", "y")
    p = effect.probability_nonzero
    ones, zeros = (x == 1) & (y == 1), (x == 1) & (y == 0)
    given, alone = stats.beta(ones.sum() + 0.5, zeros.sum() + 0.5), stats.beta(y.sum() + 1, 60 - y.sum() + 1)
    row = effect.contrast(0, 1, level=1).curve([1], level=0.9).iloc[0]
    assert row["mean"] == pytest.approx(p * given.mean() + (1 - p) * alone.mean(), abs=1e-12)
    for end, level in (("lower", 0.05), ("upper", 0.95)):  # five standard errors of 10,000 draws
        assert p * given.cdf(row[end]) + (1 - p) * alone.cdf(row[end]) == pytest.approx(level, abs=0.011)
    change = effect.contrast(0, 1, level=1)
    assert change.interval(0.9)[0] == 0  # half of the probability is a point mass at 0
    assert change.probability_positive == pytest.approx(p, abs=0.01)
    assert effect.contrast(1, 0, level=1).interval(0.9)[1] == 0
    assert effect.contrast(1, 0, level=1).mean == pytest.approx(-change.mean, abs=1e-12)


def test_an_effect_that_is_certain() -> None:
    """Then no draw is of the marginal distribution."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, 1000), rng.integers(0, 2, 1000)
    c = np.where(rng.random(1000) < 0.95, a & b, rng.integers(0, 2, 1000))
    effect = cz.exact_posterior(cz.BDeu({"a": a, "b": b, "c": c}), edge_prior=8).effect("a", "c")
    assert effect.probability_nonzero > 1 - 1e-5
    low, high = effect.contrast(0, 1, level=1).interval()
    assert 0.4 < low < high < 0.55  # half of the rows have b = 1


def test_words_about_discrete_effects(discrete: cz.Posterior) -> None:
    effect = discrete.effect("dose", "ill")
    number = r"(-?[\d.e-]+)"
    words = (
        rf"setting dose to none instead of high: with probability {number} there is an effect on P\(ill = yes\), of "
        rf"{number} to {number}; otherwise none; .*"
    )
    path, low, high = map(float, re.fullmatch(words, repr(effect)).groups())
    assert path == pytest.approx(effect.probability_nonzero, abs=0.001)
    assert (low, high) == pytest.approx(effect.interval(given_path=True), abs=1e-3)
    assert low > 0 == effect.interval()[0]
    assert repr(effect.contrast("low", "none", level="no")).startswith("setting dose to none instead of low: ")
    assert list(effect.components.columns) == ["parents", "probability", "estimate", "sd"]
    np.testing.assert_allclose(effect.levels.groupby("do")["mean"].sum(), 1)


def test_the_share_from_draws_is_said() -> None:
    data = {name: np.random.default_rng(i).integers(0, 2, 40) for i, name in enumerate("abcde")}
    run = cz.sample(
        cz.BDeu(data),
        jumps=3000,
        chains=2,
        rng=1,
        edge_prior=None,
        settings=cz.Settings(max_classes=50),
        progress=False,
    )
    assert run.unlisted > 0.1
    effect = run.effect("a", "b")
    assert effect.from_draws == pytest.approx(run.unlisted)
    assert repr(effect).endswith("of the probability is from draws, as not all classes are listed")
    exact = cz.exact_posterior(run.score, edge_prior=None).effect("a", "b")
    error = effect.mcse.probability  # 8 of them, as above
    assert abs(effect.probability_nonzero - exact.probability_nonzero) < 8 * error < 0.3


def test_levels_that_do_not_exist(discrete: cz.Posterior) -> None:
    effect = discrete.effect("dose", "ill")
    with pytest.raises(cz.SettingsError, match=r"dose.*huge.*high, low, none"):
        effect.contrast("huge", "low", level="yes")
    with pytest.raises(cz.SettingsError, match="ill has no level 1; its levels are no, yes"):
        effect.contrast("high", "low", level=1)
    with pytest.raises(cz.SettingsError, match=r"level.*95"):
        effect.interval(95)
    with pytest.raises(cz.SettingsError, match="between two values of dose, but both are low"):
        effect.contrast("low", "low", level="yes")


def test_a_level_of_another_type_is_said_to_be_one() -> None:
    flags = np.tile([True, False], 20)
    effect = cz.exact_posterior(cz.BDeu({"a": flags, "b": flags[::-1]}), edge_prior=None).effect("a", "b")
    with pytest.raises(cz.SettingsError, match=r"'False' \(of type str\).*False, True"):
        effect.contrast("False", "True", level=True)


@pytest.mark.parametrize("prior", ["classes", "dags"])
def test_sampled_joint_effects_agree_with_exact_ones(gaussian: cz.Posterior, prior: str) -> None:
    expected = cz.exact_posterior(gaussian.score, prior=prior, edge_prior=None).effect(
        "a", "y", jointly_with=["b"], draws=20_000, rng=1
    )
    found = gaussian.reweight(prior).effect("a", "y", jointly_with=["b"], rng=2)
    assert (found.cause, found.held, found.outcome) == ("a", ("b",), "y")
    expected, found = expected.joint, found.joint
    assert [*found] == ["a", "b"]
    for name in "ab":  # see above
        error = np.hypot(found[name].mcse.mean, expected[name].mcse.mean)
        assert abs(found[name].mean - expected[name].mean) < 8 * error
        error = np.hypot(found[name].mcse.probability, expected[name].mcse.probability)
        assert abs(found[name].probability_nonzero - expected[name].probability_nonzero) < 8 * error
    again = gaussian.reweight(prior).effect("a", "y", jointly_with=["b"], rng=2)
    assert np.array_equal(again.mixture.fixed, found["a"].mixture.fixed)


def test_few_and_many_draws(gaussian: cz.Posterior) -> None:
    drawn = len(gaussian.draws())
    # one more per chain
    assert len(gaussian.effect("a", "y", jointly_with=["b"], draws=50, rng=1).mixture.fixed) <= 52
    many = gaussian.effect("a", "y", jointly_with=["b"], draws=3 * drawn + 1, rng=1)
    assert len(many.mixture.fixed) <= 3 * drawn
    assert many.mixture.weights.sum() == pytest.approx(many.probability_nonzero)
    assert many.components["probability"].sum() == pytest.approx(1)


def test_words_about_joint_effects(gaussian: cz.Posterior) -> None:
    joint = gaussian.effect("a", "y", jointly_with=["b"], draws=500, rng=1)
    number = r"-?[\d.e-]+"
    words = (
        rf"raising a by 1 with b held: with probability {number} there is an effect on y, of {number} to {number}; .*"
    )
    assert re.fullmatch(words, repr(joint))
    low, high = joint.interval(given_path=True)
    assert low <= joint.mixture.fixed.mean() <= high
    assert repr(joint.joint["b"]).startswith("raising b by 1 with a held")
    assert joint.between + joint.within == pytest.approx(joint.sd**2)
    low, high = joint.interval(0.5)
    inside = (joint.mixture.fixed >= low) & (joint.mixture.fixed <= high)
    assert joint.mixture.weights[inside].sum() + (1 - joint.probability_nonzero) * (low <= 0 <= high) >= 0.49
    assert joint.probability_positive <= joint.probability_nonzero
    assert joint.plot().has_data()
    for ask in (joint.contrast, joint.curve, lambda: joint.levels):
        with pytest.raises(cz.SettingsError, match="with b held is known per unit only"):
            ask()


def test_words_about_effects_that_are_improbable() -> None:
    independent = np.array([(a, b) for a in "uv" for b in "uv"] * 5000)
    exact = cz.exact_posterior(cz.BDeu({"a": independent[:, 0], "b": independent[:, 1]}), edge_prior=None)
    assert 0 < exact.effect("a", "b").probability_nonzero < 0.02
    assert repr(exact.effect("a", "b")).startswith("setting a to v instead of u probably does not change P(b = v); ")
    score = cz.GaussianBIC.from_covariance(np.eye(3), n_samples=10**9, nodes=["a", "b", "y"])
    joint = cz.exact_posterior(score, edge_prior=None).effect("a", "y", jointly_with=["b"], draws=50, rng=1)
    assert repr(joint) == "raising a by 1 with b held does not change y: no drawn DAG has an effect"


def test_causes_that_make_no_sense(gaussian: cz.Posterior, discrete: cz.Posterior) -> None:
    for several in ([], ["a"], ["a", "b"], ("a", "b")):
        with pytest.raises(cz.SettingsError, match="jointly_with"):
            gaussian.effect(several, "y")
    assert gaussian.effect("a", "y", jointly_with=[]).mean == gaussian.effect("a", "y").mean
    assert [*gaussian.effect("a", "y", jointly_with="b", draws=50, rng=1).joint] == ["a", "b"]
    with pytest.raises(cz.SettingsError, match="a cause is given twice: a, a"):
        gaussian.effect("a", "y", jointly_with=["a"])
    with pytest.raises(cz.SettingsError, match=r"outcome y.*a, y"):
        gaussian.effect("a", "y", jointly_with=["y"])
    with pytest.raises(cz.GraphError, match="unknown node z"):
        gaussian.effect("a", "y", jointly_with=["z"])
    for posterior in (gaussian, cz.exact_posterior(gaussian.score, edge_prior=None)):
        for draws in (0, 10**8):
            with pytest.raises(cz.SettingsError, match="draws must be"):
                posterior.effect("a", "y", jointly_with=["b"], draws=draws)
    with pytest.raises(cz.ScoreError, match=r"joint effects .* BDeu"):
        discrete.effect("dose", "ill", jointly_with=["age"])


def test_scores_without_effects() -> None:
    class FewerEdges(cz.Score):
        def local(self, node: object, parents: object) -> float:
            return -float(len(parents))

    score = FewerEdges(["color", "size"])
    posterior = cz.exact_posterior(score, edge_prior=None)
    message = re.escape(f"there are no effects under {score!r}")
    with pytest.raises(cz.ScoreError, match=message):
        posterior.effect("color", "size")
    with pytest.raises(cz.ScoreError, match=message):
        posterior.effects()
    assert posterior.ancestors().loc["color", "size"] > 0


def test_with_knowledge_only_agreeing_dags_count(gaussian: cz.Posterior) -> None:
    """Compared with exact answers, at five standard errors of 20,000 jumps and 4,000 drawn DAGs."""
    knowledge = cz.Knowledge(tiers=[["c", "a"], ["b"], ["y"]])
    score = gaussian.score
    run = cz.sample(score, jumps=20_000, chains=2, rng=1, edge_prior=None, knowledge=knowledge, progress=False)
    exact = cz.exact_posterior(score, knowledge=knowledge, edge_prior=None)
    for statement in (cz.ancestor("a", "y"), ~cz.ancestor("a", "y") & cz.statements.adjacent("a", "b")):
        found = run.probability_that(statement)
        assert found == pytest.approx(exact.probability_that(statement), abs=0.03)
    assert exact.probability_that(cz.ancestor("y", "a")) == run.probability_that(cz.ancestor("y", "a")) == 0
    sampled, expected = (p.effect("a", "y", jointly_with=["b"], draws=4000, rng=3).joint for p in (run, exact))
    for cause in ("a", "b"):
        assert sampled[cause].mean == pytest.approx(expected[cause].mean, abs=0.02)
