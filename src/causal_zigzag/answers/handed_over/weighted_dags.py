"""WeightedDags: distinct DAGs with weights that stand for a distribution, for averages in other packages.

k weighted DAGs replace the distribution p over all DAGs by optimal resampling (Fearnhead & Clifford 2003): with c such
that Σ min(1, p / c) = k, every DAG with p >= c is kept with weight p, and of the others each is kept with probability
p / c and then has weight c. Averages are unbiased, no DAG appears twice, and if there are at most k DAGs, all are kept
with their exact probabilities. The DAGs of a class of s members have the same p, so classes are all that is looked at:
one of probability P gets P / c draws, rounded by systematic sampling, without replacement among its members.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.member_dags import check_listed
from causal_zigzag.errors import GraphError, MissingDependencyError, SettingsError
from causal_zigzag.graphs.labels import distinct_texts
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.validation import LARGEST, read_count
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.graphs.mpdag import ClassGraph


@dataclass(frozen=True, eq=False, repr=False)
class WeightedDags:
    """Distinct DAGs with weights that add up to 1; iteration yields pairs of a list of edges and a weight.

    ``dags`` is an array of matrices like that of ``CPDAG.dag``, in the order of ``nodes``, the largest weight first.

    >>> import causal_zigzag as cz
    >>> dags = cz.exact_posterior(cz.Uniform(["a", "b"])).weighted_dags(3)
    >>> for edges, weight in dags:
    ...     print(edges, weight)
    [] 0.5
    [('b', 'a')] 0.25
    [('a', 'b')] 0.25
    """

    nodes: tuple[Hashable, ...]
    dags: NDArray[np.uint8]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.weights)

    def __iter__(self) -> Iterator[tuple[list[Edge], float]]:
        for dag, weight in zip(self.dags, self.weights.tolist(), strict=True):
            yield [(self.nodes[i], self.nodes[j]) for i, j in np.argwhere(dag).tolist()], weight

    def to_networkx(self) -> list[tuple[nx.DiGraph[Hashable], float]]:
        """The DAGs as ``networkx.DiGraph`` with all nodes, each with its weight.

        >>> import causal_zigzag as cz
        >>> graph, weight = cz.exact_posterior(cz.Uniform(["a", "b"])).weighted_dags(3).to_networkx()[1]
        >>> list(graph.edges), weight
        ([('b', 'a')], 0.25)
        """
        made = []
        for edges, weight in self:
            graph = empty_digraph(self.nodes, "to_networkx")
            graph.add_edges_from(edges)
            made.append((graph, weight))
        return made

    def formulas(self) -> list[tuple[str, float]]:
        """The DAGs as one formula ``child ~ parent + parent`` per line, as lavaan and pathmc read them, with weights.

        Nodes without parents have no line. A GraphError names a node that is not a valid name in a formula.

        >>> import causal_zigzag as cz
        >>> dags = cz.exact_posterior(cz.Uniform(["a", "b"])).weighted_dags(3)
        >>> dags.formulas()[1]
        ('a ~ b', 0.25)
        """
        names = distinct_texts(self.nodes)
        for name in names:
            if not name.isidentifier():
                raise GraphError(f"{name!r} is not a name that a formula can have; rename the column, such as to x1")
        made = []
        for dag, weight in zip(self.dags, self.weights.tolist(), strict=True):
            parents = [[names[x] for x in np.flatnonzero(column).tolist()] for column in dag.T]
            lines = [f"{name} ~ {' + '.join(own)}" for name, own in zip(names, parents, strict=True) if own]
            made.append(("\n".join(lines), weight))
        return made

    def __repr__(self) -> str:
        return f"WeightedDags({count(len(self), 'DAG')} of {count(len(self.nodes), 'node')})"


def empty_digraph(nodes: tuple[Hashable, ...], caller: str) -> nx.DiGraph[Hashable]:
    """A networkx graph of these nodes without edges."""
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError(
            f"{caller} needs networkx; install it with: pip install 'causal-zigzag[networkx]'", name="networkx"
        ) from None
    graph: nx.DiGraph[Hashable] = networkx.DiGraph()
    graph.add_nodes_from(nodes)
    return graph


def weighted_dags(classes: WeightedClasses, k: Any, rng: Rng) -> WeightedDags:
    """See ``Posterior.weighted_dags``."""
    classes.check_members()
    check_listed(classes)
    k, n = read_count("k", k, 1, most=LARGEST), len(classes.nodes)
    shares = classes.shares
    rows = np.flatnonzero(shares > 0)
    if not len(rows):
        raise SettingsError("all classes have zero weight, so there are no DAGs; choose another prior, or sample more")
    total, logs = shares[rows].sum(), _log_sizes(classes)[rows]
    each = np.log(shares[rows] / total) - logs  # the log probability of one DAG
    threshold = _threshold(each, logs, k)
    generator = as_generator(rng)
    with np.errstate(over="ignore"):
        wanted = np.where(each >= threshold, np.exp(logs), np.exp(each + logs - threshold))
    sizes = _systematic(wanted, generator)
    order = np.flatnonzero(sizes)
    dags = np.zeros((int(sizes.sum()), n, n), dtype=np.uint8)
    weights, at = np.empty(len(dags)), 0
    for i, g in zip(order.tolist(), classes.graphs(rows[order]), strict=True):
        size = int(sizes[i])
        dags[at : at + size] = _distinct_members(classes.target.restrict(g), size, generator)
        weights[at : at + size] = np.exp(max(each[i], threshold))
        at += size
    weights /= weights.sum()  # 1 up to the rounding of systematic sampling
    largest = np.argsort(-weights, kind="stable")
    return WeightedDags(classes.nodes, read_only(dags[largest]), read_only(weights[largest]))


def _log_sizes(classes: WeightedClasses) -> NDArray[np.float64]:
    """The logs of the numbers of DAGs of the classes of the table."""
    table = classes.table
    logs = np.empty(len(table.shares))
    for number, some in enumerate(classes.lists):
        own = table.place == number
        if own.any():
            logs[own] = some.log_sizes()[table.record[own]]
    return logs


def _threshold(each: NDArray[np.float64], logs: NDArray[np.float64], k: int) -> float:
    """The log of c with Σ size · min(1, p / c) = k; minus infinity if there are at most k DAGs."""
    order = np.argsort(-each, kind="stable")
    with np.errstate(over="ignore"):
        number = np.cumsum(np.exp(logs[order]))  # of DAGs with at least this probability
    if number[-1] <= k * (1 + 1e-12):
        return -np.inf
    mass = np.exp(each[order] + logs[order])
    rest = np.r_[mass[::-1].cumsum()[::-1], 0.0]  # the probability of this class and those after it
    kept = 0  # the classes before this one are kept as a whole
    while number[kept] < k and rest[kept + 1] > 0:
        before = number[kept - 1] if kept else 0.0
        c = rest[kept] / (k - before)
        if np.exp(each[order[kept]]) < c:
            break
        kept += 1
    before = number[kept - 1] if kept else 0.0
    return float(np.log(rest[kept] / (k - before)))


def _systematic(wanted: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Whole numbers with these means, each rounded down or up, whose sum is that of the means."""
    whole = np.round(wanted)
    exact = np.abs(wanted - whole) < 1e-9 * np.maximum(1.0, wanted)
    base = np.where(exact, whole, np.floor(wanted)).astype(np.int64)
    fractions = np.where(exact, 0.0, wanted - base)
    ends = np.floor(np.cumsum(fractions) + rng.random() + 1e-12)
    return np.asarray(base + np.diff(np.r_[0, ends]).astype(np.int64))


def _distinct_members(g: ClassGraph, size: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """``size`` different DAGs of the class, each set of them with the same probability: the first ones that differ."""
    found: dict[bytes, NDArray[np.uint8]] = {}
    while len(found) < size:
        for dag in g.random_dags(size + 2, rng):
            if len(found) < size:
                found.setdefault(dag.tobytes(), dag)
    return np.array([found[name] for name in sorted(found)])
