"""DAGs of the draws of the chains, in their order, so that Monte Carlo errors include how slowly the chains move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.effects.joint_draws import DrawnDags
from causal_zigzag.errors import SettingsError
from causal_zigzag.posterior.diagnostics.batch_means import draw_errors
from causal_zigzag.posterior.weighted_draws import draw_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.posterior.sampled_run import SampledRun

MOST_BYTES = 1 << 28  # of the matrices of DAGs


def drawn_dags(run: SampledRun, k: int, rng: np.random.Generator) -> DrawnDags:
    """About k DAGs, fewer for many nodes: uniform members of the class of each draw, or of every few draws."""
    draws = run.draws()
    weights = draw_weights(run, draws)
    weights = np.ones(len(draws)) if weights is None else weights
    if not weights.any():
        raise SettingsError("no draw has a positive weight, so no DAGs can be drawn; sample more jumps")
    n = len(run.nodes)
    k = max(1, min(k, MOST_BYTES // n**2))
    step = -(-len(draws) // k)
    kept = [np.arange(0, count, step) for count in draws.counts]
    counts = [len(own) for own in kept]
    repeats = max(1, k // sum(counts))
    dags = np.zeros((sum(counts), repeats, n, n), dtype=np.uint8)
    places: dict[bytes, list[int]] = {}
    first = 0
    for chain, own in zip(draws.chains, kept, strict=True):
        for i, name in enumerate(chain.hashes[own]):
            places.setdefault(name.tobytes(), []).append(first + i)
        first += len(own)
    left = {*places}
    for number, own in enumerate(kept):  # a class is decoded once, and all its DAGs are drawn together
        wanted = {*own.tolist()}
        names = draws.chains[number].hashes
        for i, g in enumerate(draws.of_chain(number)):
            name = names[i].tobytes()
            if i in wanted and name in left:
                left.discard(name)
                at = places[name]
                dags[at] = g.random_dags(len(at) * repeats, rng).reshape(len(at), repeats, n, n)
    offsets = np.cumsum([0, *draws.counts])[:-1]
    chosen = weights[np.concatenate([own + offset for own, offset in zip(kept, offsets, strict=True)])]

    def errors(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return draw_errors(counts, values.reshape(sum(counts), repeats, *values.shape[1:]).mean(axis=1), chosen)

    return DrawnDags(dags.reshape(-1, n, n), np.repeat(chosen / chosen.sum() / repeats, repeats), errors)
