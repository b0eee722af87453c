"""Effects: a class worked out by hand, intervals against a numeric mixture, units, words, figures and errors."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import causal_zigzag as cz
from causal_zigzag.answers.effects.effect import Effect
from causal_zigzag.answers.effects.mixture import Mixture
from causal_zigzag.answers.effects.pair import EffectError
from causal_zigzag.scores.responses.response import Terms
from score_cases import ByLocal, gaussian_data, make_score

CHAIN = cz.CPDAG.from_edges(["a", "b", "c"], undirected=[("a", "b"), ("b", "c")])
COVARIANCE = [[1.0, 1.0, 3.5], [1.0, 2.0, 6.0], [3.5, 6.0, 20.0]]


def only(posterior: cz.ExactPosterior, graph: cz.CPDAG) -> cz.ExactPosterior:
    """All probability on one class."""
    return posterior.reweight(lambda g: 0.0 if g == graph else -math.inf)


def test_possible_effects_of_a_chain_by_hand() -> None:
    """The class a - b - c has the DAGs a -> b -> c, a <- b -> c and a <- b <- c, each with probability 1/3.

    IDA (Maathuis, Kalisch & Bühlmann 2009) lists the effect of a node in each of them, by a regression on it and its
    parents there. Of b on c: with no parents cov(b, c) / var(b) = 6 / 2 = 3; with the parent a, the normal equations
    2 s + t = 6 and s + t = 3.5 give s = 2.5; with the parent c it is 0.
    Of a on c: with no parents 3.5 / 1; in the other two DAGs a has the parent b and nothing is below it.
    Of c on a: with no parents 3.5 / 20; else 0. Of b on a: with no parents 1 / 2; with the parent c, the equations
    2 s + 6 t = 1 and 6 s + 20 t = 3.5 give s = (20 - 21) / 4 = -0.25; with the parent a it is 0.
    """
    score = cz.GaussianBIC.from_covariance(COVARIANCE, n_samples=100, nodes=["a", "b", "c"])
    posterior = only(cz.exact_posterior(score, edge_prior=None), CHAIN)
    expected = {
        ("b", "c"): {(): 3.0, ("a",): 2.5},
        ("a", "c"): {(): 3.5},
        ("c", "a"): {(): 0.175},
        ("b", "a"): {(): 0.5, ("c",): -0.25},
    }
    for (x, y), by_parents in expected.items():
        table = posterior.effect(x, y).components
        assert table["probability"].tolist() == pytest.approx([1 / 3] * len(by_parents) + [1 - len(by_parents) / 3])
        found = dict(zip(table["parents"], table["estimate"], strict=True))
        assert found.pop(None) == 0
        assert found == {parents: pytest.approx(value) for parents, value in by_parents.items()}
    # residual variance of c given b is 20 - 6 * 3 = 2, and 97 = 100 - 3 rows are left: sd² = 2 / (98 - 2) / 2
    one = posterior.effect("b", "c").components.set_index("parents").loc[[()], "sd"].item()
    assert one == pytest.approx(math.sqrt(100 * 2 / 98 / (100 * 2) * 98 / 96))


def effect_of(
    sets: tuple, weights: np.ndarray, means: np.ndarray, scales: np.ndarray, freedom: np.ndarray, error: float = 0.0
) -> Effect:
    strength = np.abs(means) / (scales * np.sqrt(freedom))
    terms = Terms(means, scales, freedom, None, strength, freedom)
    return Effect("a", "b", Mixture(weights, terms), sets, known_error=EffectError(error, error))


def mixture(rng: np.random.Generator, k: int, rest: float) -> Effect:
    weights = rng.dirichlet(np.ones(k)) * (1 - rest)
    freedom = rng.choice([4.0, 30.0, 1000.0], size=k)
    sets = tuple((i,) for i in range(k))
    return effect_of(sets, weights, rng.normal(size=k), rng.uniform(0.1, 1, size=k), freedom)


@pytest.mark.parametrize("rest", [0.0, 0.02, 0.4, 0.96])
def test_interval_moments_and_probabilities_of_a_mixture(rest: float) -> None:
    rng = np.random.default_rng(1)
    for k in (1, 4):
        effect = mixture(rng, k, rest)
        grid = np.linspace(-15, 15, 150_001)
        weights, (means, scales, freedom, *_) = effect.mixture.weights, effect.mixture.terms
        cdf = sum(
            w * stats.t.cdf((grid - m) / s, v) for w, m, s, v in zip(weights, means, scales, freedom, strict=True)
        )
        cdf = cdf + rest * (grid >= 0)
        for level in (0.5, 0.9, 0.95):
            ends = [grid[np.searchsorted(cdf, p)] for p in ((1 - level) / 2, (1 + level) / 2)]
            assert effect.interval(level) == pytest.approx(ends, abs=4e-4)  # twice the step of the grid
        assert effect.probability_positive == pytest.approx(1 - cdf[np.searchsorted(grid, 1e-9) - 1], abs=4e-4)
        assert effect.probability_nonzero == pytest.approx(1 - rest)
        variance = weights @ (means**2 + scales**2 * freedom / (freedom - 2))
        assert effect.sd == pytest.approx(math.sqrt(variance - effect.mean**2))


def test_two_degrees_of_freedom_have_no_variance() -> None:
    x = gaussian_data(2, 4, seed=1)
    effect = only(cz.exact_posterior(cz.GaussianBIC(x), edge_prior=None), cz.CPDAG.complete(2)).effect(0, 1)
    assert effect.mixture.terms.freedom.tolist() == [2.0]
    assert effect.within == effect.sd == math.inf
    assert all(map(math.isfinite, effect.interval()))
    table = cz.exact_posterior(cz.GaussianBIC(x), edge_prior=None).effects()
    assert (table["sd"] == math.inf).all()


@pytest.mark.parametrize("make", [cz.GaussianBIC, cz.BGe, lambda x: cz.BGe(x, standardize=False)])
def test_effects_have_the_units_of_the_data(make: object) -> None:
    """Without a prior on the scale of the data, an effect is multiplied as its units are."""
    x = gaussian_data(3, 200, seed=2)
    factor = np.array([10.0, 0.01, 1e5])
    one, other = (cz.exact_posterior(make(data), edge_prior=None).effects() for data in (x, x * factor))
    if make in (cz.GaussianBIC, cz.BGe):
        merged = one.merge(other, on=["cause", "outcome"], suffixes=("", "_scaled"))
        unit = factor[merged["outcome"].astype(int)] / factor[merged["cause"].astype(int)]
        for name in ("mean", "sd", "lower", "upper"):
            assert merged[f"{name}_scaled"].to_numpy() == pytest.approx(
                merged[name] * unit, rel=1e-6, abs=1e-9 * unit.max()
            )
    best = one.iloc[0]
    design = np.column_stack([x[:, best["cause"]], np.ones(len(x))])
    plain = np.linalg.lstsq(design, x[:, best["outcome"]], rcond=None)[0][0]
    assert best["mean"] == pytest.approx(plain, abs=0.6)


def test_the_table_is_sorted_and_restricted() -> None:
    posterior = cz.exact_posterior(make_score("BGe", 4, 100), edge_prior=None)
    full = posterior.effects()
    assert len(full) == 12
    assert full["mean"].abs().is_monotonic_decreasing
    some = posterior.effects(causes=[0, 1], outcomes=2)
    assert sorted(zip(some["cause"], some["outcome"], strict=True)) == [(0, 2), (1, 2)]
    expected = full.merge(some[["cause", "outcome"]])
    numbers = some.select_dtypes(float).columns
    assert len(numbers) == 13
    assert some[numbers].to_numpy() == pytest.approx(expected[numbers].to_numpy())
    assert len(posterior.effects(causes=1, outcomes=1)) == len(posterior.effects(causes=[])) == 0


def test_what_is_said() -> None:
    score = cz.GaussianBIC.from_covariance(COVARIANCE, n_samples=100, nodes=["a", "b", "c"])
    posterior = cz.exact_posterior(score, edge_prior=None)
    assert repr(only(posterior, CHAIN).effect("a", "c")) == (
        "raising a by 1: with probability 0.333 there is an effect on c, of 2.94 to 4.06; otherwise none; probability "
        "of an effect above 0 0.333"
    )
    collider = cz.CPDAG.from_edges(["a", "b", "c"], directed=[("a", "c"), ("b", "c")])
    assert repr(only(posterior, collider).effect("b", "c")) == (
        "raising b by 1 changes c by 3 (2.8 to 3.2); probability of a causal path 1, probability of an effect above 0 1"
    )
    nothing = only(posterior, collider).effect("c", "a")
    assert repr(nothing) == "raising c by 1 does not change a: c is not an ancestor of a in any graph"
    assert (nothing.mean, nothing.sd, nothing.interval(), len(nothing.components)) == (0.0, 0.0, (0.0, 0.0), 1)


def made(probability: float, estimate: float = 1.0, scale: float = 1e-3) -> Effect:
    return effect_of(((),), *np.array([probability, estimate, scale, 50.0]).reshape(4, 1), error=np.nan)


def test_what_is_said_of_improbable_and_tiny_effects() -> None:
    rare = made(0.001, estimate=1e5)
    assert (rare.mean, rare.interval()) == (pytest.approx(1e2), (0, 0))
    assert repr(rare) == (
        "raising a by 1 probably does not change b; with probability 0.001 there is an effect, of 100000 to 100000; "
        "probability of an effect above 0 0.001"
    )
    tiny = made(1.0, estimate=1e-200, scale=1e-201)
    assert repr(tiny).startswith("raising a by 1 changes b by 1e-200 (")
    score = cz.GaussianBIC.from_covariance(np.eye(2), n_samples=100)
    run = cz.sample(score, jumps=100, rng=1, progress=False).reweight(lambda g: -math.inf if g.edge_count else 0.0)
    assert repr(run.effect(0, 1)) == "raising 0 by 1 does not change 1: 0 is not an ancestor of 1 in any sampled graph"


def test_the_figure() -> None:
    pytest.importorskip("matplotlib", minversion="3.8")
    names = ["_a", "$b", "c"]
    score = cz.GaussianBIC.from_covariance(COVARIANCE, n_samples=100, nodes=names)
    effect = cz.exact_posterior(score, edge_prior=None).effect("$b", "c")
    figure = effect.plot().figure
    ax, mass = figure.axes
    assert ax.get_xlabel() == "change of c if $b is raised by 1"
    assert mass.patches[0].get_height() == pytest.approx(1 - effect.probability_nonzero)
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert sorted(text.split("  ")[1] for text in shown) == ["_a", "none"]
    area = sum(np.trapezoid(*_band(band)) for band in ax.collections)
    assert area == pytest.approx(effect.probability_nonzero, abs=0.01)
    figure.savefig(Path("/dev/null"), format="png")
    cz.exact_posterior(cz.GaussianBIC(gaussian_data(3, 50)), edge_prior=None).reweight(
        lambda g: -1e6 * g.edge_count
    ).effect(0, 1).plot()


def _band(band: object) -> tuple[np.ndarray, np.ndarray]:
    """The heights of a filled band, and where they are."""
    points = band.get_paths()[0].vertices
    x = np.unique(points[:, 0])
    return np.array([np.ptp(points[points[:, 0] == at, 1]) for at in x]), x


class TestErrors:
    posterior = cz.exact_posterior(make_score("GaussianBIC", 3, 50), edge_prior=None)

    def test_nodes(self) -> None:
        with pytest.raises(cz.GraphError, match="unknown node z; the nodes are 0, 1, 2"):
            self.posterior.effect("z", 1)
        with pytest.raises(cz.SettingsError, match="both are 1"):
            self.posterior.effect(1, 1)
        with pytest.raises(cz.GraphError, match="outcomes: unknown node z"):
            self.posterior.effects(outcomes="z")
        with pytest.raises(cz.GraphError, match="unknown node 7"):
            self.posterior.effects(causes=[0, 7])

    @pytest.mark.parametrize("level", [0, 1, "a", True, math.nan])
    def test_levels(self, level: object) -> None:
        with pytest.raises(cz.SettingsError, match="level must be a number between 0 and 1"):
            self.posterior.effect(0, 1).interval(level)

    def test_other_scores(self) -> None:
        posterior = cz.exact_posterior(make_score("user", 3, 50), edge_prior=None)
        for ask in (lambda: posterior.effect(0, 1), posterior.effects):
            with pytest.raises(cz.ScoreError, match="ancestors\\(\\) works for every score"):
                ask()
        assert posterior.ancestors().shape == (3, 3)

    def test_too_few_rows(self) -> None:
        x = gaussian_data(4, 4, seed=1)
        with pytest.warns(cz.DataWarning):
            score = cz.GaussianBIC(x)
        with pytest.raises(cz.ScoreError, match=r"4 rows.* 0 is adjusted for . columns"):
            cz.exact_posterior(score, edge_prior=None).effect(0, 1)
        table = cz.exact_posterior(score, edge_prior=None).effects(causes=0)
        assert table["mean"].isna().all() == table["note"].str.startswith("4 rows are too few").all() == True  # noqa: E712
        assert len(cz.exact_posterior(cz.BGe(x), edge_prior=None).effects()) == 12

    def test_scores_that_are_not_equivalent(self) -> None:
        class Lopsided(cz.Score):
            def local(self, node: object, parents: object) -> float:
                return float(node == 0 and 1 in parents)

        with pytest.raises(cz.ScoreError):
            cz.exact_posterior(Lopsided(3), prior="dags", edge_prior=None).ancestors()


def test_a_user_defined_score_has_ancestors() -> None:
    inner = make_score("GaussianBIC", 3, 50)
    found, expected = (
        cz.exact_posterior(score, edge_prior=None).ancestors().to_numpy() for score in (ByLocal(inner), inner)
    )
    assert found == pytest.approx(expected, abs=1e-12)


def test_pairs_without_a_probable_effect_come_last() -> None:
    """In tiny units of the cause, a mean over improbable effects is larger than all others."""
    table = cz.datasets.linear_gaussian([("a", "b")], rows=300, nodes=["a", "b", "c"], rng=1)
    table["c"] *= 1e-9
    effects = cz.exact_posterior(cz.GaussianBIC(table), edge_prior=5.0).effects()
    is_zero = ((effects["lower"] == 0) & (effects["upper"] == 0)).to_numpy()
    sizes = effects["mean"].abs().to_numpy()
    assert is_zero.any()
    assert sizes[is_zero].max() > sizes[~is_zero].max()
    assert not is_zero[: int((~is_zero).sum())].any()


def test_effects_per_standard_deviation() -> None:
    x = gaussian_data(3, 100, seed=3) * [1.0, 1000.0, 0.01]
    posterior = cz.exact_posterior(cz.GaussianBIC(x), edge_prior=None)
    plain, scaled = (posterior.effects(standardized=s).set_index(["cause", "outcome"]) for s in (False, True))
    for (cause, outcome), row in plain.iterrows():
        unit = x[:, cause].std() / x[:, outcome].std()
        for name in ("mean", "sd", "lower", "upper", "path_lower", "path_upper"):
            assert scaled.loc[(cause, outcome), name] == pytest.approx(row[name] * unit)
        assert scaled.loc[(cause, outcome), "robustness"] == pytest.approx(row["robustness"])
    assert scaled["mean"].abs().max() < 2


def test_the_interval_given_a_path_leaves_out_the_point_mass() -> None:
    effect = made(0.4, estimate=-2.0, scale=0.1)
    low, high = effect.interval(given_path=True)
    assert -2.5 < low < -2.1 < -1.9 < high < -1.5
    assert effect.interval()[1] == 0
    assert made(1.0).interval(given_path=True) == pytest.approx(made(1.0).interval())
    assert "otherwise none" in effect._repr_html_()
