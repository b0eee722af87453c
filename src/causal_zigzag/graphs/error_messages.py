"""Messages about what the core finds wrong with a graph, an operator, or a class under a knowledge."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.labels import Labels, show, show_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag._core import Disagreement, Fault, Flaw, Graph, Operator

_REMEDY = "CPDAG.from_pdag completes a partially directed graph, CPDAG.from_dag a DAG"


def graph_error(flaw: Flaw, labels: Labels) -> GraphError:
    """The error for a matrix that is not a CPDAG, not a DAG, or not a PDAG with a consistent extension."""
    kind, nodes = flaw
    names = [show(labels.names[v]) for v in nodes]
    match kind:
        case "self_loop":
            text = f"self-loop at {names[0]}: no edge joins a node with itself"
        case "undirected":
            text = (
                f"a DAG has directed edges only, but {names[0]} - {names[1]} is undirected (given in both directions); "
                "CPDAG.from_matrix reads a CPDAG, CPDAG.from_pdag completes a partially directed graph"
            )
        case "cycle":
            text = f"directed cycle {_around(' -> ', nodes, labels)}: no DAG contains it"
        case "chordless":
            cycle = _around(" - ", nodes, labels)
            text = f"not a CPDAG: the undirected cycle {cycle} has no chord, but undirected components are chordal"
        case "parents":
            p, u, v = names
            text = (
                f"not a CPDAG: {p} -> {u} but not {p} -> {v}, although {u} - {v}; "
                f"all nodes of an undirected component have the same parents. {_REMEDY}"
            )
        case "not_compelled":
            x, y = names
            text = (
                f"not a CPDAG: {x} -> {y} is not compelled, some DAG of the class has {y} -> {x}, "
                f"so the edge must be {x} - {y}. {_REMEDY}"
            )
        case "no_extension":
            text = (
                "no DAG fits this partially directed graph: its undirected edges cannot all be directed "
                "without a directed cycle or a new v-structure"
            )
        case _:  # pragma: no cover
            raise AssertionError(f"unknown flaw {kind!r} from the core")
    return GraphError(text)


def _around(edge: str, cycle: list[int], labels: Labels) -> str:
    """The cycle as text; it begins and ends at its first node in node order."""
    start = cycle.index(min(cycle))
    return edge.join(show(labels.names[v]) for v in [*cycle[start:], *cycle[: start + 1]])


def invalidity(fault: Fault, operator: Operator, graph: Graph, labels: Labels) -> str:
    """Which condition of Insert(x, y, T) or Delete(x, y, H) is violated, and by which nodes."""
    kind, nodes = fault
    insert, x, y, _ = operator
    names = labels.names
    a, b = show(names[x]), show(names[y])
    shared = f"Ne({b}) ∩ Adj({a})"
    clique = f"({shared}) ∪ tails" if insert else f"({shared}) \\ heads"
    match kind:
        case "same_node":
            return f"x and y are both {a}"
        case "adjacent":
            return f"{a} and {b} are already adjacent, {walk([x, y], graph, labels)}"
        case "not_adjacent":
            backwards = x in graph.children(y)
            return f"there is no edge {a} -> {b} or {a} - {b}" + (f", only {b} -> {a}" if backwards else "")
        case "not_tails":
            wrong = show_all(names[v] for v in nodes)
            return f"tails must be neighbors of {b} that are not adjacent to {a}, unlike {wrong}"
        case "not_heads":
            wrong = show_all(names[v] for v in nodes)
            return f"heads must be neighbors of {b} that are adjacent to {a}, unlike {wrong}"
        case "not_clique":
            c, d = (show(names[v]) for v in nodes)
            return f"{clique} is not a clique, {c} and {d} are not adjacent"
        case "open_path":
            return f"the semi-directed path {walk(nodes, graph, labels)} is open, no node of it is in {clique}"
        case _:  # pragma: no cover
            raise AssertionError(f"unknown fault {kind!r} from the core")


def walk(nodes: Sequence[int], graph: Graph, labels: Labels) -> str:
    """A walk written with the edges of the graph, such as a - b -> c."""
    text = show(labels.names[nodes[0]])
    for u, v in itertools.pairwise(nodes):
        edge = "-" if v in graph.neighbors(u) else "->" if v in graph.children(u) else "<-"
        text += f" {edge} {show(labels.names[v])}"
    return text


def disagreement(found: Disagreement, labels: Labels) -> str:
    """Why a class does not agree with a knowledge."""
    kind, nodes = found
    x, y = (show(labels.names[v]) for v in nodes[:2])
    match kind:
        case "missing":
            return f"the knowledge requires {x} -> {y}, but they are not adjacent"
        case "forbidden":
            return f"all DAGs of the class have {x} -> {y}, which the knowledge forbids"
        case "joined":
            return f"{x} and {y} are adjacent, but the knowledge forbids both {x} -> {y} and {y} -> {x}"
        case "against":
            return (
                f"the knowledge does not allow {y} -> {x}, but the DAGs of the class that agree with the rest of it "
                "have this arrow"
            )
        case _:  # pragma: no cover
            raise AssertionError(f"unknown disagreement {kind!r} from the core")


def too_many_splits(error: OverflowError, labels: Labels) -> GraphError:
    """The error for a component whose agreeing DAGs take too much work to count."""
    nodes = [labels.names[v] for v in error.args[0]]
    return GraphError(
        f"counting the DAGs that agree with the knowledge takes too much work: the component of {show_all(nodes)} has "
        "arrows and lines that cannot be counted apart; state the knowledge as tiers, which can always be counted, or "
        "require more arrows among these nodes"
    )
