"""The weight c of sqrt in ``balance="auto"``, g(t) = min(1, t) w(t) + c sqrt(t).

Under sqrt nearly all jumps of a large table insert and delete edges of low probability; under min(1, t) they go where
something is open, but high barriers are crossed less often. The sum does both. Up to 20 columns, c is such that both
terms make about as many jumps. With more columns sqrt makes max(0.3, 20/n) times as many as the other term: only a
small share of its jumps then helps to cross a barrier, and excursions cross barriers too. The factor
w(t) = min(1, exp(4 - abs(log(t)))) makes edges of a probability below 2 % come and go less often: they are many, and a
jump that inserts one says little. A sum of balancing functions is one, and so is one times w(t) = w(1/t), so the target
does not depend on c. The choice follows from the jumps of the chain alone: it is made after every block of the warm-up,
and is fixed when sampling starts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from causal_zigzag._core import Chain
    from causal_zigzag.sampler.settings import RunSettings
    from causal_zigzag.target.target import Target

SQRT_ALONE = math.inf  # until something is measured: it climbs from a poor start without inserting far too many edges
LEAST, MOST = 1e-4, 10.0
EVEN, FEW = 20, 0.3  # number of nodes up to which both terms make as many jumps; the least share of sqrt in others
FEWEST = 100  # jumps from which a weight is chosen
NEAR = 1.5  # a weight that would change by less than this factor stays, as rows of rates would be computed again


def mixes(settings: RunSettings, target: Target) -> bool:
    """Whether chains have a weight of their own; where the prior is a table, sqrt alone is much faster."""
    return settings.balance == "auto" and not target.edge_prior.table and not target.score.is_flat


def measured(chain: Chain, weight: float, nodes: int) -> tuple[float, float]:
    """The weight by which both terms make the numbers of jumps said above, from the jumps of a chain with this one.

    Also the binary logarithm of the factor by which jumps become more frequent.
    """
    state = chain.statistics()
    if state.jumps < FEWEST:
        return weight, 0.0
    share = min(1.0, max(FEW, EVEN / nodes))
    found = min(MOST, max(LEAST, share * state.metropolis_part / state.sqrt_part))
    return found, math.log2((state.metropolis_part + found * state.sqrt_part) / state.jumps)


def next_weight(chain: Chain, weight: float, nodes: int) -> tuple[float, float]:
    """The weight for the next block of the chain, and the logarithm as ``measured`` does."""
    found, faster = measured(chain, weight, nodes)
    # the time of a sweep over missing cells is fixed already
    if max(found, weight) < NEAR * min(found, weight) or chain.cells is not None:
        return weight, 0.0
    return found, faster
