"""reweight and sample_dags: another prior for the same sample, compared with exact computations."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.posterior.reweighting import weight_ess
from targets import gaussian_data

NODES = ["fog", "rain", "sun", "wind", "wet"]


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    score = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(5, 60, seed=8).T), 60, nodes=NODES)
    return cz.sample(score, edge_prior=None, jumps=5000, chains=3, rng=4, progress=False)


def few_edges(g: cz.CPDAG) -> float:
    return -1.5 * g.edge_count if g.edge_count < 8 else -math.inf


def all_classes(posterior: cz.Posterior) -> dict[cz.CPDAG, float]:
    return {g: p for g, p, _ in posterior.top(10**6)}


@pytest.mark.parametrize("prior", ["dags", few_edges])
def test_classes_are_weighted(posterior: cz.Posterior, prior: object) -> None:
    size = {g: g.count_dags() if prior == "dags" else math.exp(few_edges(g)) for g in all_classes(posterior)}
    plain, weighted = all_classes(posterior), all_classes(posterior.reweight(prior))
    total = sum(p * size[g] for g, p in plain.items())
    assert weighted.keys() == plain.keys()
    for g, p in plain.items():
        assert weighted[g] == pytest.approx(p * size[g] / total, rel=1e-9, abs=1e-300)
    ranked = [p for _, p, _ in posterior.reweight(prior).top(10**6)]
    assert ranked == sorted(ranked, reverse=True)


def test_edge_probabilities_agree_with_classes(posterior: cz.Posterior) -> None:
    weighted = posterior.reweight("dags")
    directed, undirected = np.zeros((5, 5)), np.zeros((5, 5))
    for g, p in all_classes(weighted).items():
        m = g.matrix()
        directed += p * (m & ~m.T & 1)
        undirected += p * (m & m.T)
    edges = weighted.edge_probabilities()
    assert np.allclose(edges.directed, directed, atol=1e-12)
    assert np.allclose(edges.undirected, undirected, atol=1e-12)
    assert (edges.directed != posterior.edge_probabilities().directed).any()
    assert weighted.edge_table()["adjacent"].sum() == pytest.approx(edges.adjacent.sum() / 2)


def test_a_prior_replaces_the_previous_one(posterior: cz.Posterior) -> None:
    once = posterior.reweight("dags")
    assert all_classes(once.reweight("dags")) == all_classes(once)
    assert all_classes(once.reweight("classes")) == all_classes(posterior)
    assert all_classes(posterior.reweight(few_edges).reweight("dags")) == all_classes(once)
    assert [posterior.prior, once.prior, posterior.reweight(few_edges).prior] == ["classes", "dags", "few_edges"]
    assert posterior._reweighting is None


def test_a_constant_weight_changes_nothing(posterior: cz.Posterior) -> None:
    same = posterior.reweight(lambda _: 5000.0)
    assert weight_ess(same) == pytest.approx(1)
    for g, p in all_classes(posterior).items():
        assert same.probability(g) == pytest.approx(p)


def test_weight_ess(posterior: cz.Posterior) -> None:
    assert weight_ess(posterior) == 1
    p = np.array([*all_classes(posterior).values()])
    w = np.array([g.count_dags() for g in all_classes(posterior)])
    assert weight_ess(posterior.reweight("dags")) == pytest.approx((p @ w) ** 2 / (p @ w**2))
    best = posterior.top(1)[0]
    alone = posterior.reweight(lambda g: 0.0 if g == best.graph else -math.inf)
    assert weight_ess(alone) == pytest.approx(best.probability)
    assert alone.probability(best.graph) == pytest.approx(1)
    assert alone.top(2)[1].probability == 0


def test_single_chains(posterior: cz.Posterior) -> None:
    for part, plain in zip(posterior.reweight("dags").by_chain(), posterior.by_chain(), strict=True):
        assert all_classes(part) == pytest.approx(all_classes(plain.reweight("dags")))


def test_a_chain_with_zero_weight(posterior: cz.Posterior) -> None:
    only = {part.top(10**6)[-1].graph for part in posterior.by_chain()[:1]}
    parts = posterior.reweight(lambda g: 0.0 if g in only else -math.inf).by_chain()
    empty = [part for part, plain in zip(parts, posterior.by_chain(), strict=True) if not only & {*all_classes(plain)}]
    for part in empty:
        assert weight_ess(part) == 0
        assert not part.edge_probabilities().adjacent.any()
        with pytest.raises(cz.SettingsError, match="zero weight"):
            part.sample_dags(1)


def test_draws_with_zero_weight(posterior: cz.Posterior) -> None:
    drawn = {*posterior.draws()}
    between = next(top.graph for top in posterior.top(10**6) if top.graph not in drawn)
    weighted = posterior.reweight(lambda g: 0.0 if g == between else -math.inf)
    d = weighted.diagnostics()
    assert not d.ok
    assert d.verdict == "Too short to judge: the prior gives zero weight to all draws; sample more jumps."
    assert d.table[["mcse", "ess"]].isna().all(axis=None)
    assert d.table["mean"][0] == between.edge_count
    assert np.isnan(d.table["mean"][1])
    assert weighted.edge_table()["mcse"].isna().all()


def test_unlisted_classes_give_a_warning() -> None:
    posterior = cz.sample(cz.Uniform(6), jumps=2000, settings=cz.Settings(max_classes=20), rng=1, progress=False)
    with pytest.warns(cz.SamplingWarning) as caught:
        weighted = posterior.reweight("dags")
    known = {hash(top.graph) for top in posterior.top(10**6)}
    sizes = [(g.count_dags(), hash(g) in known) for g in posterior.draws()]
    missing = sum(size for size, listed in sizes if not listed) / sum(size for size, _ in sizes)
    assert missing > 0.5
    said = str(caught[0].message)
    assert all(number in said for number in (f"{posterior.unlisted:.2%}", f"{missing:.1%}", "max_classes (now 20)"))
    assert caught[0].filename == __file__
    assert weighted.unlisted == posterior.unlisted > 0.1
    assert sum(all_classes(weighted).values()) == pytest.approx(1)
    with pytest.warns(cz.SamplingWarning, match="listed classes only"):
        mine = posterior.reweight(lambda g: math.log(g.count_dags()))
    for ours, theirs in zip(mine._reweighting.draw_log_weights, weighted._reweighting.draw_log_weights, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)
    joined = [g.count_dags() * (1 in g.adjacent(0)) for g in posterior.draws()]
    share = sum(joined) / sum(g.count_dags() for g in posterior.draws())
    assert weighted.edge_probabilities().adjacent[0, 1] == pytest.approx(share)
    assert weighted.probability_that(cz.statements.adjacent(0, 1)) == pytest.approx(share)
    ready = weighted.probability_that(~cz.statements.adjacent(0, 1))
    assert ready == pytest.approx(1 - share)
    assert 0 <= ready.lower < ready < ready.upper <= 1
    asked = weighted.probability_that(lambda g: 1 not in g.adjacent(0))
    assert (asked, asked.lower, asked.upper) == (ready, ready.lower, ready.upper)
    with pytest.warns(cz.SamplingWarning, match=r"not listed.*max_classes"):
        posterior.sample_dags(3, rng=1)


def test_bad_priors(posterior: cz.Posterior) -> None:
    with pytest.raises(cz.SettingsError, match=r'prior must be "dags", "classes" or a function .*, not .dag.'):
        posterior.reweight("dag")
    with pytest.raises(cz.SettingsError, match=r"prior must be .*, not 3"):
        posterior.reweight(3)
    with pytest.raises(
        cz.SettingsError,
        match=r"<lambda> returned 'heavy' for CPDAG\(",
    ):
        posterior.reweight(lambda _: "heavy")
    with pytest.raises(cz.SettingsError, match="returned nan"):
        posterior.reweight(lambda _: math.nan)
    with pytest.raises(cz.SettingsError, match=r"prior <lambda>.*[\d,]+ listed classes"):
        posterior.reweight(lambda _: -math.inf)


def test_pickle_and_save(posterior: cz.Posterior, tmp_path: object) -> None:
    for prior in ("dags", few_edges):
        weighted = posterior.reweight(prior)
        assert pickle.loads(pickle.dumps(weighted)).top(3) == weighted.top(3)
        weighted.save(tmp_path / "weighted.czz")
        again = cz.load(tmp_path / "weighted.czz")
        assert (again.prior, again.top(3), weight_ess(again)) == (weighted.prior, weighted.top(3), weight_ess(weighted))
    short = replace(
        weighted, _reweighting=replace(weighted._reweighting, log_weights=weighted._reweighting.log_weights[:2])
    )
    short.save(tmp_path / "short.czz")
    with pytest.raises(cz.FileError, match=r"weights.*chains"):
        cz.load(tmp_path / "short.czz")


def test_summary_and_repr(posterior: cz.Posterior) -> None:
    text = posterior.reweight("dags").summary()
    assert "prior       uniform over DAGs" in text
    assert f"with {weight_ess(posterior.reweight('dags')):.1%} of the effective sample size left" in text
    assert "uniform over DAGs, edge prior none" in repr(posterior.reweight("dags"))
    assert "weighted by few_edges" in posterior.reweight(few_edges).summary()


@pytest.mark.parametrize("prior", ["classes", "dags", few_edges])
def test_the_exact_posterior_agrees(prior: object) -> None:
    """The exact posterior over all 185 classes agrees with the sample."""
    score = cz.GaussianBIC(gaussian_data(4, 100, seed=3))
    exact = cz.exact_posterior(score, edge_prior=None).reweight(prior)
    sampled = cz.sample(score, edge_prior=None, jumps=100_000, chains=2, rng=1, progress=False).reweight(prior)
    difference = sampled.edge_probabilities().directed - exact.edge_probabilities().directed
    assert np.abs(difference).max() < 0.02  # over 8 standard errors, which are at most 0.0024: measured over 20 seeds
    assert exact.prior == sampled.prior
    assert (
        exact.reweight("classes").probabilities.tolist()
        == cz.exact_posterior(score, edge_prior=None).probabilities.tolist()
    )
    with pytest.raises(cz.SettingsError, match='prior must be "classes" or "dags", not 3'):
        exact.reweight(3)


# ---- DAGs ------------------------------------------------------------------------------------------------------------


def test_drawn_dags_have_the_probabilities_of_their_classes(posterior: cz.Posterior) -> None:
    """Every DAG has its share of the probability of its class; false-alarm rate 1e-6 (Bonferroni)."""
    for some in (posterior, posterior.reweight("dags"), cz.exact_posterior(posterior.score, edge_prior=None)):
        dags = some.sample_dags(40_000, rng=3)
        assert dags.shape == (40_000, 5, 5)
        assert dags.dtype == np.uint8
        unique, counts = np.unique(dags.reshape(len(dags), -1), axis=0, return_counts=True)
        for code, count in zip(unique[counts > 100], counts[counts > 100], strict=True):
            g = cz.CPDAG.from_dag(code.reshape(5, 5), nodes=NODES)
            p = some.probability(g) / g.count_dags()
            assert abs(count - 40_000 * p) < 6.5 * math.sqrt(40_000 * p * (1 - p))


def test_draws_are_seeded_and_independent(posterior: cz.Posterior) -> None:
    assert (posterior.sample_dags(50, rng=3) == posterior.sample_dags(50, rng=3)).all()
    assert (posterior.sample_dags(50, rng=3) != posterior.sample_dags(50, rng=4)).any()
    assert posterior.sample_dags(0).shape == (0, 5, 5)
    dags = posterior.sample_dags(4000, rng=3).reshape(4000, -1)
    same = (dags[1:] == dags[:-1]).all(axis=1).mean()  # adjacent draws are equal as often as any two draws
    pairs = np.random.default_rng(1).integers(4000, size=(2, 20_000))
    anywhere = (dags[pairs[0]] == dags[pairs[1]]).all(axis=1)[pairs[0] != pairs[1]].mean()
    assert abs(same - anywhere) < 0.03
    for bad in (-1, 1.5, "3"):
        with pytest.raises(cz.SettingsError, match="k must be an integer of at least 0"):
            posterior.sample_dags(bad)
    for many in (10**14, 10**30):
        with pytest.raises(cz.SettingsError, match=f"k={many:,} DAGs of 5 nodes do not fit"):
            posterior.sample_dags(many)


def test_dags_need_a_score_equivalent_score() -> None:
    class ByFirstParent(cz.Score):
        def local(self, node: int, parents: tuple[int, ...]) -> float:
            return 0.5 * node * len(parents)

    exact = cz.exact_posterior(ByFirstParent([0, 1]), prior="dags", edge_prior=None)
    with pytest.raises(cz.ScoreError):
        exact.sample_dags(3)
