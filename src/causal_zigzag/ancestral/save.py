"""Saves a posterior over ancestral graphs in one file, and checks one that was read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag import _core as core
from causal_zigzag.ancestral.chains import AncestralChain, ChainsRun
from causal_zigzag.ancestral.target import AncestralTarget
from causal_zigzag.errors import FileError
from causal_zigzag.storage.container import to_bytes
from causal_zigzag.support.atomic_write import write_bytes
from causal_zigzag.support.field_checks import check
from causal_zigzag.target.knowledge import Knowledge

if TYPE_CHECKING:
    from causal_zigzag.ancestral.posterior import AncestralPosterior

PARTS: tuple[type[Any], ...] = (AncestralChain, AncestralTarget, ChainsRun, Knowledge)
"""The dataclasses that a posterior over ancestral graphs contains."""


def save(posterior: AncestralPosterior, path: str | os.PathLike[str]) -> None:
    """Write the posterior to one file, completely or not at all."""
    if not isinstance(path, (str, os.PathLike)):
        raise FileError(f"save needs the path of a file, not {path!r}")
    write_bytes(path, to_bytes(posterior, (*PARTS, type(posterior))))


def check_ancestral(posterior: AncestralPosterior) -> None:
    """A FileError if the parts do not fit together."""
    n = len(posterior.nodes)
    check(2 <= n <= core.most_mag_nodes, "its number of nodes is not possible")
    check(len(posterior.run.chains) > 0, "it has no chains")
    for chain in posterior.run.chains:
        check(
            chain.states.shape == (n, n, 4) and chain.ancestors.shape == (n, n), "its probabilities have a wrong shape"
        )
        for array in (chain.states, chain.ancestors):
            check(bool(((array >= 0) & (array <= 1)).all()), "its probabilities are not between 0 and 1")
        check(chain.kept.ndim == 2 and chain.kept.shape[1] == n * (n - 1) // 2, "its graphs have a wrong shape")
        check(len(chain.kept) > 0 and bool((chain.kept <= 3).all()), "its graphs have wrong edges")
        graphs = np.ascontiguousarray(chain.kept)
        check(bool(core.mags_valid(n, graphs).all()), "its graphs are not ancestral")
