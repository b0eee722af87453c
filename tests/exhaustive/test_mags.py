"""All maximal ancestral graphs of up to 5 nodes by definition: validity, changes, classes, members, PAGs."""

import numpy as np
import pytest

import naive_mags
from causal_zigzag import _core
from naive_mags import all_mags, codes, pairs

SIZES = [3, 4, pytest.param(5, marks=pytest.mark.long)]
COUNTS = {3: (56, 11, 11), 4: (2_492, 248, 185), 5: (328_924, 24_259, 8_782)}  # MAGs, classes, classes with a DAG


@pytest.mark.parametrize("n", SIZES)
def test_validity_and_numbers(n: int) -> None:
    mags = all_mags(n)
    np.testing.assert_array_equal(_core.mags_valid(n, naive_mags.all_mixed_graphs(n)).astype(bool), mags.valid)
    dags = (mags.states < 3).all(axis=1)
    assert (len(mags.states), mags.of_class.max() + 1, len(np.unique(mags.of_class[dags]))) == COUNTS[n]


@pytest.mark.parametrize("n", SIZES)
def test_ancestors(n: int) -> None:
    states = all_mags(n).states
    above = naive_mags.closed(naive_mags.neighbours(states, n)[0], n)
    expected = np.stack([[naive_mags.has(above[v], a) for v in range(n)] for a in range(n)]).transpose(2, 0, 1)
    np.testing.assert_array_equal(_core.mag_ancestors(n, states).reshape(-1, n, n), expected)


@pytest.mark.parametrize("n", SIZES)
def test_changes_of_one_pair_and_deletions_lead_to_the_empty_graph(n: int) -> None:
    mags = all_mags(n)
    changes = _core.mag_changes(n, mags.states).reshape(len(mags.states), len(pairs(n)), 4).astype(bool)
    for pair in range(len(pairs(n))):
        for to in range(4):
            changed = mags.states.copy()
            changed[:, pair] = to
            np.testing.assert_array_equal(changes[:, pair, to], mags.valid[codes(changed)])
    deletions = changes[:, :, 0] & (mags.states > 0)
    assert (deletions.any(axis=1) | (mags.states == 0).all(axis=1)).all()


@pytest.mark.parametrize("n", SIZES)
def test_keys_are_those_of_classes(n: int) -> None:
    mags = all_mags(n)
    _, by_key = np.unique(_core.mag_keys(n, mags.states), return_inverse=True)
    both = np.unique(np.stack([by_key, mags.of_class]), axis=1)
    assert both.shape[1] == by_key.max() + 1 == mags.of_class.max() + 1


@pytest.mark.parametrize("n", SIZES)
def test_members_are_the_class(n: int) -> None:
    mags = all_mags(n)
    order = np.argsort(mags.of_class, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(mags.of_class[order])) + 1):
        members = _core.mag_members(n, mags.states[own[-1:]], 10**6).reshape(-1, len(pairs(n)))
        assert set(codes(members)) == set(codes(mags.states[own]))
        assert len(members) == len(own)


@pytest.mark.parametrize("n", SIZES)
def test_pag_marks_are_those_that_all_members_share(n: int) -> None:
    mags = all_mags(n)
    own = naive_mags.end_marks(mags.states, n)
    expected = np.zeros((mags.of_class.max() + 1, n, n), np.uint8)
    expected[mags.of_class] = own
    differs = np.zeros_like(expected, dtype=bool)
    np.logical_or.at(differs, mags.of_class, own != expected[mags.of_class])
    expected[differs] = naive_mags.CIRCLE
    found = _core.pag_marks(n, mags.states).reshape(-1, n, n)  # of every member
    np.testing.assert_array_equal(found, expected[mags.of_class])


@pytest.mark.parametrize("n", SIZES)
def test_ancestors_that_all_members_share(n: int) -> None:
    mags = all_mags(n)
    above = _core.mag_ancestors(n, mags.states).reshape(-1, n, n).astype(bool)
    in_all, in_some = np.ones((2, mags.of_class.max() + 1, n, n), bool)
    in_some = ~in_some
    np.logical_and.at(in_all, mags.of_class, above)
    np.logical_or.at(in_some, mags.of_class, above)
    found = _core.pag_ancestry(n, mags.states).reshape(-1, n, n)
    np.testing.assert_array_equal(found == 1, in_all[mags.of_class])
    np.testing.assert_array_equal(found == 2, ~in_some[mags.of_class])
