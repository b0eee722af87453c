"""What a distribution over classes says about one pair of nodes, in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.effects.queries import effect
from causal_zigzag.answers.resamples.stability import RESAMPLED
from causal_zigzag.answers.settled_directions import PairKinds, arrows_from_knowledge, pair_kinds, settled_arrows
from causal_zigzag.answers.top_classes import top_classes
from causal_zigzag.answers.weighted_classes import WeightedClasses
from causal_zigzag.errors import CausalZigzagError, SettingsError
from causal_zigzag.graphs.labels import Labels, show
from causal_zigzag.graphs.mpdag import ClassGraph
from causal_zigzag.graphs.pairs import pair_number
from causal_zigzag.support.wording import class_probability, probability

if TYPE_CHECKING:
    from causal_zigzag.answers.effects.effect import Effect

COMPARED_CLASSES = 10  # the most probable ones
MOST_NAMED = 5  # classes, or common neighbors, in a sentence
MOST_CHAINS = 16


@dataclass(frozen=True, eq=False, repr=False)
class PairExplanation:
    """What is known of the pair x, y; ``print`` shows it in words.

    ``joined`` is the probability of any edge, with its Monte Carlo standard error ``mcse`` (0 if exact, NaN if
    unknown); ``forward`` is that of x -> y, ``backward`` of y -> x and ``undirected`` of x - y. ``by_chain`` has
    ``joined`` of each chain. ``common`` are nodes that are probably joined to both, with both probabilities.
    ``classes`` are the most probable classes, each with its edge: "x -> y", "y -> x", "x - y" or "no edge".
    ``effects`` are the total effects of x on y and of y on x, for Gaussian scores. ``known`` are sentences about what
    the knowledge of the posterior says of the pair. ``settled`` is the arrow with more than half of all probability,
    empty if there is none. If rows were resampled, ``again`` has the probabilities of joined, forward, backward and
    undirected then, ``mcse_again`` the largest of their errors, ``holds`` says whether ``settled`` holds, and
    ``effects_again`` are the effects then.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> pair = cz.exact_posterior(cz.GaussianBIC(table)).explain("rain", "wet")
    >>> print(str(pair).splitlines()[0])
    rain and wet are joined with probability >0.999: rain -> wet 0.978, wet -> rain <0.001, open 0.022.
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
    again: PairKinds | None = None
    mcse_again: float = 0.0
    holds: bool | None = None
    effects_again: tuple[Effect, ...] = ()

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
        kinds = PairKinds(self.joined, self.forward, self.backward, self.undirected)
        error = f" ± {self.mcse:.1g}" if self.mcse > 0 else ""
        lines = [f"{show(self.x)} and {show(self.y)} are joined with probability {self._numbers(kinds, error)}."]
        if self.again is not None:
            errors = f" (errors up to {self.mcse_again:.1g})" if self.mcse_again > 0 else ""
            numbers = self._numbers(self.again)
            lines.append(f"{RESAMPLED.capitalize()}, they are joined with probability {numbers}{errors}.")
        lines.append(self._conclusion())
        if len(self.by_chain) > 1:
            lines.append(f"By chain: {', '.join(map(probability, self.by_chain[:MOST_CHAINS]))}.")
        common = [f"{show(v)} ({probability(a)}, {probability(b)})" for v, a, b in self.common[:MOST_NAMED]]
        lines += [*self.known, f"Joined to both: {', '.join(common) or 'no variable'}."]
        if self.classes:
            others = [
                f"class {rank} ({class_probability(p)}): {edge}" for rank, p, edge in self.disagreeing[:MOST_NAMED]
            ]
            first = f"The most probable class ({class_probability(self.classes[0][0])}) has {self.classes[0][1]}"
            lines.append(
                f"{first}; of the {len(self.classes)} most probable, these disagree: {', '.join(others) or 'none'}."
            )
        lines += [f"Effect: {one!r}" for one in self.effects]
        return "\n".join(lines + [f"Effect {RESAMPLED}: {one!r}" for one in self.effects_again])

    def _numbers(self, kinds: PairKinds, error: str = "") -> str:
        x, y = show(self.x), show(self.y)
        return (
            f"{probability(kinds.adjacent)}{error}: {x} -> {y} {probability(kinds.forward)}, {y} -> {x} "
            f"{probability(kinds.backward)}, open {probability(kinds.undirected)}"
        )

    def _conclusion(self) -> str:
        """Whether the pair is joined and which way, and whether that holds when rows are resampled."""
        if self.joined < CONSENSUS_THRESHOLD:
            return "They are rather not joined."
        if self.again is not None and self.again.adjacent < CONSENSUS_THRESHOLD:
            return f"That they are joined does not hold {RESAMPLED}."
        if not self.settled:
            return "No arrow has more than half of all probability."
        if self.holds is False:
            return f"The arrow {self.settled} does not hold {RESAMPLED}."
        also = f", and it holds {RESAMPLED}" if self.holds else ""
        return f"The arrow {self.settled} has more than half of all probability{also}."

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
    arrows, again = settled_arrows(replace(edges, again=None)), classes.resampled
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
        None if again is None else pair_kinds(again.edges, i, j),
        0.0 if again is None else float(again.edge_errors[i, j].max()),
        bool((settled_arrows(edges) & arrows)[[i, j], [j, i]].any()) if settled and again is not None else None,
        () if again is None else _effects(again, x, y),
    )


def _by_chain(classes: WeightedClasses, pair: int) -> tuple[float, ...]:
    """The probability that the pair is joined, in each chain; empty if the probabilities are exact."""
    if classes.batches is None:
        return ()
    source = classes.batches.edges
    ((_, integrals),) = source.pair_integrals(np.array([pair]))
    return tuple(np.minimum(source.batching.by_chain(integrals[:, 0, 0]), 1.0).tolist())


def _known(classes: WeightedClasses, i: int, j: int) -> tuple[str, ...]:
    """What knowledge says of the pair, so that nobody takes it for a finding from the data."""
    restriction = classes.target.known
    if restriction is None:
        return ()
    names = restriction.labels.names
    words = {(a, b): f"{show(names[a])} -> {show(names[b])}" for a, b in ((i, j), (j, i))}
    found = [f"The knowledge requires {words[pair]}." for pair in words if pair in restriction.required]
    found += [f"The knowledge excludes {words[pair]}." for pair in words if pair in restriction.forbidden]
    given = arrows_from_knowledge((classes.edges.adjacent >= CONSENSUS_THRESHOLD).astype(np.uint8), restriction)
    follows = [words[a, b] for a, b in words if (names[a], names[b]) in given]
    return tuple(found or [f"{arrow} follows from the knowledge in every graph with these edges." for arrow in follows])


def _edge_of(graph: ClassGraph, x: Hashable, y: Hashable) -> str:
    for a, b, near, mark in ((x, y, graph.children, "->"), (y, x, graph.children, "->"), (x, y, graph.neighbors, "-")):
        if b in near(a):
            return f"{show(a)} {mark} {show(b)}"
    return "no edge"


def _effects(classes: WeightedClasses, x: Hashable, y: Hashable) -> tuple[Effect, ...]:
    """Total effects in both directions; none if the score allows no effects."""
    try:
        found = [effect(classes, x, y), effect(classes, y, x)]
    except CausalZigzagError:
        return ()
    return tuple(one for one in found if not math.isnan(one.mean))
