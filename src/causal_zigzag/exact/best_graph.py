"""best_graph: the class with the highest score among all classes, by dynamic programming over sets of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from causal_zigzag import _core
from causal_zigzag.errors import SettingsError
from causal_zigzag.exact.local_table import weighted_table
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.mpdag import ClassGraph
from causal_zigzag.scores.choose import read_score
from causal_zigzag.support.validation import read_count
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from causal_zigzag.scores.base import Score
    from causal_zigzag.tables.read_table import Reading
    from causal_zigzag.target.edge_prior import EdgePriorInput
    from causal_zigzag.target.knowledge import Knowledge

MOST_BEST_GRAPH_NODES = 30  # sets are numbers of 32 bits
DEFAULT_MEMORY_LIMIT = 2**31


@dataclass(frozen=True)
class BestGraph:
    """The class with the highest weight: the ``graph``, its ``score``, and its ``log_weight``, edge prior included.

    >>> import causal_zigzag as cz
    >>> cz.best_graph(cz.Uniform(3), edge_prior=1.0)
    BestGraph(graph=CPDAG(3 nodes, no edges), score=0.0, log_weight=0.0)
    """

    graph: ClassGraph
    score: float
    log_weight: float


def best_graph(
    data_or_score: Any,
    score: str | type[Score] = "auto",
    *,
    knowledge: Knowledge | None = None,
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    max_parents: int | None = None,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    **reading: Unpack[Reading],
) -> BestGraph:
    """The class with the highest score, edge prior included, among all classes.

    Dynamic programming over sets of nodes (Silander & Myllymäki 2006) takes n 2ⁿ⁻¹ local scores, time n² 2ⁿ and
    ``4 (n + 2) 2ⁿ`` bytes: 92 MB for 20 nodes, 1.7 GB for 24, the largest number within the default ``memory_limit`` of
    2 GiB (in bytes). The result is exact up to the rounding of sums of local scores in double precision.

    The arguments are those of ``sample`` and ``ges``, with the same defaults; ``edge_prior`` must be None, a number
    (the cost of an edge) or "auto". ``max_parents`` restricts the search to DAGs whose nodes have at most this number
    of parents, which takes as much memory but fewer local scores. ``knowledge`` restricts it to DAGs that agree with
    it, and the ``graph`` is then an ``MPDAG``.

    If several classes have exactly the same highest score, the choice among them is deterministic: sinks with lower
    numbers and smaller sets of parents are preferred.

    >>> import causal_zigzag as cz
    >>> cov = [[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]]
    >>> score = cz.GaussianBIC.from_covariance(cov, n_samples=200, nodes=["a", "b", "c"])
    >>> cz.best_graph(score).graph
    CPDAG(3 nodes, 2 directed and 0 undirected edges: a -> c, b -> c)
    """
    target = Target.read(
        read_score(best_graph, data_or_score, score, reading), edge_prior=edge_prior, knowledge=knowledge
    )
    n = len(target.nodes)
    needed, limit = 4 * (n + 2) << n, read_count("memory_limit", memory_limit, 1)
    if n > MOST_BEST_GRAPH_NODES or needed > limit:
        raise SettingsError(
            f"best_graph supports at most {MOST_BEST_GRAPH_NODES} nodes, and for these {n} it needs {needed:,} bytes "
            f"of memory, where memory_limit={limit:,}; raise it, leave out nodes, or search with cz.ges"
        )
    table = weighted_table(target, max_parents)
    dag = np.zeros((n, n), dtype=np.uint8)
    for y, members in enumerate(_core.best_dag(table) if n else ()):
        dag[:, y] = [members >> x & 1 for x in range(n)]
    graph = CPDAG.from_dag(dag, nodes=target.nodes)
    # The total of the DAG that was found: max_parents holds for this DAG, but not for all DAGs of its class.
    total = float(target.score.total(dag))
    return BestGraph(target.restrict(graph), total, total + target.edge_prior.log_weight(graph.edge_count))
