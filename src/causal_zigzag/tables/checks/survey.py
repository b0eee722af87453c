"""Checks of questionnaires: numbers that may stand for missing cells, and items of one scale."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from causal_zigzag.support.wording import percentage
from causal_zigzag.tables.checks.checked_table import Array, CheckedTable
from causal_zigzag.tables.column_kinds import Column, is_whole
from causal_zigzag.tables.finding import SERIOUS, Finding
from causal_zigzag.tables.names_in_words import listed

CODES = frozenset({-9, -99, -999, -9999, 99, 999, 9999, 99999, 88, 888, 8888, 77, 777})
"""Numbers that files of surveys write for cells that are missing."""

GAP = 2.0  # distance of a code to the other numbers, in interquartile ranges; it is at least a quarter of their range
FEWEST_ITEMS = 4  # of a scale
SCALE = range(3, 11)  # numbers of levels


def codes_of_missing(checked: CheckedTable) -> Iterator[Finding]:
    """Numbers such as -9 and 999, far from all others of a column and repeated in it."""
    found: list[tuple[Column, int, str]] = []
    for column in checked.columns:
        if column.numbers is None or column.name in checked.table.contexts:
            continue
        numbers = column.numbers[~column.missing]
        for code in (numbers.min(), numbers.max()) if len(numbers) else ():
            text = _apart(numbers, float(code)) if float(code) in CODES else ""
            found += [(column, int(code), f"{int(code)} in {checked.name(column)} ({text})")] if text else []
    if not found:
        return
    names = tuple(dict.fromkeys(checked.name(column) for column, _, _ in found))
    words = f"Do these numbers stand for missing cells? {listed([text for *_, text in found])}."
    remedy = "Used as numbers, which then decide means and edges; make these cells missing."
    texts = list(dict.fromkeys(str(code) for _, code, _ in found))
    option = f"na_values={texts!r}" if checked.table.source.origin == "file" else ""
    yield Finding("codes", names, words, remedy, None, None, option, SERIOUS)


def _apart(numbers: Array, code: float) -> str:
    """The share of a code and its distance to the rest, in words; empty if it may be a number like the others."""
    rest = numbers[numbers != code]
    times = len(numbers) - len(rest)
    if times < 2 or not len(rest) or not is_whole(np.unique(numbers)[:1]):
        return ""
    gap = float(np.abs(rest - code).min())
    spread = float(np.subtract(*np.percentile(rest, [75, 25])))
    if gap <= max(GAP * spread, float(np.ptp(rest)) / 4, 1.0):
        return ""
    return f"{percentage(times / len(numbers))} of its cells, {gap:g} from the next number"


def items(checked: CheckedTable) -> Iterator[Finding]:
    """Columns of whole numbers with the same few levels, such as the answers to the questions of one scale."""
    groups: dict[tuple[object, ...], list[Column]] = {}
    for column in checked.categorical:
        levels = column.levels
        if column.numbers is not None and len(levels) in SCALE and _successive(levels):
            groups.setdefault(tuple(levels), []).append(column)
    for levels, columns in groups.items():
        if len(columns) >= FEWEST_ITEMS:
            names = tuple(checked.name(column) for column in columns)
            words = (
                f"{listed(names)} have the same {len(levels)} successive levels, like items of one scale; then a "
                "common trait joins them, which is in no column."
            )
            kinds = {column.name: "ordinal" for column in columns}
            yield Finding(
                "scale", names, words, "Used as categories, without their order.", None, None, f"kinds={kinds!r}"
            )


def _successive(levels: tuple[object, ...]) -> bool:
    numbers = np.array(levels, dtype=np.float64)
    return bool((np.diff(numbers) == 1).all())
