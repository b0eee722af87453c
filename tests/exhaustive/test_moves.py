"""An exact move that is written in this file only: its generator matrix, and chains that make it.

The move exchanges the names of two random nodes and accepts that by the weights of both classes (Metropolis). The same
without the acceptance is wrong, and is caught.
"""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import expm

import causal_zigzag as cz
from causal_zigzag._core import ChainSettings, EdgePrior, Move, make_chain, python_move, testing
from targets import Case, deviations, generator

RATE, ROUNDS = 3.0, 10_000
CASE = Case(3, rows=30, coldness=0.3, edge_prior=0.4, momentum=0.9)
SUPPORT = CASE.support()
PAIRS = list(combinations(range(3), 2))


def parents_of(g: cz.CPDAG) -> list[list[int]]:
    return [np.flatnonzero(g.dag()[:, v]).tolist() for v in g.nodes]


class Exchange:
    """The move, and its transition matrix."""

    def __init__(self, always: bool) -> None:
        self.always, self.log_weights = always, CASE.log_weights()
        self.scores = [CASE.score.total(g) for g in SUPPORT]
        self.numbers = {g.matrix().tobytes(): i for i, g in enumerate(SUPPORT)}

    def proposal(self, i: int, pair: tuple[int, int]) -> tuple[int, float]:
        """The class with the names of a pair exchanged, and the probability that it is accepted."""
        names = np.arange(3)
        names[[*pair]] = pair[::-1]
        j = self.numbers[SUPPORT[i].matrix()[np.ix_(names, names)].tobytes()]
        return j, 1.0 if self.always else math.exp(min(0.0, self.log_weights[j] - self.log_weights[i]))

    def matrix(self) -> np.ndarray:
        K = np.zeros((len(SUPPORT), len(SUPPORT)))
        for i in range(len(SUPPORT)):
            for pair in PAIRS:
                j, chance = self.proposal(i, pair)
                K[i, j] += chance / len(PAIRS)
                K[i, i] += (1 - chance) / len(PAIRS)
        return K

    def make(
        self, arrows: list[list[int]], lines: list[list[int]], seed: np.ndarray
    ) -> tuple[list[list[int]], list[int], float] | None:
        here = np.zeros((3, 3), np.uint8)
        for v in range(3):
            here[[*arrows[v], *lines[v]], v] = 1
        rng = np.random.default_rng(seed)
        i = self.numbers[here.tobytes()]
        j, chance = self.proposal(i, PAIRS[rng.integers(len(PAIRS))])
        if rng.random() >= chance:
            return None
        parents = parents_of(SUPPORT[j])
        ancestors = np.linalg.matrix_power(np.eye(3, dtype=int) + SUPPORT[j].dag(), 2) > 0
        order = sorted(range(3), key=lambda v: ancestors[:, v].sum())
        return parents, order, self.scores[j] - self.scores[i]

    def core(self) -> Move:
        return python_move(math.log2(RATE), self.make)


def whole_generator(move: Exchange) -> np.ndarray:
    """That of the process with the move, which keeps the direction."""
    K = np.kron(move.matrix(), np.eye(2))
    return generator(CASE).toarray() + RATE * (K - np.eye(len(K)))


@pytest.mark.parametrize("always", [False, True])
def test_the_generator_with_the_move(always: bool) -> None:
    stationary = np.repeat(CASE.probabilities() / 2, 2)
    flow = np.abs(stationary @ whole_generator(Exchange(always))).max()
    assert flow > 1e-2 if always else flow < 1e-13


@pytest.mark.parametrize("always", [False, True])
def test_a_chain_makes_the_move(always: bool) -> None:
    """States at the ends of intervals, by the generator above. False-alarm rate: 1e-6 for the 22 states together."""
    move = Exchange(always)
    settings = ChainSettings(
        score=CASE.score.core_score(),
        coldness=CASE.coldness,
        prior=EdgePrior(-0.4),
        momentum=CASE.momentum,
        seed=np.arange(1, 5, dtype=np.uint64),
        first_score=move.scores[0],
        moves=[move.core()],
        cache_bytes=2**20,
    )
    chain = make_chain(SUPPORT[0].core, settings)
    numbers = {g.core.hash: i for i, g in enumerate(SUPPORT)}
    testing.set_interval(chain, -1.0)
    seen = np.zeros(2 * len(SUPPORT))
    for _ in range(ROUNDS):
        assert testing.finish_interval(chain, math.inf)
        seen[2 * numbers[chain.graph().hash] + (chain.direction < 0)] += 1
    assert np.abs(deviations(expm(0.5 * whole_generator(move)), seen)).max() < 5.5
    right = deviations(expm(0.5 * whole_generator(Exchange(always=False))), seen)
    assert np.abs(right).max() > 20 if always else np.abs(right).max() < 5.5
    here = cz.CPDAG.from_matrix(chain.graph().matrix())
    assert chain.score == pytest.approx(CASE.score.total(here), abs=1e-9)
