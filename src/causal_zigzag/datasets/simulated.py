"""Simulators whose truth is known: random DAGs, uniformly random classes, and tables drawn from a structure."""

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
    from collections.abc import Iterator

    import pandas as pd
    from numpy.typing import NDArray

CHAINS_AT_ONCE = 64  # bounds the memory of random_classes


def random_dag(n: int, expected_degree: float = 3.0, rng: Rng = None) -> NDArray[np.uint8]:
    """A random DAG as a 0/1 matrix, ``m[i, j] = 1`` for ``i -> j``: any two nodes are joined with equal probability.

    A node is adjacent to ``expected_degree`` others on average (to all others where there are fewer). The causal order
    is random: nothing can be learned from the order of the nodes.

    >>> import causal_zigzag as cz
    >>> cz.datasets.random_dag(4, expected_degree=1.5, rng=5).tolist()
    [[0, 0, 0, 0], [1, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 0]]
    """
    n = read_count("n", n, 0)
    if not is_real(expected_degree) or not expected_degree >= 0:
        raise SettingsError(f"expected_degree must be a number of at least 0, not {expected_degree!r}")
    generator = as_generator(rng)
    share = min(1.0, expected_degree / max(1, n - 1))
    ordered = np.triu(generator.random((n, n)) < share, k=1)
    place = generator.permutation(n)
    return ordered[np.ix_(place, place)].astype(np.uint8)


def random_classes(n: int, k: int, rng: Rng = None) -> list[CPDAG]:
    """``k`` classes on ``n`` nodes, drawn independently and uniformly: every CPDAG is equally likely.

    Each comes from a Causal Zig-Zag of its own on the target ``Uniform``: after a warm-up of 2 n³ + 20 n² jumps from
    the graph without edges, a class is drawn in proportion to the times of the next 20 n². What is slowest to forget
    its start is the causal order: the autocorrelation time of a typical arrow is about n³ / 5 jumps or less
    (``benchmarks/uniform_mixing.txt``), so for large n this is uniform to a good approximation.
    A uniformly random *DAG* is something else: large classes hold more of them.

    >>> import causal_zigzag as cz
    >>> graphs = cz.datasets.random_classes(3, 1000, rng=1)
    >>> abs(graphs.count(cz.CPDAG.empty(3)) / 1000 - 1 / 11) < 0.04
    True
    """
    return list(stream_classes(n, k, rng))


def stream_classes(n: int, k: int, rng: Rng = None) -> Iterator[CPDAG]:
    """The classes of ``random_classes`` as they come."""
    from causal_zigzag.posterior.listed_graphs import graph_of_row
    from causal_zigzag.sampling import sample
    from causal_zigzag.scores.uniform import Uniform

    n, k = read_count("n", n, 0), read_count("k", k, 0)
    if n < 2:
        yield from [CPDAG.empty(n)] * k
        return
    generator = as_generator(rng)
    jumps = 20 * n**2
    warmup = 2 * n**3 + jumps
    for begin in range(0, k, CHAINS_AT_ONCE):
        chains = min(CHAINS_AT_ONCE, k - begin)
        posterior = sample(
            Uniform(n), jumps=jumps, warmup=warmup, chains=chains, rng=generator, progress=False, max_classes=jumps + 1
        )
        if posterior.interrupted:
            raise KeyboardInterrupt
        for one in posterior.by_chain():
            shares = one.listed_classes.shares[:, 0]
            yield graph_of_row(one, int(generator.choice(len(shares), p=shares / shares.sum())))


def linear_gaussian(
    dag: Any, rows: int, explained: tuple[float, float] = (0.2, 0.8), nodes: Nodes | None = None, rng: Rng = None
) -> pd.DataFrame:
    """A table from a linear Gaussian model with this structure and random coefficients, one column a node.

    ``dag`` is whatever ``CPDAG.from_dag`` reads, or a CPDAG, of which one DAG is used (any DAG of the class can make
    the same distributions). Of the variance of a node with parents, these explain a share that is uniform on
    ``explained``; the coefficients have random signs, and in size differ by up to a factor of 2 before they are scaled
    to that share.

    Every variable has mean 0 and variance 1. So the variances do not tell the causal order, as they do where
    coefficients are drawn and noise is added without a second thought, nor does the share that the parents explain.
    What remains is what a structure itself implies, such as a downstream node being predicted well by all the others.

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
    """A table of categories from a Bayesian network with this structure and random probabilities, one column a node.

    ``dag`` is as in ``linear_gaussian``. Nodes take the values 0, 1, ..., ``levels`` - 1; a pair of numbers has each
    node draw its own number of levels between them. For every combination of values of its parents, the probabilities
    of a node are drawn from the symmetric Dirichlet distribution with this ``concentration``: below 1 the parents
    settle a node almost, far above 1 they hardly matter.

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
        # Only combinations that occur need their probabilities: there may be far more of them than rows.
        parents = np.flatnonzero(matrix[:, v])
        combinations, place = np.unique(table[:, parents], axis=0, return_inverse=True)
        probabilities = generator.dirichlet(np.full(sizes[v], concentration), size=len(combinations))
        below = np.cumsum(probabilities, axis=1)[place.ravel(), :-1]
        table[:, v] = (generator.random((rows, 1)) > below).sum(axis=1)
    return _frame(table, labels)


def gaussian_model(
    matrix: NDArray[np.uint8], low: float, high: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients B, with x_j = Σ_i B[i, j] x_i + noise, and variances of the noise, all variances of x being 1."""
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
        # No node met so far lies below v, so its covariance with them is that of its parents; later ones are set later.
        covariance[v] = covariance[:, v] = covariance[:, parents] @ b
        covariance[v, v] = 1.0
    return coefficients, noise


def topological_order(matrix: NDArray[np.uint8]) -> list[int]:
    """The nodes of a DAG, parents first; at each step the smallest number that is free."""
    waiting = matrix.sum(axis=0, dtype=np.int64)
    order: list[int] = []
    free: list[int] = np.flatnonzero(waiting == 0).tolist()  # in order, and so a heap
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
            raise SettingsError("a CPDAG has labels of its own; leave nodes= out")
        return dag.dag(), dag.labels
    matrix, labels = read_dag(dag, nodes)
    CPDAG.from_dag(matrix, labels.names)  # an error where it has a cycle
    return matrix, labels


def _shares(explained: Any) -> tuple[float, float]:
    if not isinstance(explained, (tuple, list)) or len(explained) != 2 or not all(is_real(x) for x in explained):
        raise SettingsError(f"explained must be a pair of shares such as (0.2, 0.8), not {explained!r}")
    low, high = (float(x) for x in explained)
    if not 0 <= low <= high < 1:
        raise SettingsError(f"explained must be a pair of shares with 0 <= low <= high < 1, not {explained!r}")
    return low, high


def _frame(table: NDArray[Any], labels: Labels) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(table, columns=pd.Index(list(labels.names), tupleize_cols=False))
