"""The command `causal-zigzag`; what a command needs is imported when it runs, so that starting up is quick."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.errors import CausalZigzagError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import causal_zigzag as cz


class _OneLineErrors(click.Group):
    """Reports an error of the package as one line on stderr with exit code 1; click does the same for usage, with 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except CausalZigzagError as error:
            raise click.ClickException(" ".join(str(error).split())) from error

    def main(self, *args: Any, **options: Any) -> Any:
        try:
            return super().main(*args, **options)
        except OSError as error:  # a full disk, say; --help writes before invoke
            _discard_output()
            click.echo(f"Error: the output cannot be written: {error.strerror or error}", err=True)
            sys.exit(1)


def _discard_output() -> None:
    """Send what is still to be written nowhere; Python would try again when it ends, and complain."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@click.group(cls=_OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="causal-zigzag", prog_name="causal-zigzag", message="%(prog)s %(version)s")
def main() -> None:
    """Find the causal graphs that fit a table of data, and how probable each is.

    A Markov equivalence class is all that observations can tell about a causal graph.
    This package walks from class to class by inserting and deleting edges.
    """


@main.command()
def demo() -> None:
    """List and count the operators of a small class."""
    import causal_zigzag as cz

    nodes = ["season", "rain", "sprinkler", "wet", "slippery"]
    dag = [("season", "rain"), ("season", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]
    graph = cz.CPDAG.from_dag(dag, nodes=nodes)
    counts = cz.count_operators(graph)

    _heading("What this does")
    click.echo("  It takes one small Markov equivalence class, and lists and counts its operators:")
    click.echo("  every way to reach another class by one edge more or one edge less.")

    _heading(f"The class: {len(graph)} nodes, {graph.edge_count} edges")
    open_edges = [(f"{x} - {y}", "either direction fits") for x, y in graph.undirected_edges]
    _table([*open_edges, *((f"{x} -> {y}", "this direction alone") for x, y in graph.directed_edges)])

    _heading(f"Its operators: {counts.inserts} inserts, {counts.deletes} deletes")
    _table(_operator_cells(graph, operator) for operator in cz.list_operators(graph))
    click.echo()


def _operator_cells(graph: cz.CPDAG, operator: cz.Insert | cz.Delete) -> tuple[str, str, str, str]:
    """What one line of the demo says: the operator, its edge, its set, and what it leads to."""
    import causal_zigzag as cz

    is_insert = isinstance(operator, cz.Insert)
    chosen = operator.tails if isinstance(operator, cz.Insert) else operator.heads
    names = ", ".join(str(node) for node in graph.nodes if node in chosen)
    after = operator.apply(graph)
    directed, undirected = len(after.directed_edges), len(after.undirected_edges)
    return (
        "Insert" if is_insert else "Delete",
        f"{operator.x}, {operator.y}",
        f"{'T' if is_insert else 'H'} = {{{names}}}",
        f"leads to {directed} directed, {undirected} undirected",
    )


def _heading(text: str) -> None:
    click.echo("\n" + click.style(text, bold=True))


def _table(rows: Iterable[tuple[str, ...]]) -> None:
    """Aligned columns, the last one dimmed."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        *front, last = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  " + "  ".join(front) + "  " + click.style(last.rstrip(), dim=True))
