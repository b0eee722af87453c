"""The command `hidden`: what of a saved run holds when causes may be hidden."""

from __future__ import annotations

from typing import Any

import click

from causal_zigzag.cli.inputs import file_or_bundled, named_nodes, read_run
from causal_zigzag.cli.options import Count, form_options, least_option, minutes_option, seed_option
from causal_zigzag.cli.output import check_outputs, echo_frame, echo_text

UNFINISHED = 3
INTERRUPTED = 130


@click.command()
@click.argument("run")
@click.option("--columns", multiple=True, metavar="NAME", help="Use only this variable; repeat for each, 2 to 20.")
@click.option("--data", metavar="DATA", help="The table that was sampled, if the run does not have its rows.")
@minutes_option("Stop after this many minutes.  [default: 1, or when the chains agree]")
@click.option("--steps", type=Count(4), metavar="STEPS", help="Number of steps of each chain, instead of --minutes.")
@seed_option
@click.option("--out", metavar="FILE", help="File of the result, which cz.load reads.")
@least_option("in which either causes the other with")
@form_options("csv", "json")
@click.pass_context
def hidden(
    context: click.Context,
    /,
    run: str,
    columns: tuple[str, ...],
    data: str | None,
    seed: int | None,
    out: str | None,
    least: float,
    form: str | None,
    **length: Any,
) -> None:
    """Sample what of a saved run holds when causes may be hidden.

    A run assumes that every common cause of two variables is in the table. This drops the assumption: it samples
    ancestral graphs of up to 20 variables of numbers. One line per pair of variables x and y: the probability that they
    are joined, that x causes y, that y causes x, and that neither causes the other; and, forced, the probability that
    the data can tell so, apart from counting graphs which no data tell apart. RUN is a file written by `sample --out`,
    or - for standard input.

    \b
    Examples:
      causal-zigzag hidden cells.czz --out hidden.czz
      causal-zigzag hidden cells.czz --columns Raf --columns Mek --columns Erk
      causal-zigzag hidden cells.czz --minutes 5 --csv > hidden.csv
    """
    from causal_zigzag.support.wording import probability

    check_outputs(out)
    posterior = read_run(run)
    chosen = named_nodes(posterior.nodes, columns) or None
    table = None if data is None else file_or_bundled(data)
    found = posterior.hidden_causes(columns=chosen, data=table, rng=seed, **length)
    if out is not None:
        found.save(out)
    frame = found.edge_table()
    frame = frame[frame[["x_causes_y", "y_causes_x"]].max(axis=1) >= least]
    shown: dict[str, Any] = dict.fromkeys(frame.columns.drop(["x", "y"]), probability)
    echo_frame(frame, form, shown, least, "causes the other")
    diagnostics = found.diagnostics()
    for line in (*found.notes, diagnostics.verdict):
        echo_text(f"Note: {line}", err=True)
    if not diagnostics.ok and length["steps"] is None:
        context.exit(INTERRUPTED if diagnostics.interrupted else UNFINISHED)
