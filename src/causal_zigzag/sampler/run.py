"""Run and RunRecord: everything that a run was started with, as a value that can be compared and stored in a file."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import CheckpointError, SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.operators import random_operator
from causal_zigzag.sampler.chain_task import StageName, Start
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.comparison import score_differences, short
from causal_zigzag.storage import container
from causal_zigzag.support.rng import Rng
from causal_zigzag.support.validation import is_integer
from causal_zigzag.support.version import package_version
from causal_zigzag.tables.audit import Audit
from causal_zigzag.tables.finding import Finding
from causal_zigzag.tables.source import Origin, Source, source_of
from causal_zigzag.target.edge_prior import EdgePrior
from causal_zigzag.target.knowledge import Knowledge
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCATTERED, SEARCHED = "scattered", "search"
"""Words for a start that depends on the random numbers of the run."""

SEED_BITS = 48  # few enough digits to be copied by hand

ENTROPY = 8  # 32-bit words, from which the seeds of the chains are derived

STREAMS: dict[StageName, tuple[int, ...]] = {"climb": (4,), "anneal": (2,), "sample": ()}
"""Appended to the entropy, so that stages have different random numbers; scattered starts append 1, searches 3."""

LENGTH = ("jumps", "minutes", "converge", "checkpoint_interval")  # may change when a run is continued


@dataclass(frozen=True)
class RunRecord:
    """The data in words, the seed (None if a generator was given), the version, and when and how long it ran.

    A run with a checkpoint took the ``seconds`` of all its calls that came to an end.

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


@dataclass(frozen=True, eq=False)
class Run:
    """A target, the settings, the starts and the random numbers of a run, and its record; validated on construction."""

    target: Target
    settings: RunSettings
    start: CPDAG
    entropy: NDArray[np.uint32]
    record: RunRecord
    name: str = ""
    others: tuple[CPDAG, ...] = ()  # the starts of the chains after the first; empty if all have the same

    def __post_init__(self) -> None:
        if self.entropy.shape != (ENTROPY,):
            raise SettingsError(f"entropy of a run must be {ENTROPY} numbers")
        if len(self.others) not in (0, self.settings.chains - 1):
            raise SettingsError(f"a run of {self.settings.chains} chains cannot have {len(self.others)} other starts")
        for start in (self.start, *self.others):
            if start.nodes != self.target.nodes:
                raise SettingsError("a start of a run must have the nodes of its target")
            self.target.check_start(start)

    def starts(self) -> list[Start]:
        """The start of each chain, and its score relative to that of the first."""
        others = [Start(g, self.target.score.origin(g) - self.target.score.origin(self.start)) for g in self.others]
        return [Start(self.start), *others] if others else [Start(self.start)] * self.settings.chains

    def seeds(self, stage: StageName = "sample") -> list[NDArray[np.uint64]]:
        """The seed of each chain in a stage; a seed does not depend on the number of chains."""
        entropy = [*self.entropy.tolist(), *STREAMS[stage]]
        streams = np.random.SeedSequence(entropy).spawn(self.settings.chains)
        return [stream.generate_state(4, np.uint64).astype(np.uint64) for stream in streams]

    def named(self) -> Run:
        """The run with its name, by which its files are recognized: the digest of what it was started with."""
        return replace(self, name=hashlib.sha256(to_bytes(self)).hexdigest())


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


PARTS = (Audit, Finding, EdgePrior, Knowledge, Run, RunRecord, RunSettings, Target)
"""The dataclasses that the file may hold."""


def to_bytes(run: Run) -> bytes:
    """The file of a run. A user's own score is represented by some of its values, by which it can be recognized."""
    target = _with_stored_score(run) if run.target.score.state() is None else run.target
    return container.to_bytes(replace(run, target=target), PARTS)


def from_bytes(data: bytes) -> Run:
    """The run in a file; a FileError says what is wrong with the file."""
    return container.from_bytes(data, Run, PARTS)


def differences(old: Run, new: Run, kept_warmup: bool, kept_rng: bool) -> list[str]:
    """How ``new`` differs from ``old``, in words; the length may differ, and what the caller did not set (``kept``)."""
    found = score_differences(old.target.score, new.target.score)
    found += _differences(old.target, new.target, skip=("score",))
    found += _differences(old.settings, new.settings, skip=(*LENGTH, *(["warmup"] if kept_warmup else [])))
    word = new.record.start
    drawn = kept_rng and word == old.record.start and word in (SCATTERED, SEARCHED)  # again, with other random numbers
    if not found and old.start != new.start and not drawn:
        found.append(f"start was {old.start!r} and is {new.start!r}")
    elif not found and old.others != new.others and not drawn:
        found.append("the starts of some chains have changed")
    if not kept_rng and not np.array_equal(old.entropy, new.entropy):
        seeds = (old.record.seed, new.record.seed)
        what = "" if None in seeds else f": its seed was {seeds[0]} and is {seeds[1]}"
        found.append(f"rng gives other numbers{what}; leave it out to continue with the first one")
    return found


def _differences(old: Any, new: Any, skip: tuple[str, ...]) -> list[str]:
    names = [field.name for field in fields(old) if field.name not in skip]
    pairs = [(name, getattr(old, name), getattr(new, name)) for name in names]
    return [f"{name} was {short(a)} and is {short(b)}" for name, a, b in pairs if a != b]


def _with_stored_score(run: Run) -> Target:
    """The target with values of its score at the start and at a random class, by which the score is recognized."""
    rng = np.random.default_rng(1)
    drawn = CPDAG.empty(run.target.nodes)
    for _ in range(min(len(drawn) * (len(drawn) - 1) // 4, 100)):
        drawn = random_operator(drawn, "insert", rng=rng).apply(drawn)
    return replace(run.target, score=run.target.score.stored([run.start, drawn]))


def check_resumable(run: Run, folder: str) -> None:
    """A CheckpointError if the score is not in the file."""
    if run.target.score.is_partial:
        raise CheckpointError(
            f"the checkpoint {folder!r} was sampled under a score of your own, {run.target.score!r}, which no file can "
            f"hold; continue it in Python with the call that started it: cz.sample(score, ..., checkpoint={folder!r})"
        )
