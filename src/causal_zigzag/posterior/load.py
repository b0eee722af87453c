"""load(): a posterior from its file, validated."""

from __future__ import annotations

import os
import reprlib
from typing import Any

from causal_zigzag.ancestral.posterior import AncestralPosterior
from causal_zigzag.ancestral.save import PARTS as ANCESTRAL_PARTS
from causal_zigzag.ancestral.save import check_ancestral
from causal_zigzag.errors import FileError
from causal_zigzag.posterior.file_checks import check_posterior
from causal_zigzag.posterior.posterior import Posterior
from causal_zigzag.posterior.save import PARTS
from causal_zigzag.scores.base import Score
from causal_zigzag.storage.container import from_bytes, is_complete, is_container
from causal_zigzag.support.file_reading import read_file


def load(path: str | os.PathLike[str], score: Score | None = None) -> Any:
    """The posterior that ``posterior.save(path)`` has written. It answers every query as before.

    It is a ``Posterior``, or an ``AncestralPosterior`` if that was saved.

    The scores of this package are part of the file. A score of your own cannot be stored, only its values for the 1000
    most probable classes, and ``posterior.score`` can compute only these; pass the score as ``score`` to replace it.
    A file that is damaged, cut short, of another kind or from a newer version raises a ``FileError``.

    >>> import tempfile
    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=1000, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior.save(f"{folder}/abc.czz")
    ...     again = cz.load(f"{folder}/abc.czz")
    >>> again.top(3) == posterior.top(3)
    True
    """
    return _read(_content(path), repr(os.fspath(path)), score)


def load_posterior(path: str | os.PathLike[str]) -> Posterior:
    """The posterior over classes of DAGs in this file."""
    return read_posterior(_content(path), repr(os.fspath(path)))


def read_posterior(data: bytes, name: str, score: Score | None = None) -> Posterior:
    """The posterior over classes of DAGs in the content of a file; errors call the file ``name``."""
    found = _read(data, name, score)
    if isinstance(found, AncestralPosterior):
        raise FileError(f"{name} holds what holds when causes may be hidden, not a run of sample; read it with cz.load")
    return found


def _content(path: str | os.PathLike[str]) -> bytes:
    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"cz.load needs the path of a file, not {path!r}")
    try:
        return read_file(path, is_complete)
    except (OSError, ValueError) as error:  # a ValueError for a NUL character
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot read {reprlib.repr(os.fspath(path))}: {reason}") from None


def _read(data: bytes, name: str, score: Score | None) -> Posterior | AncestralPosterior:
    if not is_container(data):
        what = "is empty" if not data else "is not a saved posterior, or its beginning is damaged"
        raise FileError(f"{name} {what}; cz.load reads what posterior.save(path) has written")
    parts: set[type[Any]] = {*PARTS, *ANCESTRAL_PARTS, Posterior, AncestralPosterior}
    kind: type[Posterior | AncestralPosterior] = _SAVED
    try:
        return from_bytes(data, kind, parts, score, _check)
    except FileError as error:
        raise FileError(f"{name} {error}") from None


_SAVED: Any = Posterior | AncestralPosterior  # isinstance takes it as it takes a class


def _check(found: Posterior | AncestralPosterior) -> None:
    if isinstance(found, AncestralPosterior):
        check_ancestral(found)
    else:
        check_posterior(found)
