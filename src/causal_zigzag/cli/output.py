"""Output of commands: headings, aligned tables, JSON, and files, where `-` is standard output."""

from __future__ import annotations

import json
import os
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


def heading(text: str, err: bool = False) -> None:
    """Print a heading."""
    click.echo("\n" + click.style(text, bold=True), err=err)


def paragraph(text: str, err: bool = False) -> None:
    """Print indented text, broken into lines."""
    lines = textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    click.echo(lines, err=err)


def table(rows: Iterable[tuple[str, ...]], err: bool = False) -> None:
    """Print aligned columns, the last one dimmed."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        *front, last = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  " + "  ".join([*front, click.style(last.rstrip(), dim=True)]), err=err)


def echo_json(value: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def check_writable(path: str | None) -> None:
    """Raise an OutputError if a file cannot be written, before the sampling rather than after it."""
    if path is None or path == STDIO:
        return
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise OutputError(f"cannot write {path!r}: there is no folder {str(folder)!r}; create it first")
    if Path(path).is_dir():
        raise OutputError(f"cannot write {path!r}: it is a folder; give the name of a file in it")
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise OutputError(f"cannot write {path!r}: permission denied")


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
