"""Output of commands: headings, aligned tables, JSON, CSV, and files, where `-` is standard output."""

from __future__ import annotations

import io
import json
import math
import os
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.errors import OutputError
from causal_zigzag.support.shown_text import spreadsheet_cell, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pandas as pd

STDIO = "-"
OUTPUTS = ("checkpoint", "out", "report_path", "plot_path")  # parameters of commands that name files to write


def echo_text(text: str, err: bool = False) -> None:
    """Print text for a person, which may hold names from a table."""
    click.echo(visible(text), err=err)


def heading(text: str, err: bool = False) -> None:
    """Print a heading."""
    click.echo("\n" + click.style(visible(text), bold=True), err=err)


def paragraph(text: str, err: bool = False) -> None:
    """Print indented text, broken into lines."""
    filled = textwrap.fill(visible(text), 96, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    click.echo(filled, err=err)


def table(rows: Iterable[tuple[str, ...]], err: bool = False) -> None:
    """Print aligned columns, the last one dimmed."""
    cells = [tuple(map(visible, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        *front, last = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  " + "  ".join([*front, click.style(last.rstrip(), dim=True)]), err=err)


def echo_frame(frame: pd.DataFrame, form: str | None, formatters: dict[str, Any], least: float, what: str) -> None:
    """Print a table as JSON, CSV or text; ``least`` is the probability of ``what`` that its rows were chosen by."""
    if form == "json":
        echo_json(records(frame))
    elif form == "csv":
        click.echo(frame.map(spreadsheet_cell).to_csv(index=False, lineterminator="\n"), nl=False)
    elif len(frame):
        echo_text(frame.to_string(index=False, formatters=formatters))
    else:
        click.echo(f"no pair {what} with probability {least:g} or more", err=True)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table for JSON; what is unknown or infinite is null."""
    from causal_zigzag.graphs.formats.node_link import json_label

    def plain(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else json_label(value)

    return [{str(key): plain(value) for key, value in record.items()} for record in frame.to_dict("records")]


def echo_json(value: Any, indent: int | None = 2) -> None:
    """Print one JSON document, in ASCII unless standard output is in UTF-8."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    click.echo(json.dumps(value, indent=indent, ensure_ascii=encoding.lower() != "utf-8", allow_nan=False))


def escape_what_cannot_be_encoded() -> None:
    """Make standard output and error write characters that their encoding lacks, and lone surrogates, as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def check_outputs(*paths: str | None, folder: str | None = None) -> None:
    """Raise an OutputError, before the run, if an output cannot be written or is also an input or another output.

    Any other value of the command line that names a file is an input. The ``folder`` of a checkpoint holds only its own
    files.
    """
    given = {k: v for k, v in click.get_current_context().params.items() if k not in OUTPUTS and isinstance(v, str)}
    taken = [Path(value).resolve() for value in given.values() if value != STDIO and Path(value).is_file()]
    for path in paths:
        if path is None or path == STDIO:
            continue
        real = Path(os.path.realpath(path))
        if not real.parent.is_dir():
            raise OutputError(f"cannot write {path!r}: there is no folder {str(real.parent)!r}; create it first")
        if real.is_dir() or not os.access(real if real.exists() else real.parent, os.W_OK):
            raise OutputError(f"cannot write {path!r}: it is a folder, or may not be written; choose another file")
        if real in taken:
            raise OutputError(f"{path!r} would replace an input or another output; choose another file")
        if folder is not None and Path(folder).resolve() in (real, *real.parents):
            raise OutputError(
                f"{path!r} is in the checkpoint {folder!r}, which holds only its own files; choose another"
            )
        taken.append(real)


def write_with(writer: Callable[[str], None], path: str, what: str, err: bool = False) -> None:
    """Call ``writer`` with a path, and say where it is; or with a temporary file that is copied to standard output."""
    if path != STDIO:
        writer(path)
        click.echo(f"{what} written to {Path(path).absolute()}", err=err)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "out"
        writer(str(copy))
        sys.stdout.buffer.write(copy.read_bytes())
        sys.stdout.buffer.flush()
