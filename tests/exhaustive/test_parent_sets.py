"""Parent sets, their shares and what is below, for all classes of up to 5 nodes, by enumeration of the members."""

from collections import Counter, defaultdict

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.answers.class_list import class_list, one_class
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.weighted_classes import Part
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import Labels
from naive import classes, to_matrix


def below(arrows: np.ndarray) -> np.ndarray:
    """Whether a directed path leads from i to j."""
    reach = arrows.astype(bool)
    for k in range(len(arrows)):
        reach |= np.outer(reach[:, k], reach[k])
    return reach


@pytest.mark.parametrize("n", [1, 2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
def test_every_parent_set_of_every_class(n: int) -> None:
    """All members with the same parents of x have the same nodes below x, and the shares are those of the members."""
    weights = np.random.default_rng(n).dirichlet(np.ones(len(classes(n))))
    expected_weight: dict = defaultdict(float)
    expected_below: dict = defaultdict(lambda: np.zeros(n))
    marks = np.zeros((len(weights), n * (n - 1) // 2), dtype=np.uint8)
    b, a = np.tril_indices(n, -1)
    for row, (cpdag, members) in enumerate(classes(n).items()):
        matrix = to_matrix(cpdag, n).astype(np.uint8)
        marks[row] = matrix[a, b] | matrix[b, a] << np.uint8(1)
        found: Counter = Counter()
        reached: dict = {}
        for dag in members:
            arrows = to_matrix(dag, n)
            reach = below(arrows)
            for x in range(n):
                key = x, tuple(np.flatnonzero(arrows[:, x]).tolist())
                found[key] += 1
                assert np.array_equal(reached.setdefault(key, reach[x]), reach[x])
        (one,) = parent_set_tables([Part(class_list(Labels(range(n)), marks[row : row + 1]), np.ones(1))])
        assert len(one) == len(found)
        for i, x in enumerate(one.cause.tolist()):
            key = x, one.parents(i)
            assert one.weight[i] == pytest.approx(found[key] / len(members), abs=1e-14)
            assert np.array_equal(one.below[i] > 0, reached[key])
            expected_weight[key] += weights[row] * found[key] / len(members)
            expected_below[key] += weights[row] * found[key] / len(members) * reached[key]
    (table,) = parent_set_tables([Part(class_list(Labels(range(n)), marks), weights)])
    assert len(table) == len(expected_weight)
    for i, x in enumerate(table.cause.tolist()):
        key = x, table.parents(i)
        assert table.weight[i] == pytest.approx(expected_weight[key], abs=1e-12)
        assert table.below[i] == pytest.approx(expected_below[key], abs=1e-12)


@pytest.mark.parametrize("n", [70, 300])
def test_wide_sets(n: int) -> None:
    """A path of lines: the first node above x is any node up to x, so the parents of x are its left neighbor, if the
    source is on the left, its right neighbor, or none, if x is the source."""
    g = cz.CPDAG.from_edges(n, undirected=[(v, v + 1) for v in range(n - 1)])
    x = n - 3
    (table,) = parent_set_tables([Part(one_class(g), np.ones(1))], [x])
    shares = {table.parents(i): (table.weight[i], np.flatnonzero(table.below[i]).tolist()) for i in range(len(table))}
    assert shares[()] == (pytest.approx(1 / n), [v for v in range(n) if v != x])
    assert shares[x - 1,] == (pytest.approx(x / n), [n - 2, n - 1])
    assert shares[x + 1,] == (pytest.approx(2 / n), list(range(x)))


def test_a_clique_that_is_too_large() -> None:
    g = cz.CPDAG.complete(20)
    with pytest.raises(SettingsError, match="0 has more than 16,384 possible sets of parents in one class"):
        next(parent_set_tables([Part(one_class(g), np.ones(1))]))


def test_tables_are_split_by_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    g = cz.CPDAG.complete(5)
    monkeypatch.setattr("causal_zigzag.answers.effects.parent_sets.MOST_NUMBERS", 2 * 16 * 5)
    tables = [*parent_set_tables([Part(one_class(g), np.ones(1))])]
    assert [t.causes.tolist() for t in tables] == [[0, 1], [2], [3, 4]]
    assert [len(t) for t in tables] == [32, 16, 32]
    monkeypatch.setattr("causal_zigzag.answers.effects.parent_sets.MOST_NUMBERS", 15 * 5)
    with pytest.raises(SettingsError, match="0 has more than 15 sets of parents in the classes"):
        next(parent_set_tables([Part(one_class(g), np.ones(1))]))
