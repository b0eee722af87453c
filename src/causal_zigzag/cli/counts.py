"""Counts on the command line: integers, which may be written as 1e6 or 1_000_000."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import click


class Count(click.IntRange):
    """An integer of at least ``least``."""

    name = "count"

    def __init__(self, least: int) -> None:
        super().__init__(min=least)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that the text denotes."""
        with suppress(ValueError):
            if isinstance(value, str) and float(value).is_integer():
                value = int(value) if value.strip("+- ").replace("_", "").isdigit() else int(float(value))
        return int(super().convert(value, param, ctx))


class Number(click.FloatRange):
    """A number in a range; NaN, which click takes to be in any range, is not."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that the text denotes."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


class CountOrAuto(Count):
    """An integer of at least ``least``, or the word auto."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that the text denotes, or "auto"."""
        return value if value == "auto" else super().convert(value, param, ctx)
