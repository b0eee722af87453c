"""Greedy search agrees with a plain loop over all operators; steps, bounds and errors."""

from __future__ import annotations

import dataclasses
import math
import pickle
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import Chain
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target
from targets import gaussian_data

THRESHOLD = 1e-9


class Plain:
    """A target as a plain function of graphs, and greedy search over all its operators."""

    def __init__(
        self,
        score: cz.Score,
        log_prior: Callable[[int], float] = lambda m: 0.0,
        max_degree: int | None = None,
        forbidden: Iterable[tuple[Hashable, Hashable]] = (),
    ) -> None:
        self.score, self.log_prior, self.max_degree = score, log_prior, max_degree
        self.forbidden = {frozenset(pair) for pair in forbidden}

    def log_weight(self, g: cz.CPDAG) -> float:
        return self.score.total(g) + self.log_prior(g.edge_count)

    def operators(self, g: cz.CPDAG, kind: type) -> Iterator[cz.Insert | cz.Delete]:
        for op in cz.list_operators(g, self.max_degree):
            if isinstance(op, kind) and (kind is cz.Delete or frozenset((op.x, op.y)) not in self.forbidden):
                yield op

    def best(self, g: cz.CPDAG, kind: type) -> tuple[float, cz.CPDAG]:
        """The class after the best operator, and its gain."""
        after = {op.apply(g) for op in self.operators(g, kind)}
        gains = [(self.log_weight(h) - self.log_weight(g), h) for h in after]
        return max(gains, key=lambda pair: pair[0], default=(-math.inf, g))

    def best_turn(self, g: cz.CPDAG) -> float:
        """The gain of the best pair of a Delete and an Insert of the same two nodes."""
        after = {
            back.apply(without)
            for op in self.operators(g, cz.Delete)
            for without in [op.apply(g)]
            for back in cz.list_operators(without)
            if isinstance(back, cz.Insert) and {back.x, back.y} == {op.x, op.y}
        }
        return max((self.log_weight(h) - self.log_weight(g) for h in after), default=-math.inf)

    def path(self, start: cz.CPDAG) -> list[cz.CPDAG]:
        """All classes on the way forward and backward."""
        visited = [start]
        for kind in (cz.Insert, cz.Delete):
            gain, g = self.best(visited[-1], kind)
            while gain > THRESHOLD:
                visited.append(g)
                gain, g = self.best(g, kind)
        return visited


def replay(result: cz.GesResult) -> list[cz.CPDAG]:
    visited = [result.start]
    for step in result.steps:
        visited.append(step.operator.apply(visited[-1]))
    return visited


def check(result: cz.GesResult, plain: Plain) -> None:
    """The steps lead from the start to the graph, and their gains are the changes of the log weight."""
    visited = replay(result)
    assert visited[-1] == result.graph
    weights = [plain.log_weight(g) for g in visited]
    np.testing.assert_allclose(np.diff(weights), [step.gain for step in result.steps], atol=1e-7)
    assert math.fsum(step.gain for step in result.steps) == pytest.approx(weights[-1] - weights[0], abs=1e-7)
    assert result.log_weight == pytest.approx(weights[-1], abs=1e-9)
    assert result.score == plain.score.total(result.graph)
    assert result.log_weight >= weights[0]
    for step in result.steps:
        kind = {"forward": cz.Insert, "backward": cz.Delete}.get(step.phase)
        assert kind is None or (type(step.operator) is kind and step.gain > THRESHOLD)


def dense_data(n: int, rows: int, seed: int) -> np.ndarray:
    """Few rows of a dense model, so that the forward phase inserts edges that the backward phase deletes."""
    return gaussian_data(n, rows, seed, degree=min(n - 1, 5))


