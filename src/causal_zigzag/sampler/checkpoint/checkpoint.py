"""Checkpoint: a directory from which an interrupted or killed run continues, with the same result bit for bit.

It contains ``run.czz``, which describes the run, ``beginning.czz``, where its chains begin to sample once they are
annealed, the files of the chains (``chain_files.py``), and ``lock``, which is held by the process that runs the chains.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from causal_zigzag.errors import CheckpointError, FileError, OutputError, SettingsError
from causal_zigzag.sampler.annealing.schedule import AnnealingStatistics
from causal_zigzag.sampler.chain_task import Beginning, StageName, Start
from causal_zigzag.sampler.checkpoint.chain_files import RUN_FILE, ChainFiles, check_present
from causal_zigzag.sampler.checkpoint.folder_lock import LOCK_FILE, folder_lock
from causal_zigzag.sampler.excursions.plan import ExcursionPlan
from causal_zigzag.sampler.parallel.shared_folder import remove_shared_folders
from causal_zigzag.sampler.run import Run, check_resumable, differences, from_bytes, to_bytes
from causal_zigzag.storage import container
from causal_zigzag.support.atomic_write import partial_files, sync_folder, write_bytes
from causal_zigzag.support.file_reading import read_file
from causal_zigzag.support.version import package_version

BEGINNING_FILE = "beginning.czz"
BEGINNING_PARTS = (AnnealingStatistics, Beginning, ExcursionPlan, Start)
"""The dataclasses that the file holds."""


class Checkpoint:
    """A directory that this process holds while it is entered; ``notes`` lists problems that did not stop the run."""

    def __init__(self, path: Any) -> None:
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise SettingsError(f"checkpoint must be None or the path of a directory, not {path!r}")
        try:
            os.path.realpath(os.fspath(path))
        except ValueError as error:  # a NUL character, or one that file names cannot encode
            raise CheckpointError(f"the checkpoint {os.fspath(path)!r} cannot be used: {error}") from None
        self.folder = Path(os.fspath(path)).absolute()
        self.notes: list[str] = []
        self._run = ""
        self._interval = 0.0

    def __enter__(self) -> Checkpoint:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            sync_folder(self.folder.parent)
            paths = [*self.folder.iterdir()]
            foreign = [path.name for path in paths if not _is_within(path)]
            found = {path.name for path in paths} - {LOCK_FILE}
        except (OSError, ValueError) as error:  # a ValueError for a NUL character
            is_file = os.path.isfile(self.folder)  # noqa: PTH113 - Path.is_file raises an error for a name too long
            why = "it is a file" if is_file else getattr(error, "strerror", None) or error
            raise self._error(f"cannot be used: {why}; choose a directory that you may write to") from None
        if found and RUN_FILE not in found and not all(name.startswith(".") for name in found):
            raise self._error(
                f"is not a checkpoint: it contains {min(found)!r} and no {RUN_FILE}; choose a directory that is empty "
                f"or does not exist"
            )
        if foreign:  # writing would replace files elsewhere, and reading might wait for ever
            raise self._error(
                f"contains {min(foreign)!r}, which is a link, a pipe, a socket or a device, or has a second name "
                f"elsewhere; copy the file itself there, or remove it"
            )
        self._lock = folder_lock(self.folder)
        self._lock.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._lock.__exit__(kind, error, at)

    def begin(self, run: Run, kept_warmup: bool, kept_rng: bool) -> Run:
        """The run to continue: the one in the directory, which must be the same as this one; or this, if there is none.

        With ``kept_warmup`` or ``kept_rng`` the caller did not set the warm-up or the seed, and the old one stays.
        """
        old = self.stored()
        if old is None:
            run = run.named()
            self._open(run)
            self.write(run)
            return run
        found = differences(old, run, kept_warmup, kept_rng)
        if found:
            raise self._error(
                f"belongs to another run: {'; '.join(found)}. Repeat the call that started it, or choose another "
                f"directory"
            )
        kept = not old.target.score.is_partial  # the new one may differ by rounding
        target = old.target if kept else replace(old.target, score=run.target.score)
        asked = run.settings
        jumps = max(asked.jumps, old.settings.jumps) if asked.converge else asked.jumps
        settings = replace(
            old.settings,
            jumps=jumps,
            minutes=asked.minutes,
            converge=asked.converge,
            checkpoint_interval=asked.checkpoint_interval,
        )
        return self._continue(old, replace(old, target=target, settings=settings))

    def resume(self, jumps: int | None, minutes: float | None) -> Run:
        """The run in the directory, with its own length or a new one."""
        old = self.stored()
        if old is None:
            raise self._error("contains no run; start one with cz.sample(..., checkpoint=...)")
        check_resumable(old, str(self.folder))
        if jumps is None and minutes is None:
            return self._continue(old, old)
        if jumps is None:
            longer = replace(old.settings, minutes=minutes)
        else:
            longer = replace(old.settings, jumps=jumps, minutes=minutes, converge=False)
        return self._continue(old, replace(old, settings=longer))

    def lengthen(self, run: Run) -> None:
        """Note that the run has become longer; if that fails, a run that is killed continues with its old length."""
        try:
            self.write(run)
        except CheckpointError as error:
            self.notes.append(f"{error}; the run continued without it")

    def beginning(self) -> Beginning | None:
        """Where the chains begin to sample, if that has been found; a damaged file is replaced."""
        path = self.folder / BEGINNING_FILE
        try:
            found = container.from_bytes(read_file(path, container.is_complete), Beginning, BEGINNING_PARTS)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._error(f"cannot be continued: {path.name} cannot be read ({error.strerror or error})") from None
        except container.DamagedError as error:
            self.notes.append(f"{str(path)!r} {error}; the chains were annealed again")
            return None
        except FileError as error:
            raise self._error(f"cannot be continued: {path.name} {error}") from None
        if found.run != self._run:
            raise self._error(f"contains {path.name} of another run; move it out of this checkpoint")
        return found

    def keep_beginning(self, beginning: Beginning) -> None:
        """Store where the chains begin; if that fails, as chains then report, they are annealed again on resume."""
        with suppress(OutputError):
            write_bytes(self.folder / BEGINNING_FILE, container.to_bytes(beginning, BEGINNING_PARTS))

    def chain_files(self, number: int, stage: StageName) -> ChainFiles:
        """The files of a stage of the chain with this number."""
        check_present(str(self.folder))
        return ChainFiles(str(self.folder), self._run, number, self._interval, stage)

    def stored(self) -> Run | None:
        """The run in the directory, if there is one."""
        try:
            return from_bytes(read_file(self.folder / RUN_FILE, container.is_complete))
        except FileNotFoundError:
            return None
        except (OSError, FileError) as error:
            fault = getattr(error, "strerror", None) or error
            raise self._error(f"cannot be continued: {RUN_FILE} {fault}; start again in another directory") from None

    def _continue(self, old: Run, run: Run) -> Run:
        self._open(run)
        if run.settings.warmup is None and old.settings.jumps != run.settings.jumps and not run.settings.converge:
            run = replace(run, record=replace(run.record, extended=True))
        if old.record.version != package_version():
            self.notes.append(
                f"the checkpoint {str(self.folder)!r} was started with version {old.record.version} of causal-zigzag "
                f"and is continued with {package_version()}: a run by one version alone may differ in the last digits"
            )
        if old.settings != run.settings:
            self.write(run)
        return run

    def _open(self, run: Run) -> None:
        self._run, self._interval = run.name, run.settings.checkpoint_interval
        remove_shared_folders(self.folder)
        for path in partial_files(self.folder):
            with suppress(OSError):
                path.unlink()

    def write(self, run: Run) -> None:
        """Store the description of the run."""
        try:
            write_bytes(self.folder / RUN_FILE, to_bytes(run))
        except OutputError as error:
            raise self._error(f"cannot be written: {error}") from None

    def _error(self, text: str) -> CheckpointError:
        return CheckpointError(f"the checkpoint {str(self.folder)!r} {text}")


def _is_within(path: Path) -> bool:
    """Whether this is a file or a folder that is not elsewhere as well.

    Other files than the lock may have a second name, as they are replaced and not rewritten.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:  # another process has removed it
        return True
    if stat.S_ISREG(found.st_mode):
        return path.name != LOCK_FILE or found.st_nlink == 1
    return stat.S_ISDIR(found.st_mode)
