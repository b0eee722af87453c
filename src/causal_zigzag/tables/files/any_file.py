"""CSV, TSV, Parquet and Excel files as DataFrames."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import DataError, MissingDependencyError
from causal_zigzag.support.wording import one_line
from causal_zigzag.tables.cell_types import brief, row_number
from causal_zigzag.tables.data_warnings import warn_of_data
from causal_zigzag.tables.files.layout import Layout, refuse_layout
from causal_zigzag.tables.files.text_files import check_names, read_text_file

if TYPE_CHECKING:
    from causal_zigzag.tables.cell_types import Place

TEXT = {".csv", ".tsv", ".tab", ".txt"}
PARQUET = {".parquet", ".pq"}
EXCEL = {".xlsx", ".xlsm"}


def read_file(path: Path, layout: Layout) -> tuple[Any, Place]:
    """The file as a pandas DataFrame, and where a row is in the file."""
    _check_exists(path)
    ending = path.suffix.lower()
    if ending == ".gz":
        ending = Path(path.stem).suffix.lower()
    if ending in PARQUET:
        refuse_layout(layout, f"{path.name!r} is a Parquet file")
        return _read_parquet(path), row_number
    if ending in EXCEL:
        refuse_layout(layout, f"{path.name!r} is an Excel file")
        return _read_excel(path), lambda row: f"row {row + 2} of the sheet"
    if ending not in TEXT:
        endings = ".csv, .tsv, .tab, .txt (also with .gz), .xlsx, .parquet or .pq"
        fault = f"the file name {path.name!r} does not end in {endings}"
        raise DataError(fault, "read it with pandas first", "ending", str(path))
    return read_text_file(path, ending, layout)


def _check_exists(path: Path) -> None:
    name = str(path)
    reason = ""
    folder = other = False
    try:
        if path.is_file():
            return
        folder, other = path.is_dir(), path.exists()
    except OSError as error:
        reason = f": {error.strerror}"
    except ValueError as error:  # a NUL character
        reason = f": {error}"
    if folder:
        raise DataError(f"{name!r} is a folder; give the path of a file in it")
    if other:
        raise DataError(f"{name!r} is a pipe or a device", "write its content to a file first")
    if "\n" in name:
        raise DataError(
            f"the data are text of several lines, {brief(name)}, but text must be the path of a file",
            "write it to a file, or pass pandas.read_csv(io.StringIO(text))",
        )
    raise DataError(f"there is no file {name!r}" if len(name) < 200 else f"there is no file {brief(name)}{reason}")


def _read_parquet(path: Path) -> Any:
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except ImportError:
        raise MissingDependencyError(
            "reading Parquet needs pyarrow; install it with: pip install 'causal-zigzag[parquet]'", name="pyarrow"
        ) from None
    except MemoryError:
        raise _too_large(path) from None
    except (ValueError, OSError) as error:
        raise DataError(
            f"{path.name!r} cannot be read as Parquet: {one_line(error)}; write it again with DataFrame.to_parquet"
        ) from None


def _too_large(path: Path) -> DataError:
    return DataError(f"{path.name!r} does not fit into memory", "use fewer rows or columns")


def _read_excel(path: Path) -> Any:
    """The first sheet, with the names of the columns in its first row."""
    import pandas as pd

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about styles and other parts that are not read
            with pd.ExcelFile(path, engine="openpyxl") as book:
                sheets = [str(sheet) for sheet in book.sheet_names]
                head = pd.read_excel(book, sheet_name=0, header=None, nrows=1)
                frame = pd.read_excel(book, sheet_name=0)
    except ImportError:
        raise MissingDependencyError(
            "reading Excel files needs openpyxl; install it with: pip install 'causal-zigzag[excel]'", name="openpyxl"
        ) from None
    except MemoryError:
        raise _too_large(path) from None
    except Exception as error:  # noqa: BLE001 - openpyxl raises many types for damaged files
        raise DataError(
            f"{path.name!r} cannot be read as an Excel file: {one_line(error)}; save it again, or as CSV"
        ) from None
    if len(head):
        check_names(path.name, ["" if cell != cell else str(cell) for cell in head.iloc[0]], frame.shape[1])
    if len(sheets) > 1:
        others = ", ".join(repr(sheet) for sheet in sheets[1:])
        warn_of_data(f"{path.name!r} has several sheets; the first, {sheets[0]!r}, is read, and not {others}")
    return frame
