"""BuiltinScore: the base class of the scores that are computed in the core, from a table."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import Labels, read_nodes
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.state_checks import check_given, check_types
from causal_zigzag.support.row_weights import read_row_weights

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.tables.table import Table


class BuiltinScore(Score):
    """A score that is computed in the core. It is immutable; its core object is not pickled but created again."""

    in_core = True
    _made: core.Score

    def local(self, node: Hashable, parents: Iterable[Hashable]) -> float:
        """The log weight of ``node`` with these parents."""
        return self._made.local(*self._numbers(node, parents))

    def row(self, node: Hashable, parents: Iterable[Hashable]) -> NDArray[np.float64]:
        """The change of ``local(node, parents)`` if x is added to or removed from the parents, for each node x."""
        y, numbers = self._numbers(node, parents)
        row = self._made.row(y, numbers)
        row[y] = 0
        return row

    def core_score(self) -> core.Score | None:
        return self._made

    def local_by_number(self, y: int, parents: list[int]) -> float:
        return self._made.local(y, parents)

    @property
    def row_count(self) -> int | None:
        return None if self.source_table is None else self.source_table.n_rows

    def with_row_weights(self, weights: Any) -> Self:
        """The same score of the same columns with a weight for each row; see ``Score.with_row_weights``."""
        rows, table = self.row_count, self.source_table
        if rows is None:
            raise ScoreError(f"{self!r} no longer has the rows of its table; make it from the table again")
        changed = self._weighted(table, read_row_weights(weights, rows))  # type: ignore[arg-type] # has rows itself
        made = object.__new__(type(self))
        made._fill(self._node_labels(), **{**self.state(), **changed})
        vars(made)["_reason"] = self.reason
        return made

    def with_table(self, table: Table) -> Self:
        """The same score, with the rows of the table that it was computed from.

        :meta private:
        """
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        made._remember(table)
        return made

    def _weighted(self, table: Table, weights: NDArray[np.float64]) -> dict[str, Any]:
        """The attributes that change if the rows have these weights."""
        raise NotImplementedError

    def _remember(self, table: Table) -> None:
        """Keep the table, for what needs its rows; it is neither saved nor pickled, but what it says is given is."""
        vars(self)["_table"] = table
        if table.contexts:
            vars(self)["_given"] = table.contexts, table.targets

    def relative_cost(self) -> float:
        return 1.0

    def state(self) -> dict[str, Any]:
        """The attributes that subclasses declare, and what the table says is given."""
        given = {"_given": self._given} if any(self._given) else {}
        return {name: getattr(self, name) for name in self._types()} | given

    @classmethod
    def from_state(cls, nodes: Sequence[Hashable], state: dict[str, Any]) -> Self:
        """The score with these attributes; raises a FileError if they are not those that a constructor would set."""
        check_types({name: value for name, value in state.items() if name != "_given"}, cls._types())
        self = object.__new__(cls)
        vars(self).update(_labels=read_nodes([*nodes]), **state)
        check_given(self._given, nodes)
        self._check_state()
        self.__setstate__({**vars(self)})
        return self

    @classmethod
    def _types(cls) -> dict[str, str]:
        """The annotations of the attributes that subclasses declare."""
        kinds = cls.__mro__[: cls.__mro__.index(BuiltinScore)]
        return {name: type_ for kind in reversed(kinds) for name, type_ in inspect.get_annotations(kind).items()}

    def _check_state(self) -> None:
        """Raise a FileError if the attributes, which have the right types, do not belong together."""

    @abstractmethod
    def _make(self) -> core.Score:
        """The core object, from the attributes."""

    def _fill(self, labels: Labels, **attributes: Any) -> None:
        """Set the attributes, once, and create the core object."""
        self.__setstate__({"_labels": labels, **attributes})

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_made", "_table", "_place")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        vars(self).update(state)
        vars(self)["_made"] = self._make()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable, {name!r} cannot be set")
