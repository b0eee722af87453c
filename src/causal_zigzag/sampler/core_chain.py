"""make_chain: a chain of the core from a target and settings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from causal_zigzag import _core as core
from causal_zigzag.sampler.annealing.schedule import cost_per_edge
from causal_zigzag.sampler.missing_cells import begin_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.target.target import Target

# A listed class is stored as a few differences from another one. This number per class on average leaves room for some
# classes that are stored in full.
DELTAS_PER_CLASS = 64
# Above MANY nodes, validity is not kept up to date for the many inserts whose log ratio of weights is below UNLIKELY: a
# jump changes it for a number of them that grows with the square of the nodes. Under a prior in which an edge costs
# less than CHEAP, few inserts are that unlikely.
MANY, UNLIKELY, CHEAP = 128, -6.0, 2.0


def make_chain(
    target: Target,
    settings: RunSettings,
    start: CPDAG,
    seed: NDArray[np.uint64],
    saved: bytes | None = None,
    cells: NDArray[np.float64] | None = None,
    **fields: Any,
) -> core.Chain:
    """A chain at ``start``, or in the ``saved`` state of a chain with the same settings, with the tuning that it had.

    ``cells`` are missing ones. ``fields`` are fields of ``ChainSettings`` that the target and the settings do not
    determine, or other values of those that they do: an annealed chain has a coldness of its own.
    """
    n, listed = len(target.nodes), fields.pop("most_classes", settings.max_classes)
    given = core.ChainSettings(
        score=None if target.score.is_incomplete else target.score.core_score(),
        balance=core.Balance[settings.balance],
        coldness=target.coldness,
        prior=target.edge_prior.core(),
        momentum=settings.momentum,
        unlikely_below=UNLIKELY if n > MANY and cost_per_edge(target) >= CHEAP else -math.inf,
        max_degree=n if target.max_degree is None else min(n, target.max_degree),
        forbidden=target.apart,
        arrows=target.arrows,
        seed=seed,
        most_classes=listed,
        most_deltas=listed * DELTAS_PER_CLASS,
        trace_points=settings.trace_points if listed else 0,
        cache_bytes=settings.cache_bytes,
    )
    for name, value in fields.items():
        setattr(given, name, value)
    if target.score.is_incomplete:
        given.table, given.most_tables = begin_table(target.score, seed, cells)
    return core.make_chain(start.core, given, saved)
