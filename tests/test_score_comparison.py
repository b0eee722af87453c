"""compare_scores, compare_lags: densities and errors by hand, the better model first, rare levels, and errors."""

import math

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.score_comparison import compare_scores

stats = pytest.importorskip("scipy.stats")

pytestmark = pytest.mark.nosanitize

RNG = np.random.default_rng(3)
SURELY_EMPTY = {"edge_prior": 1000, "jumps": 100}


def test_means_and_errors_are_those_of_the_rows() -> None:
    """Of the graph without edges, whose columns are predicted by Student t distributions; the folds are known."""
    x = RNG.normal(size=(41, 2)) * [1, 30] + [5, 0]
    found = compare_scores(x, ["gaussian-bic", "bge"], folds=3, rng=8, **SURELY_EMPTY).set_index("score")
    parts = np.array_split(np.random.default_rng(8).permutation(41), 3)
    logs: dict[str, list[float]] = {"gaussian-bic": [], "bge": []}
    for part in parts:
        known, new = np.delete(x, part, axis=0), x[part]
        n, mean, deviation = len(known), known.mean(axis=0), known.std(axis=0, ddof=1)
        spread = deviation * math.sqrt(1 + 1 / n)
        logs["gaussian-bic"] += stats.t.logpdf(new, n - 1, mean, spread).sum(axis=1).tolist()
        # BGe: R = 1/2 + (n - 1) in standardized units, and n + alpha_w - 2 + 1 = n + 3 degrees of freedom
        spread = deviation * math.sqrt((n - 0.5) / (n + 3) * (1 + 1 / (n + 1)))
        logs["bge"] += stats.t.logpdf(new, n + 3, mean, spread).sum(axis=1).tolist()
    for name, own in logs.items():
        assert found.loc[name, "log_density"] == pytest.approx(np.mean(own))
        assert found.loc[name, "error"] == pytest.approx(stats.sem(own))
    best, other = sorted(logs, key=lambda name: -np.mean(logs[name]))
    difference = np.subtract(logs[other], logs[best])
    assert found.index.tolist() == [best, other]
    assert found.loc[other, "difference"] == pytest.approx(difference.mean())
    assert found.loc[other, "difference_error"] == pytest.approx(stats.sem(difference))
    assert found.loc[best, ["difference", "difference_error"]].tolist() == [0, 0]


def test_evidence_is_on_the_scale_of_the_columns() -> None:
    x = RNG.normal(size=(60, 3)) * [1, 30, 0.1]
    scores = {
        "bge": "bge",
        "bic": "gaussian-bic",
        "raw": lambda t: cz.AdditiveGP(t, transform=None),
        "gp": "additive-gp",
        "mixed": "mixed-bge",
    }
    table = compare_scores(x, scores, folds=2, rng=1, **SURELY_EMPTY).set_index("score")
    assert {name for name, note in table["note"].items() if note} == {"bic", "gp"}
    assert "ranks" in table.loc["gp", "note"]
    found = table["log_evidence"]
    assert found["mixed"] == pytest.approx(found["bge"])
    deviation = x.std(axis=0, ddof=1)
    scaled = cz.BGe((x - x.mean(axis=0)) / deviation, standardize=False)
    assert found["bge"] == pytest.approx(scaled.total([]) - 60 * np.log(deviation).sum())
    expected = sum(
        stats.multivariate_t.logpdf(z, None, np.eye(60), df=1) for z in ((x - x.mean(axis=0)) / x.std(axis=0)).T
    )
    assert found["raw"] == pytest.approx(expected - 60 * np.log(x.std(axis=0)).sum())
    assert found[["bic", "gp"]].isna().all()


@pytest.mark.parametrize("make", [cz.MixedBGe, lambda t: cz.AdditiveGP(t, transform=None)])
def test_evidence_of_levels_is_that_of_their_indicators(make) -> None:
    x, level = RNG.normal(size=80), RNG.integers(0, 3, size=80)
    first, second, wide = (
        make({"x": scale * x, "level": np.array(names)[level]})
        for names, scale in ((["a", "b", "c"], 1), (["b", "c", "a"], 1), (["a", "b", "c"], 10))
    )
    total = {score: score.total([("level", "x")]) + score.log_jacobian() for score in (first, second, wide)}
    assert total[second] == pytest.approx(total[first])  # another level has no indicator
    assert total[wide] == pytest.approx(total[first] - 80 * np.log(10))
    assert first.evidence_note()
    flag = make({"x": x, "level": np.where(level == 0, "a", "b")})
    number = make({"x": x, "level": (level > 0).astype(float)})
    assert flag.log_jacobian() == pytest.approx(number.log_jacobian())
    assert flag.total([]) == pytest.approx(number.total([]))


