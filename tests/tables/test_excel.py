"""Excel files: the first sheet, clear errors, and what is said where the extra package is missing."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table

FRAME = pd.DataFrame({"a": [0.5, 1.5, 2.5, 0.25], "sex": ["f", "m", "m", "f"], "b": [1.0, 3.0, 2.0, 0.5]})


def test_a_sheet_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    FRAME.to_excel(path, index=False)
    table = read_table(path)
    assert table.kinds == {"a": "continuous", "sex": "categorical", "b": "continuous"}
    assert table.source.data == str(path)
    FRAME.assign(b=[1.0, None, 2.0, 0.5]).to_excel(path, index=False)
    with pytest.raises(cz.DataError, match=r"1 cell is missing .NaN., the first in row 3 of the sheet, column b"):
        read_table(path, missing="refuse")


def test_several_sheets_give_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as book:
        FRAME.to_excel(book, index=False, sheet_name="first")
        FRAME.to_excel(book, index=False, sheet_name="second")
    with pytest.warns(cz.DataWarning, match="'first', is read, not 'second'"):
        read_table(path)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME.assign(day=pd.date_range("2024", periods=4)), "column day has cells of type datetime64"),
        (FRAME.rename(columns={"b": "a"}), "'t.xlsx' has two columns named a; give each column a unique name"),
        (pd.DataFrame(), "the table is empty"),
    ],
)
def test_sheets_that_cannot_be_used(frame: pd.DataFrame, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    frame.to_excel(path, index=False)
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(path, strict=True)


def test_options_of_text_files_are_refused(tmp_path: Path) -> None:
    FRAME.to_excel(tmp_path / "t.xlsx", index=False)
    with pytest.raises(cz.DataError, match=r"are for text files, but 't.xlsx' is an Excel file; leave them out"):
        read_table(tmp_path / "t.xlsx", decimal=",")


def test_the_package_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FRAME.to_excel(tmp_path / "t.xlsx", index=False)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(cz.MissingDependencyError, match=re.escape("pip install 'causal-zigzag[excel]'")):
        read_table(tmp_path / "t.xlsx")
