"""Tables, runs and graphs that commands read from files, or from standard input for `-`."""

from __future__ import annotations

import csv
import dataclasses
import reprlib
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.output import STDIO, visible
from causal_zigzag.errors import DataError, GraphError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    import causal_zigzag as cz

STANDARD_INPUT = "standard input"
MOST_OF_A_GRAPH = 2**31  # bytes; the text of a complete graph of 10,000 nodes has about 1 GB


def load_table(data: str, reading: dict[str, Any], notes: bool = True) -> cz.Table:
    """The table of a command: a file, standard input, or the name of a bundled table.

    ``reading`` are keywords of ``read_table``. What reading left out or changed is noted on stderr, with the option
    that decides otherwise.
    """
    table = _table(data, reading)
    for note in table.notes if notes else ():
        click.echo(visible(f"Note: {note}{f' ({note.flag})' if note.flag else ''}"), err=True)
    if data == STDIO:
        return dataclasses.replace(
            table, source=dataclasses.replace(table.source, data=STANDARD_INPUT, origin="object")
        )
    return table


def _table(data: str, reading: dict[str, Any]) -> cz.Table:
    import causal_zigzag as cz

    if data == STDIO:
        with _spooled(".csv") as path:
            return cz.read_table(path, **reading)
    if not is_there(data):
        if data in cz.datasets.names():
            return cz.read_table(cz.datasets.load(data), **reading)
        if data.isprintable() and len(data) < 100 and data == Path(data).stem:
            raise DataError(f"there is no file {data!r}, and the bundled tables are {', '.join(cz.datasets.names())}")
    return cz.read_table(data, **reading)


def read_run(run: str) -> cz.Posterior:
    """A saved run."""
    from causal_zigzag.posterior.load import load, read_posterior

    return read_posterior(_standard_input(), STANDARD_INPUT) if run == STDIO else load(run)


def named_nodes(nodes: Sequence[Hashable], given: Iterable[str]) -> list[Hashable]:
    """The nodes with these names, which are text on the command line also where the label is a number."""
    from causal_zigzag.graphs.labels import meant, show_all

    by_text = {str(node): node for node in nodes}
    for name in given:
        if name not in by_text:
            known = f"its variables are {show_all(nodes)}{meant(name, nodes)}"
            raise GraphError(f"there is no variable {name!r} in the run; {known}")
    return [by_text[name] for name in given]


def read_graph(source: str) -> cz.CPDAG:
    """The class of the graph in a file; a note is printed on stderr if the graph is not a CPDAG."""
    from causal_zigzag.graphs.formats.any_text import parse_graph
    from causal_zigzag.support.file_reading import read_input

    try:
        content = _standard_input() if source == STDIO else read_input(source, MOST_OF_A_GRAPH)
    except (OSError, ValueError) as error:  # a ValueError for a NUL character
        hint = ' (a graph is read from a file; to pass it as text, write: echo "a -> b" | causal-zigzag count -)'
        reason = getattr(error, "strerror", None) or error
        raise GraphError(
            f"cannot read {reprlib.repr(source)}: {reason}{hint if not is_there(source) else ''}"
        ) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        name = STANDARD_INPUT if source == STDIO else repr(source)
        raise GraphError(f"{name} is not a text file in UTF-8") from None
    graph, completed = parse_graph(text)
    if completed:
        click.echo("Note: this graph is not a CPDAG; the class of the DAGs that extend it is used", err=True)
    return graph


def split_names(text: str) -> list[str]:
    """Names separated by commas; a name that contains a comma or a line break is in quotes."""
    try:
        return [name.strip() for row in csv.reader([text], skipinitialspace=True) for name in row]
    except csv.Error as error:
        reason = f"it has {len(text)} characters" if "limit" in str(error) else "it has a line break outside quotes"
        raise click.BadParameter(f"{reprlib.repr(text)} cannot be read, as {reason}; write names as a,b") from None


def is_there(path: str) -> bool:
    """Whether a file or folder has this name; False for names that no file can have."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise click.ClickException("standard input is closed, so - cannot be read; give the name of a file")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:  # such as a folder
        raise click.ClickException(f"standard input cannot be read: {error.strerror or error}") from None


@contextmanager
def _spooled(suffix: str) -> Iterator[str]:
    """Standard input as a temporary file, whose name appears in messages."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{STANDARD_INPUT}{suffix}"
        path.write_bytes(_standard_input())
        yield str(path)
