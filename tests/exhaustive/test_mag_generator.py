"""The transition matrix of the sampler of maximal ancestral graphs: every branch of its proposals, written out."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import causal_zigzag as cz
from causal_zigzag import _core
from mag_cases import core_score, hidden_causes_table
from naive_mags import all_mags, codes, pairs


def known(n: int, **sets: list[tuple[int, int]]) -> _core.MagKnowledge:
    def matrix(word: str) -> np.ndarray:
        m = np.zeros((n, n), np.uint8)
        for x, y in sets.get(word, []):
            m[x, y] = 1
        return m

    return _core.MagKnowledge(*map(matrix, ("causes", "spares", "apart", "unconfounded")))


def transition_matrix(n: int, target: _core.MagTarget, states: np.ndarray) -> coo_array:
    place = {code: i for i, code in enumerate(codes(states).tolist())}
    rows, columns, values = [], [], []
    for i in range(len(states)):
        to, probabilities = target.transitions(states[i : i + 1])
        rows += [i] * len(probabilities)
        columns += [place[code] for code in codes(to.reshape(-1, len(pairs(n)))).tolist()]
        values += probabilities.tolist()
    return coo_array((values, (rows, columns)), shape=(len(states), len(states)))


@pytest.mark.parametrize("is_guessed", [False, True])
@pytest.mark.parametrize("n", [3, 4])
def test_detailed_balance(n: int, is_guessed: bool) -> None:
    states = all_mags(n).states
    score = core_score(cz.GaussianBIC(hidden_causes_table(n, 40, seed=n)))
    # A bad guess: the chain must not depend on its quality.
    guess = _core.ConnectingScore(n, np.random.default_rng(n).normal(0, 3, 2**n)) if is_guessed else None
    log_weights = score.totals(states) - 0.4 * (states > 0).sum(axis=1)
    pi = np.exp(log_weights - log_weights.max())
    pi /= pi.sum()
    jumps = transition_matrix(n, _core.MagTarget(score, known(n), 0.4, guess), states)
    assert (jumps.sum(axis=1) < 1 + 1e-12).all()
    flow = (coo_array((pi, (range(len(pi)), range(len(pi))))) @ jumps.tocsr()).tocoo()
    back = flow.T.tocsr()[flow.row, flow.col]
    np.testing.assert_allclose(flow.data, back, rtol=1e-9, atol=1e-300)
    assert connected_components(jumps, connection="strong")[0] == 1


SETS = [  # of three and four nodes
    {"causes": [(0, 1)]},
    {"causes": [(0, 1), (1, 2)]},
    {"causes": [(0, 1), (0, 2), (1, 2)]},
    {"causes": [(0, 2), (1, 2)]},
    {"causes": [(0, 1), (0, 2)], "spares": [(2, 0), (1, 0)]},
    {"spares": [(1, 0), (2, 0)]},
    {"spares": [(1, 0), (2, 0), (2, 1)]},
    {"spares": [(0, 1), (1, 0)], "unconfounded": [(0, 1), (1, 0)]},
    {"spares": [(1, 0), (2, 0)], "unconfounded": [(0, 1), (1, 0), (0, 2), (2, 0)]},
    {"apart": [(0, 1), (1, 0)]},
    {"causes": [(0, 2)], "apart": [(0, 1), (1, 0)], "spares": [(1, 0), (2, 0)]},
    {"causes": [(0, 2)], "spares": [(1, 2), (2, 1)]},
]


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("sets", SETS, ids=str)
def test_graphs_that_agree_with_knowledge_are_connected(n: int, sets: dict[str, list[tuple[int, int]]]) -> None:
    every = all_mags(n).states
    agrees = known(n, **sets).allows(n, every).astype(bool)
    above = _core.mag_ancestors(n, every).reshape(-1, n, n).astype(bool)
    expected = np.ones(len(every), bool)
    number = {pair: i for i, pair in enumerate(pairs(n))}
    for x, y in sets.get("causes", []):
        expected &= above[:, x, y]
    for x, y in sets.get("spares", []):
        expected &= ~above[:, x, y]
    for x, y in sets.get("apart", []):
        expected &= every[:, number[min(x, y), max(x, y)]] == 0
    for x, y in sets.get("unconfounded", []):
        expected &= every[:, number[min(x, y), max(x, y)]] != 3
    np.testing.assert_array_equal(agrees, expected)
    states = np.ascontiguousarray(every[agrees])
    flat = _core.DistrictScore(np.eye(n), 2.0, 1e-9, 0.0, 1e-3, 1)
    jumps = transition_matrix(n, _core.MagTarget(flat, known(n, **sets), 0.0), states)
    assert connected_components(jumps, connection="strong")[0] == 1
