"""Scores as values: immutable, picklable, independent of scale; and invalid arguments."""

import pickle

import numpy as np
import pytest

import causal_zigzag as cz
from score_cases import FAMILIES, gaussian_data, make_score, mixed_data

BUILTIN = [family for family in FAMILIES if family != "user"]


@pytest.mark.parametrize("family", BUILTIN)
def test_pickles_to_the_same_bits(family: str) -> None:
    score = make_score(family, 6, 60)
    again = pickle.loads(pickle.dumps(score))
    assert again.nodes == score.nodes
    assert again.local(3, [0, 5]) == score.local(3, [0, 5])
    assert again.row(3, [0, 5]).tolist() == score.row(3, [0, 5]).tolist()
    assert repr(again) == repr(score)


@pytest.mark.parametrize("family", BUILTIN)
def test_is_immutable(family: str) -> None:
    score = make_score(family, 4, 60)
    with pytest.raises(AttributeError, match="is immutable, '_penalty' cannot be set"):
        score._penalty = 3.0  # type: ignore[attr-defined]


def test_the_data_may_change_afterwards() -> None:
    x = gaussian_data(4, 50)
    score = cz.GaussianBIC(x)
    before = score.local(0, [1])
    x[:] = 0
    assert score.local(0, [1]) == before


SCALES = np.array([1e-12, 1e12, 1.0, 1e-200, 1e150, -3.0])


@pytest.mark.parametrize("score_class", [cz.GaussianBIC, cz.BGe, cz.MixedBIC])
def test_scale_and_offset_have_no_effect(score_class: type) -> None:
    x = np.round(gaussian_data(6, 300) * 2**20) / 2**20  # so that adding 1e9 is exact
    plain = score_class(x)
    for other in (score_class(x * SCALES), score_class(x + 1e9), score_class((x + 1e9) * 2.0**-40)):
        for parents in ([], [1], [1, 2, 3, 4, 5]):
            assert other.row(0, parents) == pytest.approx(plain.row(0, parents), rel=1e-9, abs=1e-9)
        differences = [s.total([(1, 0), (2, 0), (4, 3)]) - s.total([]) for s in (plain, other)]
        assert differences[0] == pytest.approx(differences[1], rel=1e-9)


