"""The score for the argument of a user: a score, or data for which a score is chosen."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from causal_zigzag.errors import DataWarning, ScoreError, SettingsError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.registry import registered, score_names
from causal_zigzag.support.arguments import check_arguments
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.support.validation import is_word
from causal_zigzag.support.wording import percentage
from causal_zigzag.tables.curved_pairs import MOST_FOR_CURVES, curved_pairs
from causal_zigzag.tables.finding import CHANGED
from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.tables.read_table import Reading, read_table
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TARGETS_KEEP_CAUSES = "the targets of a condition keep their causes while it is on"


def choose_score(table: Table) -> Score:
    """The score for a table, chosen by the kinds of its columns; it has the ``reason``.

    It is linear, unless the evidence for curves is overwhelming (see ``CurvedPair``) and no score of curves would lose
    what is known about experiments.

    >>> from causal_zigzag.tables.read_table import Reading, read_table
    >>> data = {"color": ["red", "blue", "red", "blue"], "size": [1.5, 2.5, 1.25, 3.0]}
    >>> choose_score(read_table(data)).reason
    'MixedBIC, as there are continuous columns (size) and categorical ones (color)'
    """
    categorical = [column.name for column in table.columns if column.kind == "categorical"]
    others = [column.name for column in table.columns if column.kind != "categorical"]
    ordinal = any(column.kind == "ordinal" for column in table.columns)
    kind = "continuous or ordinal" if ordinal else "continuous"
    if others and table.contexts and {*categorical} == {*table.contexts} and table.complete:
        name, reason = "interventional-bge", f"as all columns but the conditions ({show_all(categorical)}) are {kind}"
    elif not categorical:
        name, reason = "gaussian-bic" if table.complete else "bge", f"as all {len(others)} columns are {kind}"
    elif not others:
        name = "interventional-bdeu" if table.targets and table.complete else "bdeu"
        reason = f"as all {len(categorical)} columns are categorical"
    else:
        name = "mixed-bic" if table.complete else "mixed-bge"
        reason = f"as there are {kind} columns ({show_all(others)}) and categorical ones ({show_all(categorical)})"
    keeps_experiments = name.startswith("interventional") or table.targets
    curved = "" if keeps_experiments else _curves(table)
    if curved:
        name, reason = "additive-gp", f"{reason}, and {curved}; the linear one is score={name!r}"
    chosen = make_score(name, table)
    if chosen.has_one_model:
        _warn_of_conditions(table, name)
    reason = f"{_named(name).__name__}, {reason}{'' if table.complete else ', and cells are missing'}"
    object.__setattr__(chosen, "_reason", reason)
    return chosen


def _warn_of_conditions(table: Table, name: str) -> None:
    """Warn if a score for other tables does not see all that experimental conditions do."""
    means = bool(table.contexts) and not past_columns(table.nodes, table.contexts) and name != "bdeu"
    limits = ["a condition is seen by the means that it changes, not by variances or effects"] * means
    limits += [TARGETS_KEEP_CAUSES] * bool(table.targets)
    if limits:
        limits += ['missing="drop" leaves out incomplete rows'] * (not table.complete)
        warn_user(f"with the score {name}, {'; '.join(limits)}", DataWarning)


def _curves(table: Table) -> str:
    """The relation for which the evidence for a curve is overwhelming, in words; empty if there is none."""
    columns = [column for column in table.columns if column.kind != "categorical"]
    if not table.complete or len(table.columns) > MOST_FOR_CURVES:
        return ""
    pair = next((one for one in curved_pairs([np.asarray(c.numbers) for c in columns]) if one.overwhelming), None)
    if pair is None:
        return ""
    return (
        f"relations are curved: a curve of {show(columns[pair.x].name)} explains {percentage(pair.curve)} of "
        f"{show(columns[pair.y].name)}, a line {percentage(pair.line)}"
    )


def make_score(kind: Any, table: Any) -> Score:
    """The score of a table, given its name, class, or a function that makes it.

    By its name, a score has the parameters with which it is calibrated; a class has its own defaults. If cells are
    missing, it is one with which a run draws them together with the graph.
    """
    by_name = not callable(kind)
    kind = _named(kind) if by_name else kind
    if isinstance(table, Table) and not table.complete and getattr(kind, "in_core", False):
        complete, kind = kind, registered(kind.incomplete_name)
        if kind is None:
            raise ScoreError(
                f"{complete.__name__} needs complete rows, as missing cells can only be drawn with a marginal "
                'likelihood; use score="auto", or leave out incomplete rows with missing="drop"'
            )
    made: Score = kind.calibrated(table) if by_name else kind(table)
    if isinstance(table, Table) and made.source_table is None:
        object.__setattr__(made, "_table", table)
        if table.contexts:
            object.__setattr__(made, "_given", (table.contexts, table.targets))
    return made


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
    if isinstance(data_or_score, type):
        name = data_or_score.__name__
        if not issubclass(data_or_score, Score):
            raise SettingsError(f"the first argument must be a table or a score, not the class {name}")
        raise SettingsError(f"{name} is a class of scores; make one: {name}(data), or pass the data with score={name}")
    if isinstance(score, Score):
        raise SettingsError(f"score= is the name or the class of a score; pass {score!r} in the place of the data")
    if is_word(score, "auto"):
        return choose_score(as_table(data_or_score))
    is_class = isinstance(score, type) and issubclass(score, Score) and not inspect.isabstract(score)
    table = as_table(data_or_score, score if is_class else _named(score))
    made = make_score(score, table)
    if isinstance(table, Table) and table.targets and made.has_one_model:
        warn_user(f"with the score {made.requested_name() or type(made).__name__}, {TARGETS_KEEP_CAUSES}", DataWarning)
    return made


def as_table(data_or_score: Any, score: Any = "auto", **reading: Unpack[Reading]) -> Any:
    """The table that a score of this package will be computed from, read with these arguments of ``read_table``.

    A score is returned as it is, and so are data for a score of the user's own. What reading leaves out or changes is a
    DataWarning.

    >>> as_table({"id": [7, 8, 9], "a": [0.5, 1.5, 0.1], "b": [1.0, 2.5, 0.7]}, drop="id")
    Table(3 rows, 2 columns: 2 continuous)
    """
    if isinstance(data_or_score, Score) and reading:
        word = next(iter(reading))
        raise SettingsError(f"{word}= is for a table, but {data_or_score!r} is a score already; leave {word} out")
    if isinstance(data_or_score, (Score, type)):
        return data_or_score
    in_core = isinstance(score, type) and issubclass(score, Score) and score.in_core
    named = isinstance(score, str) and score in ("auto", *score_names())
    if not (named or in_core or reading):
        return data_or_score
    table = read_table(data_or_score, **reading)
    changed = [str(note) for note in table.notes if note.severity == CHANGED]
    if changed and table is not data_or_score:
        warn_user(" ".join([*changed, "See read_table(data).notes, and strict=True."]), DataWarning)
    return table


def read_score(function: Callable[..., Any], data_or_score: Any, score: Any, reading: Mapping[str, Any]) -> Score:
    """The score that a function with these arguments is about; an argument that it does not have is a SettingsError."""
    check_arguments(function, reading, Reading.__optional_keys__)
    return as_score(as_table(data_or_score, score, **cast("Reading", reading)), score)


def _named(score: Any) -> Any:
    kind = registered(score) if isinstance(score, str) and score in score_names() else None
    if kind is None:
        names = ", ".join(f'"{name}"' for name in ("auto", *score_names()))
        raise SettingsError(f"score must be {names} or a class of scores, not {score!r}")
    return kind
