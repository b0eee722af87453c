"""Text as HTML: all text from users passes through these functions before it is written into a page."""

from __future__ import annotations

import html
from collections.abc import Hashable, Iterable, Mapping, Sequence

from causal_zigzag.graphs.labels import distinct_texts
from causal_zigzag.support.shown_text import plain


def escape(text: object) -> str:
    """The text, escaped for an element or a quoted attribute.

    >>> escape('<script>"')
    '&lt;script&gt;&quot;'
    """
    return html.escape(plain(text), quote=True)


def name(text: object) -> str:
    """A name in running text, isolated so that a right-to-left name does not reorder the text around it."""
    return f"<bdi>{escape(text)}</bdi>"


def node_texts(nodes: Sequence[Hashable]) -> list[str]:
    """Distinct texts for the nodes."""
    return [plain(text) for text in distinct_texts(nodes)]


def table(label: str, heads: Iterable[str] | Mapping[str, str], rows: Iterable[str], look: str = "scroll still") -> str:
    """A table in a frame that scrolls, also by keyboard; values of a mapping explain its heads on hover."""
    explained = heads if isinstance(heads, Mapping) else dict.fromkeys(heads, "")
    head = "".join(
        f'<th scope="col"{f" title={chr(34)}{words}{chr(34)}" if words else ""}>{text}</th>'
        for text, words in explained.items()
    )
    return (
        f'<div class="{look}" tabindex="0" role="region" aria-label="{label}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(head: str, *cells: str, note: str | None = None) -> str:
    """A row of a table: its head, cells of numbers, and a note in smaller letters."""
    numbers = "".join(f'<td class="num">{escape(cell)}</td>' for cell in cells)
    last = "" if note is None else f'<td class="small">{note}</td>'
    return f'<tr><th scope="row">{head}</th>{numbers}{last}</tr>'


def code(text: str) -> str:
    """A block of code."""
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'
