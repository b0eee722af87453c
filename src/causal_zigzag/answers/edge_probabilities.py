"""EdgeProbabilities: the probability of every edge."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.validation import is_word

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class EdgeProbabilities:
    """The probabilities of ``i -> j``, ``i - j`` and of any edge between i and j, as n by n arrays.

    ``undirected`` and ``adjacent`` are symmetric, and ``adjacent = directed + directed.T + undirected``. ``again`` has
    the same probabilities when rows are resampled, after ``posterior.resample()``; otherwise it is None.

    >>> import causal_zigzag as cz
    >>> edges = cz.sample(cz.Uniform(["a", "b"]), jumps=1000, rng=1).edge_probabilities()
    >>> bool(edges.frame("adjacent").loc["a", "b"] == edges.undirected[0, 1])
    True
    """

    nodes: tuple[Hashable, ...]
    directed: NDArray[np.float64]
    undirected: NDArray[np.float64]
    again: EdgeProbabilities | None = None

    @property
    def every(self) -> tuple[EdgeProbabilities, ...]:
        """These probabilities and, if rows were resampled, those that came out again. Internal to the package.

        :meta private:
        """
        return (self,) if self.again is None else (self, self.again)

    @cached_property
    def adjacent(self) -> NDArray[np.float64]:
        """The probability that i and j are adjacent.

        >>> import causal_zigzag as cz
        >>> edges = cz.exact_posterior(cz.Uniform(["a", "b"])).edge_probabilities()
        >>> edges.adjacent.tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        return read_only(np.minimum(1.0, self.directed + self.directed.T + self.undirected))  # up to rounding

    def frame(self, kind: str = "directed") -> pd.DataFrame:
        """The array "directed", "undirected" or "adjacent" as a table, with nodes as labels of rows and columns.

        >>> import causal_zigzag as cz
        >>> edges = cz.exact_posterior(cz.Uniform(["a", "b"])).edge_probabilities()
        >>> float(edges.frame("undirected").loc["a", "b"])
        0.5
        """
        import pandas as pd

        if not is_word(kind, "directed", "undirected", "adjacent"):
            raise SettingsError(f'kind must be "directed", "undirected" or "adjacent", not {kind!r}')
        labels = pd.Index(list(self.nodes), dtype=object)
        return pd.DataFrame(getattr(self, kind).copy(), index=labels, columns=labels)

    def table(
        self, errors: NDArray[np.float64] | None = None, errors_again: NDArray[np.float64] | None = None
    ) -> pd.DataFrame:
        """The table that ``edge_table`` returns: one row per pair of nodes, the most probably adjacent first.

        ``errors`` of the adjacencies, n by n, become the column ``mcse``. If rows were resampled, the probabilities of
        ``again`` follow in columns that end in ``_again``, and ``errors_again`` as ``mcse_again``.

        >>> import causal_zigzag as cz
        >>> edges = cz.exact_posterior(cz.Uniform(["a", "b"])).edge_probabilities()
        >>> edges.table()
           x  y  adjacent  forward  undirected  backward
        0  a  b       0.5      0.0         0.5       0.0
        """
        columns = self._columns() | ({} if errors is None else {"mcse": errors})
        if self.again is not None:
            columns |= {f"{name}_again": values for name, values in self.again._columns().items()}
            columns |= {} if errors_again is None else {"mcse_again": errors_again}
        return pair_table(self.nodes, self.adjacent, columns)

    def _columns(self) -> dict[str, NDArray[np.float64]]:
        columns = {"adjacent": self.adjacent, "forward": self.directed, "undirected": self.undirected}
        return columns | {"backward": self.directed.T}

    def __repr__(self) -> str:
        return f"EdgeProbabilities({len(self.nodes)} nodes, {self.adjacent.sum() / 2:.4g} expected edges)"


def pair_table(
    nodes: Sequence[Hashable], order: NDArray[np.float64], columns: Mapping[str, NDArray[Any]]
) -> pd.DataFrame:
    """One row per pair of nodes x, y with the entries of matrices, the largest absolute value of ``order`` first."""
    import pandas as pd

    i, j = np.triu_indices(len(nodes), 1)
    largest = np.argsort(-np.abs(order[i, j]), kind="stable")
    i, j = i[largest], j[largest]
    ends = {name: pd.Series([nodes[k] for k in at.tolist()], dtype=object) for name, at in (("x", i), ("y", j))}
    return pd.DataFrame(ends | {name: matrix[i, j] for name, matrix in columns.items()})
