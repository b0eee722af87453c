"""DAGs from a distribution over classes: a class by its probability, then one of its members, all equally likely."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.validation import read_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG

    Graphs = Callable[[NDArray[np.int64]], Iterator[CPDAG]]  # the classes with these numbers


def sample_dags(probabilities: NDArray[np.float64], graphs: Graphs, n: int, k: Any, rng: Rng) -> NDArray[np.uint8]:
    """So many DAGs of n nodes, independent of each other, from classes with these probabilities."""
    k = read_count("k", k, 0)
    if not probabilities.sum() > 0:
        raise SettingsError("no class has any weight to draw DAGs by; choose another prior, or sample longer")
    generator = as_generator(rng)
    drawn = generator.choice(len(probabilities), size=k, p=probabilities / probabilities.sum())
    dags = np.zeros((k, n, n), dtype=np.uint8)
    order = np.argsort(drawn, kind="stable")
    classes, first = np.unique(drawn[order], return_index=True)
    for g, places in zip(graphs(classes), np.split(order, first[1:]), strict=False):  # of none, split makes one
        dags[places] = g.random_dags(len(places), generator)
    return dags
