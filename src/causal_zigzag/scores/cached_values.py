"""CachedValues: a cache of the values of a user-defined score, by the numbers of nodes, for the core."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import show, show_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score

MOST_VALUES = 1 << 20
MOST_BYTES_OF_ROWS = 1 << 26


class CachedValues:
    """The values of a score that were computed so far; the oldest are removed if there are too many.

    Chains run in threads. The lock lets only one thread at a time call the score, so that no value is computed twice; a
    thread that waits for the lock releases the GIL.
    """

    def __init__(self, score: Score, has_row: bool) -> None:
        self._score = score
        self.has_row = has_row
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.RLock()
        self._values: dict[tuple[int, tuple[int, ...]], float] = {}
        self._rows: dict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = {}

    def __reduce__(self) -> tuple[Callable[..., CachedValues], tuple[object, ...]]:
        return CachedValues, (self._score, self.has_row)

    def local(self, y: int, parents: Sequence[int]) -> float:
        """The local score; the parents are in increasing order."""
        key = (y, tuple(parents))
        with self._lock:
            value = self._values.get(key)
            if value is None:
                names = self._score.nodes
                value = self.checked(y, parents, self._score.local(names[y], tuple(names[p] for p in parents)))
                self._values[key] = value
                if len(self._values) > MOST_VALUES:
                    del self._values[next(iter(self._values))]
            return value

    def row(self, y: int, parents: Sequence[int]) -> NDArray[np.float64]:
        """The change of the local score if x is added or removed, for each x; the parents are in increasing order."""
        key = (y, tuple(parents))
        with self._lock:
            row = self._rows.get(key)
            if row is None:
                row = self._own_row(y, parents) if self.has_row else self._row_of_values(y, parents)
                self._rows[key] = row
                if len(self._rows) * row.nbytes > MOST_BYTES_OF_ROWS:
                    del self._rows[next(iter(self._rows))]
            return row

    def _row_of_values(self, y: int, parents: Sequence[int]) -> NDArray[np.float64]:
        here = self.local(y, parents)
        present = {*parents}
        row = np.zeros(len(self._score.nodes))
        for x in range(len(row)):
            if x != y:
                row[x] = self.local(y, sorted(present ^ {x})) - here
        return row

    def _own_row(self, y: int, parents: Sequence[int]) -> NDArray[np.float64]:
        names = self._score.nodes
        given = self._score.row(names[y], tuple(names[p] for p in parents))
        try:
            if np.asarray(given).dtype.kind not in "biufO":  # numpy reads text as numbers
                raise TypeError
            row = np.array(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ScoreError(f"{self.call('row', y, parents)} must be numbers, but is {given!r}") from None
        if row.shape != (len(names),):
            raise ScoreError(
                f"{self.call('row', y, parents)} must contain one number for each of the {len(names)} nodes, "
                f"but has shape {row.shape}"
            )
        row[y] = 0
        wrong = np.flatnonzero(~np.isfinite(row))
        if len(wrong):
            x = wrong[0]
            raise ScoreError(f"{self.call('row', y, parents)} must be finite, but is {row[x]} at {show(names[x])}")
        return row

    def checked(self, y: int, parents: Sequence[int], value: object) -> float:
        """What a user's method has returned as a finite number; raises a ScoreError if it is not one."""
        try:
            if isinstance(value, (str, bytes, bytearray)):  # float() reads text as numbers
                raise TypeError
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise ScoreError(f"{self.call('local', y, parents)} must be a number, but is {value!r}") from None
        except OverflowError:
            raise ScoreError(f"{self.call('local', y, parents)} is an integer beyond the range of a float") from None
        if not math.isfinite(number):
            raise ScoreError(f"{self.call('local', y, parents)} must be finite, but is {number}")
        return number

    def call(self, method: str, y: int, parents: Sequence[int]) -> str:
        names = self._score.nodes
        of = f"node {show(names[y])} with parents {show_all(names[p] for p in parents) or 'none'}"
        return f"{type(self._score).__name__}.{method} of {of}"
