"""Chains with knowledge: what they accumulate, how they go on from a saved state, and where they spend their time."""

import math

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag import _core
from causal_zigzag._core import Chain, testing
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.target.target import Target
from knowledges import OF_FOUR, OF_THREE, Known, tiers
from targets import Case, dense_times, gaussian_data, generator

# Seeds are fixed. With another seed, a correct program fails a test with this probability, per comparison.
SIGMAS = 6.5  # of a normal distribution: 8e-11


def start_of(case: Case) -> cz.CPDAG:
    """The class of the required arrows."""
    return cz.CPDAG.from_dag(list(case.known.required), range(case.n))


def check_accumulators(chain: Chain, case: Case, n: int) -> None:
    """All classes are listed, so the times of marks are sums over the oriented classes."""
    listed = chain.classes()
    lists = listed["from"], listed["begin"], listed["deltas"]
    arrows = case.target.arrows
    begin, deltas, agrees = _core.orient_classes(n, *lists, arrows)
    assert agrees.all()
    directed, undirected = _core.edge_sums(n, lists[0], begin, deltas, listed["time"])
    total = chain.statistics().time.expected
    times = dense_times(chain, n)
    assert listed["time"].sum() == pytest.approx(total)
    assert times[0].ravel() == pytest.approx(directed, abs=1e-9 * total)
    upper = np.triu(times[1])
    assert upper.ravel() == pytest.approx(undirected, abs=1e-9 * total)
    check_batches(chain, times, arrows, n)


def check_batches(chain: Chain, times: tuple[np.ndarray, np.ndarray], arrows: _core.ArrowKnowledge, n: int) -> None:
    """The times of marks in the batches add up; a pair that is not listed keeps the mark of its next or last change."""
    batches = chain.batches()
    length = batches["integrals"].reshape(-1, 6)[:, 1]
    oriented = _core.orient(chain.graph(), arrows)
    begin = batches["begin"].astype(int)
    directed, undirected = times
    number = 0
    for b in range(n):
        for a in range(b):
            mark = int(oriented[a, b]) + 2 * int(oriented[b, a])
            held = np.zeros(4)
            for i in reversed(range(len(length))):
                own = np.flatnonzero(batches["pairs"][begin[i] : begin[i + 1]] == number) + begin[i]
                if len(own) == 0:
                    held[mark] += length[i]
                    continue
                assert batches["marks"][own[0]] & 3 == mark
                held[1:] += batches["held"].reshape(-1, 3)[own[0]]
                mark = int(batches["marks"][own[0]]) >> 2
            expected = directed[a, b], directed[b, a], undirected[a, b]
            assert held[1:] == pytest.approx(expected, abs=1e-9 * length.sum())
            number += 1


@pytest.mark.parametrize("rows", [0, 40])
@pytest.mark.parametrize("known", OF_FOUR, ids=str)
def test_edge_times_and_batches_are_about_the_oriented_classes(known: Known, rows: int) -> None:
    case = Case(4, rows=rows, momentum=0.7, coldness=0.2, known=known)
    if len(case.support()) == 1:
        assert case.chain(start_of(case)).run(300, math.inf) == 0  # there is nowhere to go
        return
    chain = case.chain(start_of(case))
    chain.run(300, math.inf)
    chain.forget()
    assert chain.run(3000, math.inf) == 3000
    assert testing.audit(chain) == ""
    check_accumulators(chain, case, 4)


