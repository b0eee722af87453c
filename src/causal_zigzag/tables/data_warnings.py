"""Warnings about tables; they refer to the line of the user's code."""

from __future__ import annotations

import sys
import warnings

from causal_zigzag.errors import DataWarning


def warn_of_data(text: str) -> None:
    """Issue a DataWarning for the first line of the call stack outside the package."""
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_back.f_globals.get("__name__")).partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, DataWarning, stacklevel=level + 1)
