"""User-defined priors, functions of a class: their names and the log weights that they return."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.support.validation import is_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.graphs.mpdag import ClassGraph


UNIFORM = {"classes": "uniform over classes", "dags": "uniform over DAGs"}
"""The priors of this package in words."""


def prior_in_words(prior: str) -> str:
    """The name of a prior in summaries."""
    return UNIFORM.get(prior, f"weighted by {prior}")


def name_of(prior: Callable[[Any], float]) -> str:
    """The name of a user's function, which differs from those of the priors of this package.

    >>> def dags(g): return -1.0
    >>> name_of(dags)
    'dags()'
    """
    name = str(getattr(prior, "__name__", type(prior).__name__))
    return f"{name}()" if name in UNIFORM else name


def log_weights_by(
    prior: Callable[[Any], float], graphs: Iterable[tuple[int, ClassGraph]], count: int
) -> NDArray[np.float64]:
    """The log weights of ``count`` classes, which are given with their positions, by a user's function."""
    values = np.empty(count)
    for i, g in graphs:
        values[i] = log_weight_by(prior, g)
    if values.max(initial=-math.inf) == -math.inf:
        raise SettingsError(f"prior {name_of(prior)} gives zero weight to all of the {count:,} listed classes")
    return values


def log_weight_by(prior: Callable[[Any], float], g: ClassGraph) -> float:
    """The log weight of a class by a user's function."""
    value = prior(g)
    if not is_real(value) or math.isnan(value) or value == math.inf:
        raise SettingsError(
            f"prior must return a log weight, a number or minus infinity, for every class, but {name_of(prior)} "
            f"returned {value!r} for {g!r}"
        )
    return float(value)