def test_the_model_of_the_data_is_first() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 300))
    curved = pd.DataFrame({"a": a, "b": np.sin(2 * a) + 0.3 * b, "c": np.exp(b)})
    for data, first in ((curved, "additive-gp"), (pd.DataFrame({"a": a, "b": a + b, "c": b}), "gaussian-bic")):
        found = compare_scores(data, ["gaussian-bic", "additive-gp"], jumps=500, folds=3, rng=1)
        assert found["score"][0] == first
        assert found["log_density"].is_monotonic_decreasing


def test_mixed_and_categorical_tables_with_rare_levels() -> None:
    level = np.repeat(["x", "y", "z"], [60, 59, 1])
    mixed = pd.DataFrame({"a": level, "b": RNG.normal(size=120) + 2 * (level == "y")})
    found = compare_scores(mixed, [cz.MixedBIC, cz.MixedBGe], folds=3, jumps=200, rng=1)
    assert {*found["score"]} == {"MixedBIC", "MixedBGe"}
    assert np.isfinite(found[["log_density", "error", "difference_error"]]).all(axis=None)
    words = pd.DataFrame({"a": level, "b": np.where(level == "y", "u", "v")})
    found = compare_scores(words, ["bdeu", "discrete-bic"], folds=3, jumps=200, rng=1).set_index("score")
    assert np.isfinite(found.loc["bdeu", "log_evidence"])
    given = compare_scores(cz.read_table(words, contexts="b"), ["bdeu"], folds=3, jumps=200, rng=1)
    assert given["log_evidence"].isna().all()
    assert "contexts" in given["note"][0]
    holes = mixed.assign(b=mixed["b"].where(np.arange(120) != 7))
    assert len(compare_scores(holes, ["mixed-bic"], folds=2, jumps=200, rng=1)) == 1


def test_the_same_rng_gives_the_same_table() -> None:
    x = RNG.normal(size=(30, 2))
    first, second = (compare_scores(x, ["bge"], folds=2, jumps=100, rng=4) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize(
    ("scores", "options"),
    [("bge", {}), ([], {}), (["bge", "bge"], {}), (["nonsense"], {}), (["bge"], {"folds": 1}), ([cz.SetFunction], {})],
)
def test_what_cannot_be_compared(scores: object, options: dict[str, int]) -> None:
    with pytest.raises((cz.SettingsError, TypeError)):
        compare_scores(RNG.normal(size=(30, 2)), scores, jumps=100, **options)  # type: ignore[arg-type]


def test_a_score_without_a_density() -> None:
    class Flat(cz.Score):
        def __init__(self, data: cz.Table) -> None:
            super().__init__(data.nodes)

        def local(self, node: object, parents: object) -> float:
            return 0.0

    with pytest.raises(cz.SettingsError, match="Flat"):
        compare_scores(RNG.normal(size=(30, 2)), [Flat], jumps=100)


def test_lags_are_compared_on_the_same_rows_in_blocks_of_time() -> None:
    """Of the graph without edges, all numbers of lags predict alike: each column by its Student t distribution."""
    x = 5 + RNG.normal(size=(43, 2))
    found = cz.compare_lags({"x": x[:, 0], "y": x[:, 1]}, lags=2, folds=3, score="gaussian-bic", **SURELY_EMPTY)
    logs: list[float] = []
    for part in np.array_split(np.arange(2, 43), 3):
        known = np.delete(x, [0, 1, *part], axis=0)
        spread = known.std(axis=0, ddof=1) * math.sqrt(1 + 1 / len(known))
        logs += stats.t.logpdf(x[part], len(known) - 1, known.mean(axis=0), spread).sum(axis=1).tolist()
    assert found["lags"].tolist() == [0, 1, 2]
    assert found["log_density"].tolist() == pytest.approx([np.mean(logs)] * 3)
    batches = [np.mean(batch) for batch in np.array_split(logs, 6)]  # as rows in time may depend on each other
    assert found["error"].tolist() == pytest.approx([stats.sem(batches)] * 3)


def test_the_number_of_lags_of_an_autoregression_is_found() -> None:
    x, y = RNG.normal(size=(2, 240))
    for t in range(2, 240):
        x[t] += 0.9 * x[t - 2]
    found = cz.compare_lags({"x": x, "y": y}, lags=3, jumps=500, rng=2)
    assert found["log_density"].argmax() >= 2
    assert found["difference"][1] < -4 * found["difference_error"][1]
    assert found["difference"][2] >= -2 * found["difference_error"][2]


def test_a_column_that_others_determine_but_for_one_row_is_left_out() -> None:
    rng = np.random.default_rng(1)
    age, education = rng.integers(25, 65, 100), rng.integers(8, 20, 100)
    table = {"education": education, "experience": age - education - 6, "age": age, "wage": rng.normal(size=100)}
    table["experience"][7] += 1
    with pytest.warns(cz.DataWarning, match="in all rows but a few: experience"):
        found = cz.compare_scores(table, ["gaussian-bic", "bge"], folds=3, jumps=200, rng=1)
    assert np.isfinite(found["log_density"]).all()
