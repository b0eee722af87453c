"""Numbers with nouns, for messages."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """The number with its noun in singular or plural."""
    return f"{number:,} {noun if number == 1 else noun + ('es' if noun.endswith('s') else 's')}"
