"""Small targets with all their classes: weights by plain formulas, and the generators of their chains."""

import math
from dataclasses import dataclass, fields, replace
from functools import cache

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

import causal_zigzag as cz
import naive
from causal_zigzag._core import Chain, testing
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target
from experts import options
from knowledges import Known

SQRT_WEIGHT = 0.3  # of chains with the balance auto


@cache
def all_classes(n: int) -> tuple[cz.CPDAG, ...]:
    """Every class of n nodes, found by walking along the operators."""
    found = {cz.CPDAG.empty(n): None}
    todo = list(found)
    while todo:
        g = todo.pop()
        for op in cz.list_operators(g):
            h = op.apply(g)
            if h not in found:
                found[h] = None
                todo.append(h)
    return tuple(found)


def gaussian_data(n: int, rows: int, seed: int, degree: float = 3.0) -> np.ndarray:
    """Rows from a random linear Gaussian model with this average degree."""
    rng = np.random.default_rng(seed)
    joined = np.triu(rng.random((n, n)) < degree / max(1, n - 1), 1)
    weights = joined * rng.uniform(0.5, 1.5, (n, n)) * rng.choice([-1, 1], (n, n))
    x = np.zeros((rows, n))
    for v in range(n):
        x[:, v] = x @ weights[:, v] + rng.normal(size=rows)
    return x[:, rng.permutation(n)]


def bic(x: np.ndarray, g: cz.CPDAG) -> float:
    """The Gaussian BIC of a class, by regressions."""
    rows, n = x.shape
    x = x - x.mean(axis=0)
    dag, total = g.dag(), 0.0
    for y in range(n):
        parents = np.flatnonzero(dag[:, y])
        left = x[:, y] - x[:, parents] @ np.linalg.lstsq(x[:, parents], x[:, y], rcond=None)[0]
        total += (-rows * (1 + math.log(left @ left / rows)) - (1 + len(parents)) * math.log(rows)) / 2
    return total


@dataclass(frozen=True)
class Case:
    """A target of few nodes; the fields are arguments of sample()."""

    n: int = 4
    rows: int = 0  # of random data; 0: the uniform target
    balance: str = "sqrt"
    momentum: float = 1.0
    coldness: float = 1.0
    edge_prior: object = None
    max_degree: int | None = None
    apart: tuple[tuple[int, int], ...] = ()
    known: Known | None = None
    unlikely_below: float = -math.inf  # of the core

    def __str__(self) -> str:
        """The values that differ from the defaults; the name of a test must be the same in every process."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return " ".join(f"{name}={getattr(value, '__name__', value)}" for name, value in values.items()) or "uniform"

    @property
    def data(self) -> np.ndarray:
        return gaussian_data(self.n, self.rows, seed=self.n)

    @property
    def score(self) -> cz.Score:
        return cz.GaussianBIC(self.data) if self.rows else cz.Uniform(self.n)

    @property
    def target(self) -> Target:
        return Target.read(self.score, self.coldness, self.edge_prior, self.max_degree, self.knowledge)

    @property
    def knowledge(self) -> cz.Knowledge:
        return replace(cz.Knowledge() if self.known is None else self.known.knowledge, apart=self.apart)

    @property
    def settings(self) -> RunSettings:
        return RunSettings(
            momentum=self.momentum, balance=self.balance, max_classes=1000, cache_bytes=2**20, trace_points=100
        )

    @property
    def core_fields(self) -> dict[str, float]:
        return {"sqrt_weight": SQRT_WEIGHT, "unlikely_below": self.unlikely_below}

    def chain(self, g: cz.CPDAG, seed: int = 0) -> Chain:
        words = np.random.SeedSequence(seed).generate_state(4, np.uint64)
        return make_chain(self.target, self.settings, g, words, **self.core_fields)

    def sample(self, **run: object) -> cz.Posterior:
        """A run on this target; ``run`` are the other arguments of sample()."""
        return cz.sample(
            self.score,
            **options(
                momentum=self.momentum,
                balance=self.balance,
                coldness=self.coldness,
                edge_prior=self.edge_prior,
                max_degree=self.max_degree,
                knowledge=self.knowledge,
                progress=False,
                **run,
            ),
        )

    def log_prior(self, edges: int) -> float:
        if self.edge_prior is None:
            return 0.0
        if isinstance(self.edge_prior, float):
            return -self.edge_prior * edges
        if callable(self.edge_prior):
            return self.edge_prior(edges)
        return self.edge_prior[edges] if edges < len(self.edge_prior) else -math.inf

    def is_possible(self, g: cz.CPDAG) -> bool:
        within = self.max_degree is None or all(len(g.adjacent(v)) <= self.max_degree for v in g.nodes)
        allowed = not any(b in g.adjacent(a) for a, b in self.apart)
        agrees = self.known is None or len(self.members(g)) > 0
        return within and allowed and agrees and self.log_prior(g.edge_count) > -math.inf

    def members(self, g: cz.CPDAG) -> list[np.ndarray]:
        """The DAGs of a class that agree with the knowledge."""
        dags = [naive.to_matrix(dag, self.n) for dag in naive.classes(self.n)[naive.to_graph(g.matrix())]]
        return [dag for dag in dags if self.known is None or self.known.agrees(dag)]

    def support(self) -> list[cz.CPDAG]:
        return [g for g in all_classes(self.n) if self.is_possible(g)]

    def log_weights(self) -> np.ndarray:
        """The log of the target on the support, up to a constant, from the formulas above only."""
        x = self.data if self.rows else None
        scores = [0.0 if x is None else bic(x, g) for g in self.support()]
        priors = [self.log_prior(g.edge_count) for g in self.support()]
        logs = self.coldness * np.array(scores) + np.array(priors)
        return logs - logs.max()

    def probabilities(self) -> np.ndarray:
        weights = np.exp(self.log_weights())
        return weights / weights.sum()

    def balanced(self, log_ratio: float) -> float:
        """log g(t) for t = exp(log_ratio)."""
        if self.balance == "sqrt":
            return log_ratio / 2
        if self.balance == "metropolis":
            return min(0.0, log_ratio)
        if self.balance == "auto":
            tail = min(0.0, 4 - abs(log_ratio))  # ratios beyond exp(4) count less
            return float(np.logaddexp(min(0.0, log_ratio) + tail, math.log(SQRT_WEIGHT) + log_ratio / 2))
        return -float(np.logaddexp(0, -log_ratio))


def dense_times(chain: Chain, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The times of arrows and of lines that a chain has listed, each as an n by n matrix, that of lines symmetric."""
    arrows, arrow_times, lines, line_times = chain.edge_times()
    directed, undirected = np.zeros(n * n), np.zeros(n * n)
    directed[arrows], undirected[lines] = arrow_times, line_times
    undirected = undirected.reshape(n, n)
    return directed.reshape(n, n), undirected + undirected.T


