"""Names of columns in sentences, and as values of options in Python and on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Sequence

MOST_NAMED = 6  # columns in a sentence


def listed(texts: Sequence[str], separator: str = ", ") -> str:
    """The first texts, and the number of those that are not shown.

    >>> listed(["a", "b", "c", "d", "e", "f", "g", "h"])
    'a, b, c, d, e, f and 2 more'
    """
    shown = list(texts[:MOST_NAMED])
    more = len(texts) - len(shown)
    return separator.join(shown) + (f" and {more:,} more" if more else "")


def enumerated(texts: Sequence[str]) -> str:
    """The texts, the last one after "and".

    >>> enumerated(["a", "b", "c"]), enumerated(["a"])
    ('a, b and c', 'a')
    """
    if len(texts) > MOST_NAMED or len(texts) < 2:
        return listed(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def names_flag(flag: str, names: Sequence[Hashable]) -> str:
    """An option of the command line that takes names separated by commas.

    >>> names_flag("--drop", ["id", "date, local"])
    '--drop \\'id,"date, local"\\''
    """
    return f"{flag} {shlex.quote(','.join(quoted(name) for name in names))}"


def quoted(name: Hashable) -> str:
    """A name within a list that is separated by commas."""
    text = str(name)
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text
