"""CategoricalRows: the rows of a table of categorical columns, with a Dirichlet prior for their probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np
    from numpy.typing import NDArray


class CategoricalRows(NamedTuple):
    """The data of a discrete score, from which effects and held-out densities follow.

    ``codes`` has one row per node and one column per row of the table, with the numbers of levels; ``weights`` are the
    multiplicities of the rows, empty if all are 1; ``levels`` has the names of the levels of each node. The prior is a
    Dirichlet distribution that spreads ``sample_size`` rows evenly over the cells of every table; None: without a
    prior, each cell counts 1/2 for effects (Jeffreys), and a sample size of 1 is used for predictions.
    """

    codes: NDArray[np.uint16]
    weights: NDArray[np.int32]
    levels: tuple[tuple[Hashable, ...], ...]
    sample_size: float | None
