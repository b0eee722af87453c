"""RunRecord: where a run came from, so that a report can state it and anybody can repeat it."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any

from causal_zigzag.scores.base import Score
from causal_zigzag.support.rng import Rng
from causal_zigzag.support.validation import is_integer
from causal_zigzag.support.version import package_version
from causal_zigzag.tables.audit import Audit
from causal_zigzag.tables.source import Origin, Source, source_of

SCATTERED, SEARCHED = "scattered", "search"
"""Words for a start that depends on the random numbers of the run."""

SEED_BITS = 48  # few enough digits to be copied by hand


@dataclass(frozen=True)
class RunRecord:
    """The data in words, the seed (None if a generator was given), the version, and when and how long it ran.

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
    left_out: int = 0  # rows with missing cells
    start: str = ""  # the word that was given as start, if any
    extended: bool = False  # continued with more jumps than the warm-up was chosen for
    origin: Origin | None = None  # what ``data`` is
    audit: Audit | None = None  # of the table; None for a score


def drawn_seed(rng: Rng) -> Rng:
    """The random numbers of a run: without an ``rng`` a seed is drawn, so that the run can be repeated as well."""
    return secrets.randbits(SEED_BITS) if rng is None else rng


def begin_record(data_or_score: Any, rng: Rng, start: object = None) -> RunRecord:
    """The record of a run that begins now."""
    source = getattr(data_or_score, "source", None)  # of a table
    if isinstance(data_or_score, Score):
        source = Source(repr(data_or_score), origin="score")
    elif not isinstance(source, Source):
        source = source_of(data_or_score)
    return RunRecord(
        data=source.data,
        seed=int(rng) if is_integer(rng) else None,
        version=package_version(),
        started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        seconds=0.0,
        reading=source.reading,
        left_out=source.left_out,
        start=start if isinstance(start, str) else "",
        origin=source.origin,
    )
