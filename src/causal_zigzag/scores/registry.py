"""The registry of scores by name, for ``score="name"`` in Python, ``--score name`` in a shell, and files."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import ScoreError

if TYPE_CHECKING:
    from causal_zigzag.scores.base import Score

# The modules of built-in scores, which are imported when first needed: the help of commands loads no numpy.
FROM_DATA = {
    "gaussian-bic": "gaussian",
    "bge": "bge",
    "interventional-bge": "interventional",
    "interventional-bdeu": "interventional",
    "discrete-bic": "discrete",
    "bdeu": "discrete",
    "mixed-bic": "mixed",
    "mixed-bge": "mixed",
    "additive-gp": "curves.additive_gp",
    "basis-bic": "curves.basis_bic",
}
ONLY_IN_FILES = {
    "uniform": "uniform",
    "stored": "stored",
    "incomplete-bge": "incomplete",
    "incomplete-bdeu": "incomplete",
    "incomplete-mixed-bge": "incomplete",
}

_classes: dict[str, type[Score]] = {}


def register(name: str, kind: type[Score]) -> None:
    """Make a class of scores known by this name; a class that is defined again replaces itself."""
    old = _classes.get(name)
    place = (kind.__module__, kind.__qualname__)
    known = {**FROM_DATA, **ONLY_IN_FILES}.get(name)
    taken = old is not None and (old.__module__, old.__qualname__) != place
    if not name.isprintable() or name in ("", "auto") or taken:
        raise ScoreError(f"a score cannot be called {name!r}; choose a name other than {', '.join(score_names())}")
    if known is not None and place[0] != f"{__package__}.{known}":
        raise ScoreError(f"there is a built-in score called {name!r}; choose another name")
    _classes[name] = kind


def score_names() -> tuple[str, ...]:
    """The names of the scores that can be computed from a table.

    >>> score_names()[:2]
    ('gaussian-bic', 'bge')
    """
    return tuple(dict.fromkeys([*FROM_DATA, *(name for name in _classes if name not in ONLY_IN_FILES)]))


def registered(name: Any) -> type[Score] | None:
    """The class of scores with this name; None if there is none.

    >>> registered("bge").__name__
    'BGe'
    """
    if not isinstance(name, str):
        return None
    module = FROM_DATA.get(name) or ONLY_IN_FILES.get(name)
    if module is not None:
        importlib.import_module(f"{__package__}.{module}")
    return _classes.get(name)
