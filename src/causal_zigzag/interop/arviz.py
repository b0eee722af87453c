"""to_arviz: the draws of a posterior as an ArviZ DataTree, or as the InferenceData of ArviZ before 1.0."""

from __future__ import annotations

import warnings
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.errors.batches import edge_label
from causal_zigzag.errors import MissingDependencyError, SettingsError
from causal_zigzag.graphs.labels import show
from causal_zigzag.graphs.pairs import pair_ends, pair_number
from causal_zigzag.posterior.sampled_classes import draw_log_weights
from causal_zigzag.support.validation import is_real, read_count
from causal_zigzag.support.version import package_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from causal_zigzag.answers.draws import Draws
    from causal_zigzag.posterior.posterior import Posterior

KINDS = (("adjacent", "pair", (0,)), ("directed", "arrow", (1, 2)), ("undirected", "line", (3,)))
"""The variables, their dimensions and the marks of their edges; 0 is any mark."""


def to_arviz(posterior: Posterior, trivial: float, most: int | None) -> Any:
    """See ``Posterior.to_arviz``."""
    convert = _converter()
    if not is_real(trivial) or not 0 <= trivial < 0.5:
        raise SettingsError(f"trivial must be a probability of at least 0 and below 0.5, not {trivial!r}")
    draws = posterior.draws()
    count = min(draws.counts)
    chosen = slice(0, count, 1 if most is None else max(1, -(-count // read_count("draws", most, 1))))
    edges, score, direction = (
        np.array([getattr(chain, name)[chosen] for chain in draws.chains]) for name in ("edges", "score", "direction")
    )
    variables: dict[str, NDArray[Any]] = {"edges": edges, "score": score}
    coords, dims = {}, {}
    again: dict[str, NDArray[Any]] = {}
    for name, dimension, marks in KINDS:
        labels, values, values_again = _indicators(posterior, draws, chosen, marks, trivial)
        if labels:
            variables[name], coords[dimension], dims[name] = values, labels, [dimension]
            again[name] = values_again[None]
    counts, where = np.unique(edges, return_inverse=True)
    log_prior = np.array([posterior.target.edge_prior.log_weight(int(m)) for m in counts])
    statistics = {
        "lp": posterior.target.coldness * score + log_prior[where].reshape(edges.shape),
        "direction": direction,
    }
    if posterior._reweighting is not None or posterior._chain_weights:
        logs = draw_log_weights(posterior, draws)
        statistics["log_weight"] = np.array([of_chain[chosen] for of_chain in logs])
    groups = {"posterior": variables, "sample_stats": statistics}
    if posterior.resampled is not None and again:
        groups["resampled"] = again
    attributes = {"posterior": _attributes(posterior, draws, chosen.step)}
    return convert(groups, coords=coords, dims=dims, attrs=attributes)


def _converter() -> Callable[..., Any]:
    """The ``from_dict`` of ArviZ 1.0, or the same for an older ArviZ, the last one for Python 3.11."""
    with suppress(PackageNotFoundError):
        if version("arviz").startswith("0."):
            return _inference_data
    try:
        from arviz_base import from_dict
    except ImportError:
        raise MissingDependencyError(
            "to_arviz needs ArviZ; install it with: pip install 'causal-zigzag[arviz]'", name="arviz"
        ) from None
    made: Callable[..., Any] = from_dict
    return made


def _inference_data(groups: dict[str, Any], coords: Any, dims: Any, attrs: dict[str, Any]) -> Any:
    """The InferenceData of ArviZ before 1.0, whose functions do not take a DataTree."""
    with warnings.catch_warnings():  # once per day it warns that the next version will be different
        warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing", FutureWarning)
        arviz: Any = import_module("arviz")

    own = {name: groups[name] for name in ("posterior", "sample_stats")}
    data = arviz.from_dict(**own, coords=coords, dims=dims)
    data["posterior"].attrs.update(attrs["posterior"])
    if "resampled" in groups:
        data.add_groups({"resampled": arviz.dict_to_dataset(groups["resampled"], coords=coords, dims=dims)})
    return data


def _indicators(
    posterior: Posterior, draws: Draws, chosen: slice, marks: tuple[int, ...], trivial: float
) -> tuple[list[str], NDArray[np.int8], NDArray[np.float64]]:
    """Labels of edges with these marks whose probability is neither near 0 nor near 1, and the draws that have them.

    Also their probabilities in each resample, if rows were resampled.
    """
    edges = posterior.edge_probabilities()
    names = [show(v) for v in posterior.nodes]
    a, b = pair_ends(np.arange(len(names) * (len(names) - 1) // 2))
    shares = {0: edges.adjacent[a, b], 1: edges.directed[a, b], 2: edges.directed[b, a], 3: edges.undirected[a, b]}
    labels, values, again = [], [], []
    held = np.zeros((0, len(names), len(names), 3)) if posterior.resampled is None else posterior.resampled.edge_values
    for mark in marks:
        at = np.flatnonzero((shares[mark] > trivial) & (shares[mark] < 1 - trivial))
        labels += [edge_label(names[i], names[j], mark) for i, j in zip(a[at], b[at], strict=True)]
        seen = np.array([c.marks(pair_number(a[at], b[at]))[chosen] for c in draws.chains])
        values.append((seen > 0 if mark == 0 else seen == mark).astype(np.int8))
        own = held[:, a[at], b[at]]  # i -> j, i - j, j -> i
        again.append(own.sum(axis=-1) if mark == 0 else own[..., {1: 0, 2: 2, 3: 1}[mark]])
    return labels, np.concatenate(values, axis=-1), np.concatenate(again, axis=-1)


def _attributes(posterior: Posterior, draws: Draws, thinning: int) -> dict[str, str | int | float]:
    target, settings = posterior.target, posterior.settings
    attributes: dict[str, str | int | float] = {
        "inference_library": "causal-zigzag",
        "inference_library_version": package_version(),
        "nodes": ", ".join(map(show, posterior.nodes)),
        "target": repr(target.score),
        "coldness": target.coldness,
        "edge_prior": str(target.edge_prior),
        "prior": posterior.prior,
        "momentum": settings.momentum,
        "balance": settings.balance,
        "jumps": settings.jumps,
        "warmup": ", ".join(str(s.warmup) for s in posterior.statistics),
        "step": draws.step * thinning,
        "log2_unit": draws.log2_unit,
    }
    if posterior.record is not None:
        attributes |= {"data": posterior.record.data, "sampling_time": posterior.record.seconds}
        attributes |= {} if posterior.record.seed is None else {"seed": posterior.record.seed}
    return attributes
