"""Numbers as a person would write them, for messages, reports and tables of text."""

from __future__ import annotations

import math


def count(number: int, noun: str) -> str:
    """The number with its noun in singular or plural."""
    return f"{number:,} {noun if number == 1 else noun + ('es' if noun.endswith('s') else 's')}"


def probability(p: float) -> str:
    """A probability with three decimals; "0" and "1" mean exactly zero and one.

    >>> [probability(p) for p in (0.12345, 1.0, 0.99999, 1e-9, 0.0)]
    ['0.123', '1', '>0.999', '<0.001', '0']
    """
    if p <= 0 or p >= 1:
        return "0" if p <= 0 else "1"
    if p < 0.0005 or p >= 0.9995:
        return "<0.001" if p < 0.5 else ">0.999"
    return f"{p:.3f}"


def class_probability(p: float) -> str:
    """The probability of a class, with two significant digits if it is small: the largest one may be small.

    >>> [class_probability(p) for p in (0.25, 0.00123, 0.0000123, 1.23e-9)]
    ['0.250', '0.0012', '0.000012', '1.2e-9']
    """
    if p >= 0.01 or p <= 0:
        return probability(p)
    if p < 1e-6:
        digits, power = f"{p:.1e}".split("e")
        return f"{digits}e{int(power)}"
    return f"{p:.{1 - math.floor(math.log10(p))}f}"


def percentage(share: float) -> str:
    """A share in percent, which is rounded to neither 0 nor 100 unless it is one of them.

    >>> [percentage(share) for share in (1.0, 0.99999, 0.9312, 0.5, 0.00002, 0.0)]
    ['100 %', 'more than 99.9 %', '93.1 %', '50 %', 'less than 0.1 %', '0 %']
    """
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    if 0.9995 <= share < 1:
        return "more than 99.9 %"
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def one_line(message: object) -> str:
    """The message with spaces in place of line breaks.

    >>> one_line("first\\n  second")
    'first second'
    """
    return " ".join(str(message).split())
