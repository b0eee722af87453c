"""What commands print: headings, aligned tables, JSON; and where files go, `-` being standard output."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

STDIO = "-"


def heading(text: str, err: bool = False) -> None:
    """A line that stands out."""
    click.echo("\n" + click.style(text, bold=True), err=err)


def table(rows: Iterable[tuple[str, ...]], err: bool = False) -> None:
    """Aligned columns, the last one dimmed."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        *front, last = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  " + "  ".join([*front, click.style(last.rstrip(), dim=True)]), err=err)


def echo_json(value: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def check_writable(path: str | None) -> None:
    """An error now, and not after an hour of sampling, where a file could not be written."""
    if path is None or path == STDIO:
        return
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise OutputError(f"cannot write {path!r}: there is no folder {str(folder)!r}; make it first")
    if Path(path).is_dir():
        raise OutputError(f"cannot write {path!r}: it is a folder; name a file in it")
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise OutputError(f"cannot write {path!r}: permission denied")


def write_with(writer: Callable[[str], None], path: str, suffix: str) -> None:
    """Let ``writer`` write to a path, or to standard output by way of a temporary file."""
    if path != STDIO:
        writer(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        name = str(Path(folder) / f"out{suffix}")
        writer(name)
        stream = sys.stdout.buffer
        stream.write(Path(name).read_bytes())
        stream.flush()
