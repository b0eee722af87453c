"""Options of the commands that read a table: columns and rows, kinds, weights, transforms, layout of the file."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.inputs import split_names

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("continuous", "categorical", "ordinal")
WORDS = (
    "kinds", "keep", "drop", "missing", "strict", "weights", "transform", "delimiter", "decimal", "na_values",
    "encoding",
)  # fmt: skip
ALL = "all"


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add these options; the command gets those that were given as ``reading``, the keywords of ``read_table``."""

    @functools.wraps(command)
    def read(log: list[str], rank: list[str], **given: Any) -> None:
        given["transform"] = _transform(log, rank)
        reading = {word: given.pop(word) for word in WORDS}
        command(reading={word: value for word, value in reading.items() if value}, **given)

    names: dict[str, Any] = {"multiple": True, "callback": _read_names, "metavar": "COLUMN,..."}
    for option in (
        click.option(
            "--encoding", metavar="NAME", help="Encoding of the text file, such as cp1252 or utf-16.  [default: utf-8]"
        ),
        click.option(
            "--na", "na_values", multiple=True, metavar="TEXT",
            help="Treat cells with this text as missing; may be repeated.",
        ),
        click.option("--decimal", type=click.Choice([".", ","]), help="Decimal mark in the file.  [default: .]"),
        click.option(
            "--delimiter",
            callback=_read_delimiter,
            metavar="CHARACTER",
            help="Delimiter of cells in the file, or the word tab.  [default: guessed from the first line]",
        ),
        click.option("--rank", **names, help="Replace these columns by normal scores of their ranks; or all."),
        click.option("--log", **names, help="Replace these columns by their logarithms; or all."),
        click.option("--weights", metavar="COLUMN", help="Column of counts: how many equal rows each row stands for."),
        click.option(
            "--kinds",
            multiple=True,
            callback=_read_kinds,
            metavar="COLUMN=KIND",
            help="Kind of a column: continuous, categorical or ordinal; may be repeated. KIND alone applies to all.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["sample", "drop", "refuse"]),
            help="What to do about missing cells: sample them with the graph, leave out their rows, or stop."
            "  [default: sample]",
        ),
        click.option("--strict", is_flag=True, help="Stop with a list of what is wrong with the table; mend nothing."),
        click.option("--keep", **names, help="Use these columns, which would be left out, such as dates."),
        click.option("--drop", **names, help="Leave out these columns; may be repeated."),
    ):  # fmt: skip
        read = option(read)
    return read


def _transform(log: list[str], rank: list[str]) -> str | dict[str, str] | None:
    asked = {"log": log, "normal-scores": rank}
    for name, columns in asked.items():
        if columns == [ALL]:
            if any(others for other, others in asked.items() if other != name):
                raise click.UsageError("--log all or --rank all is for all columns; leave the other out")
            return name
    both = next((column for column in log if column in rank), None)
    if both is not None:
        raise click.UsageError(f"--log and --rank both name {both!r}; give one of them")
    return {column: name for name, columns in asked.items() for column in columns} or None


def _read_names(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> list[str]:
    return [name for text in given for name in split_names(text)]


def _read_kinds(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> str | dict[str, str]:
    kinds: dict[str, str] = {}
    for text in (part for one in given for part in split_names(one)):
        name, equals, kind = (part.strip() for part in text.rpartition("="))
        if kind not in KINDS or (equals and not name):
            raise click.BadParameter(f"{text!r} is not COLUMN=KIND, where KIND is one of {', '.join(KINDS)}")
        if not equals:
            if len(given) > 1 or "," in given[0]:
                raise click.BadParameter(
                    f"{kind!r} without a column is for all columns; write COLUMN={kind}, or no other --kinds"
                )
            return kind
        kinds[name] = kind
    return kinds


def _read_delimiter(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    sign = {"tab": "\t", r"\t": "\t", "space": " "}.get(given or "", given)
    if sign is not None and len(sign) != 1:
        raise click.BadParameter(f"{given!r} is not one character or the word tab or space")
    return sign
