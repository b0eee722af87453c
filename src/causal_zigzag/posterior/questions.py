"""Questions that names and levels of columns raise: what was assigned, what came first; only the user can answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from causal_zigzag.tables.early_names import words_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from causal_zigzag.tables.table import Table

MOST_ARMS = 6  # levels of a treatment
TREATMENT = {"arm", "treat", "treated", "treatment", "trt", "randomized", "randomised", "assigned", "allocation"}
"""Words in the names of columns that an experimenter assigns."""

ARMS = {"control", "ctrl", "ctl", "placebo", "sham", "vehicle", "untreated"}
"""Levels of such columns."""

TIMES = {"week", "wk", "day", "month", "year", "yr", "visit", "wave", "time", "t", "hour", "session"}
"""Words before a number that say when something was measured."""

YEARS = range(50, 100)  # of two digits


def treatments(table: Table) -> list[Hashable]:
    """Columns that may be what an experimenter assigned: few levels, and the name or a level of a treatment."""
    found = []
    for column in table.columns:
        if column.kind != "categorical" or column.name in table.contexts or column.missing.any():
            continue
        levels = {str(level).strip().casefold() for level in column.levels}
        named = words_of(column.name)
        if 2 <= len(levels) <= MOST_ARMS and ((named[:1] and named[0] in TREATMENT) or levels & ARMS):
            found.append(column.name)
    return found


def dated_tiers(columns: Iterable[Hashable]) -> list[list[Hashable]]:
    """Columns in the order of the times that their names have, such as re74 and re75, or week0 and week4.

    >>> dated_tiers(["age", "re74", "re75", "re78"]), dated_tiers(["bp_week0", "bp_week4", "week4_pain"])
    ([['re74'], ['re75'], ['re78']], [['bp_week0'], ['bp_week4']])
    >>> dated_tiers(["item1", "item2", "x74", "y75"])
    []
    """
    groups: dict[str, dict[int, list[Hashable]]] = {}
    for column in columns:
        match = re.fullmatch(r"(.*?)(\d+)", str(column))
        if match is None:
            continue
        stem, number = match[1], int(match[2])
        words = words_of(stem)
        if (words and words[-1] in TIMES) or number in YEARS or 1900 <= number < 2100:
            groups.setdefault(stem, {}).setdefault(number, []).append(column)
    several = [group for group in groups.values() if len(group) > 1]
    times = sorted({time for group in several for time in group})
    return [[column for group in several for column in group.get(time, ())] for time in times]


def implausible(
    arrows: Sequence[tuple[Hashable, Hashable]], early: Sequence[Hashable], given: set[Hashable]
) -> list[str]:
    """The arrows into an early column from one that is not, which need a second look."""
    return [f"{x} -> {y}" for x, y in arrows if y in early and x not in given and x not in early]
