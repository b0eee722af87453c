"""StoredCheck: a check of the model as arrays, so that a file of a run has it and needs no rows to show it again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.support.field_checks import check

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from causal_zigzag.answers.model_check.model_check import ModelCheck, ResidualPicture
    from causal_zigzag.answers.top_classes import TopClasses

KINDS = ("dependence", "curve", "spread", "outliers")


@dataclass(frozen=True, eq=False)
class StoredCheck:
    """The tests by the numbers of their nodes, one per row, and the pictures; ``graphs`` names the classes tested."""

    graphs: str
    p_value: float
    classes: int
    probability: float
    n_rows: int
    kinds: NDArray[np.uint8]
    pairs: NDArray[np.int64]
    given: NDArray[np.bool_]
    numbers: NDArray[np.float64]  # statistics and p-values
    picture_kinds: NDArray[np.uint8]
    picture_pairs: NDArray[np.int64]
    points: NDArray[np.float64]  # values and residuals of each picture

    @classmethod
    def of(cls, found: ModelCheck, top: TopClasses, nodes: Sequence[Hashable]) -> StoredCheck:
        """The values of a check of these most probable classes."""
        number, tests, pictures = {v: i for i, v in enumerate(nodes)}, found.tests, found.pictures
        given = np.zeros((len(tests), len(nodes)), dtype=np.bool_)
        for row, parents in enumerate(tests["given"]):
            given[row, [number[v] for v in parents]] = True
        points = [(one.values, one.residuals) for one in pictures]
        return cls(
            name_of(top),
            float(found.p_value),
            found.classes,
            float(found.probability),
            found.n_rows,
            np.array([KINDS.index(kind) for kind in tests["kind"]], dtype=np.uint8),
            _numbers([(number[x], number[y]) for x, y in zip(tests["node"], tests["other"], strict=True)]),
            given,
            np.ascontiguousarray(tests[["statistic", "p_value"]], dtype=np.float64),
            np.array([KINDS.index(one.kind) for one in pictures], dtype=np.uint8),
            _numbers([(number[one.node], number[one.other]) for one in pictures]),
            np.array(points, dtype=np.float64) if points else np.zeros((0, 2, 0)),
        )

    def check_fields(self, n: int) -> None:
        """A FileError if the arrays do not fit together."""
        m, k = len(self.kinds), len(self.picture_kinds)
        arrays = (self.pairs, self.given, self.numbers, self.picture_pairs, self.points)
        shapes = [array.shape[:2] for array in arrays]
        fitting = [(m, 2), (m, n), (m, 2), (k, 2), (k, 2)]
        check(shapes == fitting and self.points.ndim == 3, "the check of its model has arrays of other sizes")
        kinds = np.concatenate([self.kinds, self.picture_kinds])
        pairs = np.concatenate([self.pairs, self.picture_pairs])
        check(not kinds.size or int(kinds.max()) < len(KINDS), "the check of its model has an unknown kind")
        check(not pairs.size or (pairs.min() >= 0 and pairs.max() < n), "the check of its model has other nodes")
        finite = (self.p_value, self.probability, *self.points.ravel().tolist(), *self.numbers[:, 1].tolist())
        check(bool(np.isfinite(finite).all()), "the check of its model has a number that is not finite")

    def tests(
        self, nodes: Sequence[Hashable]
    ) -> list[tuple[str, Hashable, Hashable, tuple[Hashable, ...], float, float]]:
        """The rows of ``ModelCheck.tests``."""
        return [
            (KINDS[kind], nodes[x], nodes[y], tuple(nodes[v] for v in np.flatnonzero(parents).tolist()), statistic, p)
            for kind, (x, y), parents, (statistic, p) in zip(
                self.kinds.tolist(), self.pairs.tolist(), self.given, self.numbers.tolist(), strict=True
            )
        ]

    def pictures(self, nodes: Sequence[Hashable], make: type[ResidualPicture]) -> tuple[ResidualPicture, ...]:
        """The pictures of residuals."""
        found = zip(self.picture_kinds.tolist(), self.picture_pairs.tolist(), self.points, strict=True)
        return tuple(make(nodes[x], nodes[y], KINDS[kind], own[0], own[1]) for kind, (x, y), own in found)


def name_of(top: TopClasses) -> str:
    """A digest of the most probable classes."""
    return hashlib.sha256(b"".join(one.graph.matrix().tobytes() for one in top)).hexdigest()


def _numbers(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
