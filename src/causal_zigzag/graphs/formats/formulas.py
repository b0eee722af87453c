"""Regressions such as ``y ~ x + b*z``, one per line: the path models of lavaan, semopy and pathmc."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from causal_zigzag.graphs.adjacency_matrix import MarkedEdge

_FORMULA = re.compile(r"[^~\->]+~[^\->]*")
_LATENT = re.compile(r"=~|~~")


def is_formulas(text: str) -> bool:
    """Whether the first line of the text is a regression, or another line of a structural equation model."""
    return _FORMULA.fullmatch(text.split("\n", 1)[0]) is not None


def read_formulas(text: str) -> tuple[list[Hashable], list[MarkedEdge]]:
    """The nodes and edges: an arrow from each term to the left side; definitions of parameters, ``:=``, are left out.

    >>> read_formulas("wet ~ a*rain + sun\\nice ~ wet")
    (['wet', 'rain', 'sun', 'ice', 'wet'], [('rain', 'wet', True), ('sun', 'wet', True), ('wet', 'ice', True)])
    """
    nodes: list[Hashable] = []
    edges: list[MarkedEdge] = []
    for line in re.split(r"[\n;]", text):
        line = line.partition("#")[0].strip()
        if not line or ":=" in line:
            continue
        if _LATENT.search(line):
            raise GraphError(
                f"{line!r} has a latent variable or a covariance of errors, and no DAG of the columns has it"
            )
        left, sign, right = line.partition("~")
        terms = [term.rpartition("*")[2].strip() for term in right.split("+")]
        if not sign or not left.strip() or not all(terms):
            raise GraphError(f"{line!r} is not a regression; write y ~ x + z")
        for y in map(str.strip, left.split("+")):
            parents = [x for x in terms if not x.isdigit()]  # 0 and 1 are intercepts
            nodes += [y, *parents]
            edges += [(x, y, True) for x in parents]
    return nodes, edges
