"""score_differences: the rule for whether two scores are the same, for merging, loading and continuing runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.graphs.labels import show_all
from causal_zigzag.scores.stored import StoredScore

if TYPE_CHECKING:
    from causal_zigzag.scores.base import Score

TOLERANCE = 1e-9
"""Numbers may differ by this fraction of their size, because machines round differently."""

LONGEST = 100  # characters of a value in a message


def score_differences(old: Score, new: Score) -> list[str]:
    """How ``new`` differs from ``old``, in words; empty if they are the same score.

    Scores that can be saved are the same if they have the same class, nodes and state; numbers in arrays may differ by
    rounding. A score that cannot be saved and stored values of it are the same if the score gives these values. Two
    sets of stored values are the same if they have one name and agree on what they have in common. Two scores that
    cannot be saved cannot be compared, so they are the same only if they are one object.

    >>> import causal_zigzag as cz
    >>> cov = [[1, 0.5], [0.5, 1]]
    >>> old, new = (cz.GaussianBIC.from_covariance(cov, n_samples=100, penalty=c) for c in (1.0, 2.0))
    >>> score_differences(old, new)
    ['the penalty of the score was 1.0 and is 2.0']
    """
    if old is new:
        return []
    if tuple(old.nodes) != tuple(new.nodes):
        return [f"the nodes were {show_all(old.nodes)} and are {show_all(new.nodes)}"]
    if isinstance(old, StoredScore) and isinstance(new, StoredScore) and repr(old) == repr(new):
        common = old.known.keys() & new.known.keys()
        same = all(_is_close(old.known[key], new.known[key]) for key in common)
        return [] if same else [f"the values of {new!r} have changed"]
    for stored, score in ((old, new), (new, old)):
        if isinstance(stored, StoredScore) and score.state() is None:
            return _stored_differences(stored, score)
    if type(old) is not type(new) or old.state() is None:
        return [f"the score was {old!r} and is {new!r}" + (", another object" if repr(old) == repr(new) else "")]
    return _state_differences(old, new)


def _is_close(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a))


def _stored_differences(stored: StoredScore, score: Score) -> list[str]:
    """The first stored value that the score does not give."""
    values = score.cached_values()
    for (y, parents), before in stored.known.items():
        now = values.local(y, parents)
        if not _is_close(before, now):
            call = values.call("local", y, parents)
            return [f"the score was {stored!r} and is {score!r}: {call} is {now!r}, and was {before!r}"]
    return []


def _state_differences(old: Score, new: Score) -> list[str]:
    before, after = old.state() or {}, new.state() or {}
    found = []
    for name in sorted({*before, *after} - {"_level_names"}):  # names do not change the values
        a, b = before.get(name), after.get(name)
        word = name.strip("_").replace("_", " ")
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            if a.shape != b.shape or not np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE):
                found.append(f"the data of {new!r} have changed (their {word})")
        elif a != b:
            found.append(f"the {word} of the score was {short(a)} and is {short(b)}")
    return found


def short(value: object) -> str:
    """A value in a message."""
    text = repr(value) if isinstance(value, (str, float, tuple)) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
