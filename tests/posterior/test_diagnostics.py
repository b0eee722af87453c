"""Diagnostics: numbers compared with independent computations, and the verdict for every kind of problem."""

from dataclasses import replace

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.errors.batch_means import Batching, draw_errors
from causal_zigzag.graphs.pairs import pair_ends
from causal_zigzag.posterior.diagnostics.rhat import fractional_ranks, rank_r_hat
from experts import options
from targets import Case, gaussian_data, generator

NODES = ["fog", "rain", "sun", "wind", "wet", "ice"]


def errors_of_draws(counts: list[int], values: np.ndarray) -> np.ndarray:
    return draw_errors(counts, values, np.ones(len(values)))


def run(seed: int = 1, rows: int = 80, **settings: object) -> cz.Posterior:
    score = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(6, rows, seed=seed).T), rows, nodes=NODES)
    chosen = {"jumps": 5000, "chains": 4, "rng": 1, "progress": False} | settings
    return cz.sample(score, **options(**chosen))


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    return run()


# ---- ranks


def test_rounding_of_scores_is_no_disagreement() -> None:
    """A chain adds up score differences, so the last digits of a score differ between chains; ranks ignore this."""
    for n, rows in ((2, 200), (4, 200)):
        score = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(n, rows, seed=3).T), rows)
        found = cz.sample(score, jumps=20_000, rng=1, progress=False)
        kept = np.concatenate([r.trace_score for r in found._results])
        assert len(np.unique(kept)) > len(np.unique(kept.round(6)))  # otherwise there is nothing to test
        r_hat = found.diagnostics().table.set_index("quantity")["r_hat"]["score"]
        assert r_hat < 1.01  # R-hat - 1 is about 1 / (draws that are independent), 1,000 and more
        assert found.diagnostics().ok


def test_two_columns_that_are_certainly_adjacent() -> None:
    x = np.random.default_rng(1).normal(size=(200, 2))
    score = cz.GaussianBIC({"a": x[:, 0], "b": x[:, 0] + x[:, 1]})
    found = cz.sample(score, jumps=2_000, rng=1, progress=False)
    assert found.class_count == 2  # the other one has almost no time
    assert found.diagnostics().ok


# ---- errors from batches


def test_integrals_over_batches_give_the_probabilities_of_edges(posterior: cz.Posterior) -> None:
    edges = posterior.edge_probabilities()
    batches = posterior._classes.batches.edges
    pairs, total = np.arange(15), batches.batching.total
    for block, integrals in batches.pair_integrals(pairs):
        a, b = pair_ends(pairs[block])
        shares = integrals.sum(axis=0) / total
        expected = [edges.adjacent[a, b], edges.directed[a, b], edges.directed[b, a], edges.undirected[a, b]]
        assert np.allclose(shares.T, expected, rtol=0, atol=1e-12)
    assert edges.adjacent.sum() > 0
    assert {*batches.changing_pairs().tolist()} <= {*pairs.tolist()}


def test_the_error_of_independent_draws_is_the_standard_error() -> None:
    values = np.random.default_rng(1).normal(size=4 * 1000)
    # the largest of several levels is up to a third larger; its relative standard deviation is about 0.1
    assert errors_of_draws([1000] * 4, values) * 4000**0.5 == pytest.approx(1.15, abs=0.25)
    weights = np.repeat([1.0, 3.0], 2000)
    equal = draw_errors([1000] * 4, values, np.full(4000, 7.0))
    assert equal == pytest.approx(errors_of_draws([1000] * 4, values))
    # variance of the weighted mean: Σ w² / (Σ w)² = 10 / 16 · 4 / 4000
    assert draw_errors([1000] * 4, values, weights) * 4000**0.5 == pytest.approx(1.15 * (10 / 8) ** 0.5, abs=0.3)


def test_the_error_includes_differences_between_chains() -> None:
    rng = np.random.default_rng(2)
    offsets = np.array([0.0, 1.0, 2.0, 3.0])
    values = np.repeat(offsets, 500) + 0.1 * rng.normal(size=2000)
    assert errors_of_draws([500] * 4, values) == pytest.approx(offsets.std(ddof=1) / 2, rel=0.05)


def test_too_few_batches_give_nan() -> None:
    assert np.isnan(errors_of_draws([3, 3], np.arange(6.0)))
    uneven = np.array([1e9] + [1.0] * 50)
    assert np.isnan(Batching(uneven, np.array([0])).errors(uneven * np.arange(51)))


