"""RunRecord: where a run came from, so that a report can say it and anybody can repeat it."""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass, replace
from typing import Any

from causal_zigzag.checks import is_integer
from causal_zigzag.rng import Rng

SEED_BITS = 48  # few enough digits to be copied by hand


@dataclass(frozen=True)
class RunRecord:
    """The data in words, the seed (None where a generator was given), the version, and when and how long it ran.

    >>> import causal_zigzag as cz
    >>> cz.sample(cz.Uniform(3), jumps=100, rng=7).record.seed
    7
    """

    data: str
    seed: int | None
    version: str
    started: str
    seconds: float
    reading: str = ""  # the keywords of read_table, as code
    left_out: int = 0  # rows, for their missing cells
    start: str = ""  # the word for where the chains began, if it was one
    extended: bool = False  # by a checkpoint, to other jumps than the warm-up was chosen for


@dataclass(frozen=True)
class Source:
    """Where a table is from: the data in words, the keywords of ``read_table`` as code, and how many rows it left out.

    >>> import causal_zigzag as cz
    >>> cz.read_table({"id": [1, 2, 3], "a": [1, 2, None], "b": [2, 3, 1]}, drop="id", drop_missing=True).source
    Source(data='dict', reading="drop=['id'], drop_missing=True", left_out=1)
    """

    data: str
    reading: str = ""
    left_out: int = 0


class Recorder:
    """Writes down what a run begins with; ``finish`` adds how long it took.

    Without an ``rng`` it draws a seed, so that a run for which none was chosen can be repeated as well.
    """

    def __init__(self, data_or_score: Any, rng: Rng, start: object = None) -> None:
        self.rng: Rng = secrets.randbits(SEED_BITS) if rng is None else rng
        seed = int(self.rng) if is_integer(self.rng) else None
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        source = getattr(data_or_score, "source", None)  # of a table
        source = source if isinstance(source, Source) else Source(in_words(data_or_score))
        self._record = RunRecord(
            source.data,
            seed,
            package_version(),
            started,
            0.0,
            source.reading,
            source.left_out,
            start if isinstance(start, str) else "",
        )
        self._clock = time.monotonic()

    def finish(self) -> RunRecord:
        """The record of the run, which has just ended."""
        return replace(self._record, seconds=time.monotonic() - self._clock)


def package_version() -> str:
    """The version of this package."""
    from importlib.metadata import version

    return version("causal-zigzag")


def in_words(data: Any) -> str:
    """What users passed as data, in a few words: its path, its name in ``DataFrame.attrs``, or its type and size.

    >>> in_words("cells.csv")
    'cells.csv'
    >>> in_words({"a": [1, 2, 3], "b": [2, 3, 1]})
    'dict'
    """
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    name = getattr(data, "attrs", {}).get("name")  # of a pandas DataFrame
    if isinstance(name, str):
        return name
    shape = getattr(data, "shape", None)
    kind = type(data).__name__
    if isinstance(shape, tuple) and len(shape) == 2:
        return f"{kind}, {shape[0]} by {shape[1]}"
    return repr(data) if type(data).__module__.startswith("causal_zigzag") else kind
