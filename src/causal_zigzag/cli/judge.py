"""The command `judge`: what a saved run says about a graph of your own."""

from __future__ import annotations

from typing import Any

import click

from causal_zigzag.cli.inputs import load_table, read_run, text_of_graph
from causal_zigzag.cli.options import form_options
from causal_zigzag.cli.output import check_outputs, echo_frame, echo_text, write_with


@click.command()
@click.argument("run")
@click.argument("graph")
@click.option(
    "--data", metavar="TABLE", help="The table of the run, to test the independences of the graph on its rows."
)
@click.option(
    "--report", "report_path", metavar="HTML", help="Write the report of the run with a section on the graph."
)
@form_options("csv", "json")
def judge(run: str, graph: str, data: str | None, report_path: str | None, form: str | None) -> None:
    """Judge a graph of your own by a saved run.

    How probable it is, and how much more probable the best class; the edges that the data speak against and those that
    are missing, each with its probability; and, with --data, the independences that it implies and the rows violate.
    CSV and JSON have one row per pair of variables. RUN is a file written by `sample --out`; GRAPH is a file with an
    edge list, DOT, GML, JSON or a graph of dagitty, or - for standard input.

    \b
    Examples:
      causal-zigzag judge cells.czz my.dot
      echo "PKA -> Akt, PKC -> PKA" | causal-zigzag judge cells.czz - --data cells.csv
    """
    if run == graph == "-":
        raise click.UsageError("only one of RUN and GRAPH can be standard input")
    check_outputs(report_path)
    posterior: Any = read_run(run)
    found = posterior.judge(text_of_graph(graph), None if data is None else load_table(data, {}, notes=False))
    if form is None:
        echo_text(str(found))
    else:
        echo_frame(found.edges, form, {}, 0, "")
    if report_path is not None:
        write_with(lambda path: posterior.report(path, judgement=found), report_path, "Report", err=form is not None)