def fewest_changes(path: np.ndarray, batch: np.ndarray) -> int:
    """The smallest number of changes that is consistent with the values in each batch, by dynamic programming."""
    kinds = [frozenset(path[batch == b]) for b in np.unique(batch)]
    best = {0: 0, 1: 0}  # by the value at the end of the previous batch
    for kind in kinds:
        now: dict[int, int] = {}
        for end in kind:
            ways = []
            for before, count in best.items():
                # a batch with both values has at least one change inside
                for begin in kind:
                    inside = int(begin != end) if len(kind) == 1 or begin != end else 2
                    ways.append(count + (begin != before) + inside)
            now[end] = min(ways)
        best = now if kind is not kinds[0] else {end: int(len(kind) == 2) for end in kind}
    return min(best.values())


def test_the_bound_on_changes_is_the_best_possible() -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(300):
        stay = rng.choice([0.5, 0.9, 0.98])
        paths = [np.cumsum(rng.random((60, 3)) > stay, axis=0) % 2 for _ in range(2)]
        size = int(rng.choice([1, 4, 7]))
        batch = np.arange(60) // size
        integrals = np.concatenate([np.add.reduceat(path, np.arange(0, 60, size)) for path in paths]).astype(float)
        times = np.tile(np.bincount(batch), 2).astype(float)
        counted = Batching(times, np.array([0, batch[-1] + 1])).changes(integrals)
        for k in range(3):
            fewest = sum(fewest_changes(path[:, k], batch) for path in paths)
            made = sum(int((np.diff(path[:, k]) != 0).sum()) for path in paths)
            assert fewest <= made
            assert counted[k] == fewest or min(counted[k], fewest) >= 10  # larger numbers are not distinguished
            assert size > 1 or fewest == made
            seen.add(min(fewest, 10))
    assert seen == set(range(11))


def test_an_indicator_that_changed_a_few_times_has_no_error() -> None:
    batching = Batching(np.ones(128), np.array([0, 64]))
    steps = np.zeros((128, 4))
    steps[40:64, 0] = 1  # one change
    steps[[5, 70, 90, 100], 1] = 0.3  # four visits
    steps[[5, 17, 70, 90, 100], 2] = 0.3  # five
    steps[:, 3] = 0.5
    assert batching.changes(steps)[:3].tolist() == [1, 8, 10]
    assert np.isnan(batching.indicator_errors(steps)).tolist() == [True, True, False, True]  # the last never varies
    draws = np.zeros(1000)
    draws[[100, 200, 300, 400]] = 1
    assert np.isnan(errors_of_draws([500, 500], draws))
    draws[700] = 1
    assert errors_of_draws([500, 500], draws) == pytest.approx(0.005**0.5 / 1000**0.5, rel=0.3)
    between = np.repeat([0.0, 1.0], 500)  # a difference between chains is not a change
    assert np.isnan(errors_of_draws([500, 500], between))


def asymptotic_error(q: np.ndarray, values: np.ndarray) -> float:
    """The standard error of Σ f m / Σ m over events of the embedded chain, times √events; m are expected holding times.

    With P its transition matrix, μ its stationary distribution, h = (f − π f) m and Z = (I − P + 1 μ)⁻¹, the variance
    of the sum of h grows by μ·(2 h Z h − h h) per event.
    """
    mean = -1 / np.diag(q)
    p = q * mean[:, None] + np.eye(len(q))
    mu = np.linalg.lstsq(np.vstack([p.T - np.eye(len(p)), np.ones(len(p))]), np.r_[np.zeros(len(p)), 1], rcond=None)[0]
    share = (mu * mean * values).sum() / (mu * mean).sum()
    h = (values - share) * mean
    z = np.linalg.solve(np.eye(len(p)) - p + mu, h)
    growth = (mu * (2 * h * z - h * h)).sum()
    return float(np.sqrt(growth) / (mu * mean).sum())


