"""Linear algebra: a sweep over classes, then missing cells, leaves their joint distribution invariant."""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.special import logsumexp

import causal_zigzag as cz
from causal_zigzag._core import testing
from incomplete import Levels, OfCore, parents_of
from targets import Case, all_classes, generator

TIME = 1.3  # of the process, in a sweep
SMALL = Levels(
    np.array([[0, 0, 0], [0, 0, 1], [1, 1, 2], [1, 1, 0], [0, 1, 2], [1, 0, 1], [0, 0, 2]]),
    (2, 2, 3),
    ((1, 0), (1, 2), (4, 1)),  # two holes in one row, and one in another
    sample_size=2.0,
)


@dataclass(frozen=True)
class OfScore(Case):
    """The target of a given score."""

    of: cz.Score | None = field(default=None, compare=False)

    @property
    def score(self) -> cz.Score:
        assert self.of is not None
        return self.of


def generators(incomplete: Levels, momentum: float) -> list[np.ndarray]:
    """The generator of (class, direction) for each completion, with the rates of the core."""
    table, found = incomplete.table(), []
    for cells in incomplete.completions():
        table.set_cells(np.array(cells, dtype=float))
        case = OfScore(3, momentum=momentum, edge_prior=0.7, of=OfCore(table.score()))
        found.append(generator(case).toarray())
    return found


def joint(incomplete: Levels) -> np.ndarray:
    """The target p(class, cells | observed), by plain formulas, in rows for the classes."""
    logs = np.array(
        [
            [incomplete.log_likelihood(incomplete.completed(cells), g) - 0.7 * g.edge_count
             for cells in incomplete.completions()]
            for g in all_classes(3)
        ]
    )  # fmt: skip
    return np.exp(logs - logsumexp(logs))


def cells_given_class(incomplete: Levels, g: cz.CPDAG) -> np.ndarray:
    """The transition matrix of the completions when the core draws the cells given a class."""
    table, states = incomplete.table(), [*incomplete.completions()]
    place = {cells: i for i, cells in enumerate(states)}
    rows = [
        [i for i, (row, _) in enumerate(incomplete.holes) if row == r] for r in sorted({h[0] for h in incomplete.holes})
    ]
    sweep = np.eye(len(states))
    for number, holes in enumerate(rows):
        step = np.zeros((len(states), len(states)))
        for i, cells in enumerate(states):
            table.set_cells(np.array(cells, dtype=float))
            (weights,) = testing.group_weights(table, parents_of(g), number)
            probabilities = np.exp(np.array(weights) - logsumexp(weights))
            choices = itertools.product(*(range(incomplete.levels[incomplete.holes[h][1]]) for h in reversed(holes)))
            for levels, probability in zip(choices, probabilities, strict=True):
                to = [*cells]
                for h, level in zip(reversed(holes), levels, strict=True):
                    to[h] = level
                step[i, place[tuple(to)]] += probability
        sweep = sweep @ step
    return sweep


def swept(target: np.ndarray, runs: list[np.ndarray]) -> np.ndarray:
    """The distribution of (class, cells) after a sweep that begins in the target, with a uniform direction."""
    begun = np.repeat(target / 2, 2, axis=0)  # states: 2 * class + (1 where the direction is -1)
    ran = np.column_stack([begun[:, i] @ runs[i] for i in range(len(runs))])
    drawn = [ran[2 * c : 2 * c + 2] @ cells_given_class(SMALL, g) for c, g in enumerate(all_classes(3))]
    return np.concatenate(drawn)


@pytest.mark.parametrize("momentum", [1.0, 0.5, 0.0])
def test_a_sweep_leaves_classes_and_cells_invariant(momentum: float) -> None:
    target = joint(SMALL)
    after = swept(target, [expm(TIME * Q) for Q in generators(SMALL, momentum)])
    assert np.abs(after - np.repeat(target / 2, 2, axis=0)).max() < 1e-12
    assert target.max() < 0.5  # not concentrated in one state, which any kernel would keep


def test_sweeps_of_a_fixed_number_of_jumps_are_biased() -> None:
    target = joint(SMALL)
    after = swept(target, [np.eye(len(Q)) - Q / np.diag(Q)[:, None] for Q in generators(SMALL, 1.0)])
    assert np.abs(after - np.repeat(target / 2, 2, axis=0)).max() > 1e-3


def test_all_members_of_a_class_give_the_same_cells() -> None:
    dags = [[[], [0], [1]], [[1], [], [1]], [[1], [2], []]]  # 0 -> 1 -> 2 and its class
    table = SMALL.table()
    weights = [[testing.group_weights(table, dag, row) for row in (0, 1)] for dag in dags]
    for other in weights[1:]:
        for a, b in zip(itertools.chain(*weights[0]), itertools.chain(*other), strict=True):
            assert np.ptp(np.array(a) - np.array(b)) < 1e-12


@pytest.mark.parametrize("levels", [(2,) * 8, (4,) * 9], ids=["counters in an array", "hashed counters"])
def test_groups_of_holes_are_drawn_from_their_conditional_distribution(levels: tuple[int, ...]) -> None:
    """Against scores of whole tables: a row with more holes than fit into one group, and a node with many parents."""
    rng = np.random.default_rng(3)
    n = len(levels)
    codes = rng.integers(levels, size=(40, n))
    incomplete = Levels(codes, levels, ((7, 0), (7, 1), (7, 2), (7, 4), (7, n - 1), (9, 3)))
    parents = [[], [0], [0, 1], [2], [], [4], [3, 5], [1], [*range(8)]][:n]
    table = incomplete.table(seed=5)
    cells = table.cells()
    groups = testing.group_weights(table, parents, 0)
    assert len(groups) > 1
    hole = 0
    for weights in groups:
        size = round(math.log(len(weights), levels[0]))
        naive = []
        for choice in itertools.product(range(levels[0]), repeat=size):
            tried = cells.copy()
            tried[hole : hole + size] = choice[::-1]
            table.set_cells(tried)
            naive.append(sum(table.score().local(y, parents[y]) for y in range(n)))
        table.set_cells(cells)
        assert np.ptp(np.array(weights) - naive) < 1e-9
        hole += size
    assert hole == 5
