"""A chain of classes and missing cells: its state, the tables that it keeps, and the scores that it reports."""

import random

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag import _core as core
from chain_states import mutated_state, used
from incomplete import Levels, Mixed, Numbers, parents_of, seed_words
from targets import gaussian_data


def numbers() -> Numbers:
    x = gaussian_data(5, 60, 1)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return Numbers(x, tuple(map(tuple, np.argwhere(np.random.default_rng(1).random(x.shape) < 0.2).tolist())))


def levels() -> Levels:
    rng = np.random.default_rng(2)
    holes = tuple(map(tuple, np.argwhere(rng.random((40, 3)) < 0.2).tolist()))
    return Levels(rng.integers(3, size=(40, 3)), (3, 3, 3), holes)


def mixed() -> Mixed:
    rng = np.random.default_rng(3)
    x = np.column_stack([rng.integers(3, size=40), rng.integers(2, size=40), rng.normal(size=40)])
    return Mixed(x, tuple(map(tuple, np.argwhere(rng.random(x.shape) < 0.2).tolist())))


CASES = pytest.mark.parametrize(("incomplete", "n"), [(numbers(), 5), (levels(), 3), (mixed(), 3)], ids=type)


def make(incomplete: Levels | Mixed | Numbers, n: int, saved: bytes | None = None) -> core.Chain:
    settings = core.ChainSettings(
        prior=core.EdgePrior(-0.5, np.zeros(0)), seed=seed_words(1), most_classes=1000, most_deltas=10_000,
        trace_points=100, cache_bytes=2**20, table=incomplete.table(), most_tables=8,
    )  # fmt: skip
    return core.make_chain(cz.CPDAG.empty(n).core, settings, saved)


def observed(chain: core.Chain) -> list[object]:
    tables = [part.tolist() for part in chain.kept_tables()]
    times = [part.tolist() for part in chain.edge_times()]
    return [chain.statistics(), chain.score, chain.direction, chain.sweeps, tables, times, chain.save()]


@CASES
def test_a_saved_chain_continues_bit_for_bit(incomplete: Levels | Mixed | Numbers, n: int) -> None:
    chain = make(incomplete, n)
    chain.run(200, 10.0)  # with the first cells
    chain.draw_cells()
    for begin in (False, True):
        if begin:
            chain.begin_sweeps(20, 5)
            chain.run(500, 10.0)
        resumed = make(incomplete, n, chain.save())
        assert observed(resumed) == observed(chain)
        for each in (chain, resumed):
            each.run(1000, 10.0)
        assert observed(resumed)[1:] == observed(chain)[1:]
        assert (resumed.sweeps > 0) == begin


@CASES
def test_a_damaged_state_is_refused(incomplete: Levels | Mixed | Numbers, n: int) -> None:
    saved = bytearray(make(incomplete, n).save())
    saved[40] ^= 1
    with pytest.raises(ValueError, match="damaged"):
        make(incomplete, n, bytes(saved))


@CASES
def test_a_changed_state_is_refused_or_can_be_used(incomplete: Levels | Mixed | Numbers, n: int) -> None:
    """With a right checksum, as nobody would write it by accident: the core must not crash."""
    chain = make(incomplete, n)
    chain.begin_sweeps(10, 3)
    chain.run(200, 10.0)
    saved, rng, refused = chain.save(), random.Random(1), 0
    for _ in range(150):
        try:
            changed = make(incomplete, n, mutated_state(saved, rng))
        except ValueError:
            refused += 1
        else:
            used(changed)
            changed.kept_tables()
    assert 0 < refused < 150


@CASES
def test_scores_are_those_of_the_completed_table(incomplete: Levels | Mixed | Numbers, n: int) -> None:
    chain = make(incomplete, n)
    chain.begin_sweeps(20, 5)
    chain.run(500, 10.0)
    chain.draw_cells()
    table = incomplete.table()
    chain.forget()
    while chain.sweeps == 0:
        chain.run(1, 10.0)
    begin, marks, cells = chain.kept_tables()
    assert len(begin) == 2
    table.set_cells(cells)
    g = chain.graph()
    score, parents = table.score(), parents_of(cz.CPDAG.from_matrix(np.reshape(g.matrix(), (n, n))))
    assert chain.score == pytest.approx(sum(score.local(y, p) for y, p in enumerate(parents)), abs=1e-8)
    assert len(marks) == g.edge_count


@CASES
def test_kept_tables_are_evenly_spaced_and_few(incomplete: Levels | Mixed | Numbers, n: int) -> None:
    chain = make(incomplete, n)
    chain.begin_sweeps(10, 5)
    while chain.sweeps < 8:
        chain.run(1, 10.0)
    begin, _, first = chain.kept_tables()
    assert len(begin) == 1 + 8
    while chain.sweeps < 8 * 2**3:
        chain.run(1, 10.0)
    begin, _, cells = chain.kept_tables()
    assert len(begin) == 1 + 8
    holes = len(incomplete.holes)
    assert cells[:holes].tolist() == first[-holes:].tolist()  # of the eighth sweep
    assert len({row.tobytes() for row in cells.reshape(8, holes)}) == 8


@pytest.mark.parametrize("incomplete", [numbers(), levels(), mixed()], ids=type)
def test_holes_are_filled_with_observed_cells_of_their_columns(incomplete: Levels | Mixed | Numbers) -> None:
    values = incomplete.codes if isinstance(incomplete, Levels) else incomplete.x
    missing = np.zeros(values.shape, dtype=bool)
    missing[tuple(np.transpose(incomplete.holes))] = True
    for seed in range(3):
        for (_, v), cell in zip(incomplete.holes, incomplete.table(seed).cells(), strict=True):
            assert cell in values[~missing[:, v], v]


def test_normal_and_gamma_numbers_have_their_moments() -> None:
    """Of one column, a missing cell has a t distribution, given the others.

    The standard errors of mean and variance of 20,000 nearly independent draws, five of which are allowed, are about
    0.0075 standard deviations and 1.15 % of the variance: a false alarm for one of a million seeds.
    """
    x = np.random.default_rng(4).normal(size=(30, 1))
    incomplete = Numbers(x, ((0, 0),))
    table, drawn = incomplete.table(), []
    weight, known = 30 + incomplete.alpha_mu, x[1:, 0]
    for _ in range(20_000):
        table.draw([[]])
        drawn.append(table.cells()[0])
    # The predictive distribution of a row given the other 29 is a t distribution with α_w + 29 degrees of freedom.
    freedom, prior = incomplete.alpha_w + 29, weight - 1
    center = known.sum() / prior
    scatter = incomplete.t + known @ known - known.sum() ** 2 / prior
    variance = scatter / freedom * (1 + 1 / prior) * freedom / (freedom - 2)
    assert np.mean(drawn) == pytest.approx(center, abs=5 * 0.0075 * np.sqrt(variance))
    assert np.var(drawn) == pytest.approx(variance, rel=5 * 0.0115)
