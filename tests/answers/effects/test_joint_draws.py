"""Effects of several causes in a given DAG: directed paths, and draws compared with known distributions."""

import numpy as np
import pytest
from scipy import stats

from causal_zigzag.answers.effects.joint_draws import joint_changes, steps_to
from causal_zigzag.errors import ScoreError
from causal_zigzag.scores.regression import RegressionMoments
from score_cases import all_dags

ROWS, DRAWS = 40, 20_000


def model(n: int, seed: int) -> RegressionMoments:
    """The regressions of GaussianBIC: N - |P| - 1 degrees of freedom."""
    correlation = np.corrcoef(np.random.default_rng(seed).normal(size=(n, ROWS)))
    return RegressionMoments(correlation, np.zeros(n), ROWS - 2, -1, ROWS, ROWS, np.zeros(n))


def dag_of(n: int, *arrows: tuple[int, int]) -> np.ndarray:
    dag = np.zeros((n, n), dtype=np.uint8)
    for x, y in arrows:
        dag[x, y] = 1
    return dag


def test_the_steps_are_the_nodes_on_paths_that_avoid_causes() -> None:
    for dag in all_dags(4):
        cut = dag.copy()
        cut[:, [0, 1]] = 0  # the arrows into the causes
        reach = np.linalg.inv(np.eye(4) - cut).round().astype(bool)
        steps = steps_to(dag, [0, 1], 3)
        expected = {v for v in (2, 3) if reach[[0, 1], v].any() and reach[v, 3]}
        assert {v for v, _ in steps} == expected
        assert all(parents == tuple(np.flatnonzero(dag[:, v])) for v, parents in steps)
        order = [v for v, _ in steps]
        assert order == [2, 3] or len(order) < 2  # y comes last


def test_direct_effects_have_student_distributions() -> None:
    given = model(3, 1)
    dags = np.tile(dag_of(3, (0, 1), (0, 2), (1, 2)), (DRAWS, 1, 1))
    drawn, _ = joint_changes(dags, [0, 1], 2, given, np.random.default_rng(2))
    C = given.matrix
    inverse = np.linalg.inv(C[:2, :2])
    mean = inverse @ C[:2, 2]
    freedom = ROWS - 3
    scale = np.sqrt((C[2, 2] - C[2, :2] @ mean) / freedom * np.diag(inverse))
    for k in range(2):  # false-alarm rate 1e-7 each
        assert stats.kstest((drawn[:, k] - mean[k]) / scale[k], stats.t(freedom).cdf).pvalue > 1e-7


def test_effects_along_a_path_are_products() -> None:
    given = model(4, 4)
    dag = dag_of(4, (0, 1), (1, 3), (2, 3), (0, 2))
    drawn, means = joint_changes(np.tile(dag, (DRAWS, 1, 1)), [0, 2], 3, given, np.random.default_rng(2))
    C = given.matrix
    last = np.linalg.solve(C[np.ix_([1, 2], [1, 2])], C[[1, 2], 3])
    mean = [C[0, 1] * last[0], last[1]]  # of 0 through 1, with 2 held; of 2 directly
    np.testing.assert_allclose(means, np.tile(mean, (DRAWS, 1)), rtol=1e-12)
    # 6 standard errors: less than 1e-8 of all seeds would fail
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 6 * drawn.std(axis=0) / np.sqrt(DRAWS))
    first, second = (
        ((1 - C[0, 1] ** 2) / (ROWS - 4), C[0, 1]),
        (
            (1 - C[3, [1, 2]] @ last) / (ROWS - 5) * np.linalg.inv(C[np.ix_([1, 2], [1, 2])])[0, 0],
            last[0],
        ),
    )
    variance = first[0] * second[0] + first[0] * second[1] ** 2 + second[0] * first[1] ** 2
    assert drawn[:, 0].var() == pytest.approx(variance, rel=12 * np.sqrt(2 / DRAWS))


def test_without_a_path_the_effect_is_zero() -> None:
    given = model(3, 1)
    dags = np.array([dag_of(3, (2, 0), (1, 2)), dag_of(3, (0, 1), (1, 2)), dag_of(3)])
    drawn, _ = joint_changes(dags, [0, 1], 2, given, np.random.default_rng(2))
    assert (drawn != 0).tolist() == [[False, True], [False, True], [False, False]]


def test_units() -> None:
    given = model(3, 1)
    dags = np.tile(dag_of(3, (0, 2), (1, 2)), (5, 1, 1))
    plain = joint_changes(dags, [1, 0], 2, given, np.random.default_rng(2))[0]
    scaled = given._replace(log_deviation=np.log([2.0, 3.0, 5.0]))
    np.testing.assert_allclose(
        joint_changes(dags, [1, 0], 2, scaled, np.random.default_rng(2))[0], plain * [5 / 3, 5 / 2], rtol=1e-12
    )


def test_too_few_rows() -> None:
    given = model(3, 1)._replace(freedom=1.0)
    with pytest.raises(ScoreError, match=r"too few rows.*2 parents"):
        joint_changes(dag_of(3, (0, 2), (1, 2))[None], [0, 1], 2, given, np.random.default_rng(2))
