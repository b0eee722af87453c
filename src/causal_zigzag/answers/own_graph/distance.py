"""distance(): how far graphs are from each other, or posteriors in expectation: by edges, or by effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from causal_zigzag.answers.distribution import Distribution
from causal_zigzag.errors import GraphError, MissingDependencyError, SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.formats.any_graph import in_order_of, read_any_graph
from causal_zigzag.graphs.labels import Labels, show_all
from causal_zigzag.graphs.mixed_graph import MixedGraph
from causal_zigzag.support.validation import check_flag, is_word

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from numpy.typing import NDArray

    Marks = NDArray[np.float64]
    """The probabilities of no edge, i -> j, j -> i and i - j for each pair of nodes: 4 by n by n."""

DistanceKind = Literal["shd", "ancestor", "oset", "parent"]
MOST_CLASSES = 1000  # the most probable ones, over which the distances of effects are averaged


def distance(estimate: Any, truth: Any, kind: DistanceKind = "shd", *, normalized: bool = False) -> float:
    """How far an estimated graph, or a posterior in expectation, is from another graph or posterior.

    Graphs are given in any form that ``posterior.judge`` takes. A kind counts

    - "shd", the structural Hamming distance: the pairs of nodes with another edge, or another direction of it. Of
      posteriors it is the exact expectation for independent draws of their classes. A DAG is compared with a class or a
      posterior as the class that it belongs to, and with another DAG as it is;
    - "ancestor", "oset", "parent": the ordered pairs for which the effect of one on the other, estimated by the
      adjustment sets that the estimate implies, is wrong if the truth is right (Henckel, Würtzen & Weichwald 2024):
      with ancestors, the optimal sets or the parents as adjustment sets; "parent" of two DAGs is the structural
      intervention distance. These need ``gadjid`` (the extra ``distances``). They are not symmetric, and for a
      posterior they are averaged over its 1000 most probable classes.

    If ``normalized``, the number of pairs divides it, so that it is between 0 and 1.

    >>> import causal_zigzag as cz
    >>> cz.distance("a -> b -> c", "a -> b <- c"), cz.distance("a -> b, c", "a -> b <- c", normalized=True)
    (1.0, 0.3333333333333333)
    >>> round(cz.distance(cz.exact_posterior(cz.Uniform(3)), cz.CPDAG.empty(3)), 3)  # 18 edges in 11 classes
    1.636
    """
    if not is_word(kind, *get_args(DistanceKind)):
        raise SettingsError(f"kind must be one of {', '.join(map(repr, get_args(DistanceKind)))}, not {kind!r}")
    check_flag("normalized", normalized)
    nodes = _common_nodes(estimate, truth)
    n = len(nodes)
    if kind == "shd":
        mine, other = _marks(estimate, truth, nodes), _marks(truth, estimate, nodes)
        different = 1.0 - (mine * other).sum(axis=0)
        found, pairs = float(different[np.triu_indices(n, 1)].sum()), n * (n - 1) // 2
    else:
        found, pairs = _of_effects(estimate, truth, nodes, kind), n * (n - 1)
    found = max(0.0, found)
    return found / max(1, pairs) if normalized else found


def _common_nodes(estimate: Any, truth: Any) -> tuple[Hashable, ...]:
    """The nodes of both, in the order of the first; a list of edges may lack those without edges."""
    known = [read_any_graph(g)[1].names if not isinstance(g, Distribution) else g.nodes for g in (estimate, truth)]
    whole = [isinstance(g, (Distribution, MixedGraph)) for g in (estimate, truth)]
    first, second = ({*map(str, names)} for names in known)
    if (whole[0] and second - first) or (whole[1] and first - second):
        raise GraphError(
            f"the graphs must have the same nodes, but one has {show_all(known[0])} and the other {show_all(known[1])}"
        )
    if not whole[0] and whole[1]:
        return tuple(known[1])
    return (*known[0], *(v for v in known[1] if str(v) not in first))


def _matrix(graph: Any, nodes: tuple[Hashable, ...]) -> NDArray[np.uint8]:
    return in_order_of(*read_any_graph(graph, nodes), nodes)[0]


def _marks(given: Any, other: Any, nodes: tuple[Hashable, ...]) -> Marks:
    if isinstance(given, Distribution):
        edges = given.edge_probabilities()
        at = [edges.nodes.index(v) for v in nodes]
        directed, undirected = (m[np.ix_(at, at)] for m in (edges.directed, edges.undirected))
        return np.stack([1.0 - directed - directed.T - undirected, directed, directed.T, undirected])
    matrix = _matrix(given, nodes)
    is_class = isinstance(other, (Distribution, CPDAG)) or (
        not isinstance(other, Distribution) and _has_lines(_matrix(other, nodes))
    )
    if is_class and not _has_lines(matrix) and not isinstance(given, MixedGraph):
        matrix = CPDAG.from_dag(matrix, nodes).matrix()
    lines = matrix & matrix.T
    arrows = matrix & ~lines & 1
    return np.stack([1 - (matrix | matrix.T), arrows, arrows.T, lines]).astype(np.float64)


def _has_lines(matrix: NDArray[np.uint8]) -> bool:
    return bool((matrix & matrix.T).any())


def _of_effects(estimate: Any, truth: Any, nodes: tuple[Hashable, ...], kind: str) -> float:
    if isinstance(estimate, Distribution) and isinstance(truth, Distribution):
        raise SettingsError(f'kind={kind!r} compares a graph with a posterior or a graph; of two posteriors use "shd"')
    count = _counter(kind)
    if isinstance(truth, Distribution):
        guess = _coded(estimate, nodes)
        return sum(p * count(one, guess) for p, one in _classes(truth, nodes))
    reference = _coded(truth, nodes)
    if isinstance(estimate, Distribution):
        return sum(p * count(reference, one) for p, one in _classes(estimate, nodes))
    return float(count(reference, _coded(estimate, nodes)))


def _counter(kind: str) -> Callable[[NDArray[np.int8], NDArray[np.int8]], int]:
    """The function of gadjid that counts wrong pairs of a true and an estimated graph."""
    try:
        import gadjid
    except ImportError:
        raise MissingDependencyError(
            f"distance with kind={kind!r} needs gadjid; install it with: pip install 'causal-zigzag[distances]'",
            name="gadjid",
        ) from None
    found = {"ancestor": gadjid.ancestor_aid, "oset": gadjid.oset_aid, "parent": gadjid.parent_aid}[kind]
    return lambda truth, guess: int(found(truth, guess, edge_direction="from row to column")[1])


def _classes(posterior: Distribution, nodes: tuple[Hashable, ...]) -> Iterator[tuple[float, NDArray[np.int8]]]:
    """The most probable classes with their probabilities, which add up to 1."""
    if posterior.target.restriction is not None:
        raise SettingsError(
            "distances of effects are defined for DAGs and classes, not for classes with knowledge; average over DAGs: "
            "sum(w * cz.distance(dag, truth, kind) for dag, w in posterior.weighted_dags(100))"
        )
    listed = posterior.top(MOST_CLASSES)
    total = sum(one.probability for one in listed)
    for one in listed:
        yield one.probability / total, _coded(one.graph, nodes)


def _coded(graph: Any, nodes: tuple[Hashable, ...]) -> NDArray[np.int8]:
    """A DAG or a CPDAG in the code of gadjid: 1 is i -> j, and 2 is i - j."""
    matrix = _matrix(graph, nodes)
    checked = CPDAG.from_matrix if _has_lines(matrix) else CPDAG.from_dag
    checked(matrix, Labels(nodes).names)  # raises an error if it is neither
    return np.ascontiguousarray(matrix + (matrix & matrix.T), dtype=np.int8)
