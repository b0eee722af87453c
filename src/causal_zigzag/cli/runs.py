"""The commands `report`, `edges` and `graphs`, which read a saved run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.findings import class_value
from causal_zigzag.cli.inputs import read_run
from causal_zigzag.cli.options import Count, form_options, least_option
from causal_zigzag.cli.output import STDIO, check_outputs, echo_frame, echo_json, echo_text, write_with

if TYPE_CHECKING:
    import causal_zigzag as cz


@click.command()
@click.argument("run")
@click.option(
    "--out", metavar="HTML", help="File of the report; - is standard output.  [default: RUN with the suffix .html]"
)
@click.option(
    "--hidden", metavar="FILE", help="File written by `hidden --out`: say which arrows hold when causes may be hidden."
)
def report(run: str, out: str | None, hidden: str | None) -> None:
    """Write the report of a saved run as one self-contained HTML file.

    RUN is a file written by `sample --out`, or - for standard input.

    \b
    Examples:
      causal-zigzag report cells.czz
      causal-zigzag report cells.czz --hidden hidden.czz
      causal-zigzag report cells.czz --out - > cells.html
    """
    from causal_zigzag.posterior.load import load

    path = out or ("report.html" if run == STDIO else str(Path(run).with_suffix(".html")))
    check_outputs(path)
    posterior, other = read_run(run), None if hidden is None else load(hidden)
    write_with(lambda file: posterior.report(file, hidden=other), path, "Report")


@click.command()
@click.argument("run")
@least_option("that are adjacent with")
@form_options("csv", "json")
def edges(run: str, least: float, form: str | None) -> None:
    """Print the probability of every edge of a saved run.

    One line per pair of variables x and y: the probability of any edge between them (adjacent), of x -> y (forward),
    of x - y (undirected) and of y -> x (backward). If rows were resampled, columns that end in _again have the same
    over resampled rows. RUN is a file written by `sample --out`, or - for standard input.

    \b
    Examples:
      causal-zigzag edges cells.czz --least 0.5
      causal-zigzag edges cells.czz --csv > edges.csv
    """
    from causal_zigzag.support.wording import probability

    posterior = read_run(run)
    _note_provisional(posterior)
    frame = posterior.edge_table()
    shown: dict[str, Any] = dict.fromkeys(frame.columns.drop(["x", "y"]), probability)
    shown |= dict.fromkeys(("mcse", "mcse_again"), lambda error: "" if error != error else f"{error:.1g}")
    echo_frame(frame[frame["adjacent"] >= least], form, shown, least, "is adjacent")


def _note_provisional(posterior: cz.Posterior) -> None:
    """Say on stderr that the numbers of a run which has not converged may change."""
    if not posterior.diagnostics().ok:
        click.echo("Note: the run has not converged, so these numbers are provisional", err=True)


@click.command()
@click.argument("run")
@click.option("--top", type=Count(1), default=5, show_default=True, help="Number of classes.")
@form_options("dot", "json")
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
        words = f"probability {class_probability(probability)}{score_in_words(score, ', ')}"
        if form == "dot":
            click.echo(f"// {rank}: {words}\n{graph.to_dot()}")
        else:
            echo_text(f"{rank}. {words}, {edges_in_words(graph)}\n   {edge_list(graph)}")
