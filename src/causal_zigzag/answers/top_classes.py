"""TopClass: a class with its probability and score; and the most probable classes as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.support.wording import count

TOP = 3  # classes in a summary


class TopClass(NamedTuple):
    """A class with its probability and its score.

    >>> import causal_zigzag as cz
    >>> cz.sample(cz.Uniform(2), jumps=1000, rng=1).top(1)[0].score
    0.0
    """

    graph: CPDAG
    probability: float
    score: float


def top_lines(top: Sequence[TopClass]) -> list[str]:
    """The most probable classes, one line each."""
    return [
        f"{'' if i else 'top':<11} probability {probability:.4g}: {count(graph.edge_count, 'edge')}, score {score:.6g}"
        for i, (graph, probability, score) in enumerate(top)
    ]
