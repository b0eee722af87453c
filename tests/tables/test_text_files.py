"""Text files in any encoding, compressed or not, with a line sep=..., and the lines of their rows in messages."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table

TEXT = "größe,b\n1.5,2\n2.5,1\n"


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_another_encoding_is_named_by_the_error_and_then_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TEXT.encode(encoding))
    with pytest.raises(cz.DataError, match="is not text in the encoding 'utf-8'") as told:
        read_table(path)
    assert f"encoding={encoding!r})" in str(told.value)
    table = read_table(path, encoding=encoding)
    assert table.nodes == ("größe", "b")
    assert table.source.reading == f"encoding={encoding!r}"


def test_a_wrong_encoding(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TEXT.encode())
    for encoding in ("klingon", "base64", 7, "a\0b"):
        with pytest.raises(cz.DataError, match=f"encoding must be None or .* not {re.escape(repr(encoding))}"):
            read_table(path, encoding=encoding)  # type: ignore[arg-type]
    with pytest.raises(cz.DataError, match=r"'t\.csv' is not text in the encoding 'ascii'"):
        read_table(path, encoding="ascii")
    assert read_table(path, encoding="UTF8").source.reading == ""


@pytest.mark.parametrize("line", ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
def test_a_line_that_names_the_delimiter(line: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{line}\na,1;b\n1.5;2\n2.5;\n", encoding="utf-8")
    with pytest.raises(cz.DataError, match="the first in line 4, column b"):
        read_table(path, strict=True)
    path.write_text(f"{line}\na,1;b\n1.5;2\n2.5;1\n", encoding="utf-8")
    assert read_table(path).nodes == ("a,1", "b")


def test_compressed_files(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT.encode())
    for name in ("t.csv.gz", "t.csv"):
        (tmp_path / name).write_bytes(packed)
        assert read_table(tmp_path / name).numbers("this").tolist() == [[1.5, 2.0], [2.5, 1.0]]
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(b"a\tb\n1.5\t2\n\t1\n"))
    with pytest.raises(cz.DataError, match="the first in line 3, column a"):
        read_table(tmp_path / "t.tsv.gz", strict=True)
    for damaged in (packed[:-12], packed[:10] + b"\xff" * 20, b"\x1f\x8b"):
        (tmp_path / "t.csv.gz").write_bytes(damaged)
        with pytest.raises(cz.DataError, match=re.escape("'t.csv.gz' cannot be read: ")):
            read_table(tmp_path / "t.csv.gz")
    (tmp_path / "t.gz").write_bytes(packed)
    with pytest.raises(cz.DataError, match=re.escape("'t.gz' does not end in .csv,")):
        read_table(tmp_path / "t.gz")


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (["1.5,2,x", ",1,y"], 3),
        (["", "1.5,2,x", "", "   ", ",1,y"], 6),
        (['1.5,2,"two', 'lines"', ",1,y"], 4),
        (['1.5,2,"a ""b"" c"', '"",1,y'], 3),
    ],
)
def test_rows_are_named_by_the_line_on_which_they_begin(rows: list[str], line: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b,c", *rows, "2.5,3,x", "0.5,4,y", ""]))
    with pytest.raises(cz.DataError, match=f"1 cell is missing .NaN., the first in line {line}, column a;"):
        read_table(path, missing="refuse")


def test_lines_after_rows_were_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1.5,2\n,1\n2.5,inf\n0.5,1\n")
    with pytest.raises(cz.DataError, match="column b has 1 infinite cell, the first in line 4"):
        read_table(path, missing="drop")


def test_a_cell_beyond_the_limit_of_csv(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n"' + "x" * 200_000 + '",1.5\ny,2.5\n')
    with pytest.raises(cz.DataError, match=r"'t\.csv' cannot be read: .*; check its delimiter"):
        read_table(path)
    path.write_text("a,b\n" + "y,1.5\n" * 20 + 'x,1.5\nx,\n"' + "x" * 200_000 + '",2.5\n')
    with pytest.raises(cz.DataError, match="the first in line 23, column b"):
        read_table(path, missing="refuse")
