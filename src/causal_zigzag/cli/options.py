"""Options that several commands share, and the kinds of their values."""

from __future__ import annotations

import functools
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

from causal_zigzag.scores.registry import score_names

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., Any]")


class Count(click.IntRange):
    """An integer of at least ``least``, which may be written as 1e6 or 1_000_000."""

    name = "count"

    def __init__(self, least: int) -> None:
        super().__init__(min=least)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that the text denotes."""
        with suppress(ValueError):
            if isinstance(value, str) and float(value).is_integer():
                value = int(value) if value.strip("+- ").replace("_", "").isdigit() else int(float(value))
        return super().convert(value, param, ctx)


class CountOrAuto(Count):
    """An integer of at least ``least``, or the word auto."""

    name = "count|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that the text denotes, or "auto"."""
        return value if value == "auto" else super().convert(value, param, ctx)


class ScoreName(click.Choice):  # type: ignore[type-arg]
    """The name of a score in the registry, which is read anew for each command."""

    def __init__(self) -> None:
        super().__init__(("auto", *score_names()))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        self.choices = ("auto", *score_names())
        return super().convert(value, param, ctx)


def several(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """One decorator of several options, in the order of the help."""
    return lambda command: functools.reduce(lambda made, option: option(made), reversed(options), command)


def form_options(*forms: str) -> Callable[[Command], Command]:
    """The options for the form of what is printed, which the command gets as ``form``; text without one."""
    return several(
        *(click.option(f"--{form}", "form", flag_value=form, help=f"Print {form.upper()}.") for form in forms)
    )


def least_option(what: str) -> Callable[[Command], Command]:
    """The option for the smallest probability in a printed table."""
    return click.option(
        "--least", default=0.0, type=click.FloatRange(0, 1), callback=_not_nan, metavar="PROBABILITY",
        help=f"Omit pairs {what} a lower probability.",
    )  # fmt: skip


def _not_nan(_: click.Context, __: click.Parameter, given: float) -> float:
    if math.isnan(given):  # which click takes to be in any range
        raise click.BadParameter("'nan' is not a number")
    return given


def minutes_option(text: str) -> Callable[[Command], Command]:
    """The option for the length of a run in minutes."""
    return click.option("--minutes", type=click.FloatRange(min=0, min_open=True), metavar="MINUTES", help=text)


resamples_option = click.option(
    "--resamples",
    type=CountOrAuto(0),
    default="auto",
    show_default=True,
    help="Number of tables drawn from the rows, whose posteriors are averaged; 0 for none.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), metavar="SEED", help="Random seed, for a result that can be repeated."
)


def _read_edge_prior(_: click.Context, __: click.Parameter, given: str) -> str | float | None:
    if given in ("auto", "none"):
        return None if given == "none" else given
    try:
        return float(given)
    except ValueError:
        raise click.BadParameter(f"{given!r} is not auto, none or a number") from None


score_options = several(
    click.option(
        "--score",
        type=ScoreName(),
        default="auto",
        show_default=True,
        metavar="NAME",
        help=f"Score of a graph: {', '.join(score_names())}; auto chooses it by the kinds of the columns.",
    ),
    click.option(
        "--edge-prior",
        default="auto",
        show_default=True,
        callback=_read_edge_prior,
        metavar="auto|none|COST",
        help="Penalty per edge on the log score: auto is the log of the number of columns, none is 0, or a number.",
    ),
)
max_degree_option = click.option("--max-degree", type=Count(1), help="Maximum number of neighbours per variable.")
