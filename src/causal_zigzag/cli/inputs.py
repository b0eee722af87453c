"""Tables, runs and graphs that commands read from files, or from standard input for `-`."""

from __future__ import annotations

import csv
import dataclasses
import reprlib
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.output import STDIO, echo_text
from causal_zigzag.errors import DataError, GraphError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import causal_zigzag as cz

STANDARD_INPUT = "standard input"


def load_table(data: str, reading: dict[str, Any], notes: bool = True) -> cz.Table:
    """The table of a command: a file, standard input, or the name of a bundled table.

    ``reading`` are keywords of ``read_table``, or of ``lagged`` if it has lags or a time. What reading left out or
    changed is noted on stderr, with the option that decides otherwise.
    """
    import causal_zigzag as cz

    read = cz.lagged if any(word in reading for word in ("lags", "time", "trend", "season")) else cz.read_table
    if data == STDIO:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{STANDARD_INPUT}.csv"
            path.write_bytes(_standard_input())
            table = read(path, **reading)
        table = dataclasses.replace(
            table, source=dataclasses.replace(table.source, data=STANDARD_INPUT, origin="object")
        )
    else:
        table = read(file_or_bundled(data), **reading)
    for note in table.notes if notes else ():
        echo_text(f"Note: {note}{f' ({note.flag})' if note.flag else ''}", err=True)
    return table


def file_or_bundled(data: str) -> Any:
    """The path of a file, or the bundled table of this name if there is no such file."""
    import causal_zigzag as cz

    if data in cz.datasets.names() and not Path(data).exists():
        return cz.datasets.load(data)
    if data.isidentifier() and not Path(data).exists():
        raise DataError(f"there is no file {data!r}, and the bundled tables are {', '.join(cz.datasets.names())}")
    return data


def read_run(run: str) -> cz.Posterior:
    """A saved run."""
    from causal_zigzag.posterior.load import load_posterior, read_posterior

    return read_posterior(_standard_input(), STANDARD_INPUT) if run == STDIO else load_posterior(run)


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

    graph, completed = parse_graph(text_of_graph(source))
    if completed:
        click.echo("Note: this graph is not a CPDAG; the class of the DAGs that extend it is used", err=True)
    return graph


def text_of_graph(source: str) -> str:
    """The text in a file with a graph, or on standard input."""
    try:
        content = _standard_input() if source == STDIO else Path(source).read_bytes()
        return content.decode("utf-8-sig")
    except (OSError, ValueError) as error:  # a ValueError if it is not UTF-8, or has a NUL character in its name
        raise GraphError(
            f"cannot read {reprlib.repr(source)}: {getattr(error, 'strerror', None) or error}; a graph is read from a "
            'text file in UTF-8, or from standard input: echo "a -> b" | causal-zigzag count -'
        ) from None


def read_start(given: str, *words: str) -> cz.CPDAG | str:
    """The start of chains or of a search: one of these words, or the graph in a file."""
    return given if given in words else read_graph(given)


def split_names(text: str) -> list[str]:
    """Names separated by commas; a name that contains a comma or a line break is in quotes."""
    try:
        return [name.strip() for row in csv.reader([text], skipinitialspace=True) for name in row]
    except csv.Error as error:
        raise click.BadParameter(f"{reprlib.repr(text)}: {error}; write names as a,b") from None


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise click.ClickException("standard input is closed, so - cannot be read; give the name of a file")
    return sys.stdin.buffer.read()