TABLE = [0.0, 3.0, 4.0, 2.0, -1.0, -8.0, -9.0, -9.5]
PRIORS: list[tuple[Any, Callable[[int], Callable[[int], float]]]] = [
    (None, lambda n: lambda m: 0.0),
    ("auto", lambda n: lambda m: -m * math.log(n)),
    (2.5, lambda n: lambda m: -2.5 * m),
    (-1.0, lambda n: lambda m: m),
    (TABLE, lambda n: lambda m: TABLE[m] if m < len(TABLE) else -math.inf),
    (lambda m: -0.1 * m * m, lambda n: lambda m: -0.1 * m * m),
]


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("prior", range(len(PRIORS)), ids=["none", "auto", "cost", "bonus", "table", "function"])
def test_ges_takes_the_path_of_a_plain_greedy_loop(prior: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    data = dense_data(n, int(rng.integers(20, 200)), seed)
    max_degree = int(rng.integers(1, 4)) if seed % 3 == 1 else None
    pairs = [tuple(rng.permutation(n)[:2].tolist()) for _ in range(n)] if seed % 3 == 2 else []
    given, log_prior = PRIORS[prior]
    plain = Plain(cz.GaussianBIC(data), log_prior(n), max_degree, pairs)
    result = cz.ges(data, edge_prior=given, max_degree=max_degree, knowledge=cz.Knowledge(apart=pairs))
    assert replay(result) == plain.path(cz.CPDAG.empty(n))
    check(result, plain)


@pytest.mark.parametrize("seed", range(20))
def test_any_start(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 6
    start = cz.CPDAG.from_dag(np.triu(rng.random((n, n)) < rng.random(), 1)[np.ix_(p := rng.permutation(n), p)])
    score = cz.GaussianBIC(dense_data(n, 60, seed))
    plain = Plain(score)
    result = cz.ges(score, edge_prior=None, start=start)
    assert result.start == start
    assert replay(result) == plain.path(start)
    check(result, plain)


def test_the_nodes_of_the_start_may_be_in_another_order() -> None:
    data = dict(zip("abcd", dense_data(4, 50, 3).T, strict=True))
    start = cz.CPDAG.from_edges(["d", "c", "b", "a"], directed=[("a", "c"), ("b", "c")])
    result = cz.ges(data, start=start)
    assert result.graph.nodes == ("a", "b", "c", "d")
    assert result.start == cz.CPDAG.from_edges(["a", "b", "c", "d"], directed=[("a", "c"), ("b", "c")])
    check(result, Plain(cz.GaussianBIC(data), lambda m: -m * math.log(4)))


@pytest.mark.parametrize("phases", [("forward",), ("backward",), ("turning",), ("forward", "turning", "backward")])
def test_phases_end_when_no_operator_has_a_gain(phases: tuple[Any, ...]) -> None:
    for seed in range(10):
        score = cz.GaussianBIC(dense_data(6, 50, seed))
        plain = Plain(score)
        start = cz.CPDAG.complete(6) if phases == ("backward",) else cz.ges(score, edge_prior=3.0).graph
        result = cz.ges(score, edge_prior=None, phases=phases, start=start)
        check(result, plain)
        seen = [step.phase for step in result.steps]
        assert seen == sorted(seen, key=phases.index)
        last = {"forward": cz.Insert, "backward": cz.Delete}.get(phases[-1])
        after = plain.best(result.graph, last)[0] if last else plain.best_turn(result.graph)
        assert after <= 1e-7


def test_until_stable_ends_when_no_operator_has_a_gain() -> None:
    improved = turned = 0
    for seed in range(80):
        n = 5 + seed % 4
        data = dense_data(n, 200, seed)
        max_degree = 3 if seed % 2 else None
        plain = Plain(cz.GaussianBIC(data), lambda m: -0.5 * m, max_degree)
        results = [
            cz.ges(data, edge_prior=0.5, max_degree=max_degree, phases=phases)
            for phases in (("forward", "backward"), ("forward", "backward", "turning"), "until-stable")
        ]
        for result in results:
            check(result, plain)
        weights = [result.log_weight for result in results]
        assert weights == sorted(weights)
        improved += weights[2] > weights[0] + 1e-9
        stable = results[2]
        turned += any(step.phase == "turning" for step in stable.steps)
        assert max(plain.best(stable.graph, cz.Insert)[0], plain.best(stable.graph, cz.Delete)[0]) <= 1e-7
        assert plain.best_turn(stable.graph) <= 1e-7
        assert all(max(len(g.adjacent(v)) for v in g.nodes) <= (max_degree or n) for g in replay(stable))
    assert improved > 3  # else the test would show nothing
    assert turned > 3


def test_results_are_deterministic() -> None:
    data = gaussian_data(40, 300, seed=5)
    first, second = cz.ges(data), cz.ges(data)
    assert first.steps == second.steps
    assert first.graph == second.graph
    assert first.score == second.score


def test_ties_are_broken_by_the_smallest_nodes() -> None:
    names = ["c", "a", "d", "b"]
    score = cz.GaussianBIC.from_covariance(np.eye(4) * 0.5 + 0.5, n_samples=100, nodes=names)
    assert cz.ges(score, phases=("forward",)).steps[0].operator == cz.Insert(
        "a", "c"
    )  # y is the first node, x the next


@pytest.mark.parametrize("n", [63, 64, 65, 257, *(pytest.param(n, marks=pytest.mark.long) for n in (256, 1024, 1025))])
def test_widths_of_node_sets(n: int) -> None:
    rng = np.random.default_rng(n)
    data = rng.normal(size=(30, n))
    data[:, n - 1] += data[:, 0] * 3
    score = cz.GaussianBIC.from_covariance(np.corrcoef(data.T) * 0.9 + 0.1 * np.eye(n), n_samples=30)
    result = cz.ges(score, edge_prior=8.0)
    check(result, Plain(score, lambda m: -8.0 * m))
    assert n - 1 in result.graph.adjacent(0)


@pytest.mark.nosanitize
def test_best_graph_is_never_worse() -> None:
    reached = 0
    for seed in range(20):
        n = 3 + seed % 8
        score = cz.GaussianBIC(gaussian_data(n, 300, seed, degree=1.5))
        for prior in (None, "auto"):
            best = cz.best_graph(score, edge_prior=prior)
            for phases in (("forward", "backward"), "until-stable"):
                found = cz.ges(score, edge_prior=prior, phases=phases)
                assert found.log_weight <= best.log_weight + 1e-8
                reached += found.graph == best.graph
    assert reached > 40  # of 80, else the test would show little


def cold_chain(score: cz.Score, start: cz.CPDAG, direction: Any) -> Chain:
    target = Target.read(score, 1e6, edge_prior=None)
    settings = RunSettings(max_classes=1000, cache_bytes=2**20, trace_points=100)
    return make_chain(target, settings, start, np.arange(1, 5, dtype=np.uint64), direction=direction)


def test_the_cold_limit_of_the_sampler_takes_the_same_path() -> None:
    """As long as the other direction, to which it would turn, offers less. False alarms: below exp(-1e6 * 1e-4)."""
    jumps = 0
    for seed in range(20):
        n = 5 + seed % 3
        score = cz.GaussianBIC(dense_data(n, 100, seed))
        plain = Plain(score)
        result = cz.ges(score, edge_prior=None)
        visited = replay(result)
        turn = next((i for i, step in enumerate(result.steps) if step.phase == "backward"), len(result.steps))
        for direction, begin, end in ((1, 0, turn), (-1, turn, len(result.steps))):
            chain = cold_chain(score, visited[begin], direction)
            for g, h, step in zip(visited[begin:end], visited[begin + 1 : end + 1], result.steps[begin:], strict=False):
                if plain.best(g, cz.Delete if direction == 1 else cz.Insert)[0] > step.gain:
                    break
                assert chain.run(1, 60.0) == 1
                assert cz.CPDAG.from_core(chain.graph(), g.labels) == h
                jumps += 1
    assert jumps > 100


def test_chains_start_at_the_graph_of_the_search() -> None:
    data = gaussian_data(8, 200, seed=3)
    bounds: dict[str, Any] = {"max_degree": 3, "knowledge": cz.Knowledge(apart=[(0, 1), (2, 5)])}
    for prior in (None, "auto", 4.0, [-0.1 * m * m for m in range(20)]):
        posterior = cz.sample(data, edge_prior=prior, start="ges", jumps=10, chains=2, rng=1, **bounds)
        assert posterior._start == cz.ges(data, edge_prior=prior, **bounds).graph
    cold = cz.sample(data, edge_prior=6.0, coldness=3.0, start="ges", jumps=10, rng=1)
    assert cold._start == cz.ges(data, edge_prior=2.0).graph
    with pytest.raises(
        cz.SettingsError, match=re.escape('start="ges" maximizes the score, which has no effect at coldness 0')
    ):
        cz.sample(data, coldness=0.0, start="ges", jumps=10)


class Own(cz.Score):
    """The Gaussian BIC by regression, as a user-defined score."""

    def __init__(self, data: np.ndarray) -> None:
        super().__init__(data.shape[1])
        self.data = data - data.mean(axis=0)

    def local(self, node: Any, parents: Any) -> float:
        x, y, rows = self.data[:, list(parents)], self.data[:, node], len(self.data)
        left = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        return float(-rows * (1 + math.log(left @ left / rows)) - (1 + len(parents)) * math.log(rows)) / 2


def test_user_defined_scores() -> None:
    data = dense_data(6, 100, 1)
    for phases in (("forward", "backward"), "until-stable"):
        own, builtin = cz.ges(Own(data), phases=phases), cz.ges(cz.GaussianBIC(data), phases=phases)
        assert own.graph == builtin.graph
        assert own.score == pytest.approx(builtin.score)
    assert cz.ges(data, score=Own).graph == cz.ges(data).graph


@pytest.mark.parametrize("name", ["bge", "bdeu", "discrete-bic", "mixed-bic"])
def test_all_scores(name: str) -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 3, 300)
    b = (a + rng.integers(0, 2, 300)) % 3
    c = (b * (rng.random(300) < 0.8)).astype(int)
    columns = {"a": a, "b": b, "c": c, "d": rng.integers(0, 2, 300)}
    if name in ("bdeu", "discrete-bic"):
        data: Any = {key: [f"level {v}" for v in column] for key, column in columns.items()}
    else:
        data = {key: column + 0.3 * rng.normal(size=300) for key, column in columns.items()}
    result = cz.ges(data, score=name, edge_prior=None)
    plain = Plain(result.target.score)
    assert replay(result) == plain.path(cz.CPDAG.empty(list(columns)))
    assert result.steps
    check(result, plain)


def test_a_graph_that_is_too_dense() -> None:
    text = (
        r"the graph became too dense to list the operators of node \d+: its neighbors contain a clique of \d+ nodes, "
        r"and each of its subsets gives operators; max_degree is None, set it to 10 or less"
    )
    score = cz.GaussianBIC.from_covariance(np.eye(18) * 0.5 + 0.5, n_samples=100)
    fond: dict[str, Any] = {"edge_prior": -1000.0}  # of edges
    with pytest.raises(cz.SettingsError, match=text):
        cz.ges(score, **fond, phases=("forward",))
    with pytest.raises(cz.SettingsError, match=text):
        cz.ges(score, **fond, start=cz.CPDAG.complete(18))
    with pytest.raises(cz.SettingsError, match=text):
        cz.sample(score, **fond, start=cz.CPDAG.complete(18), jumps=10, chains=1)
    assert cz.ges(score, **fond, max_degree=3, phases="until-stable").graph.edge_count <= 27


class Lopsided(cz.Score):
    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        return -float(len(tuple(parents))) if node == 0 else 0.0


class Broken(cz.Score):
    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        return math.nan if len(tuple(parents)) > 4 else float(len(tuple(parents)))


DATA = gaussian_data(4, 50, seed=1)
PHASES = 'phases must be "until-stable" or a sequence of "forward", "backward", "turning"'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"phases": "forward"}, f"{PHASES}, not 'forward'"),
        ({"phases": "always"}, f"{PHASES}, not 'always'"),
        ({"phases": ("forward", "sideways")}, f"{PHASES}, not ('forward', 'sideways')"),
        ({"phases": [["forward"]]}, f"{PHASES}, not (['forward'],)"),
        ({"phases": ()}, f"{PHASES}, not ()"),
        ({"phases": None}, f"{PHASES}, not None"),
        ({"start": "ges"}, 'start must be None, "empty" or a CPDAG, not "ges", which is for cz.sample'),
        ({"start": cz.CPDAG.empty(3)}, "start must have the nodes 0, 1, 2, 3"),
        ({"start": cz.CPDAG.complete(4), "max_degree": 2}, "start exceeds max_degree=2: 0 has 3 adjacent nodes"),
        ({"max_degree": 0}, "max_degree must be None or an integer of at least 1, not 0"),
        ({"edge_prior": "some"}, 'edge_prior must be "auto", None, a number'),
        ({"score": "best"}, 'score must be "auto", "gaussian-bic"'),
        (
            {"data_or_score": cz.Uniform(3)},
            "ges maximizes a score, but Uniform(3 nodes) is constant; give data or another score",
        ),
        ({"data_or_score": Lopsided(3)}, "Lopsided is not score-equivalent"),
        ({"data_or_score": Broken(8), "edge_prior": None}, "Broken.local of node"),
    ],
)
def test_errors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(cz.CausalZigzagError, match=re.escape(message)) as caught:
        cz.ges(**{"data_or_score": DATA, **arguments})
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("n", [1, 2])
def test_few_nodes(n: int) -> None:
    score = cz.GaussianBIC.from_covariance(np.eye(n), n_samples=10)
    result = cz.ges(score, phases="until-stable")
    assert (result.graph, result.steps) == (cz.CPDAG.empty(n), ())
    assert result.score == score.total(result.graph)


def test_results_are_values() -> None:
    result = cz.ges(DATA)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.graph = cz.CPDAG.empty(4)  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(result))
    assert (again.graph, again.steps, again.score) == (result.graph, result.steps, result.score)
    assert repr(result).startswith(
        "GesResult(GaussianBIC(4 nodes, 50 rows, penalty 1), edge prior exp(-1.38629) per edge"
    )
    assert repr(result).endswith(f"score {result.score:.6g})")
    lines = result.summary().splitlines()
    assert lines[0] == "Greedy search among the classes of 4 nodes"
    assert lines[2] == f"chosen      {result.target.score.reason}"
    assert lines[3] == "edge prior  exp(-1.38629) per edge (auto: by the number of pairs that can be edges)"
    assert lines[-1].startswith(f"found       {result.graph.edge_count} edges, score ")
