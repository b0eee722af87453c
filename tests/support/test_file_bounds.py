"""Small files that stand for gigabytes, or for hours, are refused before they are parsed."""

from __future__ import annotations

import gzip
import zipfile
from typing import TYPE_CHECKING

import pytest

import causal_zigzag as cz
from causal_zigzag.support.file_bounds import EXPANDED_BYTES, expansion_fault, sheet_fault

if TYPE_CHECKING:
    from pathlib import Path


def sheet(path: Path, cells: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{cells}</sheetData></worksheet>")
    return path


def rows(numbers: range, columns: str = "AB", prefix: str = "") -> str:
    return "".join(
        f'<{prefix}row r="{n}">' + "".join(f'<{prefix}c r="{c}{n}"><v>1</v></{prefix}c>' for c in columns) + "</row>"
        for n in numbers
    )


def test_a_sheet_spans_as_much_as_its_cells_are_worth(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    assert sheet_fault(sheet(path, rows(range(1, 30_000)))) == ""
    assert sheet_fault(sheet(path, rows(range(1, 10)) + '<row r="1000000"><c r="A1000000"/></row>')) != ""
    far = sheet_fault(sheet(path, rows(range(1, 30_000)) + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'))
    assert far == "a sheet of 59,999 cells spans 1,048,576 rows and 16,384 columns"
    assert "beyond 1,048,576 rows" in sheet_fault(sheet(path, '<row r="99999999999999"/>'))
    assert "beyond" in sheet_fault(sheet(path, '<row r="1"><c r="AAAAAA1"/></row>'))
    assert "spans" in sheet_fault(sheet(path, rows(range(1, 3)) + rows(range(10**6, 10**6 + 2), prefix="x:")))
    with pytest.raises(cz.DataError, match="a cell beyond"):
        cz.read_table(sheet(path, '<row r="2000000"/>'))


def test_elements_on_the_border_of_two_blocks(tmp_path: Path) -> None:
    for filler in range(2**18 - 200, 2**18 - 100, 7):
        cells = "<!--" + "x" * filler + "-->" + '<row r="9999999"><c r="A9999999"/></row>'
        assert sheet_fault(sheet(tmp_path / "t.xlsx", cells)) != ""


def test_a_sheet_that_expands(tmp_path: Path) -> None:
    assert "expands to" in sheet_fault(sheet(tmp_path / "t.xlsx", " " * (EXPANDED_BYTES + 1)))
    (tmp_path / "no.xlsx").write_bytes(b"PK")
    assert sheet_fault(tmp_path / "no.xlsx") == ""


@pytest.mark.parametrize("parts", [1, 3])
def test_a_gzip_file_that_expands(parts: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    text = b"a,b\n" + b"1,2\n" * (EXPANDED_BYTES // 4 // parts)
    path.write_bytes(gzip.compress(text) * parts)
    with pytest.raises(cz.DataError, match=r"t.csv.gz' cannot be read: its .* expand to more than 67,108,864"):
        cz.read_table(path)
    path.write_bytes(gzip.compress(text[: EXPANDED_BYTES // 8]) * parts)
    with path.open("rb") as file:
        assert expansion_fault(file, path.stat().st_size) == ""


def test_more_columns_than_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("," * 40_000 + "\n" + "," * 40_000)
    with pytest.raises(cz.DataError, match="40,001 columns, and at most 30,000"):
        cz.read_table(tmp_path / "t.csv")


def test_a_large_file_of_knowledge(tmp_path: Path) -> None:
    with (tmp_path / "k.json").open("wb") as file:
        file.truncate(2**33)
    with pytest.raises(cz.KnowledgeError, match="larger than the 16,777,216 bytes"):
        cz.Knowledge.load(tmp_path / "k.json")