@pytest.mark.parametrize("n", [30, 70, pytest.param(130, marks=pytest.mark.long)])
@pytest.mark.parametrize("rows", [0, 200])
def test_larger_graphs(n: int, rows: int) -> None:
    """Widths of one and several words, with tiers, required and forbidden arrows."""
    third = n // 3
    forbidden = tiers(tuple(range(third)), tuple(range(third, 2 * third)), tuple(range(2 * third, n)))
    known = Known("mixed", (*forbidden, (0, 1), (third, third + 2)), ((0, 2), (2, third), (n - 1, n - 2)))
    case = Case(n, rows=rows, edge_prior=None if rows else 3.0, max_degree=6, known=known)
    chain = case.chain(start_of(case))
    chain.run(400, math.inf)
    assert testing.audit(chain) == ""
    check_accumulators(chain, case, n)
    saved = chain.save()
    chain.run(300, math.inf)
    words = np.random.SeedSequence(0).generate_state(4, np.uint64)
    again = make_chain(case.target, case.settings, start_of(case), words, saved=saved)
    again.run(300, math.inf)
    for name in ("jumps", "inserts", "flips", "time", "unit", "refused"):
        assert getattr(again.statistics(), name) == getattr(chain.statistics(), name)
    assert chain.statistics().refused > 0
    assert again.save() == chain.save()
    for one, other in zip(again.edge_times(), chain.edge_times(), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("n", [5, 70])
def test_data_that_favor_classes_that_disagree(n: int) -> None:
    """A collision that the knowledge forbids; every proposal of it would have a rate of exp(1000) times the others."""
    x = gaussian_data(n, 300, seed=n, degree=1.0)
    x[:, 2] = x[:, 0] + x[:, 1] + 0.1 * x[:, 2]
    target = Target.read(cz.GaussianBIC(x), 10.0, None, 4, cz.Knowledge(forbidden=[(0, 2)], required=[(1, 2)]))
    start = cz.CPDAG.from_dag([(1, 2)], range(n))
    chain = make_chain(target, Case().settings, start, np.arange(1, 5, dtype=np.uint64))
    assert chain.run(1000, math.inf) == 1000
    assert chain.statistics().refused < 20_000
    assert testing.audit(chain) == ""
    listed = chain.classes()
    assert _core.orient_classes(n, listed["from"], listed["begin"], listed["deltas"], target.arrows)[2].all()


@pytest.mark.parametrize("momentum", [1.0, 0.5])
@pytest.mark.parametrize(
    ("n", "known", "rows"),
    [(3, OF_THREE[1], 0), (3, OF_THREE[8], 40), (4, OF_FOUR[11], 0), (4, OF_FOUR[19], 40)],
    ids=str,
)
def test_the_time_in_each_class(n: int, known: Known, rows: int, momentum: float) -> None:
    """Against the exact probabilities, with the exact asymptotic variance of the averages over drawn times.

    The expected times of the path have at most that variance (Rao-Blackwell).
    """
    case = Case(n, rows=rows, momentum=momentum, coldness=0.2, known=known)
    support, pi = case.support(), case.probabilities()
    chain = case.chain(start_of(case), seed=5)
    chain.run(100, math.inf)
    chain.forget()
    chain.run(40_000, math.inf)
    listed = chain.classes()
    statistics = chain.statistics()
    time = statistics.time.expected
    spent = dict.fromkeys(support, 0.0)
    for i, held in enumerate(listed["time"]):
        m = _core.decode_class(n, listed["from"], listed["begin"], listed["deltas"], i)
        spent[cz.CPDAG.from_matrix(m)] += held / time
    assert len(spent) == len(support)  # no class that disagrees
    assert statistics.refused > 0

    both = np.repeat(pi, 2) / 2
    Q = generator(case).toarray()
    solve = np.linalg.inv(np.outer(np.ones(len(both)), both) - Q)
    length = time * 2.0**statistics.unit
    for i, g in enumerate(support):
        f = (np.arange(len(both)) // 2 == i) - pi[i]
        variance = 2 * (both * f) @ solve @ f / length
        assert abs(spent[g] - pi[i]) <= SIGMAS * math.sqrt(variance)


@pytest.mark.parametrize("rows", [0, 40])
def test_a_chain_that_has_nowhere_to_go_rests(rows: int) -> None:
    apart = tuple(arrow for v in range(3) for arrow in ((v, 3), (3, v)))
    case = Case(4, rows=rows, known=Known("no operators", (*apart, (0, 2)), ((0, 1), (1, 2))))
    assert len(case.support()) == 1
    chain = case.chain(start_of(case))
    assert chain.run(10, math.inf) == 0
    assert chain.statistics().frozen


def test_excursions_stay_within_the_knowledge() -> None:
    n = 8
    known = Known("mixed", tiers((0, 1), (2, 3, 4)), ((0, 2), (5, 6)))
    case = Case(n, rows=60, known=known)
    score = cz.GaussianBIC(gaussian_data(n, 60, seed=n)).core_score()
    candidates = [
        [u for u in range(n) if u != v and (u, v) not in known.barred and (u, v) not in known.required]
        for v in range(n)
    ]
    required = [sorted(x for x, y in known.required if y == v) for v in range(n)]
    tables = _core.OrderTables(score, candidates, n, 1.0, 0.0, required)
    words = np.random.SeedSequence(1).generate_state(4, np.uint64)
    excursions = _core.ExcursionSettings(tables=tables, steps=40, window=8, log2_rate=5.0)
    chain = make_chain(case.target, case.settings, start_of(case), words, excursions=excursions)
    assert chain.anneal_order([0.1, 0.5, 1.0], 200, 1e9)
    chain.run(2000, math.inf)
    assert chain.statistics().excursions.changed > 50
    assert testing.audit(chain) == ""
    listed = chain.classes()
    _, _, agrees = _core.orient_classes(n, listed["from"], listed["begin"], listed["deltas"], case.target.arrows)
    assert agrees.all()
