"""Cells that are neither numbers nor categories, and numbers that are not doubles."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table

OTHER = [0.5, 1.5, 0.25, 2.0, 1.0, 0.75]
DAYS = [datetime.date(2024, 1, 30) + datetime.timedelta(i) for i in range(6)]
BEYOND = "column a has a number beyond the range of doubles (1.8e308) in row 0: "


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ([10**400 + i for i in range(6)], ("unusable", "a")),
        ([10**5000 + i for i in range(6)], ("unusable", "a")),
        ([Decimal("1e400")] * 3 + [1, 2, 3], ("unusable", "a")),
        (np.arange(1, 7) * np.longdouble("1e4000"), ("unusable", "a")),
        ([np.longdouble("1e4000")] * 6, ("unusable", "a")),
        ([1j, 2, 3, 4, 5, 6], ("unusable", "a")),
        ([np.complex128(2)] * 6, ("unusable", "a")),
        (np.arange(6) * 1j, ("unusable", "a")),
        ([np.zeros(2)] * 6, ("unusable", "a")),
        ([1.5, np.zeros(2), 1, 2, 3, 4], ("unusable", "a")),
        ([(1, [2])] * 6, ("unusable", "a")),
        ([Decimal("sNaN")] * 6, ("empty", "a")),
        (DAYS, ("date", "a")),
        (DAYS[:2] * 3, ("date", "a")),
        (pd.to_datetime(pd.Series(DAYS)), ("date", "a")),
        (pd.Series(pd.period_range("2024", periods=6)), ("date", "a")),
        ([datetime.timedelta(i) for i in range(6)], ("date", "a")),
        ([str(day) for day in DAYS[:2]] * 3, ("date", "a")),
        (["31.01.2024", "1.2.2024"] * 3, ("date", "a")),
        (["3 Jan 2024", "Feb 14, 2024"] * 3, ("date", "a")),
        (["2024-01-30T12:30:00Z", "2024-01-30 12:31"] * 3, ("date", "a")),
    ],
)  # fmt: skip
def test_cells_that_cannot_be_used(cells: Any, fault: tuple[str, str]) -> None:
    with pytest.raises(cz.DataError) as told:
        read_table({"a": cells, "b": OTHER}, strict=True)
    assert (told.value.flaw, told.value.about) == fault
    table = read_table({"a": cells, "b": OTHER, "c": OTHER[::-1]})
    assert table.nodes == ("b", "c")
    assert [note.columns for note in table.notes] == [("a",)]


def test_huge_integers_in_a_file(tmp_path: Path) -> None:
    for digits in (400, 5000):
        rows = "".join(f"{'9' * digits}{i},{b}\n" for i, b in enumerate(OTHER))
        (tmp_path / "t.csv").write_text(f"a,b\n{rows}")
        with pytest.raises(cz.DataError, match="column a "):
            read_table(tmp_path / "t.csv")


def test_decimals_and_fractions_are_numbers() -> None:
    cells = [Decimal("1.5"), Fraction(1, 4), 2, np.float32(0.5), Decimal("1.5"), True]
    table = read_table({"a": cells, "b": OTHER})
    assert table.kinds == {"a": "continuous", "b": "continuous"}
    assert table.numbers("this")[:, 0].tolist() == [1.5, 0.25, 2.0, 0.5, 1.5, 1.0]
    wide = np.array(OTHER[::-1], dtype=np.longdouble)
    assert read_table({"a": wide, "b": OTHER}).numbers("this")[:, 0].tolist() == OTHER[::-1]


def test_dates_may_be_categories_on_request_and_codes_are_not_dates() -> None:
    days = [str(day) for day in DAYS[:2]] * 3
    assert read_table({"a": days, "b": OTHER}, {"a": "categorical"}).kinds["a"] == "categorical"
    assert read_table({"a": pd.Categorical(days), "b": OTHER}).kinds["a"] == "categorical"
    for codes in (["1:10", "1:20"], ["10-20", "20-30"], ["2024-01-30", "unknown"], ["1.2.3", "1.2.4"]):
        assert read_table({"a": codes * 3, "b": OTHER}).kinds["a"] == "categorical"


def test_integers_that_are_dates() -> None:
    days = [int(f"{day:%Y%m%d}") for day in DAYS] * 2
    data = {"a": days, "b": OTHER * 2, "c": [i * i % 11 for i in range(12)]}
    assert [note.columns for note in read_table(data).notes if note.kind == "date"] == [("a",)]
    with pytest.warns(cz.DataWarning, match="column a seems to contain dates such as 20240130") as told:
        read_table(data, strict=True)
    assert [warning.filename for warning in told] == [__file__]
    assert "a" in read_table(data, {"a": "continuous"}).nodes  # so it is meant
    assert "a" in read_table(data, keep="a").nodes
    assert "a" in read_table({**data, "a": [20240130 + 7 * i * i for i in range(12)]}).nodes  # 20240137 is no date


def test_dates_that_are_kept_are_days() -> None:
    for days in (DAYS, pd.to_datetime(pd.Series(DAYS)), [str(day) for day in DAYS], [*DAYS[:5], None]):
        column = read_table({"a": days, "b": OTHER}, keep=["a"]).columns[0]
        assert column.numbers is not None
        assert column.numbers.tolist()[:5] == [0, 1, 2, 3, 4]
        assert column.numbers[5] == 5 or (days[5] is None and column.missing[5])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a,b\n1,2\n3,4\n", "there is no file 'a,b\\n1,2\\n3,4\\n'"),
        ("x" * 5000, "there is no file 'xxxxxxxxxxxx...xxxxxxxxxxxxx'"),
        ("a\0b.csv", "there is no file 'a\\x00b.csv'"),
        (".", "'.' is a folder"),
    ],
)
def test_text_that_is_no_path(path: str, message: str) -> None:
    with pytest.raises(cz.DataError, match=re.escape(message)):
        read_table(path)
