"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from causal_zigzag.cli.counts import Count
from causal_zigzag.cli.inputs import read_graph, read_pairs
from causal_zigzag.cli.output import STDIO
from causal_zigzag.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    import causal_zigzag as cz

Command = TypeVar("Command", bound="Callable[..., Any]")

SCORE_NAMES = ("auto", "gaussian-bic", "bge", "discrete-bic", "bdeu", "mixed-bic")


def target_options(command: Command) -> Command:
    """What is scored, and which graphs may be."""
    for option in (
        click.option(
            "--forbid", multiple=True, callback=read_pairs, metavar="A,B", help="Never join A and B; may be repeated."
        ),
        click.option("--max-degree", type=Count(1), help="The most nodes that one may be adjacent to."),
        click.option(
            "--score",
            type=click.Choice(SCORE_NAMES),
            default="auto",
            show_default=True,
            help="How graphs are scored; auto goes by the kinds of the columns.",
        ),
    ):
        command = option(command)
    return command


def output_options(command: Command) -> Command:
    """What becomes of a run."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON."),
        click.option(
            "--report", "report_path", metavar="HTML", help="Write a report to this file; - is standard output."
        ),
        click.option("--out", metavar="RUN", help="Save the run to this file; - is standard output."),
        click.option(
            "--prior",
            type=click.Choice(["classes", "dags"]),
            default="classes",
            show_default=True,
            help="What weighs the same before any data: every class, or every DAG.",
        ),
    ):
        command = option(command)
    return command


def scheduler_option(command: Command) -> Command:
    """Who runs the chains."""
    return click.option(
        "--scheduler", metavar="ADDRESS", help="Run the chains on the cluster of a Dask scheduler, tcp://..."
    )(command)


def edge_prior_option(command: Command) -> Command:
    """What an edge costs."""
    return click.option(
        "--edge-prior",
        default="auto",
        show_default=True,
        callback=_read_edge_prior,
        metavar="auto|none|COST",
        help="What an edge costs, in units of the log score: the log of the number of columns, nothing, or so much.",
    )(command)


def _read_edge_prior(_: click.Context, __: click.Parameter, given: str) -> str | float | None:
    if given in ("auto", "none"):
        return None if given == "none" else given
    try:
        return float(given)
    except ValueError:
        raise click.BadParameter(f"{given!r} is neither auto nor none nor a number") from None


def read_start(given: str, words: tuple[str, ...]) -> cz.CPDAG | str:
    """Where chains or a search begin: one of these words, or the graph in a file."""
    if given in words:
        return given
    if given != STDIO and not Path(given).exists():
        places = " or ".join(words)
        raise SettingsError(f"there is no file {given!r} to begin at; --start takes {places}, or the file of a graph")
    return read_graph(given)
