"""ErrorList: collects the errors about a table, so that all of them are reported at once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from causal_zigzag.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator


class ErrorList:
    """The DataErrors that were raised within ``caught()``.

    >>> faults = ErrorList()
    >>> for name in ("a", "b"):
    ...     with faults.caught():
    ...         raise DataError(f"column {name} is constant", "drop it")
    >>> try:
    ...     faults.report()
    ... except DataError as error:
    ...     print(error)
    the table has 2 faults:
    - column a is constant; drop it
    - column b is constant; drop it
    """

    def __init__(self) -> None:
        self.found: list[DataError] = []

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Note a DataError of this block instead of raising it."""
        try:
            yield
        except DataError as error:
            self.found.append(error)

    def report(self) -> None:
        """Raise what was found, if anything, as one DataError."""
        if self.found:
            raise DataError.about_all(self.found) from None
