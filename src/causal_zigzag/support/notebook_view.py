"""A result in a notebook: a heading, a few lines of text and a table, in the colors of the notebook."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from causal_zigzag.support.shown_text import plain

if TYPE_CHECKING:
    import pandas as pd

MOST_TABLE_ROWS = 20
BLOCK = "border-left:3px solid rgba(128,128,128,0.35);padding-left:0.8em"  # visible on light and dark backgrounds


def view(heading: str, lines: Iterable[str], table: pd.DataFrame | None = None) -> str:
    """HTML of a heading, lines of text, and the first rows of a table; all text is escaped.

    >>> view("Effect", ["raising a by 1 changes <b>"]).split("</strong>")[1]
    '<div>raising a by 1 changes &lt;b&gt;</div></div>'
    """
    text = "".join(f"<div>{escape(line)}</div>" for line in lines)
    rows = ""
    if table is not None and len(table):
        rows = table.head(MOST_TABLE_ROWS).to_html(index=False, border=0, na_rep="", float_format="{:.4g}".format)
        more = len(table) - MOST_TABLE_ROWS
        rows += f"<div>and {more:,} more rows</div>" if more > 0 else ""
    return plain(f'<div style="{BLOCK}"><strong>{escape(heading)}</strong>{text}{rows}</div>')
