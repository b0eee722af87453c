"""Tables of all supported libraries, the kinds of their columns, and errors about invalid tables."""

import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.scores.choose import as_score
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.table import Table

ROWS = {"size": [1.5, 2.5, 0.25, 3.0], "color": ["red", "blue", "red", "blue"], "ok": [True, False, False, True]}
KINDS = {"size": "continuous", "color": "categorical", "ok": "categorical"}


def write_parquet(folder: Path) -> Path:
    pytest.importorskip("pyarrow")
    pd.DataFrame(ROWS).to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


def write_text(folder: Path, name: str, separator: str) -> Path:
    pd.DataFrame(ROWS).to_csv(folder / name, sep=separator, index=False)
    return folder / name


def polars_frame(_: Path) -> object:
    return pytest.importorskip("polars").DataFrame(ROWS)


SOURCES = {
    "dict": lambda _: ROWS,
    "pandas": lambda _: pd.DataFrame(ROWS),
    "pandas nullable": lambda _: pd.DataFrame(ROWS).convert_dtypes(),
    "pandas categories": lambda _: pd.DataFrame(ROWS).astype({"color": "category"}),
    "polars": polars_frame,
    "dicts": lambda _: pd.DataFrame(ROWS).to_dict("records"),
    "structured array": lambda _: pd.DataFrame(ROWS).to_records(index=False),
    "csv": lambda folder: write_text(folder, "t.csv", ","),
    "csv with semicolons": lambda folder: str(write_text(folder, "t.csv", ";")),
    "tsv": lambda folder: write_text(folder, "t.tsv", "\t"),
    "txt": lambda folder: write_text(folder, "t.txt", "\t"),
    "parquet": write_parquet,
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_table(source: str, tmp_path: Path) -> None:
    table = read_table(SOURCES[source](tmp_path))
    assert table.nodes == ("size", "color", "ok")
    assert table.kinds == KINDS
    assert table.n_rows == 4
    size, color, ok = table.columns
    assert size.numbers is not None
    assert size.numbers.tolist() == ROWS["size"]
    assert (color.levels, ok.levels) == (("blue", "red"), (False, True))
    assert color.codes is not None
    assert color.codes.tolist() == [1, 0, 1, 0]
    assert ok.codes is not None
    assert ok.codes.tolist() == [1, 0, 0, 1]


def test_numpy_arrays_number_their_columns() -> None:
    table = read_table(np.arange(24.0).reshape(12, 2) ** 2 / 7)
    assert table.nodes == (0, 1)
    assert read_table([[1.5, 2.0], [2.5, 1.0], [0.5, 3.25]]).nodes == (0, 1)


def test_a_table_is_immutable_and_picklable() -> None:
    table = read_table(ROWS)
    assert read_table(table) is table
    with pytest.raises(AttributeError, match="n_rows"):
        table.n_rows = 3
    with pytest.raises(ValueError, match="read-only"):
        table.columns[0].numbers[0] = 1.0  # type: ignore[index]
    again = pickle.loads(pickle.dumps(table))
    assert isinstance(again, Table)
    assert again.kinds == table.kinds
    assert repr(table) == "Table(4 rows, 3 columns: 1 continuous, 2 categorical)"


def test_kinds_of_numbers_depend_on_their_values() -> None:
    rng = np.random.default_rng(0)
    table = read_table(
        {
            "few": rng.integers(3, size=200),
            "few floats": rng.integers(3, size=200).astype(float),
            "many": rng.integers(50, size=200),
            "fractions": rng.integers(3, size=200) / 2,
            "text numbers": rng.integers(3, size=200).astype(str),
        }
    )
    kinds = ["categorical", "categorical", "continuous", "categorical", "categorical"]
    assert list(table.kinds.values()) == kinds


def test_requested_kinds() -> None:
    frame = pd.DataFrame({"dose": [0, 1, 2, 1] * 10, "grade": ["low", "high", "mid", "low"] * 10, "x": range(0, 80, 2)})
    frame["grade"] = pd.Categorical(frame["grade"], ["low", "mid", "high"], ordered=True)
    table = read_table(frame, kinds={"dose": "continuous", "grade": "ordinal", "x": "ordinal"})
    assert table.kinds == {"dose": "continuous", "grade": "ordinal", "x": "ordinal"}
    assert table.numbers("this")[:4, 1].tolist() == [0, 2, 1, 0]
    assert {*read_table(frame[["dose", "grade"]], kinds="categorical").kinds.values()} == {"categorical"}
    assert read_table(frame).kinds["grade"] == "ordinal"


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float64", "object"])
def test_integers_of_all_types(dtype: str) -> None:
    values = np.array([-128, 127, 3, -128] * 5) + (128 if dtype.startswith("u") else 0)
    column = read_table({"a": values.astype(dtype), "b": np.arange(20) / 2}, kinds={"a": "categorical"}).columns[0]
    assert column.codes is not None
    assert column.codes.tolist() == [0, 2, 1, 0] * 5
    assert list(column.levels) == sorted({*values.tolist()})


def frame(**columns: object) -> dict[str, object]:
    """Two valid columns and the given ones."""
    return {"a": [0.5, 1.5, 2.0, 0.25], "b": [1.25, 0.5, 3.5, 2.0], **columns}


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (frame(c=[np.nan] * 4), ("empty", "c")),
        (frame(c=[None] * 4, d=[np.nan] * 4), ("empty", "d")),
        (
            {"x": np.arange(60) / 7, "y": [f"{i % 20 / 10 + 0.05:.2f}" for i in range(59)] + ["n.d."]},
            ("markers", "y"),
        ),
        (
            {"x": np.arange(60) / 7, "y": [f"0,{i % 20:02}5" for i in range(60)]},
            ("decimal comma", "y"),
        ),
        (
            {"x": np.arange(60) / 7, "y": [f"{i / 8}" for i in range(59)] + ["n.d."]},
            ("markers", "y"),
        ),
        (
            {"x": np.arange(60) / 7, "y": [f"{i % 30 - 5} %" for i in range(60)]},
            ("unit", "y"),
        ),
        (
            {"x": np.arange(60) / 7, "y": [f"{i % 30 + 999:,}.5" for i in range(60)]},
            ("unit", "y"),
        ),
        (
            {"x": np.arange(60) / 7, "y": [f"patient {max(i, 20)}" for i in range(60)]},
            ("identifier", "y"),
        ),
        (
            frame(c=[1.0, np.nan, 2.0, np.nan]),
            ("missing", "c"),
        ),
        (frame(c=["x", None, "y", "x"]), ("missing", "c")),
        (
            pd.DataFrame(frame(c=pd.array([1, None, 2, 3], "Int64"))),
            ("missing", "c"),
        ),
        (pd.DataFrame(frame(c=pd.Categorical(["x", None, "y", "y"]))), ("missing", "c")),
        ([{"a": 1.0, "b": 2.0}, {"a": 1.5}], ("missing", "b")),
        (
            frame(c=[1.0, 2.0, np.inf, -np.inf]),
            ("infinite", "c"),
        ),
        (frame(c=[7, 7, 7, 7]), ("constant", "c")),
        (
            frame(c=["u", "u", "u", "u"]),
            ("constant", "c"),
        ),
        (
            pd.DataFrame([[1.5, 2.0], [2.5, 1.0]], columns=["a", "a"]),
            "duplicate column name a: columns 0 and",
        ),
        (
            frame(c=["p", "q", "r", "s"]),
            ("identifier", "c"),
        ),
        (
            frame(c=[1.0, "n/a", 2.0, 3.0]),
            ("markers", "c"),
        ),
        (frame(c=[[1], [2], [1], [2]]), ("unusable", "c")),
        (frame(c=[{1}, {2}, {1}, {2}]), ("unusable", "c")),
        (frame(c=np.array([1j, 2j, 0j, 1j])), ("unusable", "c")),
        (pd.DataFrame(frame(c=pd.date_range("2020", periods=4))), ("date", "c")),
        (frame(c=[1.0]), "columns differ in length: a has 4"),
        ({}, "the table is empty: it has no"),
        (pd.DataFrame(), "the table is empty: it has no"),
        (np.zeros((5, 0)), "the table is empty: it has no"),
        (pd.DataFrame({"a": [], "b": []}), "the table has 0 rows"),
        ({"a": [1.0], "b": [2.0]}, "the table has 1 row"),
        ({"a": [1.5, 2.0, 0.5]}, "the table has only one column, a"),
        (np.zeros(5), "a table has rows and columns, but"),
        (7, "a table has rows and columns, but"),
        ([[1.0, 2.0], [1.0]], "the rows of the table differ in"),
        ("nowhere.csv", "there is no file 'nowhere.csv'"),
        (
            {"a": 1, "b": 2},
            "column a must be a sequence of",
        ),
        (frame(c=np.float64(1.5)), "column c must be a sequence of"),
        (frame(c="wxyz"), "column c must be a sequence of"),
        (frame(c={0: 1.5, 1: 2.5}), "column c must be a sequence of"),
        (
            frame(c=["1.5", "2", "-3e4", "0"]),
            ("text", "c"),
        ),
        (
            frame(c=["1,5", "2", "-3,25", "0"]),
            ("decimal comma", "c"),
        ),
    ],
)
def test_invalid_tables(data: object, fault: str | tuple[str, object]) -> None:
    """The fault has a code and a column; what is wrong with the table as a whole has a sentence."""
    with pytest.raises(cz.DataError) as told:
        read_table(data, strict=True)
    if isinstance(fault, str):
        assert fault in str(told.value)
    else:
        assert fault in [(one.flaw, one.about) for one in told.value.faults]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "a,b,a\n1.5,2,3\n2.5,1,4\n", "'t.csv' has two columns named a; give each column a unique name"),
        ("t.csv", '"a, b",c,"a, b"\n1.5,2,3\n2.5,1,4\n', "'t.csv' has two columns named 'a, b'; give each column"),
        ("t.csv", "", "'t.csv' cannot be read: No columns to parse from file"),
        (
            "t.csv",
            "0.5,-1.25\n1.5,2\n2.5,1\n",
            "'t.csv' has no column names: its first line is '0.5', '-1.25'; add a line with the names",
        ),
        ("t.csv", "a,b\n1.5,2\n,1\n", "1 cell is missing (NaN), the first in line 3, column a"),
        (
            "t.xls",
            "",
            "the file name 't.xls' does not end in .csv, .tsv, .tab, .txt (also with .gz), .xlsx, .parquet or .pq",
        ),
        ("t.xlsx", "a,b", "'t.xlsx' cannot be read as Excel: File is not a zip file; save it again, or as CSV"),
    ],
)
def test_invalid_files(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(tmp_path / name, strict=True)


def test_categories_may_be_numbers_as_text() -> None:
    texts = [f"{i % 20 / 10 + 0.05:.2f}" for i in range(60)]
    clusters = [str(i % 24) for i in range(60)]
    numbers = np.arange(60) / 7
    assert read_table({"x": numbers, "y": texts}, kinds={"y": "categorical"}).kinds["y"] == "categorical"
    assert read_table(pd.DataFrame({"x": numbers, "y": pd.Categorical(texts)})).kinds["y"] == "categorical"
    assert read_table({"x": numbers, "y": clusters}).kinds["y"] == "categorical"


MASK = np.array([[False, False], [False, True], [False, False], [False, False]])
NUMBERS = np.array([[0.5, 1.5], [2.0, 0.25], [1.25, 3.5], [4.0, 2.0]])
MASKED = {
    "floats": np.ma.array(NUMBERS, mask=MASK),
    "whole numbers": np.ma.array((4 * NUMBERS).astype(int), mask=MASK),
    "rows": [*np.ma.array(NUMBERS, mask=MASK)],
    "columns": {0: NUMBERS[:, 0], 1: np.ma.array(NUMBERS[:, 1], mask=MASK[:, 1])},
    "text": {0: NUMBERS[:, 0], 1: np.ma.array(["x", "y", "x", "y"], mask=MASK[:, 1])},
    "truth values": {0: NUMBERS[:, 0], 1: np.ma.array([True, False, True, False], mask=MASK[:, 1])},
    "cells": {0: NUMBERS[:, 0], 1: [1.5, np.ma.masked, 0.5, 2.0]},
}


@pytest.mark.parametrize("source", MASKED)
def test_masked_cells_are_missing(source: str) -> None:
    with pytest.raises(cz.DataError, match=re.escape("1 cell is missing (NaN), the first in row 1, column 1")):
        read_table(MASKED[source], missing="refuse")
    column = read_table(MASKED[source]).columns[1]
    assert column.missing.tolist() == [False, True, False, False]
    assert column.codes is None or column.codes[1] == -1
    assert column.numbers is None or np.isnan(column.numbers[1])


def test_a_mask_without_masked_cells() -> None:
    table = read_table(np.ma.array(NUMBERS, mask=False))
    assert table.numbers("this").tolist() == NUMBERS.tolist()
    structured = np.ma.array([(0.5, 1), (1.5, 2), (0.25, 1)], dtype=[("x", float), ("y", int)])
    assert read_table(structured).nodes == ("x", "y")
    structured["x"][1] = np.ma.masked
    with pytest.raises(cz.DataError, match=re.escape("1 cell is missing (NaN), the first in row 1, column x")):
        read_table(structured, missing="refuse")


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ('"x, left","y, left",left\n1.5,2,3\n2.5,1,4\n', ("x, left", "y, left", "left")),
        ('"a, b";"c, b"\n1.5;2\n2.5;1\n', ("a, b", "c, b")),
        ('"say ""b""",b\n1.5,2\n2.5,1\n', ('say "b"', "b")),
        ('\n"two\nlines",lines\n1.5,2\n2.5,1\n', ("two\nlines", "lines")),
    ],
)
def test_quoted_names_in_files(text: str, nodes: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("\ufeff" + text, encoding="utf-8")
    assert read_table(tmp_path / "t.csv").nodes == nodes


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_file_with_an_index(shuffled: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"a": rng.normal(size=20), "b": rng.normal(size=20)})
    (data.iloc[rng.permutation(20)] if shuffled else data).to_csv(path)
    for given in (path, pd.read_csv(path)):
        with pytest.warns(cz.DataWarning, match="'Unnamed: 0' .* like an identifier"):
            read_table(given, strict=True)
        assert read_table(given).nodes == ("a", "b")


