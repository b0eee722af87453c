"""What the directory of a checkpoint keeps for resampling: finished resamples, which are not run again, and rows."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from causal_zigzag.errors import CausalZigzagError, FileError, OutputError
from causal_zigzag.posterior.save import PARTS
from causal_zigzag.resampling.chains import Resample
from causal_zigzag.resampling.score_rows import with_table
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.storage.container import from_bytes, is_complete, to_bytes
from causal_zigzag.support.atomic_write import write_bytes
from causal_zigzag.support.file_reading import read_file
from causal_zigzag.tables.column_kinds import Column
from causal_zigzag.tables.finding import Finding
from causal_zigzag.tables.source import Source
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from causal_zigzag.resampling.chains import ResampleTask
    from causal_zigzag.scores.base import Score

ROWS_FILE = "rows.czz"

Number = int | Literal["auto"]


@dataclass(frozen=True, eq=False)
class KeptResample:
    """A resample and the key of its task: the digest of the weights of its rows and of its random numbers."""

    key: str
    resample: Resample


class KeptResamples:
    """Reads and writes a file per resample; a file that cannot be used is as good as none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, task: ResampleTask) -> Resample | None:
        """The finished resample of this task, if there is one."""
        try:
            data = read_file(self._path(task), is_complete)
            kept = from_bytes(data, KeptResample, (*PARTS, KeptResample, Resample))
        except (OSError, FileError):
            return None
        return kept.resample if kept.key == task.key else None

    def save(self, task: ResampleTask, resample: Resample) -> None:
        """Keep a finished resample, unless the directory cannot be written to."""
        kept = KeptResample(task.key, resample)
        try:
            write_bytes(self._path(task), to_bytes(kept, (*PARTS, KeptResample, Resample)))
        except OutputError:
            return

    def _path(self, task: ResampleTask) -> Path:
        return self._folder / f"resample-{task.number}.czz"


@dataclass(frozen=True, eq=False)
class KeptRows:
    """How many resamples a run was to have, with the table, as a score that was stored may lack its rows."""

    resamples: int  # AUTO stands for "auto"
    table: Table | None


AUTO = -1
ROWS_PARTS = (KeptRows, Table, Column, Finding, Source)


def keep_rows(folder: Path, resamples: Number, score: Score) -> None:
    """Keep what ``resume`` needs to resample, unless the directory cannot be written to or the table is in no file."""
    table = score.source_table if resamples and isinstance(score, BuiltinScore) else None
    if table is not None:
        table = replace(table, source=replace(table.source, given=None))
    number = AUTO if isinstance(resamples, str) else resamples
    with suppress(OutputError, FileError):
        write_bytes(folder / ROWS_FILE, to_bytes(KeptRows(number, table), ROWS_PARTS))


def kept_rows(folder: Path, score: Score) -> tuple[Number, Score]:
    """How many resamples the run in this directory was to have, and its score with its rows; 0 if it is not known."""
    try:
        kept = from_bytes(read_file(folder / ROWS_FILE, is_complete), KeptRows, ROWS_PARTS)
        if kept.table is not None and isinstance(score, BuiltinScore):
            score = with_table(score, kept.table)
    except (OSError, CausalZigzagError):
        return 0, score
    return "auto" if kept.resamples == AUTO else kept.resamples, score
