"""check_outputs: no file that a command writes is also one that it reads, or that it writes twice."""

from __future__ import annotations

import os
from pathlib import Path

import click

from causal_zigzag.cli.output import STDIO, check_writable
from causal_zigzag.errors import OutputError

OUTPUTS = ("checkpoint", "out", "report_path", "plot_path")  # parameters of commands


def check_outputs(files: dict[str, str | None], folder: str | None = None) -> None:
    """Raise an OutputError, before the run, if an output cannot be written or is also an input or another output.

    ``files`` are the outputs by the names of their options; any other value of the command line that names a file is
    an input. Links and different paths to the same file count as the same. The ``folder`` of a checkpoint
    holds only its own files.
    """
    outputs = {name: path for name, path in files.items() if path is not None and path != STDIO}
    for path in outputs.values():
        check_writable(path)
    for name, path in outputs.items():
        for given in _inputs():
            if is_same_file(path, given):
                raise OutputError(f"{name} {path!r} would replace the input {given!r}; choose another file")
        for other, second in outputs.items():
            if other > name and is_same_file(path, second):
                raise OutputError(f"{name} and {other} are the same file, {path!r}; choose two files")
        if folder is not None and _real(folder) in (_real(path), *_real(path).parents):
            raise OutputError(
                f"{name} {path!r} is in the checkpoint {folder!r}, which holds only its own files; choose another"
            )


def is_same_file(a: str, b: str) -> bool:
    """Whether two paths lead to the same file, through links as well; the files need not exist."""
    try:
        return Path(a).samefile(b)
    except OSError:
        return _real(a) == _real(b)


def _real(path: str) -> Path:
    return Path(os.path.normcase(os.path.realpath(path)))


def _inputs() -> list[str]:
    """The values of the command line that name files and are not outputs."""
    context = click.get_current_context()
    parameters = [p for p in context.command.params if not isinstance(p.type, click.Choice)]
    values = [context.params.get(str(p.name)) for p in parameters if p.name not in OUTPUTS]
    # Path.is_file raises an error for a name that is too long
    return [v for v in values if isinstance(v, str) and v != STDIO and os.path.isfile(v)]  # noqa: PTH113
