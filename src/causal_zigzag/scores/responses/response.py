"""What effects ask of a family of scores: the posterior of E[g(y) | do(x = a)], given sets of parents of x.

A value of x is a vector f, and a change of x the difference of two. A number has its features, for straight lines the
number itself; a level has an indicator. What is averaged of y is a vector g: 1 for the mean of a number, the indicator
of a level for its probability. For each set S of parents, E[g(y) | do(x = a)] is the mean over S of E[g(y) | x = a, S].
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show, show_all

Draw = Callable[[np.random.Generator, NDArray[np.int64]], NDArray[np.float64]]


class Terms(NamedTuple):
    """Posteriors of a number, one per component: Student t distributions, or means, deviations and draws.

    ``draw`` returns so many draws of each component, one after another; it is None for Student t distributions, which
    are then exact. ``strength`` is |t| / sqrt(v) of a linear regression with v degrees of freedom, by which a
    robustness value is computed, and ``freedom_of_strength`` is v; NaN where there is no such regression.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    freedom: NDArray[np.float64]
    draw: Draw | None
    strength: NDArray[np.float64]
    freedom_of_strength: NDArray[np.float64]


class Responses(Protocol):
    """Posteriors for several sets of parents; a set has several components if models are averaged.

    ``place`` has the number of the set of each component, ``share`` its probability, which add up to 1 for each set.
    """

    @property
    def place(self) -> NDArray[np.int64]: ...
    @property
    def share(self) -> NDArray[np.float64]: ...

    def change(self, c: NDArray[np.float64], g: NDArray[np.float64]) -> Terms:
        """The change of the mean of g'y if the vector of x changes by c."""

    def value(self, f: NDArray[np.float64], g: NDArray[np.float64]) -> Terms:
        """The mean of g'y if x has the vector f."""

    def unsupported(self, c: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each component the share of the configurations of the parents in which a level that c is about has no
        rows, so that its mean there follows from the prior."""


class ResponseModel(ABC):
    """The responses of all nodes to each other. ``levels`` has the levels of each node, none for numbers."""

    nodes: tuple[Hashable, ...]
    levels: Sequence[tuple[Hashable, ...]]
    is_bounded: bool = True  # whether its probabilities are between 0 and 1

    @abstractmethod
    def responses(self, x: int, y: int, sets: Sequence[Sequence[int]]) -> Responses:
        """The responses of y to x, given each of these sets of parents of x."""

    @abstractmethod
    def alone(self, y: int, g: NDArray[np.float64]) -> Terms:
        """The mean of g'y if nothing is done, one component."""

    @abstractmethod
    def level_vectors(self, v: int) -> NDArray[np.float64]:
        """The vectors f of the levels of v as a cause, one row each."""

    @abstractmethod
    def outcome_vectors(self, v: int) -> NDArray[np.float64]:
        """The vectors g of the probabilities of the levels of v, one row each; of a number, its mean alone."""

    def slope(self, x: int) -> NDArray[np.float64]:  # noqa: ARG002
        """The change of the vector of a number that stands for one unit."""
        return np.ones(1)

    def vectors(self, x: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The vectors f of values of a number, one row each."""
        raise NotImplementedError

    def check_values(self, x: int, values: NDArray[np.float64]) -> None:
        """Raise a SettingsError for values of a number at which nothing is known."""
        del x, values  # a line is known everywhere

    def cells(self, x: int) -> NDArray[np.float64]:
        """The cells of a number in order, or a few quantiles of it; curves are shown over their middle 98 %."""
        raise NotImplementedError

    def is_curved(self, x: int) -> bool:  # noqa: ARG002
        """Whether others depend on x by curves."""
        return False

    def deviation(self, v: int) -> float:  # noqa: ARG002
        """The standard deviation of a number; 1 for levels."""
        return 1.0

    def vector_of(self, x: int, value: Any) -> NDArray[np.float64]:
        """The vector f of a level or a value of x; a SettingsError if there is no such level."""
        if self.levels[x]:
            return np.asarray(self.level_vectors(x)[self.place(x, value)])
        return np.asarray(self.vectors(x, numbers(self.nodes[x], [value]))[0])

    def place(self, v: int, level: Any) -> int:
        """The number of a level, of the same type if there are several."""
        levels, node = self.levels[v], show(self.nodes[v])
        if not levels:
            raise SettingsError(f"{node} is a number and has no levels, such as {level!r}")
        same = [k for k, known in enumerate(levels) if known == level]
        if same:
            return next((k for k in same if type(levels[k]) is type(level)), same[0])
        shown = show(level)
        if shown in map(show, levels):  # such as "True" for True
            shown = f"{level!r} (of type {type(level).__name__})"
        raise SettingsError(f"{node} has no level {shown}; its levels are {show_all(levels)}")


def numbers(node: Hashable, values: Any) -> NDArray[np.float64]:
    """Values of a number, as an array."""
    try:
        at = np.asarray(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise SettingsError(f"points must be numbers, values of {show(node)}, not {values!r}") from None
    wrong = at[~np.isfinite(at)]
    if len(wrong):
        raise SettingsError(f"points must be numbers, values of {show(node)}, but they contain {wrong[0]}")
    return at
