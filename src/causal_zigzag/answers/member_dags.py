"""DAGs drawn from a distribution over classes: first a class by its probability, then one of its DAGs uniformly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SamplingWarning, SettingsError
from causal_zigzag.support.memory import available_memory, in_gib
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.support.validation import read_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import WeightedClasses

NOTICEABLE_SHARE = 1e-3  # the probability of unlisted classes that is warned about
CLASS_BYTES = 16  # per DAG, for the class that it is drawn from


def sample_dags(classes: WeightedClasses, k: Any, rng: Rng) -> NDArray[np.uint8]:
    """See ``Posterior.sample_dags``."""
    classes.check_members()
    check_listed(classes)
    k, n, probabilities = read_count("k", k, 0), len(classes.nodes), classes.shares
    if not probabilities.sum() > 0:
        raise SettingsError(
            "all classes have zero weight, so no DAGs can be drawn; choose another prior, or sample more jumps"
        )
    memory = available_memory()
    if memory is not None and k * (n * n + CLASS_BYTES) > memory:
        raise SettingsError(f"k={k:,} DAGs of {n} nodes do not fit into {in_gib(memory)} of memory; draw fewer at once")
    generator = as_generator(rng)
    drawn = generator.choice(len(probabilities), size=k, p=probabilities / probabilities.sum())
    dags = np.zeros((k, n, n), dtype=np.uint8)
    order = np.argsort(drawn, kind="stable")
    rows, first = np.unique(drawn[order], return_index=True)
    # np.split returns one part even if there is nothing to split
    for g, places in zip(classes.graphs(rows), np.split(order, first[1:]), strict=False):
        dags[places] = classes.target.restrict(g).random_dags(len(places), generator)
    return dags


def check_listed(classes: WeightedClasses) -> None:
    """Warn if a noticeable share of the probability is in classes that are not listed."""
    if classes.unlisted > NOTICEABLE_SHARE:
        warn_user(
            f"{classes.unlisted:.2%} of the time was spent in classes that are not listed, and DAGs are drawn from "
            "listed classes only. To list more, sample with a larger max_classes",
            SamplingWarning,
        )