@pytest.mark.parametrize("case", [Case(3), Case(3, rows=30, momentum=0.5), Case(3, rows=20, momentum=0.0)], ids=str)
def test_errors_agree_with_the_generator_matrix(case: Case) -> None:
    reported, exact = [], []
    support = case.support()
    joined = np.repeat([1 in g.adjacent(0) for g in support], 2).astype(float)
    edges = np.repeat([g.edge_count for g in support], 2).astype(float)
    growth = np.array([asymptotic_error(generator(case).toarray(), values) for values in (joined, edges)])
    for seed in range(10):
        posterior = case.sample(jumps=4000, rng=seed)
        events = sum(s.jumps + s.flips for s in posterior.statistics)
        table = posterior.edge_table().set_index(["x", "y"])
        reported.append((table.loc[(0, 1), "mcse"], posterior.diagnostics().table["mcse"][0]))
        exact.append(growth / events**0.5)
    # A reported error has a relative standard deviation of 0.1, the mean of ten 0.03. It is 1.05 to 1.15 times the
    # exact error, since it is the largest of several levels. The bounds are six standard deviations away.
    ratio = np.mean(reported, axis=0) / np.mean(exact, axis=0)
    assert np.all((ratio > 0.9) & (ratio < 1.33)), ratio


def test_errors_of_two_states_agree_with_their_rates() -> None:
    # Both classes are left with rate 2, since Insert(0, 1) and Insert(1, 0) both count. The correlation at distance t
    # is exp(-4 t), and its sum over a regular grid is a geometric series.
    errors, exact = [], []
    for seed in range(10):
        posterior = cz.sample(cz.Uniform(2), momentum=0.0, jumps=4000, rng=seed, progress=False)
        draws = posterior.draws()
        step, count = draws.step, len(draws)
        memory = np.exp(-4 * step)
        exact.append(np.sqrt(0.25 / count * (1 + memory) / (1 - memory)))
        errors.append(posterior.mcse(cz.CPDAG.complete(2)))
    assert 0.95 < np.mean(errors) / np.mean(exact) < 1.4  # as above, over more levels


# ---- compared with arviz-stats


def test_r_hat_equals_that_of_arviz(posterior: cz.Posterior) -> None:
    stats = pytest.importorskip("arviz_stats.base").array_stats
    draws = posterior.draws()
    table = posterior.diagnostics().table.set_index("quantity")
    count = min(draws.counts)
    for name in ("edges", "score"):
        values = np.array([getattr(c, name)[:count] for c in draws.chains], dtype=float)
        assert table.loc[name, "r_hat"] == pytest.approx(float(stats.rhat(values)), rel=1e-9)
    checked = 0
    for x, y, text, kind in [
        (x, y, sign.format(x, y), kind)
        for x in NODES
        for y in NODES
        for sign, kind in (("{} -- {}", "adjacent"), ("{} -> {}", "directed"), ("{} - {}", "undirected"))
    ]:
        if text not in table.index:
            continue
        values = np.split(draws.indicator(x, y, kind).astype(float), np.cumsum(draws.counts)[:-1])
        r_hat = float(stats.rhat(np.array([v[:count] for v in values])))
        assert table.loc[text, "r_hat"] == pytest.approx(r_hat, rel=1e-9)
        checked += 1
    assert checked == len(table) - 2 > 10


def test_effective_sample_sizes_are_near_those_of_arviz_on_a_fine_grid() -> None:
    stats = pytest.importorskip("arviz_stats.base").array_stats
    ratios = []
    for seed in range(5):  # slow mixing: many draws per independent one
        posterior = run(seed=3, rows=300, rng=seed, momentum=0.0, jumps=8000)
        draws, count = posterior.draws(), min(posterior.draws().counts)
        table = posterior.diagnostics().table.set_index("quantity")
        values = np.array([c.score[:count] for c in draws.chains])
        ratios.append(table.loc["score", "ess"] / float(stats.ess(values, method="mean")))
    # Expected instead of drawn holding times make ours up to twice as large; both have a standard deviation of 20 %.
    assert 0.5 < np.median(ratios) < 3


def test_ranks_share_ties() -> None:
    assert fractional_ranks(np.array([[3.0, 1.0], [3.0, 2.0]])).tolist() == [[3.5, 1.0], [3.5, 2.0]]
    assert np.isnan(rank_r_hat(np.ones((2, 50))))
    assert np.isnan(rank_r_hat(np.arange(8.0).reshape(2, 4)))


def test_ranks_for_plots(posterior: cz.Posterior) -> None:
    ranks = posterior.diagnostics().ranks
    assert set(ranks) == {"edges", "score"}
    count = min(posterior.draws().counts)
    for values in ranks.values():
        assert values.shape == (4, count)
        assert values.mean() == pytest.approx((4 * count + 1) / 2)


# ---- verdicts


