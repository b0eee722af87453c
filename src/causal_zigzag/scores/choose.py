"""The score for the argument of a user: a score, or data for which a score is chosen."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show_all
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.registry import registered, score_names
from causal_zigzag.support.validation import is_word
from causal_zigzag.tables.read_table import read_table
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from causal_zigzag.tables.column_kinds import Kind


class Choice(NamedTuple):
    """A score, and the reason for its choice."""

    score: Score
    reason: str


def choose_score(table: Table, score: str = "auto") -> Choice:
    """The score with this name for a table; ``"auto"`` chooses it by the kinds of the columns.

    >>> from causal_zigzag.tables.read_table import read_table
    >>> data = {"color": ["red", "blue", "red", "blue"], "size": [1.5, 2.5, 1.25, 3.0]}
    >>> choose_score(read_table(data)).reason
    'MixedBIC, as there are continuous columns (size) and categorical ones (color)'
    """
    if not is_word(score, "auto"):
        return Choice(_named(score)(table), f"{_named(score).__name__}, as requested")
    categorical = [column.name for column in table.columns if column.kind == "categorical"]
    others = [column.name for column in table.columns if column.kind != "categorical"]
    ordinal = any(column.kind == "ordinal" for column in table.columns)
    kind = "continuous or ordinal" if ordinal else "continuous"
    if not categorical:
        name, reason = "gaussian-bic", f"as all {len(others)} columns are {kind}"
    elif not others:
        name, reason = "bdeu", f"as all {len(categorical)} columns are categorical"
    else:
        name = "mixed-bic"
        reason = f"as there are {kind} columns ({show_all(others)}) and categorical ones ({show_all(categorical)})"
    chosen: Score = _named(name)(table)
    reason = f"{type(chosen).__name__}, {reason}"
    object.__setattr__(chosen, "_reason", reason)
    return Choice(chosen, reason)


def as_score(data_or_score: Any, score: Any = "auto") -> Score:
    """The given score, or a score of the given table: ``score`` is "auto", a name, or a class such as ``cz.BGe``.

    >>> import causal_zigzag as cz
    >>> as_score(cz.Uniform(3))
    Uniform(3 nodes)
    >>> as_score({"a": [0.5, 1.5, 0.1], "b": [1.0, 2.5, 0.7]}, score="bge")
    BGe(2 nodes, 3 rows, alpha_mu 1, alpha_w 4)
    """
    if isinstance(data_or_score, Score):
        if not (isinstance(score, str) and score == "auto"):
            raise SettingsError(
                f"score={score!r} is for data, but {data_or_score!r} is a score already; leave score out"
            )
        return data_or_score
    if isinstance(data_or_score, type) and issubclass(data_or_score, Score):
        name = data_or_score.__name__
        raise SettingsError(f"{name} is a class of scores; make one: {name}(data), or pass the data with score={name}")
    if isinstance(score, Score):
        raise SettingsError(f"score= is the name or the class of a score; pass {score!r} in the place of the data")
    if isinstance(score, type) and issubclass(score, Score):
        if inspect.isabstract(score):
            names = ", ".join(f'"{name}"' for name in score_names())
            raise SettingsError(
                f"score={score.__name__} is an abstract class, it does not implement local(node, parents); "
                f"pass a class that does, such as cz.BGe, or one of the names {names}"
            )
        made: Score = score(data_or_score)
        return made
    if not is_word(score, "auto"):
        _named(score)
    return choose_score(read_table(data_or_score), score).score


def read_data(
    data_or_score: Any, kinds: Kind | Mapping[Any, Kind] | None, drop: Hashable | Iterable[Hashable], drop_missing: bool
) -> Any:
    """The table, read with these arguments of ``read_table``; data or a score as they are if none is given.

    >>> read_data({"id": [7, 8, 9], "a": [0.5, 1.5, 0.1], "b": [1.0, 2.5, 0.7]}, None, "id", False)
    Table(3 rows, 2 columns: 2 continuous)
    """
    reading: dict[str, Any] = {}
    if kinds is not None:
        reading["kinds"] = kinds
    if not (isinstance(drop, tuple) and not drop):
        reading["drop"] = drop
    if drop_missing is not False:
        reading["drop_missing"] = drop_missing
    if not reading:
        return data_or_score
    if isinstance(data_or_score, Score):
        word = next(iter(reading))
        raise SettingsError(f"{word}= is for a table, but {data_or_score!r} is a score already; leave {word} out")
    return read_table(data_or_score, **reading)


def as_table(data_or_score: Any, score: Any = "auto") -> Any:
    """The table that a score of this package will be computed from; anything else is returned as it is.

    >>> as_table({"a": [0.5, 1.5, 0.1], "b": [1.0, 2.5, 0.7]})
    Table(3 rows, 2 columns: 2 continuous)
    """
    if isinstance(data_or_score, (Score, type)):
        return data_or_score
    in_core = isinstance(score, type) and issubclass(score, Score) and score.in_core
    named = isinstance(score, str) and score in ("auto", *score_names())
    return read_table(data_or_score) if named or in_core else data_or_score


def _named(score: Any) -> Any:
    kind = registered(score) if isinstance(score, str) and score in score_names() else None
    if kind is None:
        names = ", ".join(f'"{name}"' for name in ("auto", *score_names()))
        raise SettingsError(f"score must be {names} or a class of scores, not {score!r}")
    return kind
