"""Options for what is known: tiers, required and forbidden arrows, a knowledge file, pairs that are never joined."""

from __future__ import annotations

import dataclasses
import functools
import re
import reprlib
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.inputs import split_names
from causal_zigzag.cli.options import several
from causal_zigzag.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

    import causal_zigzag as cz

Pair = tuple[str, str]


def knowledge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add these options; the command gets ``knowledge``, that of ``sample``."""

    @functools.wraps(command)
    def read(
        tiers: list[list[str] | str],
        require: list[Pair],
        forbid: tuple[list[Pair], list[Pair]],
        known: str | None,
        **given: Any,
    ) -> Any:
        apart, arrows = forbid
        return command(knowledge=_knowledge(known, tiers, require, arrows, apart), **given)

    return several(
        click.option(
            "--tiers",
            callback=_read_tiers,
            metavar='"A,B;C;..."',
            help="Groups of columns in their order in time: no arrow leads from a later to an earlier group. Columns "
            "in no group are free; ... stands for all of them.",
        ),
        click.option(
            "--require",
            multiple=True,
            callback=lambda _, __, given: [arrow for text in given for arrow in _arrows(text)],
            metavar='"A->B"',
            help="Require the arrow from A to B; may be repeated.",
        ),
        click.option(
            "--forbid",
            multiple=True,
            callback=_read_forbidden,
            metavar='A,B|"A->B"',
            help="Allow no edge between columns A and B, or no arrow from A to B; may be repeated.",
        ),
        click.option(
            "--knowledge",
            "known",
            metavar="FILE",
            help="Read what is known from a file: .json, .yaml, or a knowledge file of Tetrad (any other ending).",
        ),
    )(read)


def _knowledge(
    path: str | None, tiers: list[list[str] | str], required: list[Pair], forbidden: list[Pair], apart: list[Pair]
) -> cz.Knowledge | None:
    import causal_zigzag as cz

    read = cz.Knowledge() if path is None else cz.Knowledge.load(path)
    if tiers and read.tiers:
        raise click.UsageError(f"--tiers and the file {path!r} of --knowledge both have tiers; give them once")
    given: dict[str, Any] = {"tiers": tiers or read.tiers}
    given |= {"required": (*read.required, *required), "forbidden": (*read.forbidden, *forbidden)}
    given |= {"apart": (*read.apart, *apart)}
    return dataclasses.replace(read, **given) or None


def _read_tiers(_: click.Context, __: click.Parameter, given: str | None) -> list[list[str] | str]:
    groups = [split_names(text) or [""] for text in given.split(";")] if given is not None else []
    if not all(name for names in groups for name in names):
        raise click.BadParameter(f"{reprlib.repr(given)} has a group or a column without a name; write a,b;c;d")
    return ["..." if names in (["..."], ["*"]) else names for names in groups]


def _read_forbidden(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[list[Pair], list[Pair]]:
    """The pairs that are never joined, and the forbidden arrows."""
    pairs, arrows = [], []
    for text in given:
        if re.search("->|<-|→|←", text):
            arrows += _arrows(text)
            continue
        names = split_names(text)
        if len(names) != 2 or not all(names):
            raise click.BadParameter(f"{reprlib.repr(text)} is not a pair of columns or an arrow; write a,b or a->b")
        pairs.append((names[0], names[1]))
    return pairs, arrows


def _arrows(text: str) -> list[Pair]:
    from causal_zigzag.graphs.formats.edge_list import read_edge_list

    try:
        _, edges = read_edge_list(text)
    except GraphError:
        edges = []
    if not edges or not all(directed for _, _, directed in edges):
        raise click.BadParameter(f'{reprlib.repr(text)} is not an arrow; write "a->b"')
    return [(str(x), str(y)) for x, y, _ in edges]
