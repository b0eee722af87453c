"""Simulated tables: linear Gaussian models and Bayesian networks with a given structure."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.adjacency_matrix import read_dag
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import Labels, Nodes
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.validation import is_real, read_count

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


def linear_gaussian(
    dag: Any, rows: int, explained: tuple[float, float] = (0.2, 0.8), nodes: Nodes | None = None, rng: Rng = None
) -> pd.DataFrame:
    """A table from a linear Gaussian model with this structure and random coefficients, one column per node.

    ``dag`` is an argument of ``CPDAG.from_dag``, or a CPDAG, of which one DAG is used (all DAGs of a class allow
    the same distributions). The parents of a node explain a share of its variance that is uniform on ``explained``; the
    coefficients have random signs and absolute values that differ by up to a factor of 2 before they are scaled to that
    share.

    Every variable has mean 0 and variance 1. So the causal order cannot be inferred from the variances, as it can if
    coefficients and noise are drawn without standardization, nor from the share that the parents explain. It can only
    be inferred from consequences of the structure itself, such as a downstream node being predicted well by all others.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=1000, rng=1)
    >>> table.round(2).head(2)
       rain   wet   sun
    0  0.91  0.10 -0.54
    1  0.58 -0.34  0.29
    >>> cz.ges(table).graph
    CPDAG(3 nodes, 2 directed and 0 undirected edges: rain -> wet, sun -> wet)
    """
    matrix, labels = _structure(dag, nodes)
    rows = read_count("rows", rows, 0)
    low, high = _shares(explained)
    generator = as_generator(rng)
    coefficients, noise = gaussian_model(matrix, low, high, generator)
    table = generator.standard_normal((rows, len(matrix))) * np.sqrt(noise)
    for v in topological_order(matrix):
        parents = np.flatnonzero(matrix[:, v])
        table[:, v] += table[:, parents] @ coefficients[parents, v]
    return _frame(table, labels)


def discrete(
    dag: Any,
    rows: int,
    levels: int | tuple[int, int] = 3,
    concentration: float = 1.0,
    nodes: Nodes | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """A table of categories from a Bayesian network with this structure and random probabilities, one column per node.

    ``dag`` is as in ``linear_gaussian``. Nodes have the values 0, 1, ..., ``levels`` - 1; if ``levels`` is a pair, the
    number of levels of each node is drawn between the two numbers. For every combination of values of its parents, the
    probabilities of a node are drawn from the symmetric Dirichlet distribution with this ``concentration``: below 1 the
    parents almost determine the node, far above 1 they have little influence.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.discrete([("rain", "wet"), ("sun", "wet")], rows=2000, rng=1)
    >>> table.head(2)
       rain  wet  sun
    0     2    2    0
    1     2    0    0
    >>> cz.ges(table).graph
    CPDAG(3 nodes, 2 directed and 0 undirected edges: rain -> wet, sun -> wet)
    """
    matrix, labels = _structure(dag, nodes)
    rows = read_count("rows", rows, 0)
    least, most = levels if isinstance(levels, tuple) and len(levels) == 2 else (levels, levels)
    least = read_count("levels", least, 2)
    most = read_count("levels", most, least)
    if not is_real(concentration) or not 0 < concentration < np.inf:
        raise SettingsError(f"concentration must be a number above 0, not {concentration!r}")
    generator = as_generator(rng)
    sizes = generator.integers(least, most + 1, size=len(matrix))
    table = np.zeros((rows, len(matrix)), dtype=np.int64)
    for v in topological_order(matrix):
        # Probabilities are drawn only for combinations that occur; there may be many more combinations than rows.
        parents = np.flatnonzero(matrix[:, v])
        combinations, place = np.unique(table[:, parents], axis=0, return_inverse=True)
        probabilities = generator.dirichlet(np.full(sizes[v], concentration), size=len(combinations))
        below = np.cumsum(probabilities, axis=1)[place.ravel(), :-1]
        table[:, v] = (generator.random((rows, 1)) > below).sum(axis=1)
    return _frame(table, labels)


def gaussian_model(
    matrix: NDArray[np.uint8], low: float, high: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients B of x_j = Σ_i B[i, j] x_i + noise, and variances of the noise for which each x_j has variance 1."""
    n = len(matrix)
    coefficients, noise, covariance = np.zeros((n, n)), np.ones(n), np.eye(n)
    for v in topological_order(matrix):
        parents = np.flatnonzero(matrix[:, v])
        if not len(parents):
            continue
        b = rng.uniform(0.5, 1.0, size=len(parents)) * rng.choice([-1.0, 1.0], size=len(parents))
        share = rng.uniform(low, high)
        b *= np.sqrt(share / (b @ covariance[np.ix_(parents, parents)] @ b))
        coefficients[parents, v], noise[v] = b, 1 - share
        # Earlier nodes are not descendants of v, so its covariance with them is that of its parents.
        covariance[v] = covariance[:, v] = covariance[:, parents] @ b
        covariance[v, v] = 1.0
    return coefficients, noise


def topological_order(matrix: NDArray[np.uint8]) -> list[int]:
    """The nodes of a DAG, parents first; among the possible nodes, the smallest number first."""
    waiting = matrix.sum(axis=0, dtype=np.int64)
    order: list[int] = []
    free: list[int] = np.flatnonzero(waiting == 0).tolist()  # sorted, so a heap
    while free:
        v = heappop(free)
        order.append(v)
        children = np.flatnonzero(matrix[v])
        waiting[children] -= 1
        for child in children[waiting[children] == 0].tolist():
            heappush(free, child)
    return order


def _structure(dag: Any, nodes: Nodes | None) -> tuple[NDArray[np.uint8], Labels]:
    if isinstance(dag, CPDAG):
        if nodes is not None:
            raise SettingsError("a CPDAG already has labels; leave nodes= out")
        return dag.dag(), dag.labels
    matrix, labels = read_dag(dag, nodes)
    CPDAG.from_dag(matrix, labels.names)  # raises an error if there is a cycle
    return matrix, labels


def _shares(explained: Any) -> tuple[float, float]:
    pair = isinstance(explained, (tuple, list)) and len(explained) == 2 and all(is_real(x) for x in explained)
    if not pair or not 0 <= explained[0] <= explained[1] < 1:
        raise SettingsError(f"explained must be two shares such as (0.2, 0.8), 0 <= low <= high < 1, not {explained!r}")
    return float(explained[0]), float(explained[1])


def _frame(table: NDArray[Any], labels: Labels) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(table, columns=pd.Index(list(labels.names), tupleize_cols=False))
