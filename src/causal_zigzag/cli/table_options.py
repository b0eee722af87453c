"""Options of the commands that read a table: columns and rows to leave out, kinds of columns, layout of the file."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.inputs import split_names

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("continuous", "categorical", "ordinal")
WORDS = ("kinds", "drop", "drop_missing", "delimiter", "decimal", "missing", "encoding")


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add these options; the command gets those that were given as ``reading``, the keywords of ``read_table``."""

    @functools.wraps(command)
    def read(**given: Any) -> None:
        reading = {word: given.pop(word) for word in WORDS}
        command(reading={word: value for word, value in reading.items() if value}, **given)

    for option in (
        click.option(
            "--encoding", metavar="NAME", help="Encoding of the text file, such as cp1252 or utf-16.  [default: utf-8]"
        ),
        click.option(
            "--missing", multiple=True, metavar="TEXT", help="Treat cells with this text as missing; may be repeated."
        ),
        click.option("--decimal", type=click.Choice([".", ","]), help="Decimal mark in the file.  [default: .]"),
        click.option(
            "--delimiter",
            callback=_read_delimiter,
            metavar="CHARACTER",
            help="Delimiter of cells in the file, or the word tab.  [default: guessed from the first line]",
        ),
        click.option(
            "--kinds",
            multiple=True,
            callback=_read_kinds,
            metavar="COLUMN=KIND",
            help="Kind of a column: continuous, categorical or ordinal; may be repeated. KIND alone applies to all.",
        ),
        click.option("--drop-missing", is_flag=True, help="Leave out rows with missing cells."),
        click.option(
            "--drop",
            multiple=True,
            callback=_read_names,
            metavar="COLUMN,...",
            help="Leave out these columns, such as an identifier; may be repeated.",
        ),
    ):
        read = option(read)
    return read


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
