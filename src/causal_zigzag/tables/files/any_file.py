"""CSV, TSV, Parquet and Excel files as DataFrames."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import DataError, DataWarning, MissingDependencyError
from causal_zigzag.support.file_bounds import sheet_fault
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.support.wording import one_line
from causal_zigzag.tables.cell_types import brief, row_number
from causal_zigzag.tables.files.text_files import Layout, check_names, read_text_file, refuse_layout

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        import pandas as pd

        with _reading(path, "Parquet", "pyarrow", "parquet"):
            return pd.read_parquet(path), row_number
    if ending in EXCEL:
        refuse_layout(layout, f"{path.name!r} is an Excel file")
        if fault := sheet_fault(path):
            raise DataError(f"{path.name!r} cannot be read: {fault}", "delete what is outside of the table")
        return _read_excel(path), lambda row: f"row {row + 2} of the sheet"
    if ending not in TEXT:
        endings = ".csv, .tsv, .tab, .txt (also with .gz), .xlsx, .parquet or .pq"
        fault = f"the file name {path.name!r} does not end in {endings}"
        raise DataError(fault, "read it with pandas first", "ending", str(path))
    return read_text_file(path, ending, layout)


def _check_exists(path: Path) -> None:
    try:
        if path.is_file():
            return
        other = "a folder" if path.is_dir() else "a pipe or a device" if path.exists() else ""
    except (OSError, ValueError):  # a name that no file can have
        other = ""
    name = str(path)
    shown = repr(name) if len(name) < 200 else brief(name)
    raise DataError(f"{shown} is {other}" if other else f"there is no file {shown}", "give the path of a file")


@contextmanager
def _reading(path: Path, form: str, package: str, extra: str) -> Iterator[None]:
    """A DataError for whatever goes wrong while pandas reads the file."""
    try:
        yield
    except ImportError:
        install = f"pip install 'causal-zigzag[{extra}]'"
        raise MissingDependencyError(f"{form} needs {package}; install it with: {install}", name=package) from None
    except MemoryError:
        raise DataError(f"{path.name!r} does not fit into memory", "use fewer rows or columns") from None
    except Exception as error:  # noqa: BLE001 - the packages raise many types for damaged files
        fault = f"{path.name!r} cannot be read as {form}: {one_line(error)}"
        raise DataError(fault, "save it again, or as CSV") from None


def _read_excel(path: Path) -> Any:
    """The first sheet, with the names of the columns in its first row."""
    import pandas as pd

    with _reading(path, "Excel", "openpyxl", "excel"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about styles and other parts that are not read
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = [str(sheet) for sheet in book.sheet_names]
            head = pd.read_excel(book, sheet_name=0, header=None, nrows=1)
            frame = pd.read_excel(book, sheet_name=0)
    if len(head):
        check_names(path.name, ["" if cell != cell else str(cell) for cell in head.iloc[0]], frame.shape[1])
    if len(sheets) > 1:
        others = ", ".join(repr(sheet) for sheet in sheets[1:])
        warn_user(f"{path.name!r} has several sheets; the first, {sheets[0]!r}, is read, not {others}", DataWarning)
    return frame