@cache
def _applied(g: cz.CPDAG, operator: tuple) -> cz.CPDAG:
    is_insert, x, y, nodes = operator
    return (cz.Insert if is_insert else cz.Delete)(x, y, nodes).apply(g)


@dataclass(frozen=True)
class Transition:
    """One transition out of a state, with its rate in the core."""

    source: int  # states: 2 * class + (1 where the direction is -1)
    sink: int  # -1: out of the support
    kind: int  # +1 insert, -1 delete, 0 flip, also by a proposal that is refused
    log_rate: float


def transitions(case: Case, listed: bool = False) -> list[Transition]:
    """All transitions out of the states of the support, with the rates of the core.

    ``listed``: those of a chain with knowledge that has listed its operators.
    """
    support = case.support()
    row = {g: i for i, g in enumerate(support)}
    found = []
    settings, target = case.settings, case.target
    for i, g in enumerate(support):
        for turned, direction in enumerate((1, -1)):
            chain = make_chain(
                target, settings, g, np.arange(1, 5, dtype=np.uint64), direction=direction, **case.core_fields
            )
            if listed:
                testing.list_operators(chain)
            for kind, operator, log_rate in testing.events(chain):
                if kind == 0:
                    found.append(Transition(2 * i + turned, 2 * i + 1 - turned, 0, log_rate))
                    continue
                h = _applied(g, (operator[0], operator[1], operator[2], tuple(operator[3])))
                found.append(Transition(2 * i + turned, 2 * row[h] + turned if h in row else -1, kind, log_rate))
    return found


def generator(case: Case, listed: bool = False) -> csr_matrix:
    """The matrix Q of the rates between the states of the support; the sum of each row is zero."""
    states = 2 * len(case.support())
    kept = [t for t in transitions(case, listed) if t.sink >= 0]
    rates = np.exp([t.log_rate for t in kept])
    sources, sinks = [t.source for t in kept], [t.sink for t in kept]
    off = coo_matrix((rates, (sources, sinks)), shape=(states, states)).tocsr()
    diagonal = np.asarray(off.sum(axis=1)).ravel()
    return off - csr_matrix((diagonal, (range(states), range(states))), shape=(states, states))


def deviations(step: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """How often a Markov chain with this transition matrix was seen in each state, minus how often it is stationarily.

    In asymptotic standard errors, from the fundamental matrix.
    """
    states, count = len(step), seen.sum()
    equations = np.vstack([step.T - np.eye(states), np.ones(states)])
    stationary = np.linalg.lstsq(equations, np.append(np.zeros(states), 1.0), rcond=None)[0]
    fundamental = np.linalg.inv(np.eye(states) - step + np.outer(np.ones(states), stationary))
    variance = 2 * stationary * np.diag(fundamental) - stationary - stationary**2
    return (seen / count - stationary) / np.sqrt(variance / count)
