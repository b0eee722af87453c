"""read_table: columns and rows that are left out, layouts of text files, and errors and warnings about them."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.source import Source

GAPS: dict[str, Any] = {
    "id": ["p1", "p2", "p3", "p4", "p5"],
    "x": [0.5, None, 1.5, 2.5, 0.25],
    "count": [3, 1, None, 1, 2],
    "ok": [True, False, True, None, False],
    "color": ["red", "blue", "red", "red", "blue"],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, lambda gaps: pd.DataFrame(gaps).convert_dtypes()])
def test_rows_with_missing_cells_are_left_out(make: Any) -> None:
    table = read_table(make(GAPS), drop="id", missing="drop")
    whole = read_table({name: [cells[0], cells[4]] for name, cells in GAPS.items() if name != "id"})
    assert (table.n_rows, table.source.left_out) == (2, 3)
    assert (table.nodes, table.kinds) == (whole.nodes, whole.kinds)
    for column, expected in zip(table.columns, whole.columns, strict=True):
        assert column.levels == expected.levels
        assert (column.numbers is None) == (expected.numbers is None)
        assert column.numbers is None or column.numbers.tolist() == expected.numbers.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"na_values": -99}, "such as ['n.d.', '-99'], not -99"),
        ({"na_values": None}, "such as ['n.d.', '-99'], not None"),
        ({"na_values": ["x", 1]}, "such as ['n.d.', '-99'], not ['x', 1]"),
        ({"kinds": ["ordinal"]}, "kinds must be None, a kind for all columns, or a dict of kinds by column, not ['ord"),
        ({"kinds": 5}, "a dict of kinds by column, not 5"),
    ],
)
def test_invalid_types_of_keywords(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(GAPS, **keywords)


def test_a_table_without_missing_cells_is_unchanged() -> None:
    data = {"a": [0.5, 1.5, 2.0], "b": [1.0, 0.25, 3.0]}
    assert read_table(data, missing="drop").source == Source("dict", "missing='drop'", 0)


def test_levels_that_no_longer_occur() -> None:
    grade = pd.Categorical(["low", None, "high", "mid"], ["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"grade": grade, "x": [0.5, 1.0, 2.0, np.nan]})
    table = read_table(frame, {"grade": "ordinal"}, missing="drop")
    assert table.numbers("this").tolist() == [[0.0, 0.5], [1.0, 2.0]]
    assert read_table(frame, {"grade": "categorical"}, missing="drop").columns[0].levels == ("low", "high")


def test_dropped_columns_are_not_validated() -> None:
    data = {"when": pd.date_range("2020", periods=3), "empty": [None] * 3, "a": [0.5, 1.5, 2.0], "b": [1.0, 0.25, 3.0]}
    assert read_table(pd.DataFrame(data), drop=["when", "empty"]).nodes == ("a", "b")
    assert read_table(np.array([[0.5, 1, 7], [1.5, 2.5, 7]]), drop=2).nodes == (0, 1)


def test_the_source_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id|a|b|k\np1|0,5|1,25|1\np2|x|0,75|2\np3|2,5|-1|1\np4|1,5|3,5|3\np5|0|1|2\n")
    table = read_table(path, {"k": "ordinal"}, drop=["id"], missing="drop", delimiter="|", decimal=",", na_values="x")
    assert table.numbers("this").tolist() == [[0.5, 1.25, 1], [2.5, -1, 1], [1.5, 3.5, 3], [0, 1, 2]]
    reading = "kinds={'k': 'ordinal'}, drop=['id'], missing='drop', delimiter='|', decimal=',', na_values=['x']"
    assert table.source == Source(str(path), reading, 1, "file")
    assert pickle.loads(pickle.dumps(table)).source == table.source
    again = eval(f"read_table({str(path)!r}, {reading})")
    assert again.numbers("this").tolist() == table.numbers("this").tolist()
    record = cz.sample(table, jumps=100, chains=1, rng=1).record
    assert record is not None
    assert (record.data, record.reading, record.left_out) == (str(path), reading, 1)


@pytest.mark.parametrize(
    ("text", "keywords", "nodes"),
    [
        ("dose, mg;a;b\n1.5;2.5;3\n2.5;1;4\n", {}, ("dose, mg", "a", "b")),
        ("dose, mg;a\n1,5;2,5\n2,5;1\n", {"decimal": ","}, ("dose, mg", "a")),
        ("a b c\n1.5 2.5 3\n2.5 1 4\n", {"delimiter": " "}, ("a", "b", "c")),
        ("a\tb\n1,5\t2,5\n2,5\t1\n", {"decimal": ","}, ("a", "b")),
    ],
)
def test_delimiters_and_decimal_marks(
    text: str, keywords: dict[str, Any], nodes: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(text)
    table = read_table(tmp_path / "t.csv", kinds="continuous", **keywords)
    assert table.nodes == nodes
    assert table.numbers("this")[:, :2].tolist() == [[1.5, 2.5], [2.5, 1.0]]


def test_a_long_column_with_text_at_its_end(tmp_path: Path) -> None:
    numbers = "".join(f"{i / 7:.6f},{i % 1000}\n" for i in range(60_000))  # pandas would read it in pieces
    (tmp_path / "t.csv").write_text(f"a,b\n{numbers}0.5,?\n")
    with pytest.raises(cz.DataError, match=re.escape("column b would be categorical, with 1001 levels, but its cells")):
        read_table(tmp_path / "t.csv", strict=True)
    assert read_table(tmp_path / "t.csv", na_values="?", missing="drop").n_rows == 60_000
    (note,) = [note for note in read_table(tmp_path / "t.csv").notes if note.kind == "markers"]
    assert note.columns == ("b",)


@pytest.mark.parametrize("make", [np.array, lambda n: np.array(n, dtype=np.float32), lambda n: np.array(n, np.uint8)])
def test_a_column_that_numbers_the_rows_gives_a_warning(make: Any) -> None:
    others = {"a": np.random.default_rng(1).normal(size=40), "b": np.arange(40) % 20}
    data = {"number": make(range(7, 47)), **others}
    for take in (cz.GaussianBIC, lambda table: cz.sample(table, jumps=10, settings=cz.Settings(warmup=0), rng=1)):
        with pytest.warns(
            cz.DataWarning, match="column number numbers the rows from 7 to 46, like an ident|Column num"
        ) as told:
            take(data)
        assert [warning.filename for warning in told] == [__file__]
    table = read_table(data)
    assert table.nodes == ("a", "b")
    assert [(note.kind, note.option) for note in table.notes] == [("identifier", "keep=['number']")]
    assert "number" in read_table(data, {"number": "continuous"}).nodes  # so it is meant
    assert "number" in read_table(data, keep="number").nodes
    assert "year" in read_table({"year": data["number"], **others}).nodes
    assert "x" in read_table({"x": make([*range(7, 46), 6]) * 5, **others}).nodes
    assert "number" in read_table({"number": make(range(10)), "a": others["a"][:10]}).nodes  # too few to tell


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        (
            ["950", "1,234", "17,000", "-2,500"],
            "have a comma before three digits, such as '-2,500', decimal",
        ),
        (["0,950", "1,234", "17,000"], "have a decimal comma, such as '0,950'; read"),
        (["1500", "1,234", "17,000"], "have a decimal comma, such as '1,100'; read"),
        (["950", "1,234", "17,000,000"], "are numbers with commas between thousands, such as '1,100'; read"),
        (
            ["950,5", "1.234,5"],
            "are numbers with points between thousands, such as '1.234,5'; read it with pandas.read_csv(..., ",
        ),
    ],
)
def test_an_ambiguous_comma(cells: list[str], fault: str) -> None:
    many = cells + [f"{i},100" for i in range(1, 20)]
    with pytest.raises(cz.DataError, match=re.escape(f"with {len(many)} levels, but its cells {fault}")):
        read_table({"x": np.arange(2 * len(many)) / 7, "y": many * 2}, strict=True)


def test_spaces_around_names_and_texts_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a , sex,b \n1.5 , f ,1\n 2.5,f,2 \n0.5,m ,3\n")
    table = read_table(tmp_path / "t.csv")
    assert table.nodes == ("a", "sex", "b")
    assert table.columns[1].levels == ("f", "m")


def test_rows_with_more_cells_than_names(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,1.5,2\n2,2.5,1\n3,0.5,4\n")
    with pytest.raises(
        cz.DataError, match=r"'t\.csv' has more cells in its rows than the 2 names in its first line, a, b;"
    ):
        read_table(tmp_path / "t.csv")


def test_text_that_seldom_repeats_is_accepted_on_request() -> None:
    data = {"x": np.arange(60) / 7, "y": [f"patient {max(i, 20)}" for i in range(60)]}
    assert read_table(data, {"y": "categorical"}).kinds["y"] == "categorical"
    assert read_table({**data, "y": pd.Categorical(data["y"])}).kinds["y"] == "categorical"


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"drop": "z"}, "drop names the column z, but the columns are id, x, count, ok, color"),
        ({"drop": list(GAPS)}, "the table is empty: it has no columns"),
        ({"missing": 1}, "missing must be 'sample', 'drop' or 'refuse', not 1"),
        ({"strict": 1}, "strict must be True or False, not 1"),
        ({"delimiter": ";;"}, "delimiter must be None or one character such as ';', not ';;'"),
        ({"decimal": ";"}, "decimal must be '.' or ',', not ';'"),
        ({"decimal": ",", "delimiter": ","}, "delimiter and decimal are both ','"),
        ({"na_values": [1]}, "na_values must be the texts of missing cells, such as ['n.d.', '-99'], not [1]"),
        (
            {"decimal": ","},
            "delimiter, decimal, na_values and encoding are for text files, but the data are of type dict",
        ),
    ],
)
def test_invalid_values_of_keywords(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(GAPS, **keywords)


def test_too_few_rows_without_missing_cells() -> None:
    data = {"a": [0.5, None, 1.5, None], "b": [None, 1.0, None, 2.0], "c": [0.5, 1.0, 2.0, 4.0]}
    with pytest.raises(cz.DataError, match=re.escape("only 0 of 4 rows have no missing cells")) as told:
        read_table(data, missing="drop")
    assert told.value.about in ("a", "b")
    assert read_table(data, drop="b", missing="drop").n_rows == 2


def test_a_table_cannot_be_read_again() -> None:
    table = read_table(GAPS, drop="id", missing="drop")
    with pytest.raises(cz.DataError, match="a Table cannot be read again; pass drop= to the call"):
        read_table(table, drop="x")


def test_attributes_of_an_error() -> None:
    with pytest.raises(cz.DataError) as caught:
        read_table({"a": [0.5, 1.5, 2.5], "b": [1.0, 1.0, 1.0]}, strict=True)
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == "column b is constant: every cell is 1.0, so it contains no information; drop it"
    assert (error.fault, error.flaw, error.about) == (
        "column b is constant: every cell is 1.0, so it contains no information",
        "constant",
        "b",
    )


def test_zero_bytes(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n\0\0,1\n2,3\n4,4\n")
    with pytest.raises(cz.DataError, match="is not a text file: it has zero bytes"):
        cz.read_table(tmp_path / "t.csv")


def test_more_columns_than_a_score_can_hold() -> None:
    with pytest.raises(cz.DataError, match="the table has 30,001 columns, and at most 30,000 can be used"):
        cz.read_table(np.zeros((3, 30_001)))
