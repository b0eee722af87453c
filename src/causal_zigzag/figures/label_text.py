"""Node labels as text in pictures: printable, of bounded width, and how wide it is."""

from __future__ import annotations

import unicodedata

from causal_zigzag.support.shown_text import plain

FONT = 13.0  # points
LONGEST_LABEL = 26  # letters of average width


def printable(text: str) -> str:
    """The text with unprintable characters replaced: controls, lone surrogates and changes of writing direction."""
    shown = plain(" ".join(text.split()))
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) == "Cn" else c for c in shown) or " "


def shortened(text: str, longest: float = LONGEST_LABEL) -> str:
    """A long text without its middle; names in a table often differ at their ends."""
    most = longest * FONT * 0.6
    if text_width(text) <= most:
        return text
    keep = len(text)
    while keep > 2 and text_width(text[: (keep + 1) // 2] + "…" + text[len(text) - keep // 2 :]) > most:
        keep -= max(1, keep // 8)
    return text[: (keep + 1) // 2] + "…" + text[len(text) - keep // 2 :]


def text_width(text: str) -> float:
    """An upper estimate of the width of a text in a usual sans-serif font."""
    return FONT * sum(_letter_width(c) for c in text)


def _letter_width(c: str) -> float:
    if unicodedata.east_asian_width(c) in "WF":
        return 1.05
    if unicodedata.combining(c):
        return 0.0
    if c in "ijl.,:;|!'()[] ft":
        return 0.4
    if c in "mwMW@%—…":
        return 0.98
    return 0.7 if c.isupper() else 0.62
