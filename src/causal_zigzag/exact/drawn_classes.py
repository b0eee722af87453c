"""DrawnClasses: independent draws of DAGs from the sums over all DAGs, as classes with weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.class_list import ClassList, class_list
from causal_zigzag.errors import SettingsError
from causal_zigzag.exact.edge_posterior import MOST_EDGE_POSTERIOR_NODES as MOST_NODES
from causal_zigzag.exact.local_table import weighted_table
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.pairs import pair_ends
from causal_zigzag.support.rng import Rng, seed_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.target.target import Target


@dataclass(frozen=True, eq=False)
class DrawnClasses:
    """The classes of independent draws of DAGs, each class once, and the class of each draw.

    ``marks`` has one row per class and one column per pair, as ``Draws.marks``. A draw has probability proportional to
    the weight of its DAG. The weight of its class under the uniform prior over classes is that times the weight of the
    draw, 1 / (number of DAGs of the class).
    """

    classes: ClassList
    marks: NDArray[np.uint8]
    names: NDArray[np.uint64]
    drawn: NDArray[np.uint32]

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of draws of each class."""
        return np.bincount(self.drawn, minlength=len(self.names))

    @cached_property
    def log_sizes(self) -> NDArray[np.float64]:
        """The logs of the numbers of DAGs of the classes; with knowledge, of those that agree."""
        return self.classes.log_sizes()

    def shares(self, log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of each class if its draws have these weights; ``-log_sizes`` for the prior of ``sample``."""
        shares = self.counts * np.exp(log_weights - log_weights.max())
        return np.asarray(shares / shares.sum())

    def ess(self, log_weights: NDArray[np.float64]) -> float:
        """The effective number of draws with these weights, (Σ w)² / Σ w² (Kish 1965)."""
        weights = np.exp(log_weights - log_weights.max())
        return float((self.counts @ weights) ** 2 / (self.counts @ weights**2))


def draw_classes(target: Target, draws: int, rng: Rng = None, max_parents: int | None = None) -> DrawnClasses:
    """Independent draws from the DAGs of a target with up to 18 nodes, under the uniform prior over DAGs.

    With ``max_degree``, draws in which a node has more adjacent nodes are left out. ``max_parents`` leaves out whole
    classes, like ``max_degree``, as the largest number of parents in a DAG is that of all DAGs of its class: the nodes
    of a component of lines have the same parents outside it, and the last node of its largest clique has the others as
    parents, while no node has more, since its parents in the component are joined to each other.
    """
    n, degree = len(target.nodes), target.max_degree
    bounds = [bound for bound in (max_parents, degree) if bound is not None]
    table = weighted_table(target, min(bounds, default=None))
    if n:
        marks, names, drawn = _core.draw_classes(table, draws, seed_words(rng))
    else:
        marks, names, drawn = np.zeros(0, np.uint8), np.zeros(2, np.uint64), np.zeros(draws, np.uint32)
    names = names.reshape(-1, 2)
    marks = marks.reshape(len(names), n * (n - 1) // 2)
    if degree is not None and degree < n - 1:
        within = _degrees(marks, n) <= degree
        if not within.any():
            raise SettingsError(
                f"none of {draws:,} draws is within max_degree={degree}; raise it, draw more, or use cz.sample"
            )
        drawn = drawn[within[drawn]]
        marks, names, drawn = marks[within], names[within], (np.cumsum(within) - 1).astype(np.uint32)[drawn]
    return DrawnClasses(class_list(Labels(target.nodes), marks, target.restriction), marks, names, drawn)


def check_drawable(target: Target) -> None:
    """Raise a SettingsError if there are too many nodes for sums over all DAGs."""
    n = len(target.nodes)
    if n > MOST_NODES:
        raise SettingsError(
            f"exact_draws takes 3^n steps and supports at most {MOST_NODES} nodes, not {n}; leave out nodes, or use "
            "cz.sample"
        )


def _degrees(marks: NDArray[np.uint8], n: int) -> NDArray[np.int64]:
    """The largest number of adjacent nodes in each class."""
    pairs = np.arange(marks.shape[1])
    incident = np.zeros((len(pairs), n), dtype=np.int64)
    for ends in pair_ends(pairs):
        incident[pairs, ends] = 1
    return np.asarray(((marks > 0) @ incident).max(axis=1))
