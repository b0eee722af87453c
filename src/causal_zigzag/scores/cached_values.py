"""CachedValues: a cache of the values of a user-defined score, by the numbers of nodes, for the core."""

from __future__ import annotations

import math
import reprlib
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import CausalZigzagError, ScoreError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.tables.cell_types import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score

MOST_VALUES = 1 << 20
MOST_BYTES_OF_ROWS = 1 << 26
MOST_LETTERS = 200  # of the error of a user's function


def finite_number(value: Any) -> float | None:
    """What a user's function has returned as a double; None for text, NaN, and numbers beyond the range of doubles."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def in_brief(error: Exception) -> str:
    """The type of an error of a user's function and the beginning of what it says."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:MOST_LETTERS]}"


class CachedValues:
    """The values of a score that were computed so far; the oldest are removed if there are too many.

    Chains run in threads. The lock lets only one thread at a time call the score, so that no value is computed twice; a
    thread that waits for the lock releases the GIL.
    """

    def __init__(self, score: Score, has_row: bool) -> None:
        self._score = score
        self.has_row = has_row
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
                value = self.computed(y, parents)
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
        given = self._called("row", y, parents)
        found: list[float | None] = [None]
        if np.shape(given) == (len(names),):
            found = [finite_number(value) for value in given]
        if None in found[:y] + found[y + 1 :] or len(found) != len(names):
            words = f"must be a finite number for each of the {len(names)} nodes, but is {reprlib.repr(given)}"
            raise ScoreError(f"{self.call('row', y, parents)} {words}")
        found[y] = 0.0
        return np.array(found, dtype=np.float64)

    def computed(self, y: int, parents: Sequence[int]) -> float:
        """What the user's method returns, as a finite number; raises a ScoreError if it is not one."""
        value = self._called("local", y, parents)
        number = finite_number(value)
        if number is None:
            raise ScoreError(f"{self.call('local', y, parents)} must be a finite number, but is {brief(value)}")
        return number

    def _called(self, method: str, y: int, parents: Sequence[int]) -> Any:
        """What a method of the user's returns; a ScoreError with the node and the parents if it raises."""
        names = self._score.nodes
        try:
            return getattr(self._score, method)(names[y], tuple(names[p] for p in parents))
        except CausalZigzagError:
            raise
        except Exception as error:
            raise ScoreError(f"{self.call(method, y, parents)} raised {in_brief(error)}") from error

    def call(self, method: str, y: int, parents: Sequence[int]) -> str:
        names = self._score.nodes
        of = f"node {show(names[y])} with parents {show_all(names[p] for p in parents) or 'none'}"
        return f"{type(self._score).__name__}.{method} of {of}"
