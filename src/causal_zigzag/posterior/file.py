"""One file for a posterior, that holds all of it and is read without trust."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from causal_zigzag.errors import CausalZigzagError, FileError
from causal_zigzag.storage.container import CRAFTED, begins_right, is_whole, sealed, unsealed
from causal_zigzag.support.atomic_write import write_bytes
from causal_zigzag.support.version import package_version

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.scores.base import Score

FORMAT = 1
"""Raised by one whenever older versions of the package would misread the file."""


def save(posterior: Posterior, path: str | os.PathLike[str]) -> None:
    """Write the posterior into one file: wholly, or not at all."""
    from causal_zigzag.storage.encoding import Encoder

    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"save needs the path of a file, not {path!r}")
    encoder = Encoder()
    content = encoder.encode(posterior, "posterior")
    header = {"format": FORMAT, "version": package_version(), "posterior": content}
    write_bytes(path, sealed(header, encoder.arrays))


def load(path: str | os.PathLike[str], score: Score | None = None) -> Posterior:
    """The posterior that ``posterior.save(path)`` has written, with all that it answers.

    The scores of this package come back with it. A score of your own cannot be stored: its values for the 1000 most
    probable classes are, and ``posterior.score`` answers for these; pass the score itself to get it back whole.
    A file that is damaged, cut short, of another kind or from a newer version is a ``FileError``.

    >>> import tempfile
    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=1000, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior.save(f"{folder}/abc.czz")
    ...     again = cz.load(f"{folder}/abc.czz")
    >>> again.top(3) == posterior.top(3)
    True
    """
    from causal_zigzag.storage.encoding import NewerError, OlderError

    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"cz.load needs the path of a file, not {path!r}")
    name = repr(os.fspath(path))
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror or error}") from None
    if not begins_right(data):
        what = "is empty" if not data else "is not a saved posterior, or its beginning is damaged"
        raise FileError(f"{name} {what}; cz.load reads what posterior.save(path) has written")
    if not is_whole(data):
        raise FileError(f"{name} is damaged or was cut short: its checksum is wrong; copy it again, or sample again")
    try:
        return _read(data, score)
    except NewerError as error:
        raise FileError(
            f"{name} was written by a newer causal-zigzag ({error}), and this is {package_version()}; "
            f"upgrade: pip install -U causal-zigzag"
        ) from None
    except OlderError as error:
        raise FileError(
            f"{name} was written by an older causal-zigzag, and {error}; read it with that version, or sample again"
        ) from None
    except CausalZigzagError as error:
        if score is not None and not isinstance(error, FileError):
            raise
        raise FileError(f"{name} is no posterior that causal-zigzag has written: {error}") from None
    except CRAFTED as error:
        raise FileError(
            f"{name} is no posterior that causal-zigzag has written ({type(error).__name__}: {error}); sample again"
        ) from None


def _read(data: bytes, score: Score | None) -> Posterior:
    from causal_zigzag.posterior.file_checks import check
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.storage.encoding import Decoder, NewerError

    with unsealed(data) as (header, array):
        if header["format"] > FORMAT:
            raise NewerError(f"version {header['version']}, format {header['format']}")
        decoder = Decoder(array, str(header["version"]), score)
        posterior = decoder.decode(header["posterior"])
    if not isinstance(posterior, Posterior):
        raise FileError(f"it holds a {type(posterior).__name__}")
    check(posterior)
    return posterior
