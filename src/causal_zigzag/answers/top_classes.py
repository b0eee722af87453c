"""TopClass: a class with its probability and score; and the most probable classes as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from causal_zigzag.graphs.mpdag import ClassGraph
from causal_zigzag.support.wording import class_probability, count

TOP = 3  # classes in a summary


class TopClass(NamedTuple):
    """A class with its probability and its score.

    >>> import causal_zigzag as cz
    >>> cz.sample(cz.Uniform(2), jumps=1000, rng=1).top(1)[0].score
    0.0
    """

    graph: ClassGraph
    probability: float
    score: float


class TopClasses(list[TopClass]):
    """A list of classes, the most probable first; notebooks show it as cards with pictures.

    >>> import causal_zigzag as cz
    >>> top = cz.sample(cz.Uniform(2), jumps=1000, rng=1).top(2)
    >>> top == list(top), "<svg" in top._repr_html_()
    (True, True)
    """

    def _repr_html_(self) -> str:
        from causal_zigzag.report.notebook import classes_html

        return classes_html(self)


def edges_in_words(graph: ClassGraph) -> str:
    """The number of edges of a class, and of those that may point either way.

    >>> import causal_zigzag as cz
    >>> edges_in_words(cz.CPDAG.complete(3))
    '3 edges, 3 without a determined direction'
    """
    lines = len(graph.undirected_edges)
    return count(graph.edge_count, "edge") + (f", {lines:,} without a determined direction" if lines else "")


def top_lines(top: Sequence[TopClass]) -> list[str]:
    """The most probable classes, one line each."""
    return [
        f"{'' if i else 'top':<11} probability {class_probability(p)}: {edges_in_words(graph)}, score {score:.6g}"
        for i, (graph, p, score) in enumerate(top)
    ]
