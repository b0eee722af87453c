"""The language of dagitty: written only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.labels import distinct_texts

if TYPE_CHECKING:
    from causal_zigzag.graphs.mpdag import ClassGraph

UNWRITABLE = re.compile(r'[\x00-\x1f\x7f]|\\"|\\$')  # in a string of dagitty, only \" is an escape


def dagitty(g: ClassGraph) -> str:
    """See ``CPDAG.to_dagitty``."""
    texts = distinct_texts(g.nodes)
    for text in texts:
        if UNWRITABLE.search(text) or not text:
            raise GraphError(
                f"the label {text!r} cannot be written for dagitty; rename the node: a label must not be empty, have "
                "control characters or a backslash before a quote, or end with a backslash"
            )
    ids = ['"' + text.replace('"', '\\"') + '"' for text in texts]
    lines = [f"  {name}" for name in ids]
    lines += [f"  {ids[x]} -> {ids[y]}" for x, y in g.core.directed_edges()]
    lines += [f"  {ids[x]} -- {ids[y]}" for x, y in g.core.undirected_edges()]
    return "\n".join(["pdag {", *lines, "}"])
