"""DAGs drawn from a distribution over classes: first a class by its probability, then one of its DAGs uniformly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.validation import read_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.mpdag import ClassGraph

    Graphs = Callable[[NDArray[np.int64]], Iterator[ClassGraph]]  # the classes with these numbers


def sample_dags(probabilities: NDArray[np.float64], graphs: Graphs, n: int, k: Any, rng: Rng) -> NDArray[np.uint8]:
    """Draw k independent DAGs of n nodes from classes with these probabilities."""
    k = read_count("k", k, 0)
    if not probabilities.sum() > 0:
        raise SettingsError(
            "all classes have zero weight, so no DAGs can be drawn; choose another prior, or sample more jumps"
        )
    generator = as_generator(rng)
    drawn = generator.choice(len(probabilities), size=k, p=probabilities / probabilities.sum())
    dags = np.zeros((k, n, n), dtype=np.uint8)
    order = np.argsort(drawn, kind="stable")
    classes, first = np.unique(drawn[order], return_index=True)
    for g, places in zip(
        graphs(classes), np.split(order, first[1:]), strict=False
    ):  # np.split returns one part even if there is nothing to split
        dags[places] = g.random_dags(len(places), generator)
    return dags
