"""Warnings that refer to the line of the user's code."""

from __future__ import annotations

import sys
import warnings


def warn_user(text: str, category: type[Warning]) -> None:
    """Issue a warning for the first line of the call stack outside the package."""
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_back.f_globals.get("__name__")).partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level + 1)
