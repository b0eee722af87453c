"""Random numbers: the values of ``rng=``, and the generators they stand for."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.support.validation import is_integer

Rng = int | np.random.SeedSequence | np.random.Generator | None
"""A seed, a numpy generator, or None for fresh entropy."""


Given = ParamSpec("Given")
Result = TypeVar("Result")


def seeded_by_rng(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Raise a SettingsError that names ``rng=`` if the function is called by the names of other packages for it.

    >>> @seeded_by_rng
    ... def draw(rng: Rng = None) -> float:
    ...     return as_generator(rng).random()
    >>> draw(seed=1)
    Traceback (most recent call last):
    causal_zigzag.errors.SettingsError: draw has no argument seed; write rng=1
    """

    @functools.wraps(function)
    def called(*args: Given.args, **keywords: Given.kwargs) -> Result:
        for name in ("seed", "random_state", "random_seed"):
            if name in keywords:
                raise SettingsError(f"{function.__name__} has no argument {name}; write rng={keywords[name]!r}")
        return function(*args, **keywords)

    return called


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
