"""Random numbers: the values of ``rng=``, and the generators they stand for."""

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.support.validation import is_integer

Rng = int | np.random.SeedSequence | np.random.Generator | None
"""A seed, a numpy generator, or None for fresh entropy."""


def as_generator(rng: Rng) -> np.random.Generator:
    """The generator that ``rng`` stands for; a generator is returned itself, so that its state advances.

    >>> from causal_zigzag.support.rng import as_generator
    >>> as_generator(7).random() == as_generator(7).random()
    True
    """
    if rng is None or isinstance(rng, (np.random.Generator, np.random.SeedSequence)) or (is_integer(rng) and rng >= 0):
        return np.random.default_rng(rng)
    raise SettingsError(f"rng must be None, a seed of at least 0 or a numpy.random.Generator, not {rng!r}")


def seed_words(rng: Rng) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Four random 64-bit words, the seed of one draw in the compiled core."""
    return as_generator(rng).integers(0, 2**64, size=4, dtype=np.uint64)
