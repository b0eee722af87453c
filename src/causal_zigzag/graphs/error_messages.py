"""Messages about what the core finds wrong with a graph, an operator, or a class under a knowledge."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.labels import Labels, show, show_all

if TYPE_CHECKING:
    from causal_zigzag._core import Disagreement, Fault, Flaw, Graph, Operator

_REMEDY = "CPDAG.from_pdag completes a partially directed graph, CPDAG.from_dag a DAG"

FLAWS = {
    "self_loop": "self-loop at {0}: no edge joins a node with itself",
    "undirected": f"a DAG has directed edges only, but {{0}} - {{1}} is given in both directions; {_REMEDY}",
    "cycle": "directed cycle {arrows}: no DAG contains it",
    "chordless": "not a CPDAG: the undirected cycle {lines} has no chord, but undirected components are chordal",
    "parents": (
        "not a CPDAG: {0} -> {1} but not {0} -> {2}, although {1} - {2}; "
        f"all nodes of an undirected component have the same parents. {_REMEDY}"
    ),
    "not_compelled": (
        "not a CPDAG: {0} -> {1} is not compelled, some DAG of the class has {1} -> {0}, "
        f"so the edge must be {{0}} - {{1}}. {_REMEDY}"
    ),
    "no_extension": (
        "no DAG fits this partially directed graph: its undirected edges cannot all be directed "
        "without a directed cycle or a new v-structure"
    ),
}
"""Why a matrix is not a CPDAG, not a DAG, or not a PDAG with a consistent extension, by the nodes at fault."""

FAULTS = {
    "same_node": "x and y are both {x}",
    "adjacent": "{x} and {y} are already adjacent, {walk}",
    "not_adjacent": "there is no edge {x} -> {y} or {x} - {y}",
    "not_tails": "tails must be neighbors of {y} that are not adjacent to {x}, unlike {nodes}",
    "not_heads": "heads must be neighbors of {y} that are adjacent to {x}, unlike {nodes}",
    "not_clique": "{clique} is not a clique, {nodes} are not adjacent",
    "open_path": "the semi-directed path {walk} is open, no node of it is in {clique}",
}
"""Which condition of Insert(x, y, T) or Delete(x, y, H) is violated, and by which nodes."""

DISAGREEMENTS = {
    "missing": "the knowledge requires {0} -> {1}, but they are not adjacent",
    "forbidden": "all DAGs of the class have {0} -> {1}, which the knowledge forbids",
    "joined": "{0} and {1} are adjacent, but the knowledge forbids both {0} -> {1} and {1} -> {0}",
    "against": (
        "the knowledge does not allow {1} -> {0}, but the DAGs of the class that agree with the rest of it "
        "have this arrow"
    ),
}
"""Why a class does not agree with a knowledge."""


def graph_error(flaw: Flaw, labels: Labels) -> GraphError:
    """The error for a matrix with this flaw."""
    kind, nodes = flaw
    names = [show(labels.names[v]) for v in nodes]
    around = [*names, *names[:1]]
    return GraphError(FLAWS[kind].format(*names, arrows=" -> ".join(around), lines=" - ".join(around)))


def invalidity(fault: Fault, operator: Operator, graph: Graph, labels: Labels) -> str:
    """The violated condition of an operator."""
    kind, nodes = fault
    insert, x, y, _ = operator
    a, b = show(labels.names[x]), show(labels.names[y])
    clique = f"(Ne({b}) ∩ Adj({a})) " + ("∪ tails" if insert else "\\ heads")
    named = show_all(labels.names[v] for v in nodes)
    return FAULTS[kind].format(x=a, y=b, nodes=named, clique=clique, walk=_walk(nodes, graph, labels))


def _walk(nodes: Sequence[int], graph: Graph, labels: Labels) -> str:
    """A walk written with the edges of the graph, such as a - b -> c."""
    text = show(labels.names[nodes[0]])
    for u, v in itertools.pairwise(nodes):
        edge = "-" if v in graph.neighbors(u) else "->" if v in graph.children(u) else "<-"
        text += f" {edge} {show(labels.names[v])}"
    return text


def disagreement(found: Disagreement, labels: Labels) -> str:
    """Why a class does not agree with a knowledge."""
    kind, nodes = found
    return DISAGREEMENTS[kind].format(*(show(labels.names[v]) for v in nodes))


def too_many_splits(error: OverflowError, labels: Labels) -> GraphError:
    """The error for a component whose agreeing DAGs take too much work to count."""
    nodes = [labels.names[v] for v in error.args[0]]
    return GraphError(
        f"counting the DAGs that agree with the knowledge takes too much work: the component of {show_all(nodes)} has "
        "arrows and lines that cannot be counted apart; state the knowledge as tiers, which can always be counted, or "
        "require more arrows among these nodes"
    )
