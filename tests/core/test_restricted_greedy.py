"""Greedy search with knowledge: every step leads to a class that agrees, and none that agrees is better at the end."""

import pytest

import causal_zigzag as cz
from causal_zigzag import _core
from knowledges import OF_FIVE, Known
from targets import gaussian_data

N = 5


def steps_of(search: _core.Greedy, start: cz.CPDAG) -> list[cz.CPDAG]:
    """The classes on the way, the start first."""
    path = [start]
    for (insert, x, y, nodes), _ in search.steps():
        path.append((cz.Insert if insert else cz.Delete)(x, y, nodes).apply(path[-1]))
    return path


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("known", OF_FIVE, ids=str)
@pytest.mark.parametrize("phases", [range(3), range(3, 5)], ids=["phases of ges", "climbing and retries"])
def test_greedy_search(known: Known, seed: int, phases: range) -> None:
    score = cz.GaussianBIC(gaussian_data(N, 300, seed=seed))
    arrows = known.arrows(N)
    start = cz.CPDAG.from_dag(list(known.required), range(N))
    search = _core.make_greedy(start.core, score.core_score(), _core.EdgePrior(), N, [], arrows)
    ends = []
    while not ends or search.graph().hash != ends[-1]:
        ends.append(search.graph().hash)
        for phase in phases:
            assert search.run(phase, 60.0)
    path = steps_of(search, start)
    agree = [not isinstance(_core.orient(g.core, arrows), tuple) for g in path]
    assert all(agree)
    end = path[-1]
    assert end.core == search.graph()
    assert sum(gain for _, gain in search.steps()) == pytest.approx(score.total(end) - score.total(start))
    # no operator that leads to a class that agrees improves the score
    barred = known.barred
    for op in cz.list_operators(end):
        if (op.x, op.y) in barred:
            continue
        h = op.apply(end)
        if not isinstance(_core.orient(h.core, arrows), tuple):
            assert score.total(h) <= score.total(end) + 1e-8
