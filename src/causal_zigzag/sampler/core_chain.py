"""make_chain: a chain of the core from a target and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from causal_zigzag import _core as core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.target.target import Target

# A listed class is stored as a few differences from another one. This number per class on average leaves room for some
# classes that are stored in full.
DELTAS_PER_CLASS = 64


def make_chain(
    target: Target,
    settings: Settings,
    start: CPDAG,
    seed: NDArray[np.uint64],
    *,
    direction: Literal[-1, 1] = 1,
    first_score: float = 0.0,
    saved: bytes | None = None,
    accumulate: bool = True,
    coldness: float | None = None,
    extra_slope: float = 0.0,
    excursions: core.ExcursionSettings | None = None,
    max_classes: int | None = None,
) -> core.Chain:
    """A chain at ``start``, or in the ``saved`` state of a chain with the same arguments.

    ``first_score`` is the score of the start in the chain's trace. With ``accumulate=False`` it lists no classes and
    has no trace. An annealed chain has its own ``coldness`` and an auxiliary log weight per edge, ``extra_slope``.
    """
    n = len(target.nodes)
    listed = settings.max_classes if max_classes is None else max_classes
    listed = listed if accumulate else 0
    given = core.ChainSettings(
        score=target.score.core_score(),
        balance=core.Balance[settings.balance],
        coldness=target.coldness if coldness is None else coldness,
        prior=target.edge_prior.core(),
        momentum=settings.momentum,
        max_degree=n if target.max_degree is None else min(n, target.max_degree),
        forbidden=list(target.forbidden),
        seed=seed,
        direction=direction,
        first_score=first_score,
        most_classes=listed,
        most_deltas=listed * DELTAS_PER_CLASS,
        trace_points=settings.trace_points if accumulate else 0,
        cache_bytes=settings.cache_bytes,
        extra_slope=extra_slope,
        excursions=excursions or core.ExcursionSettings(),
        arrows=target.arrows,
    )
    return core.make_chain(start.core, given, saved)
