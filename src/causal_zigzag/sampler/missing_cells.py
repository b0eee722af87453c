"""Missing cells that chains draw together with the graph: settings, and the completed tables that a chain keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag import _core as core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score

SWEEP_JUMPS, SWEEP_JUMPS_OF_MANY, MANY_NODES = 200, 400, 50  # of a sweep, on average
TRIALS = 20  # sweeps of that number of jumps, from whose mean time the time of a sweep is chosen
ROUNDS = 20  # of annealing, with new cells after each: the first cells are independent of each other
ROUND_JUMPS_PER_NODE = 10  # of a block of these rounds, but for the last one
MOST_TABLES, FEWEST_TABLES, KEPT_CELLS = 100, 10, 2**21  # that a chain keeps


@dataclass(frozen=True, eq=False)
class CompletedTables:
    """Some of the completed tables of a chain, evenly spaced, with the classes that their cells were drawn with.

    ``begin`` and ``marks`` hold the adjacent pairs of each class: the number of the pair << 2 | mark. ``cells`` has one
    row per table, and ``end`` the cells at the end of the chain. There were ``sweeps`` sweeps.
    """

    sweeps: int
    begin: NDArray[np.uint64]
    marks: NDArray[np.uint32]
    cells: NDArray[np.float64]
    end: NDArray[np.float64]

    @classmethod
    def of(cls, chain: core.Chain) -> CompletedTables | None:
        """Those of a chain; None if its table is complete."""
        end = chain.cells
        if end is None:
            return None
        begin, marks, cells = chain.kept_tables()
        return cls(chain.sweeps, begin, marks, cells.reshape(len(begin) - 1, len(end)), end)

    def __len__(self) -> int:
        return len(self.cells)

    def matrix(self, i: int, nodes: int) -> NDArray[np.uint8]:
        """The matrix of the class of one of the tables."""
        found = np.zeros((nodes, nodes), dtype=np.uint8)
        marks = self.marks[int(self.begin[i]) : int(self.begin[i + 1])]
        pair = (marks >> 2).astype(np.int64)
        b = ((1 + np.sqrt(1 + 8 * pair)) / 2).astype(np.int64)  # the pair a < b has the number b (b - 1) / 2 + a
        a = pair - b * (b - 1) // 2
        found[a, b] = marks & 1
        found[b, a] = marks >> 1 & 1
        return found


def begin_table(
    score: Score, seed: NDArray[np.uint64], cells: NDArray[np.float64] | None
) -> tuple[core.CompletedTable, int]:
    """The table of a chain with these missing cells, or observed ones in random places, and how many are kept of it."""
    table = score.completed_table(np.random.SeedSequence(seed.tolist()).generate_state(4, np.uint64).astype(np.uint64))
    assert table is not None
    if cells is not None:
        table.set_cells(cells)
    return table, max(FEWEST_TABLES, min(MOST_TABLES, KEPT_CELLS // max(1, len(table.cells()))))


def begin_sweeps(chain: core.Chain, nodes: int) -> None:
    """Begin to draw cells, if some are missing, in sweeps of a fixed time of the process."""
    if chain.cells is not None:
        chain.begin_sweeps(SWEEP_JUMPS if nodes < MANY_NODES else SWEEP_JUMPS_OF_MANY, TRIALS)
