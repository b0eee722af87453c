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

OTHER_NAMES = ("seed", "random_state", "random_seed")
"""What other packages call the argument."""


def seeded_by_rng(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Raise a SettingsError that names ``rng=`` if the function is called with ``seed=`` or ``random_state=``.

    >>> @seeded_by_rng
    ... def draw(rng: Rng = None) -> float:
    ...     return as_generator(rng).random()
    >>> draw(seed=1)
    Traceback (most recent call last):
    causal_zigzag.errors.SettingsError: draw has no argument seed; write rng=1
    """
    return _without_seed(function, "write rng={value!r}")


def not_random(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Raise a SettingsError if the function, which draws no random numbers, is called with a seed."""
    return _without_seed(function, "its result does not depend on random numbers, so leave it out")


def _without_seed(function: Callable[Given, Result], remedy: str) -> Callable[Given, Result]:
    @functools.wraps(function)
    def called(*args: Given.args, **keywords: Given.kwargs) -> Result:
        for name in OTHER_NAMES:
            if name in keywords:
                advice = remedy.format(value=keywords[name])
                raise SettingsError(f"{function.__name__} has no argument {name}; {advice}")
        return function(*args, **keywords)

    return called


def as_generator(rng: Rng) -> np.random.Generator:
    """The generator that ``rng`` stands for; a generator is returned itself, so that its state advances.

    >>> from causal_zigzag.support.rng import as_generator
    >>> as_generator(7).random() == as_generator(7).random()
    True
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None or isinstance(rng, np.random.SeedSequence):
        return np.random.default_rng(rng)
    if is_integer(rng) and rng >= 0:
        return np.random.default_rng(int(rng))
    raise SettingsError(f"rng must be None, a seed of at least 0 or a numpy.random.Generator, not {rng!r}")


def seed_words(rng: Rng) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Four random 64-bit words, the seed of one draw in the compiled core."""
    return as_generator(rng).integers(0, 2**64, size=4, dtype=np.uint64)
