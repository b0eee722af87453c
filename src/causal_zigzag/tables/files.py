"""CSV, TSV and Parquet files as DataFrames; the options for text files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from causal_zigzag.errors import DataError, MissingDependencyError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.tables.numbers_as_text import is_fraction

TEXT = {".csv", ".tsv", ".tab", ".txt"}
PARQUET = {".parquet", ".pq"}


@dataclass(frozen=True)
class Layout:
    """The layout of a text file: the delimiter of cells, the decimal mark, and the texts of missing cells."""

    delimiter: str | None = None  # None: determined from the first line
    decimal: str = "."
    missing: tuple[str, ...] = ()


PLAIN = Layout()


def read_layout(delimiter: Any, decimal: Any, missing: Any) -> Layout:
    """The layout from the arguments of the user, validated."""
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'):
        raise DataError(f"delimiter must be None or one character such as ';', not {delimiter!r}")
    if decimal not in (".", ","):
        raise DataError(f"decimal must be '.' or ',', not {decimal!r}")
    if delimiter == decimal:
        raise DataError(f"delimiter and decimal are both {decimal!r}; they must differ")
    several = isinstance(missing, Iterable) and not isinstance(missing, (str, bytes))
    texts = tuple(missing) if several else (missing,)
    if not all(isinstance(text, str) for text in texts):
        raise DataError(f"missing must be the texts of missing cells, such as ['n.d.', '-99'], not {missing!r}")
    return Layout(delimiter, decimal, texts)


def read_file(path: Path, layout: Layout) -> Any:
    """The file as a pandas DataFrame."""
    if not path.is_file():
        raise DataError(f"there is no file {str(path)!r}")
    ending = path.suffix.lower()
    if ending in PARQUET:
        refuse_layout(layout, f"{path.name!r} is a Parquet file")
        return _read_parquet(path)
    if ending not in TEXT:
        fault = f"the file name {path.name!r} does not end in .csv, .tsv, .tab, .txt, .parquet or .pq"
        raise DataError(fault, "read it with pandas first", "ending", str(path))
    return _read_text(path, ending, layout)


def refuse_layout(layout: Layout, what: str) -> None:
    """Raise a DataError if a layout was given, but the data are not a text file."""
    if layout != PLAIN:
        raise DataError(f"delimiter, decimal and missing are for text files, but {what}; leave them out")


def _read_parquet(path: Path) -> Any:
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except ImportError:
        raise MissingDependencyError(
            "reading Parquet needs pyarrow; install it with: pip install pyarrow", name="pyarrow"
        ) from None
    except (ValueError, OSError) as error:
        raise DataError(
            f"{path.name!r} cannot be read as Parquet: {_one_line(error)}; write it again with DataFrame.to_parquet"
        ) from None


def _read_text(path: Path, ending: str, layout: Layout) -> Any:
    import pandas as pd

    try:
        with path.open("rb") as file:
            separator, names, cells = _first_rows(file, ending, layout)
            file.seek(0)
            frame = pd.read_csv(
                file,
                sep=separator,
                decimal=layout.decimal,
                na_values=list(layout.missing),
                encoding="utf-8-sig",
                skipinitialspace=True,
                low_memory=False,  # otherwise a column of a long file may be part numbers and part text
            )
    except UnicodeDecodeError as error:
        likely = "UTF-16" if error.object[:2] in (b"\xff\xfe", b"\xfe\xff") else "WINDOWS-1252"
        raise DataError(
            f"{path.name!r} is not text in UTF-8 (byte {error.object[error.start]:#04x} at {error.start}); save it as "
            f"UTF-8 (CSV UTF-8 in a spreadsheet program), or convert it, as in: iconv -f {likely} -t UTF-8"
        ) from None
    except (ValueError, OSError, csv.Error) as error:
        raise DataError(f"{path.name!r} cannot be read: {_one_line(error)}") from None
    plain = [name.strip() for name in names]
    twice = next((name for i, name in enumerate(plain) if name in plain[:i]), None)
    if plain and all(is_fraction(name) for name in plain):
        raise DataError(
            f"{path.name!r} has no column names: its first line is {show_all(plain)}; add a line with the names"
        )
    if twice is not None:  # pandas would rename it silently
        raise DataError(f"{path.name!r} has two columns named {show(twice)}; give each column a unique name")
    if len(cells) > len(names):  # pandas would use the first cells as row names
        raise DataError(
            f"{path.name!r} has more cells in its rows than the {len(plain)} names in its first line, "
            f"{show_all(plain)}; name every column there (in R, row.names=FALSE omits the row names)"
        )
    frame.columns = frame.columns.str.strip()
    for name in frame.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]:
        frame[name] = frame[name].map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    return frame


def _first_rows(file: BinaryIO, ending: str, layout: Layout) -> tuple[str, list[str], list[str]]:
    """The delimiter, and the cells of the first two rows."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        first = next((line for line in text if line.strip()), "")
        separator = layout.delimiter or _separator(first, ending, layout.decimal)
        text.seek(0)
        rows = csv.reader(text, delimiter=separator, skipinitialspace=True)
        names, cells = (next((row for row in rows if row), []) for _ in range(2))
        return separator, names, cells
    finally:
        text.detach()  # so that the file stays open


def _separator(line: str, ending: str, decimal: str) -> str:
    line = re.sub(r'"[^"]*("|$)', "", line)  # a quoted name may contain any of them
    if ending in {".tsv", ".tab"} or "\t" in line:
        return "\t"
    return ";" if line.count(";") > line.count(",") or decimal == "," else ","


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