def test_an_unnamed_column_of_measurements_is_not_an_index() -> None:
    a, b, c = np.random.default_rng(1).normal(size=(3, 20))
    assert read_table({"a": a, "b": b, "Unnamed: 0": c}).nodes == ("a", "b", "Unnamed: 0")


def test_a_broken_parquet_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "t.parquet").write_bytes(b"this is no Parquet file")
    with pytest.raises(cz.DataError, match=r"^'t\.parquet' cannot be read as Parquet: "):
        read_table(tmp_path / "t.parquet")


def test_a_lazy_frame() -> None:
    lazy = pytest.importorskip("polars").DataFrame(ROWS).lazy()
    with pytest.raises(cz.DataError, match=re.escape("whose rows are not computed yet; pass data.collect()")):
        read_table(lazy)


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"z": "ordinal"}, "kinds names the column z, but the columns are size, color, ok"),
        ({"size": "nominal"}, "the kind of a column must be 'continuous', 'categorical' or 'ordinal', not 'nominal'"),
        ("nominal", "the kind of a column must be 'continuous', 'categorical' or 'ordinal', not 'nominal'"),
        (
            {"color": "continuous"},
            "color is not numeric (it contains 'red'), so it cannot be continuous; do not give",
        ),
        ({"color": "ordinal"}, "so it cannot be ordinal; make it a pandas.Categorical with ordered=True"),
    ],
)
def test_invalid_kinds(kinds: object, message: str) -> None:
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(ROWS, kinds=kinds)  # type: ignore[arg-type]
    with pytest.raises(cz.DataError, match="a Table cannot be read again; pass kinds= to the call"):
        read_table(read_table(ROWS), kinds="ordinal")


