"""Bounds on what a file may contain, checked before it is parsed: small files must not take all memory or time."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import zipfile
    from pathlib import Path

KNOWLEDGE_BYTES = 2**24  # of a file of knowledge
YAML_SCALAR = 1000  # characters of a value in YAML: numbers in base 60 take the square of their length
YAML_DEPTH = 50  # of lists in lists: the parser takes the square of it
EXPANDED_BYTES = 2**26  # of a compressed file, or EXPANSION times its size if that is more
EXPANSION = 200  # tables rarely shrink to a fiftieth
SHEET_ROWS, SHEET_COLUMNS = 2**20, 2**14  # of Excel
SPANNED_CELLS = 2**20  # that a sheet may span, or SPARSENESS times the cells that it has if that is more
SPARSENESS = 50
BLOCK = 2**18

_ROW = re.compile(rb"<(?:\w+:)?row [^>]*?\br=\"(\d+)\"")
_CELL = re.compile(rb"<(?:\w+:)?c [^>]*?\br=\"([A-Z]{1,9})(\d+)\"")
_OVERLAP = 2**10  # bytes of a block that are read again with the next one, as an element may span both


def expansion_fault(file: BinaryIO, size: int) -> str:
    """Why a gzip file expands to too much, in words; empty if it does not."""
    most = max(EXPANDED_BYTES, EXPANSION * size)
    expanded, stream = 0, zlib.decompressobj(wbits=31)
    while data := stream.unconsumed_tail or file.read(BLOCK):
        expanded += len(stream.decompress(data, BLOCK))
        if expanded > most:
            return f"its {size:,} bytes expand to more than {most:,}"
        if stream.eof:  # the next part of a file that was put together of several
            data, stream = stream.unused_data, zlib.decompressobj(wbits=31)
            if data:
                expanded += len(stream.decompress(data, BLOCK))
    return ""


def sheet_fault(path: Path) -> str:
    """Why a sheet of an Excel file spans too much, in words; empty if it does not or cannot be read."""
    import zipfile  # here, so that the package is imported fast

    try:
        with zipfile.ZipFile(path) as book:
            sheets = sorted(name for name in book.namelist() if name.endswith(".xml"))
            expanded = sum(entry.file_size for entry in book.infolist())
            if expanded > (most := max(EXPANDED_BYTES, EXPANSION * path.stat().st_size)):
                return f"it expands to {expanded:,} bytes, more than {most:,}"
            return next(filter(None, (_span_fault(book, name) for name in sheets)), "")
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        return ""  # whoever reads it says why it cannot be read


def _span_fault(book: zipfile.ZipFile, name: str) -> str:
    cells = rows = columns = 0
    rest = b""
    with book.open(name) as sheet:
        while block := sheet.read(BLOCK):
            text = rest + block
            end = text.rfind(b"<")  # what begins there is looked at with the next block
            text, rest = (text[:end], text[end:][:_OVERLAP]) if end >= 0 else (text, b"")
            found = _CELL.findall(text)
            cells += len(found)
            rows = max([rows, *(_bounded(row) for row in _ROW.findall(text)), *(_bounded(row) for _, row in found)])
            columns = max([columns, *(_column(letters) for letters, _ in found)])
            if rows > SHEET_ROWS or columns > SHEET_COLUMNS:
                return f"a sheet has a cell beyond {SHEET_ROWS:,} rows and {SHEET_COLUMNS:,} columns"
    if rows * columns > max(SPANNED_CELLS, SPARSENESS * cells):
        return f"a sheet of {cells:,} cells spans {rows:,} rows and {columns:,} columns"
    return ""


def _bounded(digits: bytes) -> int:
    return int(digits) if len(digits) < 10 else SHEET_ROWS + 1


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def yaml_fault(yaml: Any, text: str) -> str:
    """Why a text in YAML could stand for more than it holds, in words; empty if it could not."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > YAML_DEPTH:
            return f"lists are nested more than {YAML_DEPTH} deep"
        if isinstance(event, yaml.AliasEvent):
            return f"aliases such as *{event.anchor} are not read; write out what they stand for"
        if isinstance(event, yaml.ScalarEvent) and len(event.value) > YAML_SCALAR:
            return f"a value of {len(event.value):,} characters is longer than {YAML_SCALAR:,}"
    return ""
