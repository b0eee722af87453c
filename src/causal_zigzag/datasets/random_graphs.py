"""Random DAGs, and uniformly random classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.sampler.settings import Settings
from causal_zigzag.sampling import sample
from causal_zigzag.scores.uniform import Uniform
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.validation import is_real, read_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

CHAINS_AT_ONCE = 64  # bounds the memory of random_classes


def random_dag(n: int, expected_degree: float = 3.0, rng: Rng = None) -> NDArray[np.uint8]:
    """A random DAG as a 0/1 matrix, ``m[i, j] = 1`` for ``i -> j``; all pairs of nodes have an edge equally likely.

    A node is adjacent to ``expected_degree`` others on average, or to all others if there are fewer. The causal order
    is random: it does not depend on the order of the nodes.

    >>> import causal_zigzag as cz
    >>> cz.datasets.random_dag(4, expected_degree=1.5, rng=5).tolist()
    [[0, 0, 0, 0], [1, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 0]]
    """
    n = read_count("n", n, 0)
    if not is_real(expected_degree) or not expected_degree >= 0:
        raise SettingsError(f"expected_degree must be a number of at least 0, not {expected_degree!r}")
    generator = as_generator(rng)
    share = min(1.0, expected_degree / max(1, n - 1))
    ordered = np.triu(generator.random((n, n)) < share, k=1)
    place = generator.permutation(n)
    return ordered[np.ix_(place, place)].astype(np.uint8)


def random_classes(n: int, k: int, rng: Rng = None) -> list[CPDAG]:
    """``k`` classes of ``n`` nodes, drawn independently and uniformly: every CPDAG is equally likely.

    Each is drawn from a separate Causal Zig-Zag with the target ``Uniform``: after a warm-up of 2 n³ + 20 n² jumps from
    the empty graph, a class is drawn in proportion to the holding times of the next 20 n² jumps. The causal order mixes
    most slowly: the autocorrelation time of a typical arrow is at most about n³ / 5 jumps
    (``benchmarks/uniform_mixing.txt``), so for large n the distribution is uniform to a good approximation.
    This is not the distribution of the class of a uniformly random DAG, which favours classes with many DAGs.

    >>> import causal_zigzag as cz
    >>> graphs = cz.datasets.random_classes(3, 1000, rng=1)
    >>> abs(graphs.count(cz.CPDAG.empty(3)) / 1000 - 1 / 11) < 0.04
    True
    """
    return list(stream_classes(n, k, rng))


def stream_classes(n: int, k: int, rng: Rng = None) -> Iterator[CPDAG]:
    """An iterator over the classes of ``random_classes``, which yields each batch as soon as it is drawn."""
    n, k = read_count("n", n, 0), read_count("k", k, 0)
    if n < 2:
        yield from [CPDAG.empty(n)] * k
        return
    generator = as_generator(rng)
    jumps = 20 * n**2
    warmup = 2 * n**3 + jumps
    for begin in range(0, k, CHAINS_AT_ONCE):
        chains = min(CHAINS_AT_ONCE, k - begin)
        posterior = sample(
            Uniform(n),
            jumps=jumps,
            settings=Settings(warmup=warmup, max_classes=jumps + 1),
            chains=chains,
            rng=generator,
            progress=False,
        )
        if posterior._interrupted:
            raise KeyboardInterrupt
        for one in posterior.by_chain():
            shares = one._classes.shares
            yield one._classes.graph(int(generator.choice(len(shares), p=shares / shares.sum())))
