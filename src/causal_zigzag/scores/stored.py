"""StoredScore: the values of a user-defined score that a file contains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import Labels, read_nodes, show, show_all
from causal_zigzag.scores.base import Score
from causal_zigzag.support.field_checks import check, check_array

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from causal_zigzag.graphs.cpdag import CPDAG


@final
class StoredScore(Score, name="stored"):
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

    is_partial = True

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

    def state(self) -> dict[str, Any]:
        """The values as arrays: nodes, values, and the concatenated parents."""
        keys = [*self.known]
        begin = np.cumsum([0, *(len(parents) for _, parents in keys)])
        return {
            "text": self._text,
            "nodes": np.array([y for y, _ in keys], dtype=np.int64),
            "values": np.array([*self.known.values()], dtype=np.float64),
            "begin": begin.astype(np.int64),
            "parents": np.array([p for _, parents in keys for p in parents], dtype=np.int64),
        }

    @classmethod
    def from_state(cls, nodes: Sequence[Hashable], state: dict[str, Any]) -> StoredScore:
        """The score with these values; raises a FileError if they do not belong together."""
        ends = check_array(state["nodes"], "nodes", np.int64, None)
        values = check_array(state["values"], "values", np.float64, len(ends))
        begin = check_array(state["begin"], "begin", np.int64, len(ends) + 1)
        parents = check_array(state["parents"], "parents", np.int64, None)
        check(isinstance(state["text"], str), "its score has no name")
        check(bool(np.isfinite(values).all()), "a value of its score is not a number")
        within = all(bool(((some >= 0) & (some < len(nodes))).all()) for some in (ends, parents))
        check(within, "a value of its score belongs to no node")
        grows = bool(begin[0] == 0 and begin[-1] == len(parents) and (begin[1:] >= begin[:-1]).all())
        check(grows, "the lists of parents of its score overlap")
        self = object.__new__(cls)
        lists = [tuple(some.tolist()) for some in np.split(parents, begin[1:-1])]
        known = {(y, own): value for y, own, value in zip(ends.tolist(), lists, values.tolist(), strict=True)}
        check(len(known) == len(values), "its score has two values for the same node and parents")
        self.__dict__.update(_labels=read_nodes([*nodes]), _text=state["text"], _reason="", known=known)
        return self
