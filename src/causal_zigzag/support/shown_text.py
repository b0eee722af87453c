"""Text that may hold names from a table, without the characters that terminals, browsers and spreadsheets obey."""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_TURNS = "\u2028-\u202e\u2066-\u2069"  # changes of the writing direction make a name look like another one
OBEYED = re.compile(f"[\t{_CONTROLS}\u200e\u200f{_TURNS}]")
_NOT_IN_HTML = re.compile(f"[{_CONTROLS}{_TURNS}\ud800-\udfff\ufffe\uffff]")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def visible(text: str) -> str:
    r"""The text with such characters written as escapes, for a terminal.

    >>> print(visible("a\x07b"))
    a\x07b
    """
    return OBEYED.sub(lambda found: repr(found[0])[1:-1], text)


def plain(text: object) -> str:
    r"""The text with U+FFFD for such characters, for a page; lone surrogates are not allowed there either.

    >>> plain("a\x00b")
    'a\ufffdb'
    """
    return _NOT_IN_HTML.sub("\N{REPLACEMENT CHARACTER}", str(text))


def spreadsheet_cell(value: object) -> object:
    """The value of a cell of a CSV file; text that a spreadsheet would run as a formula gets an apostrophe before it.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("dose"), spreadsheet_cell(-0.5)
    ("'=1+1", 'dose', -0.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
