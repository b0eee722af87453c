"""Numbers and names in words."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """The number with its noun."""
    return f"{number:,} {noun if number == 1 else noun + ('es' if noun.endswith('s') else 's')}"
