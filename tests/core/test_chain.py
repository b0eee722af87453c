"""A single chain of the core: incremental updates are correct, its cold limit is greedy, extreme targets work."""

import math

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import Chain, Graph, decode_class, testing
from causal_zigzag.posterior.facts import shortfalls
from causal_zigzag.sampler import core_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target
from targets import Case, dense_times, gaussian_data


def make_chain(
    score: cz.Score,
    seed: int = 1,
    start: cz.CPDAG | None = None,
    momentum: float = 1.0,
    balance: str = "sqrt",
    coldness: float = 1.0,
    edge_prior: object = None,
    max_degree: int | None = None,
    apart: tuple = (),
    max_classes: int = 1000,
    cache_bytes: int = 2**24,
    **fields: float,
) -> Chain:
    target = Target.read(score, coldness, edge_prior, max_degree, cz.Knowledge(apart=apart))
    settings = RunSettings(
        momentum=momentum, balance=balance, max_classes=max_classes, cache_bytes=cache_bytes, trace_points=64
    )
    words = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    return core_chain.make_chain(target, settings, target.read_start(start), words, sqrt_weight=0.03, **fields)


def run(chain: Chain, jumps: int) -> int:
    """Make this many jumps, or fewer if the chain freezes or the graph becomes too dense; returns their number."""
    made = 0
    while made < jumps:
        made += chain.run(jumps - made, 10.0)
        state = chain.statistics()
        if state.frozen or state.dense_node >= 0:
            break
    return made


