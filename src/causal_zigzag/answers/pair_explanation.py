"""What a distribution over classes says about one pair of nodes, in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.effects.effect import Effect
from causal_zigzag.answers.effects.queries import effect
from causal_zigzag.answers.settled_directions import arrows_from_knowledge, settled_arrows
from causal_zigzag.answers.top_classes import top_classes
from causal_zigzag.answers.weighted_classes import WeightedClasses
from causal_zigzag.errors import CausalZigzagError, SettingsError
from causal_zigzag.graphs.labels import Labels, show
from causal_zigzag.graphs.mpdag import ClassGraph
from causal_zigzag.graphs.pairs import pair_number
from causal_zigzag.support.wording import class_probability, count, probability

COMPARED_CLASSES = 10  # the most probable ones
MOST_NAMED = 5  # classes, or common neighbors, in a sentence


@dataclass(frozen=True, eq=False, repr=False)
class PairExplanation:
    """What is known of the pair x, y; ``print`` shows it in words.

    ``joined`` is the probability of any edge, with its Monte Carlo standard error ``mcse`` (0 if exact, NaN if
    unknown); ``forward`` is that of x -> y, ``backward`` of y -> x and ``undirected`` of x - y. ``by_chain`` has
    ``joined`` of each chain. ``common`` are nodes that are probably joined to both, with both probabilities.
    ``classes`` are the most probable classes, each with its edge: "x -> y", "y -> x", "x - y" or "no edge".
    ``effects`` are the total effects of x on y and of y on x, for Gaussian scores. ``known`` are sentences about what
    the knowledge of the posterior says of the pair.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> pair = cz.exact_posterior(cz.GaussianBIC(table)).explain("rain", "wet")
    >>> print(str(pair).splitlines()[0])
    rain and wet are joined with probability 1: rain -> wet 0.937, wet -> rain <0.001, open 0.063.
    >>> pair.classes[0][1]
    'rain -> wet'
    """

    x: Hashable
    y: Hashable
    joined: float
    forward: float
    backward: float
    undirected: float
    mcse: float
    settled: str
    by_chain: tuple[float, ...]
    common: tuple[tuple[Hashable, float, float], ...]
    classes: tuple[tuple[float, str], ...]
    effects: tuple[Effect, ...]
    known: tuple[str, ...] = ()

    @property
    def disagreeing(self) -> list[tuple[int, float, str]]:
        """The ranks, probabilities and edges of the classes that differ from the most probable class in this pair.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(["a", "b"])).explain("a", "b").disagreeing
        [(2, 0.5, 'a - b')]
        """
        first = self.classes[0][1] if self.classes else ""
        return [(rank, p, edge) for rank, (p, edge) in enumerate(self.classes, start=1) if edge != first]

    def __str__(self) -> str:
        x, y = show(self.x), show(self.y)
        error = f" ± {self.mcse:.1g}" if self.mcse > 0 else ""
        ways = (
            f"{x} -> {y} {probability(self.forward)}, {y} -> {x} {probability(self.backward)}, open "
            f"{probability(self.undirected)}"
        )
        lines = [f"{x} and {y} are joined with probability {probability(self.joined)}{error}: {ways}."]
        if self.joined < CONSENSUS_THRESHOLD:
            lines.append("They are rather not joined.")
        elif self.settled:
            lines.append(f"The direction {self.settled} is settled: it has more than half of all probability.")
        else:
            lines.append("No direction is settled: none has more than half of all probability.")
        if len(self.by_chain) > 1:
            low, high = (probability(choose(self.by_chain)) for choose in (min, max))
            same = f"All {len(self.by_chain)} chains give it {low}."
            lines.append(same if low == high else f"The {len(self.by_chain)} chains give it {low} to {high}.")
        lines += [*self.known, _common_in_words(self, x, y), *_classes_in_words(self)]
        lines += [f"Effect: {one!r}" for one in self.effects]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def explain_pair(classes: WeightedClasses, x: Any, y: Any) -> PairExplanation:
    """See ``Posterior.explain``."""
    edges = classes.edges
    labels = Labels(edges.nodes)
    i, j = labels.number(x), labels.number(y)
    if i == j:
        raise SettingsError(f"explain needs two different nodes, but both are {show(x)}")
    x, y = edges.nodes[i], edges.nodes[j]
    arrows = settled_arrows(edges)
    settled = f"{show(x)} -> {show(y)}" if arrows[i, j] else f"{show(y)} -> {show(x)}" if arrows[j, i] else ""
    common = [
        (v, float(edges.adjacent[k, i]), float(edges.adjacent[k, j]))
        for k, v in enumerate(edges.nodes)
        if k not in (i, j) and min(edges.adjacent[k, i], edges.adjacent[k, j]) >= CONSENSUS_THRESHOLD
    ]
    return PairExplanation(
        x,
        y,
        min(1.0, float(edges.adjacent[i, j])),
        float(edges.directed[i, j]),
        float(edges.directed[j, i]),
        float(edges.undirected[i, j]),
        float(classes.edge_errors[i, j, 0]),
        settled,
        _by_chain(classes, int(pair_number(i, j))),
        tuple(sorted(common, key=lambda one: -min(one[1:]))),
        tuple((one.probability, _edge_of(one.graph, x, y)) for one in top_classes(classes, COMPARED_CLASSES)),
        _effects(classes, x, y),
        _known(classes, i, j),
    )


def _by_chain(classes: WeightedClasses, pair: int) -> tuple[float, ...]:
    """The probability that the pair is joined, in each chain; empty if the probabilities are exact."""
    if classes.batches is None:
        return ()
    source = classes.batches.source
    ((_, integrals),) = source.pair_integrals(np.array([pair]))
    return tuple(np.minimum(source.batching.by_chain(integrals[:, 0, 0]), 1.0).tolist())


def _known(classes: WeightedClasses, i: int, j: int) -> tuple[str, ...]:
    """What knowledge says of the pair, so that nobody takes it for a finding from the data."""
    restriction = classes.target.restriction
    if restriction is None:
        return ()
    names = restriction.labels.names
    pairs = ((i, j), (j, i))
    words = {(a, b): f"{show(names[a])} -> {show(names[b])}" for a, b in pairs}
    required = [pair for pair in pairs if pair in restriction.required]
    forbidden = [pair for pair in pairs if pair in restriction.forbidden]
    if required:
        return (f"The knowledge requires {words[required[0]]}, whatever the data say.",)
    if len(forbidden) == 2:
        return ("The knowledge excludes an edge between them, whatever the data say.",)
    if forbidden:
        return (f"The knowledge excludes {words[forbidden[0]]}, whatever the data say.",)
    joined = (classes.edges.adjacent >= CONSENSUS_THRESHOLD).astype(np.uint8)
    given = arrows_from_knowledge(joined, restriction)
    follows = [words[a, b] for a, b in pairs if (names[a], names[b]) in given]
    return tuple(f"{arrow} follows from the knowledge in every graph with these edges." for arrow in follows)


def _edge_of(graph: ClassGraph, x: Hashable, y: Hashable) -> str:
    first, second = show(x), show(y)
    if y in graph.children(x):
        return f"{first} -> {second}"
    if x in graph.children(y):
        return f"{second} -> {first}"
    return f"{first} - {second}" if y in graph.neighbors(x) else "no edge"


def _effects(classes: WeightedClasses, x: Hashable, y: Hashable) -> tuple[Effect, ...]:
    """Total effects in both directions; none if the score allows no effects."""
    try:
        found = [effect(classes, x, y), effect(classes, y, x)]
    except CausalZigzagError:
        return ()
    return tuple(one for one in found if isinstance(one, Effect) and not math.isnan(one.mean))


def _common_in_words(pair: PairExplanation, x: str, y: str) -> str:
    if not pair.common:
        return f"No variable is joined to both with probability {CONSENSUS_THRESHOLD:g} or more."
    shown = [f"{show(v)} ({probability(a)} to {x}, {probability(b)} to {y})" for v, a, b in pair.common[:MOST_NAMED]]
    more = f" and {len(pair.common) - MOST_NAMED:,} more" if len(pair.common) > MOST_NAMED else ""
    return f"Joined to both: {', '.join(shown)}{more}."


def _classes_in_words(pair: PairExplanation) -> list[str]:
    if not pair.classes:
        return []
    together = class_probability(sum(p for p, _ in pair.classes))
    if len(pair.classes) == 1:
        return [f"The only class has {pair.classes[0][1]}."]
    start = f"The most probable of {count(len(pair.classes), 'class')} (together {together}) has {pair.classes[0][1]}"
    if not pair.disagreeing:
        return [f"{start}, and so have the others."]
    shown = [f"class {rank} ({class_probability(p)}): {edge}" for rank, p, edge in pair.disagreeing[:MOST_NAMED]]
    more = f"; and {len(pair.disagreeing) - MOST_NAMED} more" if len(pair.disagreeing) > MOST_NAMED else ""
    return [f"{start}; these disagree: {'; '.join(shown)}{more}."]
