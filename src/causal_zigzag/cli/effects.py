"""The command `effects`, which prints causal effects of a saved run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.inputs import named_nodes, read_run
from causal_zigzag.cli.options import form_options, least_option
from causal_zigzag.cli.output import echo_frame

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd

    from causal_zigzag.answers.effects.effect import Effect

SHOWN = {
    "do": "do", "outcome": "outcome", "level": "level", "cause": "cause", "from": "from", "to": "to",
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
@click.option("--curve", is_flag=True, help="The mean of the outcome for values of the cause.")
@click.option("--standardized", is_flag=True, help="Effects per standard deviation instead of per unit.")
@least_option("that have a causal path with")
@form_options("csv", "json")
def effects(
    run: str,
    outcomes: tuple[str, ...],
    causes: tuple[str, ...],
    before: str | None,
    after: str | None,
    level: str | None,
    curve: bool,
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
    and one outcome. CSV and JSON have all columns. RUN is a file written by `sample --out`, or - for standard input.

    With the score additive-gp the effect is the mean slope of a curve, and --curve prints the curve: the mean of the
    outcome, with 95 % intervals, if the cause is set to each of 41 values.

    Effects assume that no variable which is not in the table has an effect on two that are, and, with other scores,
    that the relations of continuous variables are linear.

    \b
    Examples:
      causal-zigzag effects cells.czz --outcome Akt
      causal-zigzag effects cells.czz --cause PKA --cause PKC --least 0.5
      causal-zigzag effects survey.czz --cause smoker --outcome fit --from no --to yes --level high
      causal-zigzag effects doses.czz --cause dose --outcome response --curve
      causal-zigzag effects cells.czz --csv > effects.csv
    """
    given = {"--from": before, "--to": after, "--level": level}
    chooses = any(text is not None for text in given.values())
    if (curve or chooses) and not len(causes) == len(outcomes) == 1:
        raise click.UsageError("--curve, --from, --to and --level need one --cause and one --outcome")
    posterior = read_run(run)
    chosen, ends = (named_nodes(posterior.nodes, names) or None for names in (causes, outcomes))
    if chosen and ends and (curve or chooses):
        frame = (_curve if curve else _contrast)(posterior.effect(chosen[0], ends[0]), given)
    else:
        frame = posterior.effects(chosen, ends, standardized=standardized)
    if not curve:
        frame = frame[frame["probability_nonzero"] >= least]
    if form is None:
        kept = [name for name in SHOWN if name in frame and (frame.empty or frame[name].notna().any())]
        frame = frame[kept].rename(columns=SHOWN)
    echo_frame(frame, form, _forms(), least, "has a causal path")


def _curve(effect: Effect, given: dict[str, str | None]) -> pd.DataFrame:
    """The curve of an effect on the mean, or on the probability of a level."""
    return _chosen(effect, given).curve()


def _contrast(effect: Effect, given: dict[str, str | None]) -> pd.DataFrame:
    """The effect of setting a cause to one level instead of another, as a table with one row."""
    import pandas as pd

    if not (effect.cause_levels or effect.outcome_levels):
        raise click.UsageError("--from, --to and --level are for categorical columns; the effects of this run are not")
    return pd.DataFrame([_chosen(effect, given).row()])


def _chosen(effect: Effect, given: dict[str, str | None]) -> Effect:
    causes, outcomes = effect.cause_levels, effect.outcome_levels
    if not (causes or outcomes):
        return effect
    a, b = (_level(causes, option, given[option]) for option in ("--from", "--to"))
    return effect.contrast(a, b, _level(outcomes, "--level", given["--level"]))


def _level(levels: Sequence[Hashable], option: str, given: str | None) -> Hashable:
    """The level with this text; None if none is given."""
    from causal_zigzag.graphs.labels import show_all

    found = [known for known in levels if str(known) == given]
    if given is not None and not found:
        raise click.UsageError(f"{option} {given}: there is no such level; the levels are {show_all(levels)}")
    return found[0] if found else None


def _forms() -> dict[str, Any]:
    from causal_zigzag.support.wording import probability

    numbers = dict.fromkeys(("do", "effect", "2.5 %", "97.5 %"), lambda value: f"{value:.3g}")
    shares = dict.fromkeys(("path", "above 0"), probability)
    levels = dict.fromkeys(("level", "from", "to"), lambda value: "" if value is None else str(value))
    return {**numbers, **shares, **levels, "robustness": lambda value: "" if value != value else f"{100 * value:.1f} %"}
