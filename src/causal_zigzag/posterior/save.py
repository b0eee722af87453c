"""Saves a posterior in one file."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.model_check.model_check import storable_check
from causal_zigzag.answers.model_check.stored_check import StoredCheck
from causal_zigzag.errors import FileError
from causal_zigzag.posterior.resampled import Resampled
from causal_zigzag.posterior.reweighting import Reweighting
from causal_zigzag.sampler.annealing.schedule import AnnealingStatistics
from causal_zigzag.sampler.chain_result import ChainResult, ChainStatistics
from causal_zigzag.sampler.excursions.plan import ExcursionStatistics
from causal_zigzag.sampler.missing_cells import CompletedTables
from causal_zigzag.sampler.run import RunRecord
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.storage.container import to_bytes
from causal_zigzag.support.atomic_write import write_bytes
from causal_zigzag.tables.audit import Audit
from causal_zigzag.tables.finding import Finding
from causal_zigzag.target.edge_prior import EdgePrior
from causal_zigzag.target.knowledge import Knowledge
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.posterior.posterior import Posterior

PARTS: tuple[type[Any], ...] = (
    AnnealingStatistics, ChainResult, ChainStatistics, CompletedTables, Audit, Finding, EdgePrior, ExcursionStatistics,
    Knowledge, Resampled, Reweighting, RunRecord, RunSettings, StoredCheck, Target,
)  # fmt: skip
"""The dataclasses that a posterior may contain; a field of a new type needs an entry here."""

STORED_CLASSES = 1000
"""The values of a user's own score are stored for this number of classes."""


def save(posterior: Posterior, path: str | os.PathLike[str]) -> None:
    """Write the posterior to one file, completely or not at all."""
    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"save needs the path of a file, not {path!r}")
    if posterior.score.state() is None:
        target = replace(posterior.target, score=posterior.score.stored(_likely(posterior)))
        posterior = replace(posterior, target=target)
    if posterior.score.source_table is not None:
        posterior = replace(posterior, _checked=storable_check(posterior._classes) or posterior._checked)
    write_bytes(path, to_bytes(posterior, (*PARTS, type(posterior))))


def _likely(posterior: Posterior) -> list[CPDAG]:
    """The start and the most probable classes, for which a file has the values of a score that it cannot hold."""
    most = np.arange(min(STORED_CLASSES, posterior.class_count))
    sampled = posterior._under(None)
    return [posterior._start, *(g for each in (posterior, sampled) for g in each._classes.graphs(most))]