def test_a_good_run(posterior: cz.Posterior) -> None:
    d = run(jumps=30_000).diagnostics()
    assert d.ok
    assert d.verdict.startswith("Converged as far as 4 chains can show: at least ")
    assert "R-hat at most 1.0" in d.verdict
    assert list(d.table["quantity"][:2]) == ["edges", "score"]
    assert d.table["mean"][1] == pytest.approx(np.mean([t.score.mean() for t in posterior.trace()]), abs=0.5)
    assert d.verdict in str(d)
    assert "with more effective samples" in str(d)
    assert repr(d) == f"Diagnostics({d.verdict})"


def test_one_chain() -> None:
    d = run(jumps=30_000, chains=1).diagnostics()
    assert d.ok
    assert d.verdict.startswith("Converged as far as 1 chain can show (one cannot reveal modes that it missed): at")


TOGETHER = (
    'All chains started at the same class, so their agreement is weaker evidence; start="scattered" is a stronger test.'
)


def test_chains_that_started_at_one_class_are_weaker_evidence() -> None:
    assert "started" not in run(jumps=30_000).diagnostics().verdict  # annealed chains forget where they start
    together, apart = (run(jumps=200_000, anneal=False, start=start) for start in (None, "scattered"))
    assert TOGETHER in together.diagnostics().verdict
    for posterior in (apart, together.by_chain()[0], run(jumps=200_000, anneal=False, chains=1)):
        d = posterior.diagnostics()
        assert d.ok
        assert "started" not in d.verdict
    copies = run(jumps=200_000, anneal=False, start=[cz.CPDAG.empty(together.nodes) for _ in range(4)])
    assert TOGETHER in copies.diagnostics().verdict
    assert "started" not in run(jumps=200_000, anneal=False, start="ges", rng=2).merge(together).diagnostics().verdict
    assert TOGETHER in run(jumps=200_000, anneal=False, rng=2).merge(together).diagnostics().verdict


def test_too_short() -> None:
    d = run(jumps=20).diagnostics()
    assert not d.ok
    assert d.verdict.startswith(
        "Too short to judge: 80 jumps of all chains are too few to estimate an error; sample more jumps. Far from the "
        "exact probabilities: that of "
    )
    assert d.table["mcse"].isna().all()
    assert set(d.table["note"]) <= {"too short to judge", "constant"}
    d = run(jumps=150, momentum=0.0).diagnostics()
    assert not d.ok


def test_a_constant_quantity_has_no_numbers() -> None:
    d = cz.sample(cz.Uniform(3), jumps=20_000, rng=1, progress=False).diagnostics()
    row = d.table.set_index("quantity").loc["score"]
    assert row["note"] == "constant"
    assert row[["mcse", "ess", "r_hat"]].isna().all()
    assert d.ok


def test_one_class() -> None:
    d = cz.sample(cz.Uniform(1), jumps=10, rng=1, progress=False).diagnostics()
    assert d.ok
    assert d.verdict == "The target has only one class, so there is nothing to sample and no error."
    assert set(d.table["note"]) == {"constant"}


def frozen() -> cz.Posterior:
    with pytest.warns(cz.SamplingWarning):
        return run(coldness=1e6, jumps=1000, warmup=500, chains=2)


def test_frozen_chains() -> None:
    d = frozen().diagnostics()
    assert not d.ok
    assert d.verdict == (
        "Chains 1, 2 never left the first class. Chains 1, 2 froze: the next jump is more than 2**1000 units "
        "of time away, so this shows a mode of the target, not its spread. Far from the exact probabilities: that of "
        "fog -- ice is 0.00 instead of 1.00; use the exact probabilities of "
        "cz.exact_edge_posterior or sample more jumps."
    )
    assert set(d.table["note"]) == {"constant"}


def test_a_frozen_chain_among_others(posterior: cz.Posterior) -> None:
    mixed = replace(posterior, _results=(*posterior._results[:2], frozen()._results[0]))
    d = mixed.diagnostics()
    assert not d.ok
    assert d.verdict.startswith("Chain 3 never left the first class. Chain 3 froze")
    assert d.table["mcse"].isna().all()


def test_chains_that_disagree(posterior: cz.Posterior) -> None:
    elsewhere = run(seed=2)
    mixed = replace(posterior, _results=(*posterior._results[:3], elsewhere._results[0]))
    d = mixed.diagnostics()
    assert not d.ok
    assert d.verdict.startswith("The chains disagree on ")
    assert "They have not mixed; sample more jumps or examine each chain with posterior" in d.verdict
    worst = d.table[d.table["note"].str.startswith("chains disagree")]
    assert len(worst) > 3
    assert (worst["r_hat"] > 1.05).all()


