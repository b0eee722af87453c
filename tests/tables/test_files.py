"""read_table: columns and rows that are left out, layouts of text files, and errors and warnings about them."""

from __future__ import annotations

import gzip
import pickle
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.support import file_reading
from causal_zigzag.tables import files, text_files
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
    table = read_table(make(GAPS), drop="id", drop_missing=True)
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
        ({"missing": -99}, "such as ['n.d.', '-99'], not -99"),
        ({"missing": None}, "such as ['n.d.', '-99'], not None"),
        ({"missing": ["x", 1]}, "such as ['n.d.', '-99'], not ['x', 1]"),
        ({"kinds": ["ordinal"]}, "kinds must be None, a kind for all columns, or a dict of kinds by column, not ['ord"),
        ({"kinds": 5}, "a dict of kinds by column, not 5"),
    ],
)
def test_invalid_types_of_keywords(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(GAPS, **keywords)


def test_a_table_without_missing_cells_is_unchanged() -> None:
    data = {"a": [0.5, 1.5, 2.0], "b": [1.0, 0.25, 3.0]}
    assert read_table(data, drop_missing=True).source == Source("dict", "drop_missing=True", 0)


def test_levels_that_no_longer_occur() -> None:
    grade = pd.Categorical(["low", None, "high", "mid"], ["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"grade": grade, "x": [0.5, 1.0, 2.0, np.nan]})
    table = read_table(frame, {"grade": "ordinal"}, drop_missing=True)
    assert table.numbers("this").tolist() == [[0.0, 0.5], [1.0, 2.0]]
    assert read_table(frame, drop_missing=True).columns[0].levels == ("low", "high")


def test_dropped_columns_are_not_validated() -> None:
    data = {"when": pd.date_range("2020", periods=3), "empty": [None] * 3, "a": [0.5, 1.5, 2.0], "b": [1.0, 0.25, 3.0]}
    assert read_table(pd.DataFrame(data), drop=["when", "empty"]).nodes == ("a", "b")
    assert read_table(np.array([[0.5, 1, 7], [1.5, 2.5, 7]]), drop=2).nodes == (0, 1)


def test_the_source_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id|a|b|k\np1|0,5|1,25|1\np2|x|0,75|2\np3|2,5|-1|1\np4|1,5|3,5|3\np5|0|1|2\n")
    table = read_table(path, {"k": "ordinal"}, drop=["id"], drop_missing=True, delimiter="|", decimal=",", missing="x")
    assert table.numbers("this").tolist() == [[0.5, 1.25, 1], [2.5, -1, 1], [1.5, 3.5, 3], [0, 1, 2]]
    reading = "kinds={'k': 'ordinal'}, drop=['id'], drop_missing=True, delimiter='|', decimal=',', missing=['x']"
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
    numbers = "".join(f"{i / 7:.6f},{i % 1000}\n" for i in range(300_000))  # pandas would read it in pieces
    (tmp_path / "t.csv").write_text(f"a,b\n{numbers}0.5,?\n")
    with pytest.raises(cz.DataError, match=re.escape("column b would be categorical, with 1001 levels, but its cells")):
        read_table(tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv", missing="?", drop_missing=True).n_rows == 300_000


@pytest.mark.parametrize("make", [np.array, lambda n: np.array(n, dtype=np.float32), lambda n: np.array(n, np.uint8)])
def test_a_column_that_numbers_the_rows_gives_a_warning(make: Any) -> None:
    others = {"a": np.random.default_rng(1).normal(size=40), "b": np.arange(40) % 20}
    message = "column id numbers the rows from 7 to 46, like an identifier; drop it, unless the order of the rows has"
    for take in (read_table, cz.GaussianBIC, lambda table: cz.sample(table, jumps=10, warmup=0, rng=1)):
        with pytest.warns(cz.DataWarning, match=message) as told:
            take({"id": make(range(7, 47)), **others})
        assert [warning.filename for warning in told] == [__file__]
    read_table({"id": make(range(7, 47)), **others}, {"id": "continuous"})  # so it is meant
    read_table({"id": make([*range(7, 46), 47]), **others})
    read_table({"id": make(range(10)), "a": others["a"][:10]})  # too few to tell


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
        read_table({"x": np.arange(2 * len(many)) / 7, "y": many * 2})


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
        ({"drop_missing": 1}, "drop_missing must be True or False, not 1"),
        ({"delimiter": ";;"}, "delimiter must be None or one character such as ';', not ';;'"),
        ({"decimal": ";"}, "decimal must be '.' or ',', not ';'"),
        ({"decimal": ",", "delimiter": ","}, "delimiter and decimal are both ','"),
        ({"missing": [1]}, "missing must be the texts of missing cells, such as ['n.d.', '-99'], not [1]"),
        (
            {"decimal": ","},
            "delimiter, decimal, missing and encoding are for text files, but the data are of type dict",
        ),
    ],
)
def test_invalid_values_of_keywords(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(GAPS, **keywords)


def test_too_few_rows_without_missing_cells() -> None:
    data = {"a": [0.5, None, 1.5], "b": [None, 1.0, None], "c": [0.5, 1.0, 2.0]}
    message = "only 0 of 3 rows have no missing cells; at least 2 are needed; drop a column with many missing cells"
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(data, drop_missing=True)
    assert read_table(data, drop="b", drop_missing=True).n_rows == 2
    with pytest.raises(cz.DataError, match="column d has only missing cells; drop it"):
        read_table({**data, "d": [None] * 3}, drop_missing=True)


def test_a_table_cannot_be_read_again() -> None:
    table = read_table(GAPS, drop="id", drop_missing=True)
    with pytest.raises(cz.DataError, match="a Table cannot be read again; pass drop= to the call"):
        read_table(table, drop="x")


def test_attributes_of_an_error() -> None:
    with pytest.raises(cz.DataError) as caught:
        read_table({"a": [0.5, 1.5, 2.5], "b": [1.0, 1.0, 1.0]})
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == "column b is constant: every cell is 1.0, so it contains no information; drop it"
    assert (error.fault, error.flaw, error.about) == (
        "column b is constant: every cell is 1.0, so it contains no information",
        "no use",
        "b",
    )


def test_a_first_line_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "LONGEST_LINE", 2**20)
    (tmp_path / "t.csv").write_bytes(b"x" * 2**21)
    with pytest.raises(cz.DataError, match="begins with a line of more than 1 MB"):
        cz.read_table(tmp_path / "t.csv")


def test_zero_bytes(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n\0\0,1\n2,3\n4,4\n")
    with pytest.raises(cz.DataError, match="is not a text file: it has zero bytes"):
        cz.read_table(tmp_path / "t.csv")


def test_a_gzip_file_that_expands_beyond_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "available_memory", lambda: 2**20)
    with gzip.open(tmp_path / "t.csv.gz", "wb") as file:
        file.write(b"a,b\n" + b"1.5,2\n" * 2**17)
    with pytest.raises(cz.DataError, match=r"expands to more than 0\.0 GiB; use fewer rows or columns"):
        cz.read_table(tmp_path / "t.csv.gz")


def test_an_excel_file_that_expands_to_gigabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reading, "SMALL", 2**20)
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w", compression=zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/worksheets/sheet1.xml", bytes(2**24))
    with pytest.raises(cz.DataError, match="expands to"):
        cz.read_table(tmp_path / "t.xlsx")


def test_a_parquet_file_with_more_rows_than_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": [1.0, 2.0, 3.5] * 500, "b": [1.0, 0.0, 2.0] * 500}).to_parquet(tmp_path / "t.parquet")
    assert cz.read_table(tmp_path / "t.parquet").n_rows == 1500
    monkeypatch.setattr(files, "available_memory", lambda: 20_000)
    with pytest.raises(cz.DataError, match="does not fit into memory; use fewer rows or columns"):
        cz.read_table(tmp_path / "t.parquet")


def test_more_columns_than_a_score_can_hold() -> None:
    with pytest.raises(cz.DataError, match="the table has 30,001 columns, and at most 30,000 can be used"):
        cz.read_table(np.zeros((3, 30_001)))
