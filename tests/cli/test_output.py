"""What commands print about names that a terminal would obey, or show as another name."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.support.shown_text import OBEYED, visible

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "\x1b]0;title\x07\x1b[2J\u202eage"


def test_visible_text_is_not_changed() -> None:
    assert visible("Größe, 身高 → age\n") == "Größe, 身高 → age\n"


@pytest.mark.parametrize(
    ("text", "shown"), [("\x1b[2J", r"\x1b[2J"), ("\r", r"\r"), ("\u202e", r"\u202e"), ("\x9b", r"\x9b")]
)
def test_controls_are_shown_as_escapes(text: str, shown: str) -> None:
    assert visible(f"a{text}b") == f"a{shown}b"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A table with a hostile column, its posterior, and what `sample` printed."""
    folder = tmp_path_factory.mktemp("names")
    x = np.random.default_rng(1).normal(size=(200, 3))
    x[:, 1] += 2 * x[:, 0]
    frame = pd.DataFrame(x, columns=[HOSTILE, "b", "c"])
    table, run = folder / "table.csv", folder / "run.czz"
    frame.to_csv(table, index=False)
    words = ["sample", str(table), "--jumps", "2000", "--chains", "2", "--seed", "1", "--out", str(run)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    return table, run, result.output


def test_a_sample_obeys_no_name(saved: tuple[Path, Path, str]) -> None:
    assert not OBEYED.search(saved[2])
    assert r"\x1b[2J\u202eage" in saved[2]


@pytest.mark.parametrize("words", [["edges"], ["graphs"], ["effects"], ["exact"], ["search"], ["ges"], ["compare"]])
def test_a_command_obeys_no_name(saved: tuple[Path, Path, str], words: list[str]) -> None:
    table, run, _ = saved
    files = [str(table if words[0] in ("exact", "search", "ges") else run)] * (2 if words == ["compare"] else 1)
    result = CliRunner().invoke(main, words + files)
    assert result.exit_code == 0, result.output
    assert not OBEYED.search(result.output), result.output


@pytest.mark.parametrize("words", [["edges"], ["effects"], ["compare"], ["exact"]])
def test_no_cell_of_a_csv_is_a_formula(tmp_path: Path, words: list[str]) -> None:
    names = ["=1+1", "@SUM(A1)", "+2"]
    x = np.random.default_rng(1).normal(size=(200, 3)).cumsum(axis=1)
    table = pd.DataFrame(x, columns=names)
    table.to_csv(tmp_path / "table.csv", index=False)
    cz.sample(table, jumps=2000, chains=2, rng=1, progress=False).save(tmp_path / "run.czz")
    files = [str(tmp_path / ("table.csv" if words == ["exact"] else "run.czz"))] * (2 if words == ["compare"] else 1)
    result = CliRunner().invoke(main, [*words, *files, "--csv"])
    assert result.exit_code == 0, result.output
    cells = [cell for row in csv.reader(result.stdout.splitlines()[1:]) for cell in row]
    assert {f"'{name}" for name in names} <= {*cells}
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
