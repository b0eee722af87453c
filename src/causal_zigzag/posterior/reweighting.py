"""reweight(): the same run under another prior, by weights for its listed classes and draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.prior_weights import log_weight_by, log_weights_by, name_of
from causal_zigzag.errors import SamplingWarning, SettingsError
from causal_zigzag.posterior.sampled_classes import NEGLIGIBLE_TIME, draw_list, shares_of
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.user_warnings import warn_user

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import ClassTable
    from causal_zigzag.posterior.posterior import Posterior


@dataclass(frozen=True, eq=False)
class Reweighting:
    """The name of a prior, and per chain the log of its ratio to the uniform prior for listed classes and draws."""

    prior: str
    log_weights: tuple[NDArray[np.float64], ...]
    draw_log_weights: tuple[NDArray[np.float64], ...]

    def of_chain(self, number: int) -> Reweighting:
        """The weights of one chain."""
        return replace(self, log_weights=(self.log_weights[number],), draw_log_weights=(self.draw_log_weights[number],))

    def of_table(self, table: ClassTable) -> NDArray[np.float64]:
        """The log weights of the classes of a table."""
        first = np.cumsum([0, *(len(logs) for logs in self.log_weights)])
        return np.concatenate(self.log_weights)[first[table.place] + table.record]

    def apply(self, table: ClassTable) -> ClassTable:
        """The same classes with their probabilities under the prior; unlisted classes get none."""
        with np.errstate(divide="ignore"):
            both = np.log(table.shares) + self.of_table(table)
        return table._replace(shares=shares_of(both)).ranked()


def reweight(posterior: Posterior, prior: Any, *, warn: bool = True) -> Posterior:
    """See ``Posterior.reweight``."""
    sampled = posterior._under(None)
    if isinstance(prior, str) and prior == "classes":
        return sampled._under(None, None if posterior.resampled is None else posterior.resampled.reweight(prior))
    if isinstance(prior, str) and prior == "dags":
        reweighting = dag_weights(posterior)
    elif callable(prior) and not isinstance(prior, str):
        reweighting = _by_function(sampled, prior)
    else:
        raise SettingsError(
            f'prior must be "dags", "classes" or a function that returns the log weight of a graph, not {prior!r}'
        )
    weighted = sampled._under(reweighting, None if posterior.resampled is None else posterior.resampled.reweight(prior))
    if warn and sampled.unlisted > NEGLIGIBLE_TIME:
        missing = math.fsum(math.fsum(part.weights) for part in weighted._classes.parts if not part.listed)
        warn_user(
            f"{sampled.unlisted:.2%} of the time was spent in classes that are not listed, which have {missing:.1%} of "
            "the probability of the draws. top, probability, credible_set and sample_dags use listed classes only. To "
            f"list more, sample with a larger max_classes (now {sampled.settings.max_classes:,})",
            SamplingWarning,
        )
    return weighted


def dag_weights(run: Posterior) -> Reweighting:
    """The weights of the uniform prior over DAGs: the logs of the numbers of DAGs of the classes."""
    drawn = [draw_list(run, r) for r in run._results]
    logs, draw_logs = (tuple(each.log_sizes() for each in lists) for lists in (run._listed.lists, drawn))
    return Reweighting("dags", logs, draw_logs)


def weight_ess(run: Posterior) -> float:
    """The share of the effective sample size that the weights leave, from 0 to 1: (Σ p w)² / Σ p w² (Kish 1965)."""
    if run._reweighting is None:
        return 1.0
    table = run._listed.table
    weights = shares_of(np.where(table.shares > 0, run._reweighting.of_table(table), -np.inf))
    squares = table.shares @ weights**2
    return float((table.shares @ weights) ** 2 / squares / table.shares.sum()) if squares > 0 else 0.0


def _by_function(sampled: Posterior, prior: Callable[[Any], float]) -> Reweighting:
    """Call the function once per class, even if several chains have listed or drawn it."""
    classes = sampled._classes
    values = log_weights_by(prior, classes.every_graph(), len(classes))
    logs = tuple(read_only(values[_places(classes.names, r.hashes)]) for r in sampled._results)
    known: dict[bytes, float] = {}  # log weights of classes that were drawn but are not listed
    draw_logs = []
    for r in sampled._results:
        at = _places(classes.names, r.draw_hashes)
        own = values[at]
        for i, g in draw_list(sampled, r).graphs(at < 0):
            name = r.draw_hashes[i].tobytes()
            if name not in known:
                known[name] = log_weight_by(prior, g)
            own[i] = known[name]
        draw_logs.append(read_only(own))
    return Reweighting(name_of(prior), logs, tuple(draw_logs))


def _places(table: NDArray[np.uint64], names: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The rows of names in a table of distinct ones; -1 for those that are not in it."""
    order = np.argsort(table[:, 0])  # 64 of 128 bits are enough to distinguish classes
    row = order[np.minimum(np.searchsorted(table[:, 0], names[:, 0], sorter=order), len(table) - 1)]
    return np.where(table[row, 0] == names[:, 0], row, -1)
