"""Saves a posterior in one file."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import FileError
from causal_zigzag.posterior.listed_graphs import listed_graphs
from causal_zigzag.posterior.reweighting import Reweighting
from causal_zigzag.sampler.annealing.statistics import AnnealingStatistics
from causal_zigzag.sampler.chain_result import ChainResult, ChainStatistics
from causal_zigzag.sampler.excursions.setting import ExcursionStatistics
from causal_zigzag.sampler.record import RunRecord
from causal_zigzag.sampler.settings import Settings
from causal_zigzag.sampler.tempering.ladder import TemperingStatistics
from causal_zigzag.scores.base import BuiltinScore
from causal_zigzag.scores.stored import StoredScore
from causal_zigzag.storage.container import to_bytes
from causal_zigzag.support.atomic_write import write_bytes
from causal_zigzag.tables.audit import Audit
from causal_zigzag.tables.finding import Finding
from causal_zigzag.target.edge_prior import EdgePrior
from causal_zigzag.target.knowledge import Knowledge
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior

PARTS: tuple[type[Any], ...] = (
    AnnealingStatistics, ChainResult, ChainStatistics, Audit, Finding, EdgePrior, ExcursionStatistics,
    Knowledge, Reweighting, RunRecord, Settings, Target, TemperingStatistics,
)  # fmt: skip
"""The dataclasses that a posterior may contain; a field of a new type needs an entry here."""

STORED = 1000
"""The values of a user's own score are stored for this number of classes."""


def save(posterior: Posterior, path: str | os.PathLike[str]) -> None:
    """Write the posterior to one file, completely or not at all."""
    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"save needs the path of a file, not {path!r}")
    if not isinstance(posterior.score, (BuiltinScore, StoredScore)):
        target = replace(posterior.target, score=_stored_score(posterior))
        posterior = replace(posterior, target=target)
    write_bytes(path, to_bytes(posterior, (*PARTS, type(posterior))))


def _stored_score(posterior: Posterior) -> StoredScore:
    """What a file keeps of a user's own score: its repr, and its values for the start and the most probable classes."""
    most = np.arange(min(STORED, posterior.class_count))
    sampled = replace(posterior, reweighting=None)
    likely = [g for each in (posterior, sampled) for g in listed_graphs(each, most)]
    return StoredScore.of(posterior.score, [posterior.start, *likely])
