"""next_experiment: which single variable to intervene on next, by what it would say about the directions of a class.

Let do(v) be an intervention that makes v independent of its causes. With observations it tells two DAGs of one class
apart if and only if they give v different parents (Hauser & Bühlmann 2012: they have the same v-structures and edges,
so only the arrows into v, which the intervention removes, can differ). So the parents Pa(v) ∪ K, where K is a clique of
neighbors of v, are the outcome. It has the share of the members that have these parents. Then K -> v -> Ne(v) \\ K and
what follows by Meek's rules are arrows. Lines of different components are oriented independently, and components repeat
in many classes, so each distinct component is worked out once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag._core import ArrowKnowledge, Graph, count_dags, orient
from causal_zigzag.answers.effects.queries import node_list
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import Labels, show
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import WeightedClasses

MOST_CLASSES = 5000  # the most probable ones, of which each is looked at
MOST_OUTCOMES = 1 << 12  # sets of parents of one node in one component
COLUMNS = ("target", "information", "arrows", "open_after", "probability_open")


class Gain(NamedTuple):
    """The bits that an intervention on a node yields, and the expected number of lines that become arrows."""

    bits: float
    arrows: float


def next_experiment(classes: WeightedClasses, candidates: Any) -> pd.DataFrame:
    """See ``Posterior.next_experiment``."""
    import pandas as pd

    classes.check_members()
    labels, n = Labels(classes.nodes), len(classes.nodes)
    restriction = classes.target.restriction
    fixed = () if restriction is None else restriction.conditions
    if candidates is None:
        chosen = [v for v in range(n) if v not in fixed]
    else:
        chosen = [labels.number(v) for v in dict.fromkeys(node_list(labels, candidates, "candidates"))]
    for v in chosen:
        if v in fixed:
            raise SettingsError(f"candidates has {show(labels.names[v])}, which has no causes in the table to remove")
    listed = _matrices(classes)
    total = math.fsum(share for share, _ in listed)
    if not total > 0:
        raise SettingsError("no class has a positive probability, so there is nothing to expect of an experiment")
    sums, open_at = np.zeros((n, 2)), np.zeros(n)
    lines = 0.0
    known: dict[bytes, tuple[Gain, ...]] = {}
    for share, matrix in listed:
        undirected = matrix & matrix.T
        lines += share / total * undirected.sum() / 2
        open_at += share / total * undirected.any(axis=0)
        for component in _components(undirected):
            within = np.ascontiguousarray(matrix[np.ix_(component, component)])
            key = within.tobytes()
            if key not in known:
                known[key] = _gains(within, [labels.names[v] for v in component])
            sums[component] += share / total * np.array(known[key])
    order = sorted(chosen, key=lambda v: (-sums[v, 0], -sums[v, 1], v))
    rows = [(labels.names[v], *sums[v].tolist(), max(0.0, lines - sums[v, 1]), float(open_at[v])) for v in order]
    frame = pd.DataFrame(rows, columns=[*COLUMNS])
    return frame.astype({"target": object})


def _matrices(classes: WeightedClasses) -> list[tuple[float, NDArray[np.uint8]]]:
    """The most probable classes with their probabilities, as matrices; with knowledge, those of agreeing DAGs."""
    rows = np.arange(min(MOST_CLASSES, len(classes)))
    graphs = classes.graphs(rows)
    return [
        (share, classes.target.restrict(g).matrix())
        for share, g in zip(classes.shares[rows].tolist(), graphs, strict=True)
    ]


def _components(undirected: NDArray[np.uint8]) -> list[list[int]]:
    """The nodes that lines connect, in groups of two or more."""
    left, found = {*np.flatnonzero(undirected.any(axis=0)).tolist()}, []
    while left:
        group, frontier = set[int](), {min(left)}
        while frontier:
            group |= frontier
            frontier = {*np.flatnonzero(undirected[[*frontier]].any(axis=0)).tolist()} - group
        left -= group
        found.append(sorted(group))
    return found


def _gains(matrix: NDArray[np.uint8], names: list[Any]) -> tuple[Gain, ...]:
    """The gain at each node of a component: its lines, and with knowledge also arrows among its nodes."""
    n, undirected = len(matrix), matrix & matrix.T
    graph = Graph.from_matrix(matrix | matrix.T)  # chordal, as the arrows come from knowledge and not from colliders
    arrows = [(x, y) for x, y in np.argwhere(matrix > undirected).tolist()]
    assert not isinstance(graph, tuple), "a component is chordal"
    members, found = _count(graph, n, arrows), []
    for v in range(n):
        near = np.flatnonzero(undirected[v]).tolist()
        bits = expected = 0.0
        outcomes = 0
        for K in _cliques(near, matrix | matrix.T):
            outcomes += 1
            if outcomes > MOST_OUTCOMES:
                raise SettingsError(
                    f"{show(names[v])} has more than {count(MOST_OUTCOMES, 'possible set')} of parents in one class; "
                    "leave it out of candidates, or sample sparser graphs"
                )
            chosen = [*arrows, *((u, v) for u in K), *((v, u) for u in near if u not in K)]
            oriented = orient(graph, ArrowKnowledge(n, [], chosen)) if _acyclic(n, chosen) else ()
            if isinstance(oriented, tuple):
                continue  # no member has these parents
            share = _count(graph, n, chosen) / members
            if share > 0:
                bits -= share * math.log2(share)
                expected += share * float((undirected.sum() - (oriented & oriented.T).sum()) / 2)
        found.append(Gain(bits, expected))
    return tuple(found)


def _cliques(near: list[int], joined: NDArray[np.uint8]) -> Any:
    """The cliques among these nodes, the empty one included."""
    todo: list[tuple[tuple[int, ...], list[int]]] = [((), near)]
    while todo:
        K, rest = todo.pop()
        yield K
        for i, u in enumerate(rest):
            todo.append(((*K, u), [w for w in rest[i + 1 :] if joined[u, w]]))


def _count(graph: Graph, n: int, arrows: list[tuple[int, int]]) -> int:
    """The number of DAGs of the class that have these arrows."""
    return int.from_bytes(count_dags(graph, ArrowKnowledge(n, [], arrows) if arrows else None), "little")


def _acyclic(n: int, arrows: list[tuple[int, int]]) -> bool:
    """Whether the arrows have no cycle, which the core expects."""
    reach = np.eye(n, dtype=np.bool_)
    for x, y in arrows:
        if reach[y, x]:
            return False
        reach |= np.outer(reach[:, x], reach[y])
    return True
