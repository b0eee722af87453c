"""The command `effects`, which prints causal effects of a saved run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.counts import Number
from causal_zigzag.cli.findings import frame_values
from causal_zigzag.cli.inputs import read_run
from causal_zigzag.cli.output import echo_json, echo_text

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

SHOWN = {
    "outcome": "outcome", "level": "level", "cause": "cause", "low": "from", "high": "to",
    "mean": "effect", "lower": "2.5 %", "upper": "97.5 %", "probability_nonzero": "probability",
}  # fmt: skip


@click.command()
@click.argument("run")
@click.option("--outcome", "outcomes", multiple=True, metavar="NAME", help="Effects on this variable; may be repeated.")
@click.option("--cause", "causes", multiple=True, metavar="NAME", help="Effects of this variable; may be repeated.")
@click.option("--least", type=Number(0, 1), default=0.0, help="Omit pairs with a lower probability of an effect.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV, with all columns.")
@click.option("--json", "form", flag_value="json", help="Print JSON, with all columns.")
def effects(run: str, outcomes: tuple[str, ...], causes: tuple[str, ...], least: float, form: str | None) -> None:
    """Print causal effects, averaged over the graphs of a saved run.

    One line per cause and outcome, the largest effect first: by how much the mean of the outcome changes if the cause
    is raised by 1 by an intervention, with a 95 % interval, and the probability that there is an effect at all. For
    categorical columns: by how much the probability of a level of the outcome increases if the cause is set to one
    level instead of another, for the levels with the largest increase. RUN is a file written by `sample --out`, or -
    for standard input.

    Effects assume that no variable which is not in the table has an effect on two that are, and that the relations of
    continuous variables are linear.

    \b
    Examples:
      causal-zigzag effects cells.czz --outcome Akt
      causal-zigzag effects cells.czz --cause PKA --cause PKC --least 0.5
      causal-zigzag effects cells.czz --csv > effects.csv
    """
    if len({*causes, *outcomes}) == 1 and causes and outcomes:
        raise click.UsageError(f"an effect is of one variable on another, but both are {causes[0]!r}")
    posterior = read_run(run)
    chosen = {name: _nodes(posterior.nodes, given) for name, given in (("causes", causes), ("outcomes", outcomes))}
    frame = posterior.effects(**chosen)
    frame = frame[frame["probability_nonzero"] >= least]
    if form == "json":
        echo_json(frame_values(frame))
    elif form == "csv":
        click.echo(frame.to_csv(index=False, lineterminator="\n"), nl=False)
    elif len(frame):
        shown = frame[[name for name in SHOWN if name in frame]].rename(columns=SHOWN)
        echo_text(shown.to_string(index=False, formatters=_forms()))
    else:
        click.echo(f"no pair has an effect with probability {least:g} or more", err=True)


def _nodes(nodes: Sequence[Hashable], given: tuple[str, ...]) -> list[Hashable] | None:
    """The nodes with these names, which are text on the command line also where the label is a number."""
    from causal_zigzag.errors import GraphError
    from causal_zigzag.graphs.labels import show_all

    by_text = {str(node): node for node in nodes}
    for name in given:
        if name not in by_text:
            raise GraphError(f"there is no variable {name!r} in the run; its variables are {show_all(nodes)}")
    return [by_text[name] for name in given] or None


def _forms() -> dict[str, Any]:
    from causal_zigzag.support.wording import probability

    numbers = dict.fromkeys(("effect", "2.5 %", "97.5 %"), lambda value: f"{value:.3g}")
    return {**numbers, "probability": probability}
