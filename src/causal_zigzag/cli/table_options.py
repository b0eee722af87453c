"""Options of the commands that read a table: what of it is left out, what its columns are, how its file is written."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.inputs import split_names

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("continuous", "categorical", "ordinal")
WORDS = ("kinds", "drop", "drop_missing", "delimiter", "decimal", "missing")


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives the command what ``read_table`` takes as ``reading``, without what is as by default."""

    @functools.wraps(command)
    def read(**given: Any) -> None:
        reading = {word: given.pop(word) for word in WORDS}
        command(reading={word: value for word, value in reading.items() if value}, **given)

    for option in (
        click.option("--missing", multiple=True, metavar="TEXT", help="Cells with this text are missing; repeatable."),
        click.option("--decimal", type=click.Choice([".", ","]), help="The decimal sign of the file.  [default: .]"),
        click.option(
            "--delimiter",
            callback=_read_delimiter,
            metavar="SIGN",
            help="What separates the cells of the file; tab is a word for it.  [default: told from its first line]",
        ),
        click.option(
            "--kinds",
            multiple=True,
            callback=_read_kinds,
            metavar="COLUMN=KIND",
            help="What a column is: continuous, categorical or ordinal; repeatable. A KIND alone is for all columns.",
        ),
        click.option("--drop-missing", is_flag=True, help="Leave out the rows that have missing cells."),
        click.option(
            "--drop",
            multiple=True,
            callback=_read_names,
            metavar="COLUMN,...",
            help="Leave out these columns, such as an identifier; repeatable.",
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
            raise click.BadParameter(f"{text!r} is not COLUMN=KIND with a kind of {', '.join(KINDS)}")
        if not equals:
            if len(given) > 1 or "," in given[0]:
                raise click.BadParameter(f"{kind!r} alone is for all columns; write COLUMN={kind}, or nothing else")
            return kind
        kinds[name] = kind
    return kinds


def _read_delimiter(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    sign = {"tab": "\t", r"\t": "\t", "space": " "}.get(given or "", given)
    if sign is not None and len(sign) != 1:
        raise click.BadParameter(f"{given!r} is not one sign, nor the word tab or space")
    return sign
