"""Whether what was given as known contradicts the data: by how much the best graph without it is better, and where."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.search.greedy_search import climb
from causal_zigzag.support import clock
from causal_zigzag.target.knowledge import Knowledge

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.target.target import Target

MUCH = 5.0  # difference of log weights, a factor of 150
SECONDS = 2.0
MOST_NODES = 60
NAMED = 4


def contradiction(posterior: Posterior) -> str:
    """How much better the best graph is that disagrees with the knowledge, and in which arrows; empty if it is not.

    The most probable class is improved by greedy search without the knowledge, so the difference is at least this.
    """
    target = posterior.target
    known = target.knowledge
    if known is None or not (known.tiers or known.required or known.forbidden) or len(target.nodes) > MOST_NODES:
        return ""
    if not target.score.in_core or target.score.is_incomplete:
        return ""
    free = replace(target, knowledge=Knowledge(conditions=known.conditions, apart=known.apart) or None)
    first = posterior.top(1)[0].graph
    start = first if isinstance(first, CPDAG) else first.cpdag
    try:
        best, _ = climb(free, start, None, clock.now() + SECONDS)
    except CausalZigzagError:  # a graph too dense for greedy search
        return ""
    gain = _log_weight(free, best) - _log_weight(free, start)
    if gain < MUCH:
        return ""
    shown = {*first.directed_edges}
    reversed_arrows = [f"{x} -> {y}" for x, y in best.directed_edges if (y, x) in shown or y not in first.adjacent(x)]
    more = f" and {len(reversed_arrows) - NAMED:,} more" if len(reversed_arrows) > NAMED else ""
    where = f", with {', '.join(reversed_arrows[:NAMED])}{more}" if reversed_arrows else ""
    return f"The data contradict it: without it, a graph has a log weight that is larger by {gain:.0f}{where}."


def _log_weight(target: Target, graph: CPDAG) -> float:
    return target.coldness * target.score.total(graph) + target.edge_prior.log_weight(graph.edge_count)
