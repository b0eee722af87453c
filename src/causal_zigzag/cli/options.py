"""Options that several commands share."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, TypeVar

import click

from causal_zigzag.cli.counts import Count, Number
from causal_zigzag.cli.inputs import is_there, read_graph
from causal_zigzag.cli.output import STDIO
from causal_zigzag.errors import SettingsError
from causal_zigzag.scores.registry import score_names

if TYPE_CHECKING:
    from collections.abc import Callable

    import causal_zigzag as cz

Command = TypeVar("Command", bound="Callable[..., Any]")


class ScoreName(click.Choice):  # type: ignore[type-arg]
    """The name of a score in the registry, which is read anew for each command."""

    def __init__(self) -> None:
        super().__init__(("auto", *score_names()))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        self.choices = ("auto", *score_names())
        return super().convert(value, param, ctx)


score_option = click.option(
    "--score",
    type=ScoreName(),
    default="auto",
    show_default=True,
    metavar="NAME",
    help=f"Score of a graph: {', '.join(score_names())}; auto chooses it by the kinds of the columns.",
)


def target_options(command: Command) -> Command:
    """Add the options for the score and for bounds on graphs."""
    for option in (
        click.option("--max-degree", type=Count(1), help="Maximum number of neighbours per variable."),
        score_option,
    ):
        command = option(command)
    return command


def edge_list_options(command: Command) -> Command:
    """Add the options for a printed list of edges."""
    for option in (
        click.option("--json", "form", flag_value="json", help="Print JSON."),
        click.option("--csv", "form", flag_value="csv", help="Print CSV."),
        click.option(
            "--least",
            type=Number(0, 1),
            default=0.0,
            metavar="PROBABILITY",
            help="Omit pairs that are adjacent with a lower probability.",
        ),
    ):
        command = option(command)
    return command


def graph_form_options(command: Command) -> Command:
    """Add the options for the form in which one graph is printed."""
    for option in (
        click.option("--json", "form", flag_value="json", help="Print the result as JSON."),
        click.option("--dot", "form", flag_value="dot", help="Print the graph as DOT."),
    ):
        command = option(command)
    return command


def output_options(command: Command) -> Command:
    """Add the options for the output of a run."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the results as JSON."),
        click.option(
            "--report", "report_path", metavar="HTML", help="Write an HTML report to this file; - is standard output."
        ),
        click.option("--out", metavar="RUN", help="Save the run to this file (.czz); - is standard output."),
        click.option(
            "--prior",
            type=click.Choice(["classes", "dags"]),
            default="classes",
            show_default=True,
            help="Prior distribution: uniform over classes or uniform over DAGs.",
        ),
    ):
        command = option(command)
    return command


def scheduler_option(command: Command) -> Command:
    """Add the option for a Dask cluster."""
    return click.option(
        "--scheduler", metavar="ADDRESS", help="Run the chains on a Dask cluster with this scheduler, such as tcp://..."
    )(command)


def edge_prior_option(command: Command) -> Command:
    """Add the option for the edge prior."""
    return click.option(
        "--edge-prior",
        default="auto",
        show_default=True,
        callback=_read_edge_prior,
        metavar="auto|none|COST",
        help="Penalty per edge on the log score: auto is the log of the number of columns, none is 0, or a number.",
    )(command)


def _read_edge_prior(_: click.Context, __: click.Parameter, given: str) -> str | float | None:
    if given in ("auto", "none"):
        return None if given == "none" else given
    try:
        return float(given)
    except ValueError:
        raise click.BadParameter(f"{given!r} is not auto, none or a number") from None


def read_start(given: str, words: tuple[str, ...]) -> cz.CPDAG | str:
    """The start of chains or of a search: one of these words, or the graph in a file."""
    if given in words:
        return given
    if given != STDIO and not is_there(given):
        places = ", ".join(words)
        raise SettingsError(
            f"--start must be {places} or the file of a graph, but there is no file {reprlib.repr(given)}"
        )
    return read_graph(given)
