"""polish: the class to which greedy search with retries leads from where a chain ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag import _core
from causal_zigzag.graphs.cpdag import CPDAG

if TYPE_CHECKING:
    from collections.abc import Callable

    from causal_zigzag.target.target import Target

CLIMBING, RETRYING = 3, 4  # delete, else reverse, else insert; then retries without one edge or one node at a time
SLICE = 0.1  # seconds between two checks for Ctrl-C


def greedy(target: Target, start: CPDAG) -> _core.Greedy:
    """A search in the core, which maximizes the log weight divided by the coldness."""
    score = target.score.core_score()
    assert score is not None, "checked before"
    n = len(target.nodes)
    return _core.make_greedy(
        start=start.core,
        score=score,
        prior=target.edge_prior.core(target.coldness),
        max_degree=n if target.max_degree is None else min(n, target.max_degree),
        forbidden=target.apart,
        arrows=target.arrows,
    )


def polish(target: Target, start: CPDAG, is_over: Callable[[], bool]) -> CPDAG:
    """The class to which climbing and retries lead, or the best so far when ``is_over`` returns True."""
    try:
        search = greedy(target, start)
        for phase in (CLIMBING, RETRYING):
            while not is_over() and not search.run(phase, SLICE):
                pass
    except OverflowError as error:
        node, clique = error.args
        raise target.too_dense(node, clique) from None
    return CPDAG.from_core(search.graph(), start.labels)
