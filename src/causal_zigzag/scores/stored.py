"""StoredScore: the values of a user-defined score that a file contains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import Labels, show, show_all
from causal_zigzag.scores.base import Score

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.graphs.cpdag import CPDAG


@final
class StoredScore(Score):
    """The values of a user-defined score for the most probable classes; other values are not available.

    >>> import causal_zigzag as cz
    >>> class FewerEdges(cz.Score):
    ...     def local(self, node, parents):
    ...         return -2.0 * len(parents)
    >>> stored = StoredScore.of(FewerEdges(["a", "b", "c"]), [cz.CPDAG.complete(["a", "b", "c"])])
    >>> stored
    FewerEdges(3 nodes)
    >>> stored.total(cz.CPDAG.complete(["a", "b", "c"]))
    -6.0
    >>> stored.total(cz.CPDAG.empty(["a", "b", "c"]))
    Traceback (most recent call last):
    causal_zigzag.errors.ScoreError: FewerEdges(3 nodes) is a user-defined score, and ...
    """

    _text: str
    _reason: str
    known: dict[tuple[int, tuple[int, ...]], float]

    @classmethod
    def of(cls, score: Score, graphs: Sequence[CPDAG]) -> StoredScore:
        """The local scores of this score that the totals of these classes consist of."""
        self = object.__new__(cls)
        memo = score.cached_values()
        known: dict[tuple[int, tuple[int, ...]], float] = {}
        for graph in graphs:
            dag = graph.dag()
            for y in range(len(dag)):
                parents = tuple(np.flatnonzero(dag[:, y]).tolist())
                known[y, parents] = memo.local(y, parents)
        self.__dict__.update(_labels=Labels(score.nodes), _text=repr(score), _reason=score.reason, known=known)
        return self

    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        """The log weight of ``node`` with these parents; raises a ScoreError if it is not stored."""
        y, numbers = self._numbers(node, parents)
        value = self.known.get((y, tuple(numbers)))
        if value is None:
            raise ScoreError(
                f"{self._text} is a user-defined score, and the file has only values for the most probable classes, "
                f"not that of {show(node)} with parents {show_all(self.nodes[p] for p in numbers) or 'none'}; "
                f"pass the score itself: cz.load(path, score=...)"
            )
        return value

    def __repr__(self) -> str:
        return self._text

    def __getstate__(self) -> dict[str, Any]:
        """The values as arrays: nodes, values, and the concatenated parents."""
        keys = [*self.known]
        begin = np.cumsum([0, *(len(parents) for _, parents in keys)])
        return {
            "_labels": self._labels,
            "_text": self._text,
            "_reason": self._reason,
            "nodes": np.array([y for y, _ in keys], dtype=np.int64),
            "values": np.array([*self.known.values()], dtype=np.float64),
            "begin": begin.astype(np.int64),
            "parents": np.array([p for _, parents in keys for p in parents], dtype=np.int64),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        nodes, values, begin, parents = (_plain(state.pop(name)) for name in ("nodes", "values", "begin", "parents"))
        known = {
            (int(y), tuple(int(p) for p in parents[int(begin[i]) : int(begin[i + 1])])): float(values[i])
            for i, y in enumerate(nodes)
        }
        self.__dict__.update(state, known=known)


def _plain(array: NDArray[Any]) -> list[Any]:
    return list(array.tolist())
