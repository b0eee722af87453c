"""The commands `report`, `edges` and `graphs`, which read a saved run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from causal_zigzag.cli.counts import Count
from causal_zigzag.cli.findings import class_value, edge_values
from causal_zigzag.cli.inputs import read_run
from causal_zigzag.cli.options import edge_list_options
from causal_zigzag.cli.output import STDIO, echo_json, echo_text, write_with
from causal_zigzag.cli.overwriting import check_outputs

if TYPE_CHECKING:
    import causal_zigzag as cz


@click.command()
@click.argument("run")
@click.option(
    "--out", metavar="HTML", help="File of the report; - is standard output.  [default: RUN with the suffix .html]"
)
def report(run: str, out: str | None) -> None:
    """Write the report of a saved run as one self-contained HTML file.

    RUN is a file written by `sample --out`, or - for standard input.

    \b
    Examples:
      causal-zigzag report cells.czz
      causal-zigzag report cells.czz --out - > cells.html
    """
    import os
    from pathlib import Path

    path = out or ("report.html" if run == STDIO else str(Path(run).with_suffix(".html")))
    check_outputs({"--out": path})
    posterior = read_run(run)
    write_with(posterior.report, path, ".html")
    if path != STDIO:
        click.echo(f"Report written to {os.path.abspath(path)}")  # noqa: PTH100 - shown, not used


@click.command()
@click.argument("run")
@edge_list_options
def edges(run: str, least: float, form: str | None) -> None:
    """Print the probability of every edge of a saved run.

    One line per pair of variables x and y: the probability of any edge between them (adjacent), of x -> y (forward),
    of x - y (undirected) and of y -> x (backward). RUN is a file written by `sample --out`, or - for standard input.

    \b
    Examples:
      causal-zigzag edges cells.czz --least 0.5
      causal-zigzag edges cells.czz --csv > edges.csv
    """
    from causal_zigzag.support.wording import probability

    posterior = read_run(run)
    if form == "json":
        echo_json(edge_values(posterior, least))
        return
    _note_provisional(posterior)
    frame = posterior.edge_table()
    frame = frame[frame["adjacent"] >= least]
    if form == "csv":
        click.echo(frame.to_csv(index=False, lineterminator="\n"), nl=False)
    elif len(frame):
        columns = [column for column in frame.columns if column not in ("x", "y", "mcse")]
        forms = dict.fromkeys(columns, probability) | {"mcse": lambda error: "" if error != error else f"{error:.1g}"}
        echo_text(frame.to_string(index=False, formatters=forms))
    else:
        click.echo(f"no pair is adjacent with probability {least:g} or more", err=True)


def _note_provisional(posterior: cz.Posterior) -> None:
    """Say on stderr that the numbers of a run which has not converged may change."""
    if not posterior.diagnostics().ok:
        click.echo("Note: the run has not converged, so these numbers are provisional", err=True)


@click.command()
@click.argument("run")
@click.option("--top", type=Count(1), default=5, show_default=True, help="Number of classes.")
@click.option("--dot", "form", flag_value="dot", help="Print DOT, one graph after another.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
def graphs(run: str, top: int, form: str | None) -> None:
    """Print the most probable Markov equivalence classes of a saved run.

    RUN is a file written by `sample --out`, or - for standard input.

    \b
    Examples:
      causal-zigzag graphs cells.czz
      causal-zigzag graphs cells.czz --top 1 --dot | dot -Tsvg -o cells.svg
      causal-zigzag graphs cells.czz --top 20 --json
    """
    from causal_zigzag.answers.top_classes import edges_in_words, score_in_words
    from causal_zigzag.graphs.formats.edge_list import edge_list
    from causal_zigzag.support.wording import class_probability

    posterior = read_run(run)
    _note_provisional(posterior)
    best = posterior.top(top)
    if form == "json":
        echo_json([class_value(*found) for found in best])
        return
    for rank, (graph, probability, score) in enumerate(best, start=1):
        if form == "dot":
            click.echo(f"// {rank}: probability {probability:.6g}{score_in_words(score, ', ')}\n{graph.to_dot()}")
        else:
            click.echo(
                f"{rank}. probability {class_probability(probability)}{score_in_words(score, ', ')}, "
                f"{edges_in_words(graph)}"
            )
            echo_text(f"   {edge_list(graph)}")