def test_chains_with_little_time_are_compared_as_well() -> None:
    # two modes, without edges and with many, and few classes between; the empty class is left e^14 times more rarely
    weights = [-3.0 * m if m <= 7 else 4.0 * m - 53 for m in range(16)]
    weights[0] += 28
    start = [None, *[cz.CPDAG.complete(6)] * 3]
    run = {"jumps": 20_000, "warmup": 100, "rng": 1, "progress": False}
    posterior = cz.sample(cz.Uniform(6), **options(edge_prior=weights, start=start, **run))
    assert min(posterior.draws().counts) == 1  # on a grid that all chains share: no R-hat
    assert posterior.edge_probabilities().adjacent.max() < 1e-4
    d = posterior.diagnostics()
    assert not d.ok
    assert d.verdict == (
        "The chains disagree on edges: 0 to 13.8533. They have not mixed; sample more jumps or examine "
        "each chain with posterior.by_chain(). Chains 2, 3, 4: a region with e^-19 of the mass of that of "
        "chain 1; weight the chains by these masses with posterior.weigh_chains()."
    )
    assert posterior.reweight("dags").diagnostics().verdict.startswith("The chains disagree on ")


def test_a_run_that_spent_its_time_in_one_part(posterior: cz.Posterior) -> None:
    result = posterior._results[1]
    slow = replace(result, unit=result.unit + 40)
    integrals = slow.batch_integrals.copy()
    integrals[1:, 1:] *= 1e-9
    slow = replace(slow, batch_integrals=integrals, batch_times=slow.batch_times * 1e-9)
    d = replace(posterior, _results=(posterior._results[0], slow)).diagnostics()
    assert not d.ok
    assert d.exact is not None
    assert d.verdict == (
        "Too short to judge: almost all of the time (100% of it in chain 2) was spent in a few parts of the run, in "
        "classes that are hard to leave; sample more jumps. Largest difference from the exact probabilities: "
        f"{d.exact.largest_difference:.2g}; use the exact probabilities of cz.exact_edge_posterior."
    )


def test_not_enough_draws_for_the_score() -> None:
    d = run(seed=3, rows=2000, jumps=400, momentum=0.0, start=cz.CPDAG.empty(NODES)).diagnostics()
    assert not d.ok


def test_a_short_run_has_edges_that_changed_too_rarely() -> None:
    short = run(rows=300, jumps=150)
    told = short.diagnostics().table.set_index("quantity")
    rare = told[told["note"] == "changed too rarely"]
    assert len(rare) > 0
    assert rare[["mcse", "ess"]].isna().all(axis=None)
    table = short.edge_table()
    moved = (table["adjacent"] > 0) & (table["adjacent"] < 1)
    assert table[moved]["mcse"].isna().any()
    assert table[~moved]["mcse"].isna().all()


def test_errors_in_the_edge_table(posterior: cz.Posterior) -> None:
    table = posterior.edge_table()
    told = posterior.diagnostics().table.set_index("quantity")
    for row in table.itertuples():
        label = f"{row.x} -- {row.y}"
        if label in told.index:
            assert row.mcse == pytest.approx(told.loc[label, "mcse"], rel=1e-12)
        if row.adjacent in (0, 1):
            assert np.isnan(row.mcse)
    assert table["mcse"].notna().sum() > 5
    chains = [p.edge_table().sort_values(["x", "y"])["adjacent"].to_numpy() for p in posterior.by_chain()]
    between = np.std(chains, axis=0, ddof=1) / 2
    # the root mean square of 15 ratios with three degrees of freedom each
    reported = table.sort_values(["x", "y"])["mcse"].to_numpy()
    ok = np.isfinite(reported)
    assert 0.4 < np.sqrt(np.mean((between[ok] / reported[ok]) ** 2)) < 2


def test_errors_of_statements(posterior: cz.Posterior) -> None:
    g = posterior.top(1)[0].graph
    assert posterior.mcse(g) == posterior.mcse(lambda h: h == g)
    assert 0 < posterior.mcse(g) < 0.05
    assert np.isnan(posterior.mcse(lambda h: True))
    with pytest.raises(cz.SettingsError, match="not 'fog'"):
        posterior.mcse("fog")
    with pytest.raises(cz.SettingsError, match="the graph must have the nodes"):
        posterior.mcse(cz.CPDAG.empty(6))
