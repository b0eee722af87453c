"""Output of commands: headings, aligned tables, JSON, and files, where `-` is standard output."""

from __future__ import annotations

import io
import json
import os
import re
import reprlib
import stat
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

STDIO = "-"
WIDTH = 96  # of paragraphs
# Controls, which terminals obey, and changes of the writing direction, which make a name look like another one.
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with the characters that a terminal obeys instead of showing them written as escapes."""
    return OBEYED.sub(lambda found: repr(found[0])[1:-1], text)


def echo_text(text: str, err: bool = False) -> None:
    """Print text for a person, which may hold names from a table."""
    click.echo(visible(text), err=err)


def heading(text: str, err: bool = False) -> None:
    """Print a heading."""
    click.echo("\n" + click.style(visible(text), bold=True), err=err)


def paragraph(text: str, err: bool = False) -> None:
    """Print indented text, broken into lines."""
    filled = textwrap.fill(visible(text), WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    click.echo(filled, err=err)


def table(rows: Iterable[tuple[str, ...]], err: bool = False) -> None:
    """Print aligned columns, the last one dimmed."""
    cells = [tuple(map(visible, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        *front, last = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  " + "  ".join([*front, click.style(last.rstrip(), dim=True)]), err=err)


def echo_json(value: Any, indent: int | None = 2) -> None:
    """Print one JSON document; characters that standard output cannot encode are written as escapes."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent, allow_nan=False)
    click.echo(text)


def escape_what_cannot_be_encoded() -> None:
    """Make standard output and error write characters that their encoding lacks, and lone surrogates, as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def check_writable(path: str | None) -> None:
    """Raise an OutputError if a file cannot be written, before the sampling rather than after it."""
    if path is None or path == STDIO:
        return
    try:
        _check_place(path)
    except (OSError, ValueError) as error:  # such as a name that is too long, or has a NUL character
        if isinstance(error, OutputError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"cannot write {reprlib.repr(path)}: {reason}") from None


def _check_place(path: str) -> None:
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise OutputError(f"cannot write {path!r}: there is no folder {str(folder)!r}; create it first")
    if Path(path).is_dir():
        raise OutputError(f"cannot write {path!r}: it is a folder; give the name of a file in it")
    if _is_named_pipe(path):
        raise OutputError(f"cannot write {path!r}: it is a named pipe; write - and redirect standard output to it")
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise OutputError(f"cannot write {path!r}: permission denied")


def _is_named_pipe(path: str) -> bool:
    """Whether this is a pipe in a folder, whose reader one would wait for; those of a shell, /dev/fd/63, are read."""
    try:
        return stat.S_ISFIFO(os.lstat(os.path.realpath(path)).st_mode)
    except OSError:
        return False


def write_with(writer: Callable[[str], None], path: str, suffix: str) -> None:
    """Call ``writer`` with a path, or with a temporary file that is copied to standard output."""
    if path != STDIO:
        writer(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        name = str(Path(folder) / f"out{suffix}")
        writer(name)
        stream = sys.stdout.buffer
        stream.write(Path(name).read_bytes())
        stream.flush()
