"""All faults of a table are reported at once."""

from __future__ import annotations

import datetime
import pickle

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table

ROWS = 30
TABLE = {
    "id": [f"p{i}" for i in range(ROWS)],
    "when": [datetime.date(2024, 1, 1 + i) for i in range(ROWS)],
    "site": ["A"] * ROWS,
    "empty": [None] * ROWS,
    "dose": [0.5 + i / 7 for i in range(ROWS - 1)] + [None],
    "rate": [np.inf] + [0.25 + i / 3 for i in range(ROWS - 1)],
    "flag": ["yes"] * (ROWS - 1) + [None],
    "good": [i / 11 for i in range(ROWS)],
}


def test_one_error_lists_all_faults() -> None:
    with pytest.raises(cz.DataError) as told:
        read_table(TABLE, {"good": "wrong", "other": "ordinal"}, strict=True)  # type: ignore[dict-item]
    lines = str(told.value).splitlines()
    assert lines[0] == "the table has 9 faults:"
    for start in (
        "- column when has cells of type date",
        "- the kind of a column must be 'continuous', 'categorical' or 'ordinal', not 'wrong'",
        "- kinds names the column other, but the columns are",
        "- column empty has only missing cells; drop it",
        "- 2 cells are missing (NaN), the first in row 29, column dose",
        "- column rate has 1 infinite cell, the first in row 0",
        "- the categorical column id has as many levels as there are rows (30), like an identifier",
        "- column site is constant: every cell is 'A'",
        "- column flag is constant: every cell is 'yes'",
    ):
        assert [line for line in lines if line.startswith(start)], start
    assert len(told.value.faults) == 9
    assert [fault.about for fault in told.value.faults if fault.flaw == "identifier"] == ["id"]
    assert [str(fault) for fault in pickle.loads(pickle.dumps(told.value)).faults] == [line[2:] for line in lines[1:]]


def test_a_table_without_the_faults_is_read() -> None:
    bad = ["id", "when", "site", "empty", "rate", "flag"]
    assert read_table(TABLE, drop=bad, missing="drop", strict=True).n_rows == ROWS - 1
    with pytest.raises(cz.DataError) as told:
        read_table(TABLE, drop=bad[1:], missing="drop", strict=True)
    assert told.value.faults == (told.value,)


def test_a_score_names_every_column_that_it_cannot_use() -> None:
    words = {"a": ["x", "y"] * 10, "b": ["u", "v", "v", "u"] * 5, "c": [i / 7 for i in range(20)]}
    with pytest.raises(cz.DataError, match="the table has 2 faults") as told:
        cz.GaussianBIC(words)
    assert [fault.about for fault in told.value.faults] == ["a", "b"]
    numbers = {"a": ["x", "y"] * 10, "b": [i / 3 for i in range(20)], "c": [i / 7 for i in range(20)]}
    with pytest.raises(cz.DataError, match="the table has 2 faults") as told:
        cz.BDeu(numbers)
    assert [fault.about for fault in told.value.faults] == ["b", "c"]


def test_a_long_list_is_abbreviated() -> None:
    with pytest.raises(cz.DataError, match="the table has 50 faults") as told:
        read_table({f"c{i}": [1.5] * 5 for i in range(50)}, strict=True)
    assert str(told.value).splitlines()[-1] == "- and 30 more"
    assert len(told.value.faults) == 50
