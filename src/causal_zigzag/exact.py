"""Exact answers for small problems: every class, the best graph, the probabilities of edges over all DAGs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag import _core
from causal_zigzag.checks import is_integer
from causal_zigzag.errors import SettingsError
from causal_zigzag.graph import CPDAG
from causal_zigzag.labels import Labels, Nodes, read_nodes
from causal_zigzag.local_table import local_scores, weighted
from causal_zigzag.scores.base import Score
from causal_zigzag.settings import Target, read_target

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray

MOST_NODES_OF_ALL_CLASSES = 6
MOST_NODES_OF_EDGE_POSTERIOR = 18
MOST_NODES_OF_BEST_GRAPH = 30  # sets are numbers of 32 bits

DEFAULT_MEMORY_LIMIT = 2**31


def enumerate_cpdags(n: Nodes) -> Iterator[CPDAG]:
    """Every class of n nodes, n at most 6: an iterator, by number of edges. ``n`` is a count or a sequence of names.

    There are 1, 2, 11, 185, 8782 and 1,067,825 classes of 1 to 6 nodes.

    >>> import causal_zigzag as cz
    >>> sum(1 for _ in cz.enumerate_cpdags(4))
    185
    >>> list(cz.enumerate_cpdags(["a", "b"]))
    [CPDAG(2 nodes, no edges), CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)]
    """
    labels = read_nodes(n)
    check_size("enumerate_cpdags", len(labels))
    codes, _, _ = _core.all_classes(len(labels), None)
    return _graphs(codes, labels)


def _graphs(codes: NDArray[np.uint32], labels: Labels, chunk: int = 4096) -> Iterator[CPDAG]:
    for begin in range(0, len(codes), chunk):
        for matrix in matrices(codes[begin : begin + chunk], len(labels)):
            yield CPDAG._of(_core.Graph.from_matrix(matrix), labels)


def matrices(codes: NDArray[np.uint32], n: int) -> NDArray[np.uint8]:
    """The matrices of the classes with these codes, one after the other."""
    m = np.zeros((len(codes), n, n), dtype=np.uint8)
    for b in range(n):
        for a in range(b):
            mark = codes >> (b * (b - 1) + 2 * a)
            m[:, a, b] = mark & 1
            m[:, b, a] = mark >> 1 & 1
    return m


def code_of(matrix: NDArray[np.uint8]) -> int:
    """The code of the class with this matrix."""
    n = len(matrix)
    return sum(int(matrix[a, b] + 2 * matrix[b, a]) << (b * (b - 1) + 2 * a) for b in range(n) for a in range(b))


def check_size(asking: str, n: int) -> None:
    """An error where the classes are too many to be listed."""
    if n > MOST_NODES_OF_ALL_CLASSES:
        raise SettingsError(
            f"{asking} lists every class and takes at most {MOST_NODES_OF_ALL_CLASSES} nodes (1,067,825 classes), "
            f"not {n}; cz.sample draws classes of any number of nodes"
        )


@dataclass(frozen=True)
class BestGraph:
    """The class of the highest weight: the ``graph``, its ``score``, and its ``log_weight``: the edge prior added to it.

    >>> import causal_zigzag as cz
    >>> cz.best_graph(cz.Uniform(3), edge_prior=1.0)
    BestGraph(graph=CPDAG(3 nodes, no edges), score=0.0, log_weight=0.0)
    """

    graph: CPDAG
    score: float
    log_weight: float


def best_graph(
    score: Score,
    edge_prior: Any = "auto",
    max_parents: int | None = None,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> BestGraph:
    """The class of the highest score, edge prior included, among all classes: how far are GES and a sampler from it?

    By dynamic programming over sets of nodes (Silander & Myllymäki 2006), in time n² 2ⁿ after n 2ⁿ⁻¹ local scores, and
    ``4 (n + 2) 2ⁿ`` bytes: 92 MB for 20 nodes, 1.7 GB for 24, the most within the ``memory_limit`` of 2 GiB (in bytes).
    All of it in double precision, so the result is exact but for the rounding of sums of local scores.

    ``edge_prior`` is None, a number (the cost of an edge) or "auto", as in ``sample`` and ``ges``. With ``max_parents``
    the best is among DAGs whose nodes have at most so many parents, which takes as much memory but fewer local scores.

    Where several classes share the highest score, to the last bit, one of them is returned, always the same: sinks with
    lower numbers and smaller sets of parents are preferred.

    >>> import causal_zigzag as cz
    >>> cov = [[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]]
    >>> score = cz.GaussianBIC.from_covariance(cov, n_samples=200, nodes=["a", "b", "c"])
    >>> cz.best_graph(score).graph
    CPDAG(3 nodes, 2 directed and 0 undirected edges: a -> c, b -> c)
    """
    target = _target("best_graph", score, edge_prior, 1.0)
    n = len(score.nodes)
    if not is_integer(memory_limit) or memory_limit < 1:
        raise SettingsError(f"memory_limit must be a number of bytes, at least 1, not {memory_limit!r}")
    most_parents = _read_max_parents(max_parents)
    needed = 4 * (n + 2) << n
    if n > MOST_NODES_OF_BEST_GRAPH or needed > memory_limit:
        remedy = "" if n > MOST_NODES_OF_BEST_GRAPH else f"set memory_limit={needed} if there is as much, or "
        raise SettingsError(
            f"best_graph of {n} nodes takes {_bytes(needed)} of memory, more than the limit of "
            f"{_bytes(int(memory_limit))}; {remedy}leave out nodes, or search with cz.ges or cz.sample"
        )
    dag = np.zeros((n, n), dtype=np.uint8)
    if n:
        parents = _core.best_dag(weighted(local_scores(score, most_parents), target, "best_graph"))
        for y, members in enumerate(parents):
            dag[:, y] = [members >> x & 1 for x in range(n)]
    graph = CPDAG.from_dag(dag, nodes=score.nodes)
    # The total over the DAG that was found: a bound on parents holds for it, but not for all DAGs of its class.
    total = float(score.total(dag))
    return BestGraph(graph, total, total + target.edge_prior.log_weight(graph.edge_count))


@dataclass(frozen=True, eq=False)
class ExactEdges:
    """Probabilities over all DAGs: of edges and of directed paths, as matrices in the order of ``nodes``.

    ``directed[i, j]`` is that of i -> j in the DAG, ``adjacent[i, j]`` that of an edge either way, ``path[i, j]`` that
    of a directed path from i to j: i is a cause of j. ``error`` estimates the absolute error from rounding.
    """

    nodes: tuple[Hashable, ...]
    directed: NDArray[np.float64]
    adjacent: NDArray[np.float64]
    path: NDArray[np.float64]
    error: float


def exact_edge_posterior(
    score: Score, edge_prior: Any = None, coldness: float = 1.0, max_parents: int | None = None
) -> ExactEdges:
    """The exact probabilities of edges and directed paths under the uniform prior over DAGs, for up to 18 nodes.

    It is what ``exact_posterior(score, prior="dags")`` says for 6 nodes, and what ``sample(score).reweight("dags")``
    estimates for more. The weight of a DAG is exp(coldness · score), times exp(−c) per edge for ``edge_prior=c``. The
    score need not be score-equivalent. With ``max_parents`` the sum is over the DAGs whose nodes have at most so many.

    By inclusion and exclusion over sinks (Tian & He 2009) with sums that are scaled set by set, in 3ⁿ steps: 0.2 s for
    14 nodes, 15 s for 18. Probabilities have an absolute error of about 1e-12, or what ``error`` says.

    >>> import causal_zigzag as cz
    >>> cz.exact_edge_posterior(cz.Uniform(2)).directed.round(3).tolist()  # two of three DAGs have an edge
    [[0.0, 0.333], [0.333, 0.0]]
    """
    target = _target("exact_edge_posterior", score, edge_prior, coldness)
    n = len(score.nodes)
    if n > MOST_NODES_OF_EDGE_POSTERIOR:
        raise SettingsError(
            f"exact_edge_posterior takes 3^n steps and at most {MOST_NODES_OF_EDGE_POSTERIOR} nodes, not {n}; "
            f'cz.sample(...).reweight(prior="dags") estimates the same for any number of nodes'
        )
    most_parents = _read_max_parents(max_parents)
    directed, path, error = np.zeros((n, n)), np.zeros((n, n)), 0.0
    if n:
        table = weighted(local_scores(score, most_parents), target, "exact_edge_posterior")
        flat_directed, flat_path, error = _core.edge_posterior(table)
        directed, path = flat_directed.reshape(n, n), flat_path.reshape(n, n)
    adjacent = directed + directed.T
    for matrix in (directed, path, adjacent):
        matrix.setflags(write=False)
    return ExactEdges(tuple(score.nodes), directed, adjacent, path, error)


def _target(asking: str, score: Any, edge_prior: Any, coldness: Any) -> Target:
    if not isinstance(score, Score):
        raise SettingsError(f"{asking} takes a score, such as cz.GaussianBIC(data), not {type(score).__name__}")
    return read_target(score, coldness, edge_prior, None, ())


def _read_max_parents(max_parents: Any) -> int | None:
    if max_parents is None:
        return None
    if not is_integer(max_parents) or max_parents < 0:
        raise SettingsError(f"max_parents must be None or an integer of at least 0, not {max_parents!r}")
    return int(max_parents)


def _bytes(count: int) -> str:
    """A number of bytes for reading."""
    size, units = float(count), ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:.3g} {units[0]}"
