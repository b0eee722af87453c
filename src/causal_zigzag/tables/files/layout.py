"""Layout: the options for reading a text file."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from causal_zigzag.errors import DataError
from causal_zigzag.support.validation import is_word


@dataclass(frozen=True)
class Layout:
    """The layout of a text file: delimiter of cells, decimal mark, texts of missing cells, and encoding."""

    delimiter: str | None = None  # None: determined from the first line
    decimal: str = "."
    na_values: tuple[str, ...] = ()
    encoding: str | None = None  # None: UTF-8


PLAIN = Layout()


def read_layout(delimiter: Any, decimal: Any, na_values: Any, encoding: Any = None) -> Layout:
    """The layout from the arguments of the user, validated."""
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'):
        raise DataError(f"delimiter must be None or one character such as ';', not {delimiter!r}")
    if not is_word(decimal, ".", ","):
        raise DataError(f"decimal must be '.' or ',', not {decimal!r}")
    if delimiter == decimal:
        raise DataError(f"delimiter and decimal are both {decimal!r}; they must differ")
    several = isinstance(na_values, Iterable) and not isinstance(na_values, (str, bytes))
    texts = tuple(na_values) if several else (na_values,)
    if not all(isinstance(text, str) for text in texts):
        raise DataError(f"na_values must be the texts of missing cells, such as ['n.d.', '-99'], not {na_values!r}")
    return Layout(delimiter, decimal, texts, _read_encoding(encoding))


def _read_encoding(encoding: Any) -> str | None:
    if encoding is None:
        return None
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # a LookupError for codecs such as base64, which give no text
    except (LookupError, TypeError, ValueError):
        raise DataError(f"encoding must be None or a name such as 'cp1252' or 'utf-16', not {encoding!r}") from None
    return None if name in ("utf-8", "utf-8-sig") else name


def refuse_layout(layout: Layout, what: str) -> None:
    """Raise a DataError if a layout was given, but the data are not a text file."""
    if layout != PLAIN:
        raise DataError(f"delimiter, decimal, na_values and encoding are for text files, but {what}; leave them out")
