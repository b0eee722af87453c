"""The rows of the core are the differences of local scores: every x, up to 60 parents, near-singular data included."""

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table
from score_cases import FAMILIES, ByRow, categorical_data, gaussian_data, make_score, mixed_data


def largest_gap(score: cz.Score, y: int, parents: list[int]) -> float:
    """Between the row and the differences of local scores, by the size of the local score."""
    row = score.row(y, parents)
    here = score.local(y, parents)
    gaps = [abs(score.local(y, sorted({*parents} ^ {x})) - here - row[x]) for x in range(len(score.nodes)) if x != y]
    assert row[y] == 0
    return max(gaps) / (1 + abs(here))


def random_sets(n: int, sizes: list[int], seed: int) -> list[tuple[int, list[int]]]:
    rng = np.random.default_rng(seed)
    sets = [[int(v) for v in rng.permutation(n)[: size + 1]] for size in sizes]
    return [(y, sorted(rest)) for y, *rest in sets]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [2, 5, 8, 17])
def test_small(family: str, n: int) -> None:
    score = make_score(family, n, 200)
    for y, parents in random_sets(n, [k % n for k in range(20)], seed=n):
        assert largest_gap(score, y, parents) < 1e-11


@pytest.mark.parametrize("family", FAMILIES)
def test_sixty_parents(family: str) -> None:
    if family == "AdditiveGP":
        return  # its families are bounded
    score = make_score(family, 70, 600)
    for y, parents in random_sets(70, [60, 40, 25], seed=1):
        assert largest_gap(score, y, parents) < 1e-11


@pytest.mark.parametrize("score_class", [cz.DiscreteBIC, cz.BDeu])
@pytest.mark.parametrize(
    ("n", "rows", "levels"), [(6, 20000, 2), (30, 65, 2), (9, 700, 20), (7, 64, 40), (5, 300, 400)]
)
def test_tables_of_every_shape(score_class: type, n: int, rows: int, levels: int) -> None:
    """Merged equal rows; bitmaps; too many levels for bitmaps; few cells with two rows; far more cells than rows."""
    table = read_table(categorical_data(n, rows, levels, seed=2), kinds="categorical")
    score = score_class(table)
    for y, parents in random_sets(n, [0, 0, 1, 1, 2, 2, 3, 4, 5], seed=3):
        assert largest_gap(score, y, parents) < 1e-11


@pytest.mark.parametrize("n", [63, 64, 65, 129])
def test_around_the_tiles(n: int) -> None:
    for score in (cz.GaussianBIC(gaussian_data(n, 300)), cz.BGe(gaussian_data(n, 300))):
        for y, parents in random_sets(n, [0, 1, 7], seed=n):
            assert largest_gap(score, y, parents) < 1e-11
    mixed = cz.MixedBIC(mixed_data(n, 1000))
    for y, parents in random_sets(n, [0, 1, 7], seed=n):
        assert largest_gap(mixed, y, parents) < 1e-11


@pytest.mark.parametrize("noise", [1e-1, 1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("family", ["GaussianBIC", "MixedBIC", "BGe"])
def test_near_singular(family: str, noise: float) -> None:
    """The stated bound: N / 2 · 1e-14 / λ, with λ the smallest eigenvalue of the (scaled) matrix."""
    rng = np.random.default_rng(4)
    factors = rng.normal(size=(400, 5))
    x = factors @ rng.normal(size=(5, 70)) + noise * rng.normal(size=(400, 70))
    score = {"GaussianBIC": cz.GaussianBIC, "MixedBIC": cz.MixedBIC, "BGe": cz.BGe}[family](x)
    least = np.linalg.eigvalsh(score._correlation)[0]
    assert least > 1e-10
    for y, parents in random_sets(70, [60, 60, 30, 10, 6, 3], seed=5):
        row, here = score.row(y, parents), score.local(y, parents)
        for z in range(70):
            if z != y:
                difference = score.local(y, sorted({*parents} ^ {z})) - here
                assert abs(difference - row[z]) <= 200 * 1e-14 / least + 1e-11 * abs(here)


def test_a_users_rows_are_used() -> None:
    score = ByRow(make_score("GaussianBIC", 6, 50))
    core = score.core_score()
    assert core is not None
    assert core.row(2, [0, 1]) == pytest.approx(score.inner.row(2, [0, 1]))
    assert core.row(2, [0, 1])[2] == 0
    assert score.asked == [("row", 2, (0, 1))]


def test_the_default_row_uses_local() -> None:
    score = make_score("user", 6, 50)
    assert score.row(2, [0, 1]) == pytest.approx(score.inner.row(2, [0, 1]))  # type: ignore[attr-defined]
