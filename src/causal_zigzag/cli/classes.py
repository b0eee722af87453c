"""The commands `uniform`, `count` and `operators`: random classes, and the DAGs and operators of a class."""

from __future__ import annotations

import inspect
import itertools
import sys
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.counts import Count
from causal_zigzag.cli.inputs import read_graph
from causal_zigzag.cli.output import echo_json, table

if TYPE_CHECKING:
    import causal_zigzag as cz

GRAPH_HELP = """GRAPH is a file, or - for standard input. It contains an edge list such as

\b
  a -> b, b - c; "a name" -> c, d

with commas, semicolons or line breaks between edges; or DOT; or node-link JSON, as networkx and `graphs --json` write.
Two opposite arrows are one undirected edge. If the graph is not a CPDAG, the class of the DAGs that extend it is
used."""


def _graph_command(command: click.Command) -> click.Command:
    command.help = f"{inspect.cleandoc(command.help or '')}\n\n{GRAPH_HELP}"
    return command


@click.command()
@click.argument("n", type=Count(0))
@click.option("--count", "how_many", type=Count(0), default=1, show_default=True, help="Number of classes.")
@click.option("--seed", type=click.IntRange(min=0), metavar="SEED", help="Random seed, for reproducible classes.")
@click.option("--dot", "form", flag_value="dot", help="Print the classes as DOT.")
@click.option("--json", "form", flag_value="json", help="Print the classes as JSON.")
def uniform(n: int, how_many: int, seed: int | None, form: str | None) -> None:
    """Draw Markov equivalence classes of N nodes uniformly at random.

    Each class is printed on one line, as an edge list that other commands read.

    \b
    Examples:
      causal-zigzag uniform 8 --seed 1
      causal-zigzag uniform 20 | causal-zigzag count -
    """
    from causal_zigzag.datasets.random_graphs import stream_classes
    from causal_zigzag.graphs.formats.edge_list import edge_list
    from causal_zigzag.graphs.formats.node_link import node_link

    drawn = stream_classes(n, how_many, seed)
    if form == "json":
        echo_json([node_link(graph) for graph in drawn])
        return
    for graph in drawn:
        click.echo(graph.to_dot() if form == "dot" else edge_list(graph))


@_graph_command
@click.command()
@click.argument("graph")
@click.option(
    "--max-degree", type=Count(1), help="Ignore inserts that give a node more than this number of adjacent nodes."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON; numbers of 2^53 or more are strings, so that none is rounded."
)
def count(graph: str, max_degree: int | None, as_json: bool) -> None:
    """Count the DAGs of a Markov equivalence class, and the operators that insert or delete an edge.

    \b
    Examples:
      echo "a -> c, b -> c, c - d" | causal-zigzag count -
      causal-zigzag count graph.dot --json
    """
    import causal_zigzag as cz
    from causal_zigzag.graphs.formats.node_link import node_link

    g = read_graph(graph)
    operators = cz.count_operators(g, max_degree)
    numbers = {
        "nodes": len(g),
        "directed edges": len(g.directed_edges),
        "undirected edges": len(g.undirected_edges),
        "DAGs": g.count_dags(),
        "inserts": operators.inserts,
        "deletes": operators.deletes,
    }
    if as_json:
        safe = 2**53  # many JSON parsers round larger integers
        plain = {key.replace(" ", "_").lower(): v if v < safe else str(v) for key, v in numbers.items()}
        echo_json({"graph": node_link(g), **plain})
    else:
        table((key, str(number)) for key, number in numbers.items())


@_graph_command
@click.command()
@click.argument("graph")
@click.option("--insert", "kind", flag_value="Insert", help="List only inserts.")
@click.option("--delete", "kind", flag_value="Delete", help="List only deletes.")
@click.option(
    "--max-degree", type=Count(1), help="Ignore inserts that give a node more than this number of adjacent nodes."
)
@click.option("--limit", type=Count(0), help="Maximum number of operators to list.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one operator per line.")
def operators(graph: str, kind: str | None, max_degree: int | None, limit: int | None, as_json: bool) -> None:
    """List the operators of a Markov equivalence class: the ways to reach another one by inserting or deleting an edge.

    \b
    Examples:
      echo "a - b, b - c" | causal-zigzag operators -
      causal-zigzag operators graph.dot --insert --limit 10
    """
    import causal_zigzag as cz

    g = read_graph(graph)
    found = (op for op in cz.list_operators(g, max_degree) if kind in (None, type(op).__name__))
    for operator in itertools.islice(found, None if limit is None else min(limit, sys.maxsize)):
        if as_json:
            echo_json(_operator_value(operator, g), indent=None)
        else:
            click.echo(_operator_line(operator, g))


def _operator_line(operator: cz.Insert | cz.Delete, g: cz.CPDAG) -> str:
    kind, chosen = _parts(operator, g)
    after = operator.apply(g)
    sign = "T" if kind == "Insert" else "H"
    names = ", ".join(str(v) for v in chosen)
    leads = f"leads to {len(after.directed_edges)} directed, {len(after.undirected_edges)} undirected"
    return f"{kind} {operator.x}, {operator.y}, {sign} = {{{names}}}: {leads}"


def _operator_value(operator: cz.Insert | cz.Delete, g: cz.CPDAG) -> dict[str, Any]:
    from causal_zigzag.graphs.formats.node_link import json_label

    kind, chosen = _parts(operator, g)
    sets = "tails" if kind == "Insert" else "heads"
    x, y = json_label(operator.x), json_label(operator.y)
    return {"kind": kind.lower(), "x": x, "y": y, sets: [json_label(v) for v in chosen]}


def _parts(operator: cz.Insert | cz.Delete, g: cz.CPDAG) -> tuple[str, list[Any]]:
    """The kind of the operator, and its tails or heads in node order."""
    from causal_zigzag.graphs.operators import Insert

    chosen = operator.tails if isinstance(operator, Insert) else operator.heads
    return type(operator).__name__, [v for v in g.nodes if v in chosen]