def test_tables_that_a_score_does_not_support() -> None:
    with pytest.raises(
        cz.DataError, match=re.escape("column color is not numeric (it contains 'blue'), but GaussianBIC needs")
    ):
        cz.GaussianBIC(ROWS)
    with pytest.raises(
        cz.DataError, match="column size is continuous, but BDeu needs categories; cut it into a few lev"
    ):
        cz.BDeu(ROWS)
    text = {"x": ["1.5", "2.5"] * 10, "y": np.arange(20) / 7}
    with pytest.raises(
        cz.DataError,
        match=re.escape(
            "column x is not numeric (it contains '1.5'), but GaussianBIC needs numbers; its cells are "
            "numbers as text, such as '1.5'; convert it with pandas.to_numeric"
        ),
    ):
        cz.GaussianBIC(text)
    with pytest.raises(
        cz.DataError, match=re.escape("so it cannot be continuous; its cells are numbers as text, such as '1.5'")
    ):
        read_table(text, kinds={"x": "continuous"})
    many = {"x": np.arange(40) % 20, "y": np.arange(40) // 2 % 7}
    assert cz.DiscreteBIC(many).nodes == ("x", "y")  # whole numbers are categories where that is asked for


COLLINEAR = "is a linear combination of"


@pytest.mark.parametrize("score_class", [cz.GaussianBIC, cz.MixedBIC])
def test_exact_collinearity_names_the_columns(score_class: type) -> None:
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 50))
    with pytest.raises(cz.DataError, match=re.escape("column sum is a linear combination of a, b (to 1e-10 of its")):
        score_class({"a": a, "b": b, "c": c, "sum": a - 3 * b})
    with pytest.raises(cz.DataError, match=re.escape("column twin is a linear combination of a (to 1e-10 of its")):
        score_class({"a": a, "b": b, "twin": 1e6 * a + 5, "c": c})


