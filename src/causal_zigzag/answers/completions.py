"""Completions: completed tables of a run with missing cells, each with the class that its cells were drawn with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.class_list import ClassList

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score


@dataclass(frozen=True, eq=False, repr=False)
class Completions:
    """Draws of (class, missing cells) from their joint posterior; the weights add up to 1.

    ``cells`` has one row per draw, for the missing cells of the table of ``score``.
    """

    score: Score
    classes: ClassList
    cells: Sequence[NDArray[np.float64]]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.cells)

    def completed(self, i: int) -> Score:
        """The score of a completed table."""
        return self.score.completed(self.cells[i])

    def only(self, i: int) -> ClassList:
        """The class of one of the tables, as a list."""
        begin = self.classes.begin[i : i + 2]
        deltas = self.classes.deltas[int(begin[0]) : int(begin[1])]
        origin = np.array([-1], dtype=np.int64)
        return ClassList(self.classes.labels, origin, begin - begin[0], deltas, self.classes.restriction)
