"""The commands `ges` and `search`: greedy and annealed search for one graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.group import INTERRUPTED
from causal_zigzag.cli.inputs import load_table, read_start
from causal_zigzag.cli.knowledge_options import knowledge_options
from causal_zigzag.cli.options import (
    Count,
    form_options,
    max_degree_option,
    minutes_option,
    score_options,
    seed_option,
    several,
)
from causal_zigzag.cli.output import echo_json, echo_text, heading, table
from causal_zigzag.cli.table_options import table_options

if TYPE_CHECKING:
    import causal_zigzag as cz

target_options = several(table_options, score_options, max_degree_option, knowledge_options)


@click.command()
@click.argument("data")
@target_options
@click.option(
    "--phases",
    type=click.Choice(["classical", "until-stable"]),
    default="classical",
    show_default=True,
    help="classical: forward, then backward; until-stable: all phases, with turning, until none improves the score.",
)
@click.option(
    "--start",
    default="empty",
    show_default=True,
    metavar="empty|FILE",
    help="Start of the search: empty, or a graph in a file.",
)
@form_options("dot", "json")
def ges(data: str, reading: dict[str, Any], phases: str, start: str, form: str | None, **target: Any) -> None:
    """Find one graph of the columns of DATA by greedy search.

    DATA is a CSV, TSV, Excel or Parquet file, - for CSV from standard input, or the name of a bundled table such
    as sachs.
    The result is one graph without a measure of its uncertainty; use `sample` for that.

    \b
    Examples:
      causal-zigzag ges cells.csv
      causal-zigzag ges cells.csv --drop id --missing drop
      causal-zigzag ges cells.csv --phases until-stable --dot | dot -Tpdf -o cells.pdf
    """
    import causal_zigzag as cz

    result = cz.ges(
        load_table(data, reading),
        phases=("forward", "backward") if phases == "classical" else "until-stable",
        start=read_start(start, "empty"),
        **target,
    )
    _show(data, result, form, {"steps": len(result.steps)})


@click.command()
@click.argument("data")
@target_options
@click.option(
    "--restarts", type=Count(1), help="Maximum number of restarts.  [default: 5, or unlimited with --minutes]"
)
@minutes_option("Stop after this many minutes.")
@seed_option
@form_options("dot", "json")
def search(data: str, reading: dict[str, Any], seed: int | None, form: str | None, **settings: Any) -> None:
    """Find one graph of the columns of DATA by annealed search.

    DATA is a CSV, TSV, Excel or Parquet file, - for CSV from standard input, or the name of a bundled table such
    as sachs.
    Annealed chains and greedy search are restarted until the best graph was found twice. It takes longer than `ges`,
    and is never worse. The result is one graph without a measure of its uncertainty; use `sample` for that.

    \b
    Examples:
      causal-zigzag search cells.csv
      causal-zigzag search cells.csv --minutes 10 --seed 1
      causal-zigzag search cells.csv --dot | dot -Tpdf -o cells.pdf
    """
    import causal_zigzag as cz

    result = cz.search(load_table(data, reading), rng=seed, **settings)
    reached = [{"annealed": one.annealed, "polished": one.polished} for one in result.restarts]
    _show(data, result, form, {"times_found": result.times_found, "greedy": result.greedy, "restarts": reached})
    if result.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _show(data: str, result: cz.GesResult | cz.SearchResult, form: str | None, more: dict[str, Any]) -> None:
    from causal_zigzag.graphs.formats.node_link import node_link

    graph, target = result.graph, result.target
    if form == "dot":
        click.echo(graph.to_dot())
    elif form == "json":
        found = {
            "data": data,
            "score_name": repr(target.score),
            "edge_prior": str(target.edge_prior),
            "knowledge": None if target.knowledge is None else str(target.knowledge),
            "score": result.score,
            "log_weight": result.log_weight,
        }
        echo_json({**found, **more, "graph": node_link(graph)})
    else:
        echo_text(result.summary())
        known = getattr(graph, "edges_from_knowledge", ())
        reasons = [
            "by the knowledge" if edge in known else "in every DAG of the class" for edge in graph.directed_edges
        ]
        rows = [(f"{x} -> {y}", why) for (x, y), why in zip(graph.directed_edges, reasons, strict=True)]
        rows += [(f"{x} - {y}", "either direction is possible") for x, y in graph.undirected_edges]
        heading("The graph")
        table(rows or [("no edges", "")])
