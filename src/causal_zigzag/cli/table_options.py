"""Options of the commands that read a table: columns and rows, kinds, weights, transforms, lags, layout of the file."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.inputs import split_names
from causal_zigzag.cli.options import Count, several

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("continuous", "categorical", "ordinal")
WORDS = (
    "kinds", "keep", "drop", "missing", "strict", "weights", "transform", "delimiter", "decimal", "na_values",
    "encoding", "lags", "by", "time", "trend", "season", "contexts", "targets",
)  # fmt: skip


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add these options; the command gets those given as ``reading``, the keywords of ``read_table`` or ``lagged``."""

    @functools.wraps(command)
    def read(log: list[str], rank: list[str], **given: Any) -> Any:
        given["transform"] = _transform(log, rank)
        reading = {word: given.pop(word) for word in WORDS}
        kept = {word: value for word, value in reading.items() if value or (word == "trend" and value is not None)}
        return command(reading=kept, **given)

    names: dict[str, Any] = {"multiple": True, "callback": read_names, "metavar": "COLUMN,..."}
    return several(
        click.option("--drop", **names, help="Leave out these columns; may be repeated."),
        click.option("--keep", **names, help="Use these columns, which would be left out, such as dates."),
        click.option("--strict", is_flag=True, help="Stop with a list of what is wrong with the table; mend nothing."),
        click.option(
            "--missing",
            type=click.Choice(["sample", "drop", "refuse"]),
            help="What to do about missing cells: sample them with the graph, leave out their rows, or stop."
            "  [default: sample]",
        ),
        click.option(
            "--kinds",
            multiple=True,
            callback=_read_kinds,
            metavar="COLUMN=KIND",
            help="Kind of a column: continuous, categorical or ordinal; may be repeated. KIND alone applies to all.",
        ),
        click.option("--weights", metavar="COLUMN", help="Column of counts: how many equal rows each row stands for."),
        click.option("--log", **names, help="Replace these columns by their logarithms; or all."),
        click.option("--rank", **names, help="Replace these columns by normal scores of their ranks; or all."),
        click.option("--contexts", **names, help="Columns of experimental conditions, such as a treatment or a site."),
        click.option(
            "--targets",
            multiple=True,
            callback=_read_targets,
            metavar="CONDITION=COLUMN,...",
            help="Columns that a condition of --contexts is known to set, wherever it is on; may be repeated.",
        ),
        click.option(
            "--lags",
            type=Count(1),
            help="DATA are time series: use as many steps of their past as causes.  [default: 2 with --time]",
        ),
        click.option("--time", metavar="COLUMN", help="Column of the times of the rows, which must increase."),
        click.option(
            "--trend/--no-trend",
            default=None,
            help="Take linear trends out of all series, or of none.  [default: of those in which it is beyond doubt]",
        ),
        click.option("--season", type=Count(2), help="Steps of a cycle whose means are taken out, such as 12."),
        click.option(
            "--by", **names,
            help="Columns that say which rows belong together, such as person or school; with --lags or --time, those "
            "that name the series.",
        ),
        click.option(
            "--delimiter",
            callback=_read_delimiter,
            metavar="CHARACTER",
            help="Delimiter of cells in the file, or the word tab.  [default: guessed from the first line]",
        ),
        click.option("--decimal", type=click.Choice([".", ","]), help="Decimal mark in the file.  [default: .]"),
        click.option(
            "--na", "na_values", multiple=True, metavar="TEXT",
            help="Treat cells with this text as missing; may be repeated.",
        ),
        click.option(
            "--encoding", metavar="NAME", help="Encoding of the text file, such as cp1252 or utf-16.  [default: utf-8]"
        ),
    )(read)  # fmt: skip


def _transform(log: list[str], rank: list[str]) -> str | dict[str, str] | None:
    if {*log} & {*rank} or ("all" in (*log, *rank) and len(log) + len(rank) > 1):
        raise click.UsageError("--log and --rank name each column once, or one of them names all")
    if "all" in (*log, *rank):
        return "log" if log else "normal-scores"
    return dict.fromkeys(log, "log") | dict.fromkeys(rank, "normal-scores") or None


def read_names(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> list[str]:
    """The names in lists that are separated by commas."""
    return [name for text in given for name in split_names(text)]


def _read_kinds(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> str | dict[str, str]:
    parts = [part for text in given for part in split_names(text)]
    if len(parts) == 1 and parts[0] in KINDS:
        return parts[0]
    kinds = {}
    for text in parts:
        name, _equals, kind = (part.strip() for part in text.rpartition("="))
        if kind not in KINDS or not name:
            raise click.BadParameter(f"{text!r} is not COLUMN=KIND, where KIND is one of {', '.join(KINDS)}")
        kinds[name] = kind
    return kinds


def _read_targets(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, list[str]]:
    targets: dict[str, list[str]] = {}
    for text in given:
        condition, _equals, names = (part.strip() for part in text.partition("="))
        if not (condition and names):
            raise click.BadParameter(f"{text!r} is not CONDITION=COLUMN,...")
        targets.setdefault(condition, []).extend(split_names(names))
    return targets


def _read_delimiter(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    sign = {"tab": "\t", r"\t": "\t", "space": " "}.get(given or "", given)
    if sign is not None and len(sign) != 1:
        raise click.BadParameter(f"{given!r} is not one character or the word tab or space")
    return sign
