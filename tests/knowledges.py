"""Small knowledges as arrows between node numbers: tiers, required and forbidden arrows, and mixtures."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

import causal_zigzag as cz
from causal_zigzag._core import ArrowKnowledge


@dataclass(frozen=True)
class Known:
    """Arrows that are forbidden and arrows that are required, and a name for the tests."""

    name: str
    forbidden: tuple[tuple[int, int], ...] = ()
    required: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return self.name

    def arrows(self, n: int) -> ArrowKnowledge:
        return ArrowKnowledge(n, list(self.forbidden), list(self.required))

    @property
    def barred(self) -> set[tuple[int, int]]:
        """The forbidden arrows, and those that close a cycle with required ones."""
        below = {*self.required}
        while more := {(a, d) for (a, b), (c, d) in itertools.product(below, below) if b == c} - below:
            below |= more
        return {*self.forbidden, *((y, x) for x, y in below)}

    @property
    def knowledge(self) -> cz.Knowledge:
        return cz.Knowledge(required=self.required, forbidden=self.forbidden)

    def agrees(self, dag: np.ndarray) -> bool:
        """By definition: every required arrow and no forbidden one."""
        return all(dag[x, y] for x, y in self.required) and not any(dag[x, y] for x, y in self.forbidden)


def tiers(*parts: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The arrows that lead from a tier to an earlier one."""
    return tuple((x, y) for early, late in itertools.combinations(parts, 2) for x in late for y in early)


def never(*pairs: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Both arrows of pairs that are never joined."""
    return tuple(arrow for a, b in pairs for arrow in ((a, b), (b, a)))


TIERS = [
    Known("tiers 0 | 12", tiers((0,), (1, 2))),
    Known("tiers 01 | 2", tiers((0, 1), (2,))),
    Known("tiers 2 | 1 | 0", tiers((2,), (1,), (0,))),
    Known("tiers 0 | 12, 0 and 1 apart", tiers((0,), (1, 2)) + never((0, 1))),
]
OF_THREE = [
    *TIERS,
    Known("0 -> 1", required=((0, 1),)),
    Known("0 -> 1 -> 2", required=((0, 1), (1, 2))),
    Known("0 -> 2 <- 1", required=((0, 2), (1, 2))),
    Known("not 0 -> 1", forbidden=((0, 1),)),
    Known("not 0 -> 1, not 1 -> 2, not 2 -> 0", forbidden=((0, 1), (1, 2), (2, 0))),
    Known("tiers 0 | 12, 1 -> 2", tiers((0,), (1, 2)), ((1, 2),)),
    Known("not 0 -> 2, 0 -> 1", forbidden=((0, 2),), required=((0, 1),)),
]
TIERS_OF_FOUR = [
    Known("tiers 01 | 23", tiers((0, 1), (2, 3))),
    Known("tiers 3 | 0 | 12", tiers((3,), (0,), (1, 2))),
    Known("tiers 0 | 1 | 2 | 3", tiers((0,), (1,), (2,), (3,))),
    Known("tiers 0 | 3, 1 and 2 free", tiers((0,), (3,))),
    Known("contexts 0 and 1", tiers((0, 1), (2, 3)) + never((0, 1))),
]
OF_FOUR = [
    *OF_THREE,
    *TIERS_OF_FOUR,
    Known("0 -> 1, 2 -> 3", required=((0, 1), (2, 3))),
    Known("0 -> 1 -> 2 -> 3", required=((0, 1), (1, 2), (2, 3))),
    Known("not 0 -> 1, not 1 -> 2, not 2 -> 3, not 3 -> 0", forbidden=((0, 1), (1, 2), (2, 3), (3, 0))),
    Known("tiers 0 | 123, 2 -> 3, not 1 -> 3", (*tiers((0,), (1, 2, 3)), (1, 3)), ((2, 3),)),
    Known("3 -> 0, not 1 -> 2, 1 and 3 apart", ((1, 2), *never((1, 3))), ((3, 0),)),
]
TIERS_OF_FIVE = [
    Known("tiers 01 | 234", tiers((0, 1), (2, 3, 4))),
    Known("tiers 4 | 02 | 13", tiers((4,), (0, 2), (1, 3))),
    Known("tiers 0 | 1 | 2 | 3 | 4", tiers((0,), (1,), (2,), (3,), (4,))),
    Known("tiers 3 | 1, the others free", tiers((3,), (1,))),
    Known("tiers 0123 | 4", tiers((0, 1, 2, 3), (4,))),
]
OF_FIVE = [
    *TIERS_OF_FIVE,
    Known("0 -> 1, 2 -> 3", required=((0, 1), (2, 3))),
    Known("0 -> 1 -> 2, not 3 -> 4", ((3, 4),), ((0, 1), (1, 2))),
    Known("not 0 -> 1, not 1 -> 2, not 2 -> 3, not 3 -> 4", ((0, 1), (1, 2), (2, 3), (3, 4))),
    Known("not 0 -> 3, not 4 -> 1", ((0, 3), (4, 1))),
    Known(
        "tiers 0 | 1234, 3 -> 4, not 1 -> 2, 2 and 4 apart",
        (*tiers((0,), (1, 2, 3, 4)), (1, 2), *never((2, 4))),
        ((3, 4),),
    ),
]
