"""Proposes how to read a table: the options of findings that belong together, each tried before it is proposed."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.tables.finding import FindingKind
from causal_zigzag.tables.lagged import lagged
from causal_zigzag.tables.names_in_words import OF_SAMPLE, read_options, with_options
from causal_zigzag.tables.read_table import read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from causal_zigzag.tables.finding import Finding
    from causal_zigzag.tables.table import Table

PROPOSED: tuple[FindingKind, ...] = ("order", "groups", "counts", "missing", "duplicates", "collinear", "skew")
"""The doubts whose options are combined, in the order of what they change; those of others are for the user to judge.
"""

ROWS_PER_COLUMN = 5  # of series that are proposed
MOST_DUPLICATES = 2  # columns that are left out since they say the same as another one


def read_again(data: Any, options: Mapping[str, Any]) -> Table:
    """The table read with these options, without the warnings of reading it."""
    reading = {word: value for word, value in options.items() if word not in OF_SAMPLE}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lagged(data, **reading) if "lags" in reading else read_table(data, **reading)


def is_too_short(table: Table) -> bool:
    """Whether the rows of series are too few for their columns, now and in the past, to be proposed."""
    return table.in_time and table.n_rows < ROWS_PER_COLUMN * len(table.columns)


def works(data: Any, options: Mapping[str, Any]) -> bool:
    """Whether the table can be read with these options, and a series of them is long enough."""
    try:
        return not is_too_short(read_again(data, options))
    except (CausalZigzagError, OSError):
        return False


def combined(
    old: Mapping[str, Any], doubts: Iterable[Finding], accepts: Callable[[Mapping[str, Any]], bool]
) -> tuple[dict[str, Any], list[Finding]]:
    """The old options with those of the doubts that are accepted together, and these doubts."""
    merged = dict(old)
    used: list[Finding] = []
    sure = [doubt for doubt in doubts if doubt.kind in PROPOSED and doubt.option and not is_question(doubt)]
    for doubt in sorted(sure, key=lambda one: PROPOSED.index(one.kind)):
        if doubt.kind in ("duplicates", "collinear") and "lags" in merged and "lags" not in old:
            continue  # series are alike by their trends; those of the lagged table are compared by their changes
        more = _merged(merged, read_options(doubt.option))
        if more != merged and accepts(more):
            merged = more
            used.append(doubt)
    return merged, used


def is_question(doubt: Finding) -> bool:
    """Whether only the user can judge the option.

    That are rows in an order that no column gives, ranks for numbers, and all but one of many columns that are alike,
    such as those of successive years.
    """
    options = read_options(doubt.option)
    if doubt.kind == "skew":
        return {*options["transform"].values()} != {"log"}
    if doubt.kind == "duplicates":
        return len(options["drop"]) > MOST_DUPLICATES
    return doubt.kind == "order" and not {"time", "drop"} & {*options}


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Both options; columns that are left out are not transformed, and a series is not grouped in another way."""
    if "lags" in old:
        new = {word: value for word, value in new.items() if word not in ("by", "lags", "time")}
    merged = with_options(old, new)
    transform = merged.get("transform")
    if isinstance(transform, dict):
        left_out = merged.get("drop", [])
        merged["transform"] = {name: kind for name, kind in transform.items() if name not in left_out}
    return {word: value for word, value in merged.items() if value or value == 0}
