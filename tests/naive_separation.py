"""m-separation by listing all paths, written to be obviously right; marks as in ``MAG.matrix``."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

ARROWHEAD, TAIL = 2, 3


def ancestors_and_self(marks: NDArray[np.int8]) -> NDArray[np.bool_]:
    """[i, j]: whether i is j or has a directed path to it."""
    reach = ((marks == ARROWHEAD) & (marks.T == TAIL)) | np.eye(len(marks), dtype=bool)
    for _ in marks:
        reach = reach @ reach
    return reach


def paths(marks: NDArray[np.int8], x: int, y: int) -> Iterator[tuple[int, ...]]:
    """All paths from x to y."""
    others = [v for v in range(len(marks)) if v not in (x, y)]
    for length in range(len(others) + 1):
        for inside in itertools.permutations(others, length):
            path = (x, *inside, y)
            if all(marks[u, v] for u, v in itertools.pairwise(path)):
                yield path


def is_open(marks: NDArray[np.int8], reach: NDArray[np.bool_], path: Sequence[int], given: Sequence[int]) -> bool:
    """Every collider is an ancestor of a given node or one itself, and no other node inside the path is given."""
    for u, v, w in zip(path, path[1:], path[2:], strict=False):
        if marks[u, v] == marks[w, v] == ARROWHEAD:
            if not reach[v, list(given)].any():
                return False
        elif v in given:
            return False
    return True


def separated(marks: NDArray[np.int8], x: int, y: int, given: Sequence[int]) -> bool:
    """Whether x and y are m-separated; of a DAG, d-separated."""
    reach = ancestors_and_self(marks)
    return not any(is_open(marks, reach, path, given) for path in paths(marks, x, y))


def separations(marks: NDArray[np.int8], nodes: Sequence[int]) -> list[tuple[int, int, tuple[int, ...]]]:
    """All x < y and sets, of these nodes, that are separated."""
    found = []
    for x, y in itertools.combinations(nodes, 2):
        others = [v for v in nodes if v not in (x, y)]
        for size in range(len(others) + 1):
            found += [(x, y, s) for s in itertools.combinations(others, size) if separated(marks, x, y, s)]
    return found


def is_mag(marks: NDArray[np.int8]) -> bool:
    """By definition: no directed and no almost directed cycle, and a separating set for each pair without an edge."""
    reach = ancestors_and_self(marks)
    for i, j in itertools.permutations(range(len(marks)), 2):
        if (reach[i, j] and reach[j, i]) or (marks[j, i] == ARROWHEAD and reach[i, j]):
            return False
    separable = {(x, y) for x, y, _ in separations(marks, range(len(marks)))}
    pairs = itertools.combinations(range(len(marks)), 2)
    return all(marks[x, y] or (x, y) in separable for x, y in pairs)