def random_settings(rng: np.random.Generator, n: int) -> dict:
    """Any settings that a user may choose."""
    pairs = [(int(a), int(b)) for a, b in zip(*np.triu_indices(n, 1), strict=True)]
    chosen = rng.choice(len(pairs), size=rng.integers(0, len(pairs) // 2 + 1), replace=False) if pairs else []
    priors = [None, "auto", float(rng.uniform(-1, 3)), lambda m: -0.01 * m**2, [0.1 * m for m in range(n + 1)]]
    return {
        "momentum": float(rng.choice([0.0, 0.3, 1.0])),
        "balance": str(rng.choice(["sqrt", "metropolis", "barker", "auto"])),
        "coldness": float(rng.choice([0.0, 0.1, 1.0, 3.0, 100.0])),
        "edge_prior": priors[rng.integers(len(priors))],
        "max_degree": [None, 1, 3, 6][rng.integers(4)],
        "apart": tuple(pairs[i] for i in chosen) if rng.random() < 0.3 else (),
    }


def random_score(rng: np.random.Generator, n: int) -> cz.Score:
    if rng.random() < 0.4 or n < 2:
        return cz.Uniform(n)
    rows = int(rng.choice([n + 10, 300, 10_000]))
    return cz.GaussianBIC(gaussian_data(n, rows, seed=int(rng.integers(1000)), degree=2.0))


# ---- incremental updates equal a computation from scratch


@pytest.mark.parametrize("seed", range(12))
def test_the_state_is_correct_after_every_jump(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    n = int(rng.integers(2, 13))
    chain = make_chain(random_score(rng, n), seed, **random_settings(rng, n))
    for _ in range(150):
        assert testing.audit(chain) == ""
        if run(chain, 1) == 0:
            break


@pytest.mark.parametrize("n", [30, 64, 65, 130])
@pytest.mark.parametrize("scored", [False, True])
def test_the_state_is_correct_at_intervals(n: int, scored: bool) -> None:
    score = cz.GaussianBIC(gaussian_data(n, 500, seed=n)) if scored else cz.Uniform(n)
    chain = make_chain(score, max_degree=8, coldness=0.5, cache_bytes=2**20)
    for _ in range(4):
        run(chain, 250)
        assert testing.audit(chain) == ""


@pytest.mark.parametrize(("n", "below"), [(9, 0.0), (40, -1.0), (70, 0.0), (140, -4.0)])
@pytest.mark.parametrize("balance", ["sqrt", "auto"])
def test_the_state_is_correct_with_unlikely_inserts(n: int, below: float, balance: str) -> None:
    score = cz.GaussianBIC(gaussian_data(n, 500, seed=n))
    never = tuple((v, v + 1) for v in range(0, n - 1, 3))
    chain = make_chain(
        score, balance=balance, momentum=0.8, edge_prior=1.0, max_degree=7, apart=never, unlikely_below=below
    )
    for _ in range(40):
        run(chain, 25)
        assert testing.audit(chain) == ""


@pytest.mark.parametrize(("n", "below"), [(70, 0.0), (70, math.inf), (130, 0.0)])
def test_unlikely_inserts_are_drawn_in_proportion_to_their_rates(n: int, below: float) -> None:
    """The first jumps of chains: standard scores of three means, each above 5.5 with a probability of 4e-8."""
    score = cz.GaussianBIC(gaussian_data(n, 500, seed=n))
    settings = {"momentum": 0.0, "coldness": 0.05, "unlikely_below": below}
    events = testing.events(make_chain(score, **settings))
    rates = np.exp([log_rate for _, _, log_rate in events])
    ends = np.sort([op[1:3] for _, op, _ in events], axis=1)
    rate_of = np.zeros((n, n))
    np.add.at(rate_of, tuple(ends.T), rates)
    upper = np.triu_indices(n, 1)
    probability = rate_of[upper] / rates.sum()
    drawn = np.zeros((n, n))
    for seed in range(2000):
        chain = make_chain(score, seed, **settings)
        run(chain, 1)
        drawn += chain.graph().matrix().reshape(n, n)
    count = np.triu(drawn, 1)[upper]
    assert count.sum() == 2000
    for value in (np.log(probability), upper[0] >= 32, upper[1] >= 64):
        mean, square = probability @ value, probability @ np.square(value * 1.0)
        assert abs(count @ value / 2000 - mean) < 5.5 * np.sqrt((square - mean**2) / 2000)


@pytest.mark.parametrize(
    "n", [64, 65, 129, 257, *(pytest.param(n, marks=pytest.mark.long) for n in (128, 256, 512, 513))]
)
@pytest.mark.parametrize("balance", ["sqrt", "barker", "auto"])
def test_every_width_of_scored_chains(n: int, balance: str) -> None:
    """With many columns, the difference of an insert is read from the row of the class to which it leads."""
    data = gaussian_data(n, 600, seed=n)
    score = cz.GaussianBIC(data)
    chain = make_chain(score, max_degree=6, coldness=0.7, edge_prior=2.0, balance=balance, cache_bytes=2**21)
    first = score.total(cz.CPDAG.empty(n))
    for _ in range(2):
        run(chain, 300)
        assert testing.audit(chain) == ""
        now = score.total(cz.CPDAG.from_matrix(chain.graph().matrix()))
        assert chain.score == pytest.approx(now - first, rel=1e-10)


@pytest.mark.long
@pytest.mark.nosanitize
@pytest.mark.parametrize("n", [10, 50, 100, 200, 300])
@pytest.mark.parametrize("bound", [None, 10])
@pytest.mark.parametrize("scored", [False, True])
def test_the_state_is_correct_in_long_runs(n: int, bound: int | None, scored: bool) -> None:
    score = cz.GaussianBIC(gaussian_data(n, 1000, seed=n)) if scored else cz.Uniform(n)
    chain = make_chain(score, max_degree=bound, edge_prior="auto", momentum=0.9)
    for _ in range(20):
        run(chain, 1000)
        assert testing.audit(chain) == ""
    assert chain.statistics().dense_node == -1


# ---- the cold limit


def greedy_path(score: cz.Score, prior_cost: float) -> list[cz.CPDAG]:
    """From the empty graph, apply the best operator of the current direction. The direction changes if the best
    operator of the other direction is better. The path ends if no operator is an improvement."""
    path, direction = [cz.CPDAG.empty(score.nodes)], 1
    while True:
        g = path[-1]
        here = score.total(g)
        best: dict[int, tuple[float, cz.CPDAG | None]] = {1: (-math.inf, None), -1: (-math.inf, None)}
        for op in cz.list_operators(g):
            sign = 1 if isinstance(op, cz.Insert) else -1
            h = op.apply(g)
            gain = score.total(h) - here - sign * prior_cost
            if gain > best[sign][0]:
                best[sign] = gain, h
        if best[-direction][0] > best[direction][0]:
            direction = -direction
        gain, h = best[direction]
        if gain < 0:
            return path
        path.append(h)


@pytest.mark.parametrize("seed", range(20))
def test_the_cold_limit_from_the_empty_graph_is_greedy_search(seed: int) -> None:
    n = 4 + seed % 5
    score = cz.GaussianBIC(gaussian_data(n, 200, seed=100 + seed))
    chain = make_chain(score, seed, coldness=1e6)
    visited = [chain.graph()]
    while run(chain, 1):
        visited.append(chain.graph())
    path = greedy_path(score, 0.0)
    assert len(path) > 2
    assert visited == [g.core for g in path]
    assert chain.statistics().frozen


# ---- extreme targets


def test_log_weights_that_differ_by_a_million_neither_overflow_nor_freeze() -> None:
    x = gaussian_data(8, 2000, seed=5)
    score = cz.GaussianBIC.from_covariance(np.cov(x.T), n_samples=1e6)
    posterior = cz.sample(
        score, start=cz.CPDAG.empty(8), jumps=200, settings=cz.Settings(warmup=0), chains=2, rng=1, progress=False
    )
    spread = max(t.score.max() - t.score.min() for t in posterior.trace())
    assert spread > 1e6
    edges = posterior.edge_probabilities()
    for array in (edges.directed, edges.undirected, edges.adjacent):
        assert np.isfinite(array).all()
        assert array.max() <= 1 + 1e-12
    for s in posterior.statistics:
        assert s.jumps == 200
        assert math.isfinite(s.log_time)
    assert sum(p for _, p, _ in posterior.top(10_000)) + posterior.unlisted == pytest.approx(1)


@pytest.mark.parametrize("balance", ["sqrt", "metropolis", "barker", "auto"])
@pytest.mark.parametrize("warmup", [0, 1000])
def test_chains_that_freeze_in_a_mode_give_a_warning(balance: str, warmup: int) -> None:
    score = cz.GaussianBIC(gaussian_data(20, 500, seed=1))  # too many nodes for a comparison with exact probabilities
    with pytest.warns(cz.SamplingWarning, match="2 of 2 chains froze"):
        posterior = cz.sample(
            score,
            coldness=1e6,
            balance=balance,
            jumps=1000,
            settings=cz.Settings(warmup=warmup),
            chains=2,
            rng=1,
            progress=False,
        )
    assert all(s.frozen for s in posterior.statistics)
    assert "froze" in posterior.summary()
    for chain in posterior.by_chain():
        graph, probability, value = chain.top(1)[0]
        assert probability == pytest.approx(1)
        assert value == score.total(graph)
    assert np.isfinite(posterior.edge_probabilities().directed).all()


ALL_APART = {"knowledge": cz.Knowledge(apart=[(a, b) for a in range(4) for b in range(a)])}


@pytest.mark.parametrize(
    ("n", "settings", "scored"),
    [(0, {}, False)]
    + [(n, s, b) for n, s in ((1, {}), (4, ALL_APART), (3, {"edge_prior": [0.0]})) for b in (False, True)],
)
def test_a_single_class_has_probability_one(n: int, settings: dict, scored: bool) -> None:
    score = cz.GaussianBIC.from_covariance(np.eye(n) + 0.3, n_samples=50) if scored else cz.Uniform(n)
    posterior = cz.sample(score, jumps=10, rng=1, progress=False, **settings)
    assert posterior.probability(cz.CPDAG.empty(n)) == 1
    assert posterior.edge_probabilities().adjacent.sum() == 0
    assert all(s.frozen and s.log_time == math.inf for s in posterior.statistics)
    assert shortfalls(posterior) == []


def test_two_nodes() -> None:
    posterior = cz.sample(cz.Uniform(2), jumps=1000, rng=1, progress=False)
    assert posterior.probability(cz.CPDAG.complete(2)) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("scored", [False, True])
def test_max_degree_one_gives_matchings(scored: bool) -> None:
    score = cz.GaussianBIC(gaussian_data(5, 20, seed=3)) if scored else cz.Uniform(5)
    posterior = cz.sample(score, coldness=0.1, edge_prior=None, max_degree=1, jumps=20_000, rng=1, progress=False)
    assert posterior.class_count == 26  # matchings of 5 nodes
    assert not posterior.edge_probabilities().directed.any()


def test_the_error_for_a_graph_that_is_too_dense_names_a_remedy() -> None:
    nodes = [f"v{i}" for i in range(30)]
    x = np.random.default_rng(0).normal(size=(1000, 1)) + 0.3 * np.random.default_rng(1).normal(size=(1000, 30))
    score = cz.GaussianBIC.from_covariance(np.cov(x.T), 1000, nodes=nodes)
    with pytest.raises(cz.SettingsError, match=r"node v\d+: its neighbors contain a clique of \d+ nodes.*max_degree"):
        cz.sample(score, start=cz.CPDAG.complete(nodes), jumps=100, rng=1, progress=False)


# ---- bounded memory


def test_the_score_does_not_drift() -> None:
    """It is exact after every 4096 jumps; the rounding of all differences would add up to ten times the bound."""
    n, jumps = 70, 32 * 4096
    score = cz.GaussianBIC(gaussian_data(n, 2000, seed=4))
    chain = make_chain(score, coldness=0.02, max_degree=6)
    assert run(chain, jumps) == jumps
    gained = score.total(cz.CPDAG.from_matrix(chain.graph().matrix())) - score.total(cz.CPDAG.empty(n))
    assert chain.score == pytest.approx(gained, abs=2e-10, rel=0)


@pytest.mark.parametrize("limit", [2, 10, 300])
@pytest.mark.parametrize("scored", [False, True])
def test_listed_and_unlisted_times_add_up_and_classes_keep_their_hashes(limit: int, scored: bool) -> None:
    n = 7
    score = cz.GaussianBIC(gaussian_data(n, 30, seed=2)) if scored else cz.Uniform(n)
    chain = make_chain(score, max_classes=limit, coldness=0.5)
    for _ in range(5):
        run(chain, 3000)
        classes, s = chain.classes(), chain.statistics()
        assert len(classes["time"]) <= limit
        assert classes["time"].sum() + s.unlisted == pytest.approx(s.time.expected, rel=1e-9)
        assert s.unlisted > 0
        names = classes["hash"].reshape(-1, 2)
        for i, name in enumerate(names):
            matrix = decode_class(n, classes["from"], classes["begin"], classes["deltas"], i)
            graph = Graph.from_matrix(matrix)
            assert isinstance(graph, Graph)
            assert graph.hash == tuple(name)


@pytest.mark.parametrize("scored", [False, True])
def test_limits_of_memory_do_not_change_results(scored: bool) -> None:
    score = cz.GaussianBIC(gaussian_data(9, 60, seed=4)) if scored else cz.Uniform(9)
    chains = [
        make_chain(score, max_classes=classes, cache_bytes=cache)
        for classes, cache in ((100_000, 2**24), (10, 2**24), (100_000, 0))
    ]
    for chain in chains:
        run(chain, 20_000)
    first, *others = chains
    for other in others:
        assert other.graph() == first.graph()
        assert other.direction == first.direction
        for name in ("jumps", "flips", "time", "unit"):
            assert getattr(other.statistics(), name) == getattr(first.statistics(), name)
        for mine, theirs in zip(other.edge_times(), first.edge_times(), strict=True):
            assert np.array_equal(mine, theirs)
        for mine, theirs in zip(other.trace(), first.trace(), strict=True):
            assert np.array_equal(mine, theirs)
    if scored:
        assert chains[2].statistics().row_evictions > 1000
        assert chains[0].statistics().row_evictions == 0
    assert np.array_equal(chains[2].classes()["time"], chains[0].classes()["time"])


# ---- stress


@pytest.mark.parametrize(("jumps", "most"), [(1000, 40), pytest.param(100_000, 80, marks=pytest.mark.long)])
@pytest.mark.parametrize("seed", range(30))
def test_any_settings(seed: int, jumps: int, most: int) -> None:
    rng = np.random.default_rng([2, seed])
    n = int(rng.integers(0, most))
    settings = random_settings(rng, n)
    score = random_score(rng, n)
    if isinstance(score, cz.GaussianBIC) and settings["max_degree"] is None and settings["coldness"] < 1:
        settings["max_degree"] = 6  # without a bound it becomes as dense as a uniform target
    chain = make_chain(score, seed, max_classes=500, cache_bytes=2**22, **settings)
    made = run(chain, jumps)
    classes, s = chain.classes(), chain.statistics()
    assert made == jumps or s.frozen or s.dense_node >= 0
    assert testing.audit(chain) == ""
    assert classes["time"].sum() + s.unlisted == pytest.approx(s.time.expected, rel=1e-6)
    for times in dense_times(chain, chain.graph().n):
        assert times.min(initial=0) >= -1e-9 * s.time.expected
        assert times.max(initial=0) <= s.time.expected * (1 + 1e-9)


def test_the_score_is_that_of_the_current_class() -> None:
    case = Case(6, rows=50)
    start = cz.CPDAG.complete(6)
    chain = case.chain(start)
    for _ in range(50):
        run(chain, 20)
        here = cz.CPDAG.from_matrix(chain.graph().matrix())
        assert chain.score == pytest.approx(case.score.total(here) - case.score.total(start), abs=1e-8)
