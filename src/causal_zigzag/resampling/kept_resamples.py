"""KeptResamples: the finished resamples of a run in the directory of its checkpoint, which are not run again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from causal_zigzag.errors import FileError, OutputError
from causal_zigzag.posterior.save import PARTS
from causal_zigzag.resampling.chains import Resample
from causal_zigzag.storage.container import from_bytes, is_complete, to_bytes
from causal_zigzag.support.atomic_write import write_bytes
from causal_zigzag.support.file_reading import read_file

if TYPE_CHECKING:
    from causal_zigzag.resampling.chains import ResampleTask


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
