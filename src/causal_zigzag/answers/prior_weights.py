"""Priors that users give as functions of a class: their names and the log weights they return."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from numpy.typing import NDArray


def prior_in_words(prior: str) -> str:
    """How summaries name a prior."""
    return {"classes": "uniform over classes", "dags": "uniform over DAGs"}.get(prior, f"weighed by {prior}")


def name_of(prior: Callable[[CPDAG], float]) -> str:
    """How summaries call a user's function."""
    return str(getattr(prior, "__name__", type(prior).__name__))


def log_weights_by(
    prior: Callable[[CPDAG], float], graphs: Iterable[tuple[int, CPDAG]], count: int
) -> NDArray[np.float64]:
    """What a user's function says of each of so many classes, which come with their places."""
    values = np.empty(count)
    for i, g in graphs:
        values[i] = log_weight_by(prior, g)
    if values.max(initial=-math.inf) == -math.inf:
        raise SettingsError(f"prior {name_of(prior)} gives none of the {count:,} listed classes any weight")
    return values


def log_weight_by(prior: Callable[[CPDAG], float], g: CPDAG) -> float:
    """The log weight that a user's function gives to a class."""
    value = prior(g)
    if not is_real(value) or math.isnan(value) or value == math.inf:
        raise SettingsError(
            f"prior must give every class a log weight, a number or minus infinity, but {name_of(prior)} of {g!r} "
            f"is {value!r}"
        )
    return float(value)
