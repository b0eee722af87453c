"""The command `compare`: two saved runs of the same variables, edge by edge."""

from __future__ import annotations

from pathlib import Path

import click

from causal_zigzag.cli.inputs import read_run
from causal_zigzag.cli.output import check_writable, echo_json


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--csv", "form", flag_value="csv", help="Print all pairs as CSV.")
@click.option("--json", "form", flag_value="json", help="Print all pairs as JSON.")
@click.option("--plot", "plot_path", metavar="FILE", help="Write a plot, such as a PNG or PDF file; needs matplotlib.")
def compare(first: str, second: str, form: str | None, plot_path: str | None) -> None:
    """Compare the probabilities of edges of two saved runs.

    The runs must have the same variables; the score, the prior or the rows may differ. FIRST and SECOND are files
    written by `sample --out`; one of them may be - for standard input. A difference is clear if it is above 0.02 and
    above four Monte Carlo standard errors.

    \b
    Examples:
      causal-zigzag compare bic.czz bge.czz
      causal-zigzag compare north.czz south.czz --plot difference.png
      causal-zigzag compare bic.czz bge.czz --csv > differences.csv
    """
    import causal_zigzag as cz

    if first == second == "-":
        raise click.UsageError("only one of FIRST and SECOND can be standard input")
    check_writable(plot_path)
    names = [Path(path).stem if path != "-" else "standard input" for path in (first, second)]
    names = [first, second] if names[0] == names[1] else names
    found = cz.compare(read_run(first), read_run(second), names=names)
    if plot_path is not None:
        found.plot().savefig(plot_path, dpi=150)
    if form == "csv":
        click.echo(found.table.to_csv(index=False, lineterminator="\n"), nl=False)
    elif form == "json":
        table = found.table.astype(object)
        echo_json(table.where(table.notna(), None).to_dict("records"))
    else:
        click.echo(str(found))
    if plot_path is not None:
        click.echo(f"Plot written to {Path(plot_path).absolute()}", err=form is not None)
