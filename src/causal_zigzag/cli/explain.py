"""The command `explain`: what a saved run says about one pair of variables, or what to do next."""

from __future__ import annotations

import click

from causal_zigzag.cli.findings import show_conclusions
from causal_zigzag.cli.inputs import named_nodes, read_run
from causal_zigzag.cli.output import STDIO, echo_text


@click.command()
@click.argument("run")
@click.argument("pair", nargs=-1, metavar="[X Y]")
def explain(run: str, pair: tuple[str, ...]) -> None:
    """Explain one pair of variables of a saved run, or the run as a whole.

    With two variables: whether they are joined and which way, with the error and by chain; which variables are joined
    to both; which probable classes disagree; and the effects of each on the other. Without variables: what is doubtful
    in the table, whether the run has converged, and what to do next. RUN is a file written by `sample --out`, or - for
    standard input.

    \b
    Examples:
      causal-zigzag explain cells.czz PKC PKA
      causal-zigzag explain cells.czz
    """
    if len(pair) not in (0, 2):
        raise click.UsageError(f"a pair is two variables, not {len(pair)}")
    posterior = read_run(run)
    if pair:
        echo_text(str(posterior.explain(*named_nodes(posterior.nodes, pair))))
    else:
        show_conclusions(posterior, saved="" if run == STDIO else run)
