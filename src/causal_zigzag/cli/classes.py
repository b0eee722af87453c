"""The commands `uniform`, `count` and `operators`: random classes, and the DAGs and operators of a class."""

from __future__ import annotations

import inspect
import itertools
import sys

import click

from causal_zigzag.cli.inputs import read_graph
from causal_zigzag.cli.options import Count, form_options, seed_option
from causal_zigzag.cli.output import echo_json, table

GRAPH_HELP = """GRAPH is a file, or - for standard input. It contains an edge list such as

\b
  a -> b, b - c; "a name" -> c, d

with commas, semicolons or line breaks between edges; or DOT; or node-link JSON, as networkx and `graphs --json` write.
Two opposite arrows are one undirected edge. If the graph is not a CPDAG, the class of the DAGs that extend it is
used."""


bound_option = click.option(
    "--max-degree", type=Count(1), help="Ignore inserts that give a node more than this number of adjacent nodes."
)


def _graph_command(command: click.Command) -> click.Command:
    command.help = f"{inspect.cleandoc(command.help or '')}\n\n{GRAPH_HELP}"
    return command


@click.command()
@click.argument("n", type=Count(0))
@click.option("--count", "how_many", type=Count(0), default=1, show_default=True, help="Number of classes.")
@seed_option
@form_options("dot", "json")
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
@bound_option
@form_options("json")
def count(graph: str, max_degree: int | None, form: str | None) -> None:
    """Count the DAGs of a Markov equivalence class, and the operators that insert or delete an edge.

    In JSON, numbers of 2^53 or more are strings, so that none is rounded.

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
    if form == "json":
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
@bound_option
@click.option("--limit", type=Count(0), help="Maximum number of operators to list.")
@form_options("json")
def operators(graph: str, kind: str | None, max_degree: int | None, limit: int | None, form: str | None) -> None:
    """List the operators of a Markov equivalence class: the ways to reach another one by inserting or deleting an edge.

    Each is on a line of its own, also in JSON.

    \b
    Examples:
      echo "a - b, b - c" | causal-zigzag operators -
      causal-zigzag operators graph.dot --insert --limit 10
    """
    import causal_zigzag as cz
    from causal_zigzag.graphs.formats.node_link import json_label

    g = read_graph(graph)
    found = (op for op in cz.list_operators(g, max_degree) if kind in (None, type(op).__name__))
    for op in itertools.islice(found, None if limit is None else min(limit, sys.maxsize)):
        word, sign, chosen = ("tails", "T", op.tails) if isinstance(op, cz.Insert) else ("heads", "H", op.heads)
        ordered = [v for v in g.nodes if v in chosen]
        if form == "json":
            parts = {"x": json_label(op.x), "y": json_label(op.y), word: [json_label(v) for v in ordered]}
            echo_json({"kind": type(op).__name__.lower(), **parts}, indent=None)
        else:
            after = op.apply(g)
            leads = f"leads to {len(after.directed_edges)} directed, {len(after.undirected_edges)} undirected"
            names = ", ".join(map(str, ordered))
            click.echo(f"{type(op).__name__} {op.x}, {op.y}, {sign} = {{{names}}}: {leads}")
