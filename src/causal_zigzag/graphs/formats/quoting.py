"""Names in double quotes, and comments, as edge lists and DOT share them."""

from __future__ import annotations

import re

from causal_zigzag.errors import GraphError

# Each alternative consumes what it has scanned, closed or not, which keeps the scan linear.
_QUOTED_OR_COMMENT = re.compile(
    r"""(?P<quoted>"(?:[^"\\]|\\.)*+"?)
      | //[^\n]*+
      | /\*(?P<block>(?:[^*]|\*(?!/))*+(?:\*/)?)
      | ^[ \t]*+\#[^\n]*+
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def quoted(text: str) -> str:
    r"""The text in double quotes, with backslashes before quotes and backslashes, and line ends as ``\n``."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def unescaped(text: str) -> str:
    """The text that ``quoted`` was given, from what is between the quotes."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text, flags=re.DOTALL)


def without_comments(text: str) -> str:
    """The text with a space for every comment: ``// ...``, ``/* ... */``, and lines that begin with ``#``."""
    return _QUOTED_OR_COMMENT.sub(_kept, text)


def _kept(found: re.Match[str]) -> str:
    if found["quoted"] is not None:
        return found["quoted"]
    if found["block"] is not None and not found["block"].endswith("*/"):
        raise GraphError("the text of the graph has a comment that begins with /* and does not end with */")
    return " "
