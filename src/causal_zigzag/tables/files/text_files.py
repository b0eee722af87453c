"""Text files as DataFrames: their layout, encoding, compression, column names, and the lines of rows."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from causal_zigzag.errors import DataError
from causal_zigzag.graphs.labels import MOST_IN_MATRIX, show, show_all
from causal_zigzag.support.file_bounds import expansion_fault
from causal_zigzag.support.validation import is_word
from causal_zigzag.support.wording import one_line
from causal_zigzag.tables.cell_types import row_number
from causal_zigzag.tables.numbers_as_text import is_fraction

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from causal_zigzag.tables.cell_types import Place

GZIP = b"\x1f\x8b"
CHUNK = 2**20
_SEP = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # the first line by which files tell Excel their delimiter


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


class Head(NamedTuple):
    """The first rows: delimiter, column names, the cells of the first row, and whether a line sep=... precedes them."""

    separator: str
    names: list[str]
    cells: list[str]
    sep_line: bool


def read_text_file(path: Path, ending: str, layout: Layout) -> tuple[Any, Place]:
    """The file as a pandas DataFrame, and the line of each of its rows."""
    import pandas as pd

    encoding = layout.encoding or "utf-8-sig"
    try:
        with _opened(path) as file:
            _check_is_text(path, file, encoding)
            head = _head(file, ending, layout, encoding)
            if len(head.names) > MOST_IN_MATRIX:
                fault = f"{path.name!r} has {len(head.names):,} columns, and at most {MOST_IN_MATRIX:,} can be used"
                raise DataError(fault, "read the needed ones with pandas, or give its delimiter")
            file.seek(0)
            frame = pd.read_csv(
                file,
                sep=head.separator,
                decimal=layout.decimal,
                na_values=list(layout.na_values),
                encoding=encoding,
                skiprows=1 if head.sep_line else None,
                skipinitialspace=True,
                low_memory=False,  # otherwise a column of a long file may be part numbers and part text
            )
    except UnicodeError as error:
        raise _not_decoded(path, layout, error) from None
    except DataError:
        raise
    except (ValueError, OSError, EOFError, MemoryError, csv.Error, zlib.error) as error:
        fault = f"{path.name!r} cannot be read: {one_line(error) or 'it does not fit into memory'}"
        raise DataError(fault, "check its delimiter, and whether each quote is closed") from None
    check_names(path.name, head.names, len(head.cells))
    frame.columns = frame.columns.str.strip()
    for name in frame.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]:
        frame[name] = frame[name].map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    return frame, lambda row: _line(path, head, encoding, row)


def check_names(file: str, names: list[str], width: int) -> None:
    """Raise a DataError if the first row of a file is not one name for each of the ``width`` columns."""
    plain = [name.strip() for name in names]
    twice = next((name for name, times in Counter(plain).items() if times > 1), None)
    if plain and all(is_fraction(name) for name in plain):
        raise DataError(f"{file!r} has no column names: its first line is {show_all(plain)}; add a line with the names")
    if twice is not None:  # pandas would rename it silently
        raise DataError(f"{file!r} has two columns named {show(twice)}; give each column a unique name")
    if width > len(names):  # pandas would use the first cells as row names
        raise DataError(
            f"{file!r} has more cells in its rows than the {len(plain)} names in its first line, "
            f"{show_all(plain)}; name every column there (in R, row.names=FALSE omits the row names)"
        )


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of the file, decompressed if it is a gzip file."""
    with path.open("rb") as file:
        compressed = file.read(2) == GZIP
        file.seek(0)
        if not compressed:
            yield file
            return
        if fault := expansion_fault(file, path.stat().st_size):
            raise DataError(f"{path.name!r} cannot be read: {fault}", "decompress it, if it is to be trusted")
        file.seek(0)
        with gzip.open(file) as plain:
            yield plain  # type: ignore[misc] # a GzipFile can be read and sought like a binary file


def _check_is_text(path: Path, file: BinaryIO, encoding: str) -> None:
    """A DataError if the beginning of the file has zero bytes that its encoding does not."""
    begin = file.read(CHUNK)
    file.seek(0)
    wide = encoding.startswith(("utf-16", "utf-32")) or begin.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not wide and b"\0" in begin:
        fault = f"{path.name!r} is not a text file: it has zero bytes"
        raise DataError(fault, "if it is text in UTF-16, give encoding='utf-16'", "encoding", "utf-16")


def _head(file: BinaryIO, ending: str, layout: Layout, encoding: str) -> Head:
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    try:
        sep = _SEP.fullmatch(text.readline())
        if sep is None:
            text.seek(0)
        first = next((line for line in text if line.strip()), "")
        separator = layout.delimiter or (sep[1] if sep else _separator(first, ending, layout.decimal))
        text.seek(0)
        if sep:
            text.readline()
        rows = csv.reader(text, delimiter=separator, skipinitialspace=True)
        names, cells = (next((row for row in rows if row), []) for _ in range(2))
        return Head(separator, names, cells, sep is not None)
    finally:
        text.detach()  # so that the file stays open


def _separator(line: str, ending: str, decimal: str) -> str:
    line = re.sub(r'"[^"]*("|$)', "", line)  # a quoted name may contain any of them
    if ending in {".tsv", ".tab"} or "\t" in line:
        return "\t"
    return ";" if line.count(";") > line.count(",") or decimal == "," else ","


def _line(path: Path, head: Head, encoding: str, row: int) -> str:
    """The line of the file on which a row begins; blank lines are not rows, and quoted cells may contain line breaks.

    The file is read again, since only messages need it.
    """
    try:
        with _opened(path) as file, io.TextIOWrapper(file, encoding=encoding, newline="") as text:
            skipped = 1 if head.sep_line and text.readline() else 0
            cells = csv.reader(text, delimiter=head.separator, skipinitialspace=True)
            found, end = -2, 0  # the first row is that of the names
            for record in cells:
                begin, end = end + 1, cells.line_num
                found += any(record) or len(record) > 1
                if found == row:
                    return f"line {begin + skipped}"
    except (csv.Error, ValueError, OSError):
        pass
    return row_number(row)


def _not_decoded(path: Path, layout: Layout, error: UnicodeError) -> DataError:
    """The error about a file in another encoding, with one that is likely."""
    likely = "utf-8"
    if layout.encoding is None:
        with _opened(path) as file:
            likely = "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "cp1252"
    fault = f"{path.name!r} is not text in the encoding {layout.encoding or 'utf-8'!r}: {one_line(error)}"
    return DataError(fault, f"read it with read_table(..., encoding={likely!r})", "encoding", likely)
