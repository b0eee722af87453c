"""Warnings about tables."""

from __future__ import annotations

from causal_zigzag.errors import DataWarning
from causal_zigzag.support.user_warnings import warn_user


def warn_of_data(text: str) -> None:
    """Issue a DataWarning for the line of the user's code."""
    warn_user(text, DataWarning)
