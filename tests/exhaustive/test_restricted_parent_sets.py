"""Parent sets over the members that agree with knowledge, for all classes of 4 and 5 nodes, by enumeration."""

from collections import Counter

import numpy as np
import pytest

from causal_zigzag.answers.class_list import class_list
from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.weighted_classes import Part
from causal_zigzag.graphs.labels import Labels
from exhaustive.test_agreeing_members import members
from exhaustive.test_parent_sets import below
from knowledges import OF_FIVE, OF_FOUR, Known


def check(n: int, known: Known) -> None:
    """The oriented graphs of the classes as a list: the table has the shares of the members that agree."""
    b, a = np.tril_indices(n, -1)
    for dags in members(n, known).values():
        if not dags:
            continue
        oriented = np.any(dags, axis=0).astype(np.uint8)
        marks = (oriented[a, b] | oriented[b, a] << np.uint8(1))[None]
        found: Counter = Counter()
        reached: dict = {}
        for dag in dags:
            reach = below(dag)
            for x in range(n):
                key = x, tuple(np.flatnonzero(dag[:, x]).tolist())
                found[key] += 1
                assert np.array_equal(reached.setdefault(key, reach[x]), reach[x])
        (table,) = parent_set_tables([Part(class_list(Labels(range(n)), marks), np.ones(1))])
        assert len(table) == len(found)
        for i, x in enumerate(table.cause.tolist()):
            key = x, table.parents(i)
            assert table.weight[i] == pytest.approx(found[key] / len(dags), abs=1e-14)
            assert np.array_equal(table.below[i] > 0, reached[key])


@pytest.mark.parametrize("known", OF_FOUR, ids=str)
def test_four_nodes(known: Known) -> None:
    check(4, known)


@pytest.mark.long
@pytest.mark.parametrize("known", OF_FIVE, ids=str)
def test_five_nodes(known: Known) -> None:
    check(5, known)
