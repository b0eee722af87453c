"""The command `compare`: two saved runs of the same variables, edge by edge."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import click

from causal_zigzag.cli.inputs import read_run
from causal_zigzag.cli.output import echo_json, echo_text
from causal_zigzag.cli.overwriting import check_outputs
from causal_zigzag.errors import OutputError

PICTURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".eps", ".ps")


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
    check_outputs({"--plot": plot_path})
    _check_picture(plot_path)
    names = [Path(path).stem if path != "-" else "standard input" for path in (first, second)]
    names = [first, second] if names[0] == names[1] else names
    found = cz.compare(read_run(first), read_run(second), names=names)
    if plot_path is not None:
        _save(found.plot(), plot_path)
    if form == "csv":
        click.echo(found.table.to_csv(index=False, lineterminator="\n"), nl=False)
    elif form == "json":
        table = found.table.astype(object)
        echo_json(table.where(table.notna(), None).to_dict("records"))
    else:
        echo_text(str(found))
    if plot_path is not None:
        click.echo(f"Plot written to {Path(plot_path).absolute()}", err=form is not None)


def _check_picture(path: str | None) -> None:
    """An OutputError for an ending that matplotlib does not know, before the runs are read."""
    if path is not None and Path(path).suffix.lower() not in PICTURES:
        raise OutputError(f"cannot write the plot {path!r}: its name must end in one of {', '.join(PICTURES)}")


def _save(figure: Any, path: str) -> None:
    """Write the picture atomically."""
    from causal_zigzag.support.atomic_write import write_bytes

    content = io.BytesIO()
    figure.savefig(content, dpi=150, format=Path(path).suffix.lower().removeprefix("."))
    write_bytes(path, content.getvalue())