def test_categories_that_determine_each_other() -> None:
    rng = np.random.default_rng(0)
    fine = rng.integers(4, size=100)
    names = np.array(["w", "x", "y", "z"])
    with pytest.raises(cz.DataError, match="column coarse is a linear combination of fine"):
        cz.MixedBIC({"fine": names[fine], "size": rng.normal(size=100), "coarse": names[fine // 2]})


def test_fewer_rows_than_columns() -> None:
    x = np.random.default_rng(0).normal(size=(8, 12))
    message = "8 rows for 12 columns: any 7 parents determine a node, so the score of that many parents is meaningless"
    for score_class in (cz.GaussianBIC, cz.MixedBIC):
        with pytest.warns(cz.DataWarning, match=message):
            score = score_class(x)
        C = (np.corrcoef(x[:, :3].T) + 1e-6 * np.eye(3)) / (1 + 1e-6)
        v = x[:, 0].var() * (1 - C[0, 1:] @ np.linalg.solve(C[1:, 1:], C[1:, 0]))
        assert score.local(0, [1, 2]) == pytest.approx((-8 * (1 + np.log(v)) - 3 * np.log(8)) / 2, abs=1e-12)
        dags = ([(i, j) for j in range(12) for i in range(j)], [(j, i) for j in range(12) for i in range(j)])
        assert score.total(dags[0]) == pytest.approx(score.total(dags[1]), abs=1e-7)
    assert np.isfinite(cz.BGe(x).row(0, range(1, 12))).all()
    with (
        pytest.warns(cz.DataWarning, match=message),
        pytest.raises(cz.DataError, match=r"column 11 .* combination of 10"),
    ):
        cz.GaussianBIC(x) and cz.GaussianBIC(np.column_stack([x[:, :11], x[:, 10]]))


def test_the_warning_points_at_the_line_of_the_user() -> None:
    x = np.random.default_rng(0).normal(size=(4, 5))
    makers = [
        lambda: cz.GaussianBIC(x),
        lambda: cz.MixedBIC(x),
        lambda: as_score(x),
        lambda: as_score(x, cz.GaussianBIC),
        lambda: cz.ges(x, max_degree=2),
        lambda: cz.sample(x, max_degree=2, jumps=1000, chains=1, rng=1),
    ]
    for make in makers:
        with pytest.warns(cz.DataWarning, match="4 rows for 5 columns") as caught:
            make()
        line = make.__code__.co_firstlineno
        assert [(found.filename, found.lineno) for found in caught] == [(__file__, line)]


@pytest.mark.parametrize("score_class", [cz.GaussianBIC, cz.MixedBIC])
def test_two_rows_are_too_few(score_class: type) -> None:
    message = (
        "2 rows are too few: with two rows each column determines all others; "
        "give more rows, well above the number of columns, or use score='bge'"
    )
    data = {"a": [0.5, 1.5], "b": [2.0, 0.25]}
    with pytest.raises(cz.DataError, match=re.escape(message)):
        score_class(data)
    assert np.isfinite(cz.BGe(data).local("a", ["b"]))


def test_a_column_that_is_constant_up_to_rounding() -> None:
    x = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(cz.DataError, match="column 1 is constant up to rounding, so it contains no information"):
        cz.GaussianBIC(np.column_stack([x[:, 0], 1e9 + 1e-7 * (x[:, 1] > 0)]))


def test_a_long_categorical_column() -> None:
    codes = np.arange(70_000)
    with pytest.raises(cz.DataError, match="column a has 70000 levels, but at most 65535 are supported; group them"):
        read_table({"a": np.repeat(codes, 2), "b": np.tile([0, 1], 70_000)}, kinds="categorical", strict=True)


def test_labels_are_pickled_as_names() -> None:
    """Without hashes, which differ between processes, and without the cache of pairs."""
    labels = Labels(["a", "b", "c"])
    packed = pickle.dumps(labels)
    assert b"_hash" not in packed
    assert cz.CPDAG.from_edges(["a", "b", "c"], undirected=[("a", "b")]).labels == pickle.loads(packed)
    labels.pairs[1] = ("a", "b")
    assert pickle.dumps(labels) == packed
