"""Checkpoints: a directory from which a run goes on, bit for bit, after whatever ended it.

In it are ``run.czz``, what the run was begun with (and a copy of it), the files of the chains (``chain_files.py``),
and ``lock``, held by the process that runs them.
"""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from causal_zigzag.errors import CheckpointError, FileError, OutputError, SettingsError
from causal_zigzag.sampler.checkpoint.chain_files import RUN_FILE, ChainFiles, newest_elapsed
from causal_zigzag.sampler.checkpoint.folder_lock import LOCK_FILE, FolderLock
from causal_zigzag.sampler.checkpoint.run_file import Run, check_resumable, differences, from_bytes, to_bytes
from causal_zigzag.sampler.parallel.shared_folder import remove_shared_folders
from causal_zigzag.scores.base import BuiltinScore
from causal_zigzag.support.atomic_write import partial_files, sync_folder, write_bytes
from causal_zigzag.support.validation import is_real
from causal_zigzag.support.version import package_version

COPY = "run.copy.czz"
INTERVAL = 30.0  # seconds


class Checkpoint:
    """A directory that this process holds while it is entered; ``notes`` says what was found and overcome."""

    def __init__(self, path: Any, interval: Any = INTERVAL) -> None:
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise SettingsError(f"checkpoint must be None or the path of a directory, not {path!r}")
        if not is_real(interval) or not 0 <= interval < math.inf:
            raise SettingsError(f"checkpoint_interval must be a number of seconds of at least 0, not {interval!r}")
        self.folder = Path(os.fspath(path)).absolute()
        self.interval = float(interval)
        self.notes: list[str] = []
        self._lock = FolderLock(self.folder)
        self._run = ""
        self._clock = 0.0

    def __enter__(self) -> Checkpoint:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            sync_folder(self.folder.parent)
            held = {path.name for path in self.folder.iterdir()} - {LOCK_FILE}
        except OSError as error:
            why = "it is a file" if self.folder.is_file() else error.strerror or error
            raise self._error(f"cannot be used: {why}; choose a directory that you may write to") from None
        if held and not held & {RUN_FILE, COPY} and not all(name.startswith(".") for name in held):
            raise self._error(
                f"is no checkpoint: it holds {min(held)!r} and no {RUN_FILE}; choose a directory that is empty or not "
                f"there yet"
            )
        self._lock.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._lock.__exit__(kind, error, at)

    def begin(self, run: Run, kept_warmup: bool, kept_rng: bool) -> Run:
        """The run to go on with: this one, or the one in the directory, which then must be the same."""
        old = self.stored()
        if old is None:
            run = run.named()
            self._open(run)
            self._write(run)
            return run
        found = differences(old, run, kept_warmup, kept_rng)
        if found:
            raise self._error(
                f"belongs to another run: {'; '.join(found)}. Repeat the call that began it, or choose another "
                f"directory"
            )
        kept = isinstance(old.target.score, BuiltinScore)  # to the last bit, wherever the new one was computed
        target = old.target if kept else replace(old.target, score=run.target.score)
        settings = replace(old.settings, jumps=run.settings.jumps, minutes=run.settings.minutes)
        return self._go_on(old, replace(old, target=target, settings=settings))

    def again(self, jumps: int | None, minutes: float | None) -> Run:
        """The run in the directory, with its length or a new one."""
        old = self.stored()
        if old is None:
            raise self._error("holds no run; begin one by cz.sample(..., checkpoint=...)")
        check_resumable(old, str(self.folder))
        if jumps is None and minutes is None:
            return self._go_on(old, old)
        longer = replace(old.settings, jumps=old.settings.jumps if jumps is None else jumps, minutes=minutes)
        return self._go_on(old, replace(old, settings=longer))

    def chain_files(self, number: int) -> ChainFiles:
        """Where the chain of this number keeps its state."""
        return ChainFiles(str(self.folder), self._run, number, self.interval, self._clock)

    def seconds(self) -> float:
        """How long the run has taken in all its calls."""
        return time.time() - self._clock

    def stored(self) -> Run | None:
        """The run in the directory, if there is one."""
        faults = []
        for name in (RUN_FILE, COPY):
            try:
                run = from_bytes((self.folder / name).read_bytes())
            except FileNotFoundError:
                faults.append(f"{name} is missing")
            except OSError as error:
                faults.append(f"{name} cannot be read ({error.strerror or error})")
            except FileError as error:
                faults.append(f"{name} {error}")
            else:
                if faults:
                    self.notes.append(f"in the checkpoint {str(self.folder)!r}, {faults[0]}; its copy was used")
                return run
        if all(fault.endswith("is missing") for fault in faults):
            return None
        raise self._error(f"cannot be continued: {'; '.join(faults)}; begin anew in another directory")

    def _go_on(self, old: Run, run: Run) -> Run:
        self._open(run)
        if run.settings.warmup is None and old.settings.jumps != run.settings.jumps:
            run = replace(run, record=replace(run.record, extended=True))
        if old.record.version != package_version():
            self.notes.append(
                f"the checkpoint {str(self.folder)!r} was begun with version {old.record.version} of causal-zigzag and "
                f"goes on with {package_version()}: a run by one version alone may differ in the last digits"
            )
        changed = old.settings != run.settings
        if changed or self.notes:
            self._write(run)
        return run

    def _open(self, run: Run) -> None:
        self._run = run.name
        self._clock = time.time() - newest_elapsed(self.folder)
        remove_shared_folders(self.folder)
        for path in partial_files(self.folder, "chain-"):
            with suppress(OSError):
                path.unlink()

    def _write(self, run: Run) -> None:
        content = to_bytes(run)
        try:
            write_bytes(self.folder / COPY, content)
            write_bytes(self.folder / RUN_FILE, content)
        except OutputError as error:
            raise self._error(f"cannot be written: {error}") from None

    def _error(self, text: str) -> CheckpointError:
        return CheckpointError(f"the checkpoint {str(self.folder)!r} {text}")
