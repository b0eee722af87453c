"""Options for what is known: tiers, required and forbidden arrows, a knowledge file, pairs that are never joined."""

from __future__ import annotations

import dataclasses
import functools
import re
import reprlib
from typing import TYPE_CHECKING, Any, cast

import click

from causal_zigzag.cli.inputs import split_names
from causal_zigzag.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

    import causal_zigzag as cz

REST = ("...", "*")
ARROW = re.compile("->|<-|→|←")

Pair = tuple[str, str]


def knowledge_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add these options; the command gets ``bounds``: the arguments ``forbidden`` and ``knowledge`` of ``sample``."""

    @functools.wraps(command)
    def read(
        tiers: list[list[str] | str], require: list[Pair], forbid: tuple[list[Pair], list[Pair]], known: str | None,
        **given: Any,
    ) -> None:  # fmt: skip
        pairs, arrows = forbid
        command(bounds={"forbidden": pairs, "knowledge": _knowledge(known, tiers, require, arrows)}, **given)

    for option in (
        click.option(
            "--knowledge",
            "known",
            metavar="FILE",
            help="Read what is known from a file: .json, .yaml, or a knowledge file of Tetrad (any other ending).",
        ),
        click.option(
            "--forbid",
            multiple=True,
            callback=_read_forbidden,
            metavar='A,B|"A->B"',
            help="Allow no edge between columns A and B, or no arrow from A to B; may be repeated.",
        ),
        click.option(
            "--require",
            multiple=True,
            callback=_read_required,
            metavar='"A->B"',
            help="Require the arrow from A to B; may be repeated.",
        ),
        click.option(
            "--tiers",
            callback=_read_tiers,
            metavar='"A,B;C;..."',
            help="Groups of columns in their order in time: no arrow leads from a later to an earlier group. Columns "
            "in no group are free; ... stands for all of them.",
        ),
    ):
        read = option(read)
    return read


def with_pairs(bounds: dict[str, Any]) -> cz.Knowledge | None:
    """The knowledge, in which both arrows of each pair that is never joined are forbidden."""
    pairs, known = bounds["forbidden"], bounds["knowledge"]
    if not pairs:
        return cast("cz.Knowledge | None", known)
    import causal_zigzag as cz

    known = known or cz.Knowledge()
    return dataclasses.replace(known, forbidden=(*known.forbidden, *pairs, *((b, a) for a, b in pairs)))


def _knowledge(
    path: str | None, tiers: list[list[str] | str], required: list[Pair], forbidden: list[Pair]
) -> cz.Knowledge | None:
    if path is None and not (tiers or required or forbidden):
        return None
    import causal_zigzag as cz

    read = cz.Knowledge() if path is None else cz.Knowledge.load(path)
    if tiers and read.tiers:
        raise click.UsageError(f"--tiers and the file {path!r} of --knowledge both have tiers; give them once")
    return cz.Knowledge(
        tiers=tiers or read.tiers,
        required=[*read.required, *required],
        forbidden=[*read.forbidden, *forbidden],
        conditions=read.conditions,
        no_edges_within=read.no_edges_within if read.tiers else False,
        neighboring_tiers_only=read.neighboring_tiers_only,
    )


def _read_tiers(_: click.Context, __: click.Parameter, given: str | None) -> list[list[str] | str]:
    tiers: list[list[str] | str] = []
    for text in () if given is None else given.split(";"):
        names = split_names(text) or [""]
        if not all(names):
            raise click.BadParameter(f"{reprlib.repr(given)} has a group or a column without a name; write a,b;c;d")
        tiers.append("..." if names in ([REST[0]], [REST[1]]) else names)
    return tiers


def _read_required(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> list[Pair]:
    return [arrow for text in given for arrow in _arrows(text)]


def _read_forbidden(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[list[Pair], list[Pair]]:
    """The pairs that are never joined, and the forbidden arrows."""
    pairs, arrows = [], []
    for text in given:
        if ARROW.search(text):
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
    except GraphError as error:
        raise click.BadParameter(f"{reprlib.repr(text)} is not an arrow: {error}") from None
    if not edges or not all(directed for _, _, directed in edges):
        raise click.BadParameter(f'{reprlib.repr(text)} is not an arrow; write "a->b"')
    return [(str(x), str(y)) for x, y, _ in edges]
