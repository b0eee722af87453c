"""The most probable classes: a list of them, the smallest credible set, their scores and their text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_zigzag._core import dag_parents
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.mpdag import MPDAG, ClassGraph, class_of
from causal_zigzag.scores.base import Score
from causal_zigzag.support.validation import is_real, read_count
from causal_zigzag.support.wording import class_probability, count

if TYPE_CHECKING:
    from causal_zigzag.answers.weighted_classes import WeightedClasses

CLASSES_IN_SUMMARY = 3
ROUNDING = 1e-12  # of a sum of probabilities
AT_ONCE = 1 << 8  # classes per batch
MOST_KNOWN = 1 << 18  # local scores


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


@dataclass(frozen=True, eq=False, repr=False)
class CredibleSet(Sequence[TopClass]):
    """The smallest set of classes with a given probability, the most probable first; graphs are decoded on access.

    >>> import causal_zigzag as cz
    >>> classes = cz.sample(cz.Uniform(2), jumps=1000, rng=1).credible_set(0.9)
    >>> classes
    CredibleSet(2 classes, probability 1)
    >>> cz.CPDAG.empty(2) in classes
    True
    """

    classes: WeightedClasses
    level: float
    probability: float
    size: int

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[TopClass]:
        return _of_rows(self.classes, range(self.size))

    def __getitem__(self, at: Any) -> Any:
        rows = range(self.size)[at]
        return [*_of_rows(self.classes, rows)] if isinstance(at, slice) else next(_of_rows(self.classes, [rows]))

    def __contains__(self, g: object) -> bool:
        """Whether a class, or a class with its probability and score, is in the set."""
        graph = g[0] if isinstance(g, tuple) and g else g
        if not isinstance(graph, (CPDAG, MPDAG)) or {*graph.nodes} != {*self.classes.nodes}:
            return False
        row = self.classes.find(class_of(graph, "in"))
        return row is not None and row < self.size

    def __repr__(self) -> str:
        return f"CredibleSet({count(self.size, 'class')}, probability {self.probability:.4g})"


def top_classes(classes: WeightedClasses, k: Any) -> TopClasses:
    """See ``Posterior.top``."""
    return TopClasses(_of_rows(classes, range(min(read_count("k", k, 0), len(classes)))))


def credible_set(classes: WeightedClasses, level: Any) -> CredibleSet:
    """See ``Posterior.credible_set``."""
    if not is_real(level) or not 0 < level <= 1:
        raise SettingsError(f"level must be a number above 0 and at most 1, not {level!r}")
    held = np.cumsum(classes.shares)
    if held[-1] < level - ROUNDING:
        raise SettingsError(
            f"no set of listed classes has probability {level:g}: all {len(held):,} together have {held[-1]:.4g}, "
            "and the rest of the time was spent in unlisted classes; use a lower level, or sample with a larger "
            "max_classes"
        )
    size = min(int(np.searchsorted(held, level - ROUNDING)) + 1, len(held))
    return CredibleSet(classes, float(level), float(min(held[size - 1], 1.0)), size)


def class_share(classes: WeightedClasses, g: Any) -> float:
    """See ``Posterior.probability``."""
    row = classes.find(class_of(g, "probability"))
    return 0.0 if row is None else float(classes.shares[row])


def _of_rows(classes: WeightedClasses, ranks: Sequence[int]) -> Iterator[TopClass]:
    """The classes with these ranks in descending order of probability."""
    rows = np.asarray(ranks, dtype=np.int64)
    score, graphs = classes.target.score, classes.graphs(rows)
    scored = ((g, math.nan) for g in graphs) if score.is_incomplete else class_totals(score, graphs)
    for share, (g, total) in zip(classes.shares[rows].tolist(), scored, strict=True):
        yield TopClass(classes.target.restrict(g), share, total)


def edges_in_words(graph: ClassGraph) -> str:
    """The number of edges of a class, and of those that may point either way.

    >>> import causal_zigzag as cz
    >>> edges_in_words(cz.CPDAG.complete(3))
    '3 edges, 3 open'
    """
    lines = len(graph.undirected_edges)
    return count(graph.edge_count, "edge") + (f", {lines:,} open" if lines else "")


def score_in_words(score: float, before: str = "") -> str:
    """The score of a class; empty if it is not known, because cells are missing.

    >>> score_in_words(-1234.5678, ", "), score_in_words(math.nan, ", ")
    (', score -1,234.57', '')
    """
    return "" if math.isnan(score) else f"{before}score {score:,.2f}"


def top_lines(classes: WeightedClasses) -> list[str]:
    """The most probable classes for a summary, one line each."""
    return [
        f"{'' if i else 'top':<11} probability {class_probability(p)}: {edges_in_words(graph)}"
        + ("" if math.isnan(score) else f", score {score:.6g}")
        for i, (graph, p, score) in enumerate(top_classes(classes, CLASSES_IN_SUMMARY))
    ]


def class_totals(score: Score, graphs: Iterable[CPDAG]) -> Iterator[tuple[CPDAG, float]]:
    """Each class with its total; the nodes of the classes are those of the score in the same order.

    The iterator is lazy: local scores of a class are computed when the iterator reaches it.
    """
    if score.is_flat:
        return ((g, 0.0) for g in graphs)
    if type(score).total is not Score.total:
        return ((g, score.total(g)) for g in graphs)
    return _sums_of_locals(score, graphs)


def _sums_of_locals(score: Score, graphs: Iterable[CPDAG]) -> Iterator[tuple[CPDAG, float]]:
    n, graphs = len(score.nodes), iter(graphs)
    width = max(1, (n + 7) // 8)
    known: dict[tuple[int, bytes], float] = {}

    def local(pair: tuple[int, bytes]) -> float:
        value = known.get(pair)
        if value is None:
            if len(known) == MOST_KNOWN:
                known.clear()
            bits = np.unpackbits(np.frombuffer(pair[1], dtype=np.uint8), bitorder="little")
            value = known[pair] = score.local_by_number(pair[0], np.flatnonzero(bits).tolist())
        return value

    while batch := [*islice(graphs, AT_ONCE)]:
        rows = dag_parents(n, [g.core for g in batch]).reshape(len(batch), n, width)
        for g, parents in zip(batch, rows.view(f"S{width}")[:, :, 0].tolist(), strict=True):
            yield g, math.fsum(map(local, enumerate(parents)))
