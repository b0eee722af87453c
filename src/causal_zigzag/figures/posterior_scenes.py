"""What the scenes of a posterior show: its consensus and its classes, where nodes are, and what was given as known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.effects.queries import sign_of
from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.answers.settled_directions import PairKinds, arrows_from_knowledge, opened_arrows, pair_kinds
from causal_zigzag.figures.causal_order import causal_depth
from causal_zigzag.figures.scene import DrawnEdge, graph_edges
from causal_zigzag.posterior.chain_agreement import edge_strengths
from causal_zigzag.posterior.stability import is_untested, stability_of
from causal_zigzag.support.wording import count
from causal_zigzag.tables.lagged import past_columns

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from causal_zigzag.graphs.mixed_graph import MixedGraph
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.tables.lagged import Past


def class_edges(posterior: Posterior, graph: MixedGraph) -> list[DrawnEdge]:
    """The edges of a graph of this posterior, all of weight 1; arrows from knowledge are marked.

    >>> import causal_zigzag as cz
    >>> known = cz.Knowledge(tiers=[["a"], ["b"]])
    >>> posterior = cz.sample(cz.Uniform(["a", "b"]), knowledge=known, edge_prior=-3, jumps=100, rng=1)
    >>> [edge.known for edge in class_edges(posterior, posterior.top(1)[0].graph)]
    [True]
    """
    known = known_arrows(posterior, graph)
    return [edge._replace(known=edge.directed and (edge.x, edge.y) in known) for edge in graph_edges(graph)]


def with_signs(posterior: Posterior, edges: Sequence[DrawnEdge]) -> list[DrawnEdge]:
    """The edges with the signs of the strengths of their likelier arrows."""
    signs: dict[frozenset[Hashable], str] = {}
    for row in posterior.strengths(least=0.0).to_dict("records"):  # the most probable arrow first
        signs.setdefault(frozenset((row["cause"], row["outcome"])), sign_of(posterior._classes, row))
    return [edge._replace(sign=signs.get(frozenset((edge.x, edge.y)), "±")) for edge in edges]


def consensus_edges(posterior: Posterior, threshold: float) -> list[DrawnEdge]:
    """The edges of the consensus; the weight of an edge is the probability that its pair is adjacent.

    In a run that is not sound it is the smallest of the probabilities that the chains give it; if rows were resampled,
    it is not larger than the probability then. The notes have the probabilities of all three kinds of edge; an arrow
    alone would suggest that its direction has the probability of the adjacency.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(["a", "b"]), edge_prior=-30, jumps=1000, rng=1)
    >>> [edge.note for edge in consensus_edges(posterior, 0.5)]
    ['joined 1.00: → 0.00, ← 0.00, open 1.00']
    """
    edges, strengths = posterior.edge_probabilities(), edge_strengths(posterior)
    number = {v: i for i, v in enumerate(edges.nodes)}
    drawn = []
    for edge in class_edges(posterior, posterior.consensus(threshold)):
        i, j = number[edge.x], number[edge.y]
        note = f"joined {_numbers(pair_kinds(edges, i, j))}"
        note += "" if edges.again is None else f"; again {_numbers(pair_kinds(edges.again, i, j))}"
        weight = float(np.clip(np.nan_to_num(strengths[i, j]), 0, 1))
        drawn.append(edge._replace(weight=weight, note=note))
    return drawn


def _numbers(kinds: PairKinds) -> str:
    return f"{kinds.adjacent:.2f}: → {kinds.forward:.2f}, ← {kinds.backward:.2f}, open {kinds.undirected:.2f}"


def known_arrows(posterior: Posterior, graph: MixedGraph) -> frozenset[tuple[Hashable, Hashable]]:
    """The arrows of a graph that were given as known, or follow from what was given; not those from the past."""
    restriction, past = posterior.target.restriction, _past(posterior)
    found = [] if restriction is None else arrows_from_knowledge(graph.matrix(), restriction)
    return frozenset((x, y) for x, y in found if x not in past)


def placing(posterior: Posterior) -> dict[str, Any]:
    """Where nodes are placed in all scenes of a posterior: by time, or by tiers and ``causal_depth``."""
    depth = causal_depth(posterior._classes).tolist()
    grid = _in_time(posterior, depth)
    return {"grid": grid} if grid else {"order": depth, "tiers": _tiers(posterior)}


def legend(posterior: Posterior) -> str:
    """What lines, arrows and positions mean in a picture; of marks and opened cycles, only if there are any."""
    stability = stability_of(posterior)
    also = "" if stability is None else f", also {RESAMPLED}"
    said = [f"Arrow: this direction has more than half of all probability{also}. Dashed: no direction has."]
    if stability is not None and stability.lost:
        arrows = f"{count(len(stability.lost), 'arrow')} of the model"
        said.append(f"{arrows} {'does' if len(stability.lost) == 1 else 'do'} not hold {RESAMPLED}: dashed.")
    if is_untested(posterior):
        said.append(f"Not tested: which arrows hold {RESAMPLED}.")
    said.append("Stronger lines are more probable. It is a summary of edges and need not be a single class.")
    if not posterior.diagnostics().ok:
        said.append(
            "Provisional, as the run has not converged: a line is as strong as in the chain where it is least probable."
        )
    if known_arrows(posterior, posterior.consensus()) or (posterior.target.restriction and not _past(posterior)):
        said.append("◆: the direction was given as knowledge, or follows from it.")
    if opened := opened_arrows(posterior.edge_probabilities()):
        arrows = ", ".join(f"{x} → {y}" for x, y in opened)
        said.append(f"Dashed although it has more than half, since it would close a cycle of arrows: {arrows}.")
    if _past(posterior):
        said.append("From left to right: the past, then the present. A row is a series.")
    elif _tiers(posterior) is not None:
        said.append("From top to bottom: the tiers that were given, then the order that the posterior prefers.")
    else:
        said.append("From top to bottom: arrows, then the order of causes that the posterior prefers.")
    return " ".join(said)


def _past(posterior: Posterior) -> dict[Hashable, Past]:
    """The columns of the past; empty unless the table is one of ``lagged``."""
    knowledge = posterior.target.knowledge
    given = () if knowledge is None else knowledge.conditions
    return {one.name: one for one in past_columns(posterior.nodes, given)}


def _in_time(posterior: Posterior, depth: list[float]) -> list[tuple[int, int]]:
    """The column of each node by its time and its row by its series; empty unless the table is one of ``lagged``.

    Series are in the order of their causes in the present, and constant columns come before the past.
    """
    past = _past(posterior)
    if not past:
        return []
    steps = max(one.lag for one in past.values())
    series = {one.series for one in past.values()}
    by_depth = [v for _, v in sorted(zip(depth, posterior.nodes, strict=True), key=lambda one: one[0])]
    column = {v: steps if v in series else steps - past[v].lag if v in past else -1 for v in posterior.nodes}
    row = {v: i for at in (steps, -1) for i, v in enumerate(u for u in by_depth if column[u] == at)}
    return [(column[v], row[past[v].series if v in past else v]) for v in posterior.nodes]


def _tiers(posterior: Posterior) -> list[int] | None:
    knowledge = posterior.target.knowledge
    if knowledge is None or not knowledge.tiers:
        return None
    number = {v: t for t, tier in enumerate(knowledge.tiers) if not isinstance(tier, str) for v in tier}
    rest = next((t for t, tier in enumerate(knowledge.tiers) if isinstance(tier, str)), None)
    found = [number.get(v, rest) for v in posterior.nodes]
    # Without a tier for all others, a node may be in none; then there is no order of all nodes.
    return None if None in found else [t for t in found if t is not None]
