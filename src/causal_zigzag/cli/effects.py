"""The command `effects`, which prints causal effects of a saved run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.counts import Number
from causal_zigzag.cli.findings import frame_values
from causal_zigzag.cli.inputs import named_nodes, read_run
from causal_zigzag.cli.output import echo_json, echo_text

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd

SHOWN = {
    "outcome": "outcome", "level": "level", "cause": "cause", "from": "from", "to": "to",
    "mean": "effect", "lower": "2.5 %", "upper": "97.5 %", "probability_nonzero": "path",
    "probability_positive": "above 0", "robustness": "robustness",
}  # fmt: skip


@click.command()
@click.argument("run")
@click.option("--outcome", "outcomes", multiple=True, metavar="NAME", help="Effects on this variable; may be repeated.")
@click.option("--cause", "causes", multiple=True, metavar="NAME", help="Effects of this variable; may be repeated.")
@click.option("--from", "before", metavar="LEVEL", help="The level of a categorical cause to compare with.")
@click.option("--to", "after", metavar="LEVEL", help="The level to which a categorical cause is set.")
@click.option("--level", metavar="LEVEL", help="The level of a categorical outcome whose probability changes.")
@click.option("--standardized", is_flag=True, help="Effects per standard deviation instead of per unit.")
@click.option("--least", type=Number(0, 1), default=0.0, help="Omit pairs with a less probable causal path.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV, with all columns.")
@click.option("--json", "form", flag_value="json", help="Print JSON, with all columns.")
def effects(
    run: str,
    outcomes: tuple[str, ...],
    causes: tuple[str, ...],
    before: str | None,
    after: str | None,
    level: str | None,
    standardized: bool,
    least: float,
    form: str | None,
) -> None:
    """Print causal effects, averaged over the graphs of a saved run.

    One line per cause and outcome, the largest effect first: by how much the mean of the outcome changes if the cause
    is raised by 1 by an intervention, with a 95 % interval; the probability of a causal path, and that the effect is
    above 0; and the robustness: the share of the remaining variance of both that a hidden common cause would have to
    explain to bring the estimate to 0. For categorical columns: the change of the probability of a level of the outcome
    if the cause is set to another level than its first one; --from, --to and --level choose the levels for one cause
    and one outcome. RUN is a file written by `sample --out`, or - for standard input.

    Effects assume that no variable which is not in the table has an effect on two that are, and that the relations of
    continuous variables are linear.

    \b
    Examples:
      causal-zigzag effects cells.czz --outcome Akt
      causal-zigzag effects cells.czz --cause PKA --cause PKC --least 0.5
      causal-zigzag effects survey.czz --cause smoker --outcome fit --from no --to yes --level high
      causal-zigzag effects cells.czz --csv > effects.csv
    """
    if len({*causes, *outcomes}) == 1 and causes and outcomes:
        raise click.UsageError(f"an effect is of one variable on another, but both are {causes[0]!r}")
    levels = (before, after, level)
    if any(one is not None for one in levels) and not len(causes) == len(outcomes) == 1:
        raise click.UsageError("--from, --to and --level need one --cause and one --outcome")
    posterior = read_run(run)
    chosen, ends = (named_nodes(posterior.nodes, given) or None for given in (causes, outcomes))
    if any(one is not None for one in levels):
        frame = _contrast(posterior.effect(chosen[0], ends[0]) if chosen and ends else None, *levels)
    else:
        frame = posterior.effects(chosen, ends, standardized=standardized)
    frame = frame[frame["probability_nonzero"] >= least]
    if form == "json":
        echo_json(frame_values(frame))
    elif form == "csv":
        click.echo(frame.to_csv(index=False, lineterminator="\n"), nl=False)
    elif len(frame):
        shown = frame[[name for name in SHOWN if name in frame]].rename(columns=SHOWN)
        echo_text(shown.to_string(index=False, formatters=_forms()))
    else:
        click.echo(f"no pair has a causal path with probability {least:g} or more", err=True)


def _contrast(effect: Any, before: str | None, after: str | None, level: str | None) -> pd.DataFrame:
    """The effect of setting a categorical cause to one level instead of another, as a table with one row."""
    import pandas as pd

    from causal_zigzag.answers.effects.discrete_effect import DiscreteEffect
    from causal_zigzag.answers.effects.mixed import MixedEffect, effect_row

    if isinstance(effect, MixedEffect):
        a, b = (
            _level(effect.cause_levels, given, option, None) for given, option in ((before, "--from"), (after, "--to"))
        )
        return pd.DataFrame([effect_row(effect.contrast(a, b, _level(effect.outcome_levels, level, "--level", None)))])
    if not isinstance(effect, DiscreteEffect):
        raise click.UsageError("--from, --to and --level are for categorical columns; the effects of this run are not")
    a = _level(effect.cause_levels, before, "--from", effect.cause_levels[0])
    others = [known for known in effect.cause_levels if known != a]
    b = _level(effect.cause_levels, after, "--to", others[-1])
    k = _level(effect.outcome_levels, level, "--level", effect.outcome_levels[-1])
    return pd.DataFrame([effect.contrast(a, b, k).row()])


def _level(levels: Sequence[Hashable], given: str | None, option: str, otherwise: Hashable) -> Hashable:
    """The level with this text."""
    from causal_zigzag.graphs.labels import show_all

    if given is None:
        return otherwise
    for known in levels:
        if str(known) == given:
            return known
    raise click.UsageError(f"{option} {given}: there is no such level; the levels are {show_all(levels)}")


def _forms() -> dict[str, Any]:
    from causal_zigzag.support.wording import probability

    numbers = dict.fromkeys(("effect", "2.5 %", "97.5 %"), lambda value: f"{value:.3g}")
    shares = dict.fromkeys(("path", "above 0"), probability)
    levels = dict.fromkeys(("level", "from", "to"), lambda value: "" if value is None else str(value))
    return {**numbers, **shares, **levels, "robustness": lambda value: "" if value != value else f"{100 * value:.1f} %"}
