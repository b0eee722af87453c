"""Text as HTML: all text from users passes through these functions before it is written into a page."""

from __future__ import annotations

import html
import re
from collections.abc import Hashable, Sequence

from causal_zigzag.graphs.labels import distinct_texts

# Controls and lone surrogates are not allowed in HTML; they are shown as U+FFFD, as browsers do.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def plain(text: object) -> str:
    r"""The text without characters that HTML does not allow.

    >>> plain("a\x00b")
    'a\ufffdb'
    """
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", str(text))


def escape(text: object) -> str:
    """The text, escaped for an element or a quoted attribute.

    >>> escape('<script>"')
    '&lt;script&gt;&quot;'
    """
    return html.escape(plain(text), quote=True)


def name(text: str) -> str:
    """A name in running text, isolated so that a right-to-left name does not reorder the text around it."""
    return f"<bdi>{escape(text)}</bdi>"


def node_texts(nodes: Sequence[Hashable]) -> list[str]:
    """Distinct texts for the nodes."""
    return [plain(text) for text in distinct_texts(nodes)]


def shortened(text: str, most: int) -> str:
    """A long text without its middle; names often differ at their ends.

    >>> shortened("a_very_long_name_of_a_column", 11)
    'a_ver…olumn'
    """
    if len(text) <= most:
        return text
    head = most // 2
    return f"{text[:head]}…{text[len(text) - (most - head - 1) :]}"
