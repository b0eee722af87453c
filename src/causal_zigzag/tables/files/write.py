"""A DataFrame as a file: CSV, TSV or Parquet."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import MissingDependencyError, OutputError
from causal_zigzag.support.atomic_write import write_bytes, write_text

if TYPE_CHECKING:
    import os

    import pandas as pd


def write_table(table: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table to a file, whose suffix gives the format: .csv, .tsv or .parquet. The write is atomic."""
    suffix = Path(path).suffix.lower()
    if suffix in (".csv", ".tsv"):
        write_text(path, table.to_csv(index=False, sep="\t" if suffix == ".tsv" else ",", lineterminator="\n"))
    elif suffix == ".parquet":
        write_bytes(path, _parquet(table))
    else:
        raise OutputError(f"the format of {str(path)!r} is unknown; its suffix must be .csv, .tsv or .parquet")


def _parquet(table: pd.DataFrame) -> bytes:
    columns = {}
    for name in ("x", "y"):  # a Parquet column has one type: mixed labels are written as text
        labels = [label.item() if isinstance(label, np.generic) else label for label in table[name]]
        one_type = len({type(label) for label in labels}) == 1 and isinstance(labels[0], (str, int, float))
        columns[name] = labels if one_type else [str(label) for label in labels]
    file = io.BytesIO()
    try:
        table.assign(**columns).to_parquet(file, index=False, engine="pyarrow")
    except ImportError:
        install = "pip install 'causal-zigzag[parquet]'"
        raise MissingDependencyError(f"Parquet needs pyarrow; install it with: {install}", name="pyarrow") from None
    return file.getvalue()
