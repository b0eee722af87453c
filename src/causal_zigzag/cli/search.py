"""The commands `ges` and `search`: greedy and annealed search for one graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.counts import Count
from causal_zigzag.cli.group import INTERRUPTED
from causal_zigzag.cli.inputs import load_table
from causal_zigzag.cli.knowledge_options import knowledge_options
from causal_zigzag.cli.options import edge_prior_option, graph_form_options, read_start, target_options
from causal_zigzag.cli.output import echo_json, echo_text, heading, table
from causal_zigzag.cli.table_options import table_options
from causal_zigzag.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Hashable

    import causal_zigzag as cz

PHASES = ("classical", "until-stable")


@click.command()
@click.argument("data")
@table_options
@target_options
@knowledge_options
@edge_prior_option
@click.option(
    "--phases",
    type=click.Choice(PHASES),
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
@graph_form_options
def ges(
    data: str,
    reading: dict[str, Any],
    score: str,
    max_degree: int | None,
    bounds: dict[str, Any],
    edge_prior: str | float | None,
    phases: str,
    start: str,
    form: str | None,
) -> None:
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

    if start in ("ges", "search", "scattered"):
        raise SettingsError(f"--start must be empty or the file of a graph; {start} is for `sample`")
    result = cz.ges(
        load_table(data, reading),
        score=score,
        edge_prior=edge_prior,
        max_degree=max_degree,
        **bounds,
        phases="until-stable" if phases == "until-stable" else ("forward", "backward"),
        start=read_start(start, ("empty",)),
    )
    _show(data, result, form, {"steps": len(result.steps)})


@click.command()
@click.argument("data")
@table_options
@target_options
@knowledge_options
@edge_prior_option
@click.option(
    "--restarts", type=Count(1), help="Maximum number of restarts.  [default: 5, or unlimited with --minutes]"
)
@click.option(
    "--minutes", type=click.FloatRange(min=0, min_open=True), metavar="MINUTES", help="Stop after this many minutes."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="SEED", help="Random seed, for a reproducible search.")
@graph_form_options
def search(
    data: str,
    reading: dict[str, Any],
    score: str,
    max_degree: int | None,
    bounds: dict[str, Any],
    edge_prior: str | float | None,
    restarts: int | None,
    minutes: float | None,
    seed: int | None,
    form: str | None,
) -> None:
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

    result = cz.search(
        load_table(data, reading),
        edge_prior=edge_prior,
        restarts=restarts,
        minutes=minutes,
        rng=seed,
        score=score,
        max_degree=max_degree,
        **bounds,
    )
    reached = [{"annealed": one.annealed, "polished": one.polished} for one in result.restarts]
    _show(data, result, form, {"times_found": result.times_found, "greedy": result.greedy, "restarts": reached})
    if result.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _direction(graph: cz.CPDAG | cz.MPDAG, x: Hashable, y: Hashable) -> str:
    known = (x, y) in getattr(graph, "edges_from_knowledge", ())
    return "by the knowledge" if known else "in every DAG of the class"


def _show(data: str, result: cz.GesResult | cz.SearchResult, form: str | None, more: dict[str, Any]) -> None:
    from causal_zigzag.graphs.formats.node_link import node_link

    if form == "dot":
        click.echo(result.graph.to_dot())
    elif form == "json":
        echo_json(
            {
                "data": data,
                "score_name": repr(result.target.score),
                "edge_prior": str(result.target.edge_prior),
                "knowledge": None if result.target.knowledge is None else str(result.target.knowledge),
                "score": result.score,
                "log_weight": result.log_weight,
                **more,
                "graph": node_link(result.graph),
            }
        )
    else:
        echo_text(result.summary())
        rows = [(f"{x} -> {y}", _direction(result.graph, x, y)) for x, y in result.graph.directed_edges]
        rows += [(f"{x} - {y}", "either direction is possible") for x, y in result.graph.undirected_edges]
        heading("The graph")
        table(rows or [("no edges", "")])