@pytest.mark.filterwarnings("ignore:.* rows for .* columns")
@pytest.mark.parametrize("rows", [6, 20])
def test_the_order_of_columns_has_no_effect_with_few_rows(rows: int) -> None:
    """Also where parents determine a node, and where one parent is missing to that; the rounding is at most 1e-8."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(rows, 30)) @ (np.eye(30) + 0.3 * rng.normal(size=(30, 30)))
    order = rng.permutation(30)
    plain, other = cz.GaussianBIC(x), cz.GaussianBIC(x[:, order])
    for count in [rows - 3, rows - 2, rows - 1, rows] * 5:
        y, *parents = rng.permutation(30)[: count + 1].tolist()
        moved = np.flatnonzero(np.isin(order, parents)).tolist()
        at = int(np.flatnonzero(order == y)[0])
        here, row = plain.local(y, parents), plain.row(y, parents)
        assert other.local(at, moved) == pytest.approx(here, rel=0, abs=1e-8)
        assert other.row(at, moved) == pytest.approx(row[order], rel=0, abs=1e-8)
        single = [plain.local(y, sorted({*parents} ^ {z})) - here if z != y else 0.0 for z in range(30)]
        assert row == pytest.approx(single, rel=0, abs=1e-8)


def test_offsets_have_no_effect_on_mixed_tables() -> None:
    data = mixed_data(5, 200)
    moved = {name: column * 1e-12 + 5 if column.dtype.kind == "f" else column for name, column in data.items()}
    plain, other = cz.MixedBIC(data), cz.MixedBIC(moved)
    assert other.row(1, [0, 2]) == pytest.approx(plain.row(1, [0, 2]), rel=1e-3, abs=1e-2)  # the data are rounded


def test_a_local_score_has_the_scale_of_its_column() -> None:
    x = gaussian_data(3, 100)
    shift = cz.GaussianBIC(x * [1e12, 1, 1]).local(0, [1]) - cz.GaussianBIC(x).local(0, [1])
    assert shift == pytest.approx(-100 * np.log(1e12), rel=1e-12)


def test_labels() -> None:
    score = cz.GaussianBIC({"b": [0.5, 1.5, 2.5, 0.0], "a": [1.5, 0.5, 2.5, 0.25]})
    assert score.nodes == ("b", "a")
    assert score.local("a", ("b",)) == score.local("a", ["b"]) == score.local("a", {"b"})
    graph = cz.CPDAG.complete(["a", "b"])  # in another order
    assert score.total(graph) == pytest.approx(score.local("b", []) + score.local("a", ["b"]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.local("z", []), "unknown node z; the nodes are a, b"),
        (lambda s: s.local("a", ["z"]), "unknown node z; the nodes are a, b"),
        (lambda s: s.local("a", ["a"]), "a cannot be its own parent"),
        (lambda s: s.local("a", ["b", "b"]), "a parent of a is given twice: b, b"),
        (lambda s: s.local("a", "b"), r"parents must be a sequence of nodes; write \['b'\] for one parent"),
        (lambda s: s.row("a", ["a"]), "a cannot be its own parent"),
        (lambda s: s.total(cz.CPDAG.empty(2)), "the graph has the nodes 0, 1, but the score has a, b"),
    ],
)
def test_invalid_arguments_of_local_and_total(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(cz.ScoreError, match=message):
        call(cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=10, nodes=["a", "b"]))


def test_total_of_a_cycle() -> None:
    with pytest.raises(cz.GraphError, match="directed cycle"):
        cz.Uniform(3).total([(0, 1), (1, 2), (2, 0)])


@pytest.mark.parametrize(
    ("cov", "settings", "message"),
    [
        ("a", {}, r"must be a square matrix of numbers, not 'a'; np\.cov\(data, rowvar=False, bias=True\) makes one"),
        ([[1, None], ["x", 1]], {}, r"must be a square matrix of numbers, not \[\[1, None\], \['x', 1\]\]; np\.cov"),
        (
            np.ma.array([[4, 1], [1, 2]], mask=[[0, 1], [0, 0]]),
            {},
            r"must be finite and .* cov\[0, 1\] is nan",
        ),
        ([[1, 2]], {}, r"a covariance matrix must be square, but the shape is \(1, 2\)"),
        ([[1, 0.2], [0.3, 1]], {}, r"symmetric, .* but cov\[0, 1\] is 0.2 and cov\[1, 0\] is 0.3"),
        ([[1, 0], [0, 0]], {}, r"positive variances, but cov\[1, 1\] is 0.0"),
        ([[1, np.nan], [np.nan, 1]], {}, r"must be finite .* but cov\[0, 1\] is nan"),
        ([[1, 1], [1, 1]], {}, "must be positive definite"),
        ([[1, 2], [2, 1]], {}, "must be positive definite"),
        ([[1, 0], [0, 1]], {"nodes": ["a"]}, "the covariance matrix has 2 rows, but there are 1 nodes"),
    ],
)
def test_invalid_covariances(cov: object, settings: dict[str, object], message: str) -> None:
    with pytest.raises(cz.DataError, match=message):
        cz.GaussianBIC.from_covariance(cov, n_samples=10, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: cz.GaussianBIC(x, penalty=0), "penalty must be a positive number, not 0"),
        (lambda x: cz.GaussianBIC(x, penalty="1"), "penalty must be a positive number, not '1'"),
        (lambda x: cz.GaussianBIC.from_covariance(np.eye(2), n_samples=1), "n_samples must be at least 2, not 1"),
        (lambda x: cz.BGe(x, alpha_mu=-1), "alpha_mu must be a positive number, not -1"),
        (lambda x: cz.BGe(x, alpha_w=4), r"alpha_w must be above 4 for 3 columns, not 4"),
        (lambda x: cz.BDeu(x > 0, equivalent_sample_size=np.nan), "equivalent_sample_size must be a positive number"),
        (lambda x: cz.DiscreteBIC(x > 0, penalty=True), "penalty must be a positive number, not True"),
        (lambda x: cz.MixedBIC(x, penalty=np.inf), "penalty must be a positive number, not inf"),
    ],
)
def test_invalid_settings(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(cz.ScoreError, match=message):
        make(gaussian_data(3, 50))


def test_covariance_from_a_frame_names_the_nodes() -> None:
    import pandas as pd

    frame = pd.DataFrame([[2.0, 1.0], [1.0, 3.0]], columns=["a", "b"], index=["a", "b"])
    assert cz.GaussianBIC.from_covariance(frame, n_samples=10).nodes == ("a", "b")
