"""Columns of text that contain numbers: how to recognize them, and how to read them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from causal_zigzag.errors import Flaw
from causal_zigzag.graphs.labels import show_all

# In 1,234 the comma is decimal or separates thousands.
THOUSANDS = re.compile(r"[+-]?([0-9]{1,3}(\.[0-9]*)?|[1-9][0-9]{0,2},[0-9]{3})")
FEW_OTHERS = 0.2  # the largest share of other texts in a column of numbers
MARKERS = {
    "?", "??", ".", "..", "...", "-", "--", "---", "*", "/", "x", "n.d.", "nd", "n.a.", "na", "n/a", "#n/a", "nan",
    "null", "nil", "none", "missing", "unknown", "not available", "not determined", "n.s.", "#value!", "#div/0!", "",
}  # fmt: skip
"""What people write into the cells of numbers that they do not have."""


class Misread(NamedTuple):
    """Why numbers were read as text, how to read them in Python, the code of the fault, and a function that does.

    The function returns NaN for markers; there is none where it is ambiguous.
    """

    fault: str
    remedy: str
    flaw: Flaw
    read: Callable[[str], float] | None


def misread(levels: Sequence[object]) -> Misread | None:
    """Why a column of numbers was read as text; None if it does not contain numbers."""
    texts = [level for level in levels if isinstance(level, str)]
    if len(texts) < len(levels):
        return None
    if all(_reads_as_number(text) for text in texts):
        fault = f"its cells are numbers as text, such as {texts[0]!r}"
        return Misread(fault, "convert it with pandas.to_numeric", "text", float)
    others = [text for text in texts if not _reads_as_number(text.replace(",", ".", 1))]
    if not others:
        comma = next(text for text in texts if "," in text)
        if all(THOUSANDS.fullmatch(text) for text in texts):
            fault = f"its cells have a comma before three digits, such as {comma!r}, decimal or between thousands"
            return Misread(fault, "read it with pandas.read_csv and decimal=',' or thousands=','", "comma", None)
        fault = f"its cells have a decimal comma, such as {comma!r}"
        remedy = "read it with pandas.read_csv(..., decimal=',')"
        return Misread(fault, remedy, "decimal comma", lambda text: float(text.replace(",", ".", 1)))
    for sign, decimal, named in ((",", ".", "commas"), (".", ",", "points")):
        grouped = dict.fromkeys(text for text in texts if _has_thousands(text, sign, decimal))
        if grouped and all(text in grouped or _reads_as_number(text.replace(decimal, ".", 1)) for text in texts):
            fault = f"its cells are numbers with {named} between thousands, such as {next(iter(grouped))!r}"
            remedy = f"read it with pandas.read_csv(..., decimal={decimal!r}, thousands={sign!r})"
            return Misread(fault, remedy, "unit", _without_thousands(sign, decimal))
    unit = _common_end(texts)
    if unit and all(_reads_as_number(text.removesuffix(unit)) for text in texts):
        return _with_unit(texts, unit, lambda text: float(text.removesuffix(unit)))
    bare = [text.removesuffix(unit) for text in texts]
    if unit and all(math.isfinite(number_or_nan(text)) for text in bare) and not all(map(THOUSANDS.fullmatch, bare)):
        return _with_unit(texts, unit, lambda text: number_or_nan(text.removesuffix(unit)))
    if len(others) <= FEW_OTHERS * len(texts) or (are_markers(others) and len(texts) > len(others) + 1):
        remedy = "correct these, or make them missing with pandas.to_numeric(..., errors='coerce')"
        return Misread(f"its cells are numbers except {show_all(others)}", remedy, "markers", number_or_nan)
    return None


def _with_unit(texts: Sequence[str], unit: str, read: Callable[[str], float]) -> Misread:
    fault = f"its cells are numbers followed by {unit.strip()!r}, such as {texts[0]!r}"
    return Misread(fault, f"remove it, for example with .str.removesuffix({unit!r}).astype(float)", "unit", read)


def are_markers(texts: Sequence[str]) -> bool:
    """Whether people write all these texts for numbers that they do not have."""
    return all(text.strip().casefold() in MARKERS for text in texts)


def number_or_nan(text: object) -> float:
    """The number, with a decimal point or comma; NaN for any other text.

    >>> [number_or_nan(text) for text in ("1.5", "0,25", "n.d.")]
    [1.5, 0.25, nan]
    """
    plain = str(text).replace(",", ".", 1)
    return float(plain) if _reads_as_number(plain) else math.nan


def is_fraction(text: str) -> bool:
    """Whether the text is a finite number that is not an integer, with a decimal point or comma."""
    number = number_or_nan(text)
    return math.isfinite(number) and not number.is_integer()


def _has_thousands(text: str, sign: str, decimal: str) -> bool:
    """Whether the text is a number in which this sign separates thousands and has no other use."""
    return re.fullmatch(rf"[+-]?\d{{1,3}}(\{sign}\d{{3}})+(\{decimal}\d*)?", text) is not None


def _without_thousands(sign: str, decimal: str) -> Callable[[str], float]:
    return lambda text: float(text.replace(sign, "").replace(decimal, "."))


def _common_end(texts: Sequence[str]) -> str:
    """The common text after the last digit of each text; empty if it differs."""
    ends = {text[re.match(r"(.*\d)?[.,]?", text, re.DOTALL).end() :] for text in texts}  # type: ignore[union-attr]
    return ends.pop() if len(ends) == 1 else ""


def _reads_as_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False
