"""The command `compare`: two saved runs of the same variables, edge by edge."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import click

from causal_zigzag.cli.inputs import read_run
from causal_zigzag.cli.options import form_options
from causal_zigzag.cli.output import check_outputs, echo_frame, echo_text, write_with
from causal_zigzag.errors import OutputError

PICTURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".eps", ".ps")


@click.command()
@click.argument("first")
@click.argument("second")
@form_options("csv", "json")
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
    if plot_path is not None and Path(plot_path).suffix.lower() not in PICTURES:
        raise OutputError(f"cannot write the plot {plot_path!r}: its name must end in one of {', '.join(PICTURES)}")
    check_outputs(plot_path)
    names = [Path(path).stem if path != "-" else "standard input" for path in (first, second)]
    found = cz.compare(read_run(first), read_run(second), names=names if names[0] != names[1] else [first, second])
    if plot_path is not None:
        write_with(lambda path: _save(found.plot().figure, path), plot_path, "Plot", err=form is not None)
    if form is None:
        echo_text(str(found))
    else:
        echo_frame(found.table, form, {}, 0, "")


def _save(figure: Any, path: str) -> None:
    """Write the picture atomically."""
    from causal_zigzag.support.atomic_write import write_bytes

    content = io.BytesIO()
    figure.savefig(content, dpi=150, format=Path(path).suffix.lower().removeprefix("."))
    write_bytes(path, content.getvalue())
