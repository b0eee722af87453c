"""reweight(): the same run under another prior, by weights for its listed classes and draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from causal_zigzag._core import log_class_sizes
from causal_zigzag.answers.prior_weights import log_weight_by, log_weights_by, name_of
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.error_messages import too_many_splits
from causal_zigzag.posterior.draws import draw_list
from causal_zigzag.posterior.listed_graphs import class_graphs, class_lists, every_listed_graph
from causal_zigzag.posterior.reweighting import NEGLIGIBLE, Reweighting, places, warn_of_unlisted
from causal_zigzag.posterior.weighted_draws import unlisted_weight
from causal_zigzag.support.frozen_arrays import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.class_list import ClassList
    from causal_zigzag.posterior.sampled_run import SampledRun

    Run = TypeVar("Run", bound=SampledRun)


def reweight(posterior: Run, prior: Any) -> Run:
    """See ``Posterior.reweight``."""
    sampled = posterior.under(None)
    if isinstance(prior, str) and prior == "classes":
        return sampled
    if isinstance(prior, str) and prior == "dags":
        reweighting = dag_weights(posterior)
    elif callable(prior) and not isinstance(prior, str):
        reweighting = _by_function(sampled, prior)
    else:
        raise SettingsError(
            f'prior must be "dags", "classes" or a function that returns the log weight of a graph, not {prior!r}'
        )
    weighted = sampled.under(reweighting)
    if sampled.unlisted > NEGLIGIBLE:
        missing = unlisted_weight(weighted)
        held = "which have" if math.isnan(missing) else f"which have, by the draws, {missing:.1%} of"
        warn_of_unlisted(
            sampled,
            f"{held} the probability under this prior. top, probability, credible_set and sample_dags use listed "
            "classes only; probabilities of edges and statements come from the draws, which include all classes",
            depth=4,
        )
    return weighted


def dag_weights(run: SampledRun) -> Reweighting:
    """The weights of the uniform prior over DAGs: the logs of the numbers of DAGs of the classes."""
    labels, restriction = run.start.labels, run.target.restriction
    drawn = [draw_list(labels, r, restriction) for r in run.results]
    try:
        logs, draw_logs = (tuple(map(_log_sizes, each)) for each in (class_lists(run), drawn))
    except OverflowError as error:
        raise too_many_splits(error, labels) from None
    return Reweighting("dags", logs, draw_logs)


def _log_sizes(some: ClassList) -> NDArray[np.float64]:
    """The logs of the numbers of DAGs; with knowledge, of those that agree."""
    return read_only(log_class_sizes(len(some.labels), some.origin, some.begin, some.deltas, some.arrows))


def _by_function(sampled: SampledRun, prior: Callable[[Any], float]) -> Reweighting:
    """Call the function once per class, even if several chains have listed or drawn it."""
    classes = sampled.listed_classes
    values = log_weights_by(prior, every_listed_graph(sampled), len(classes))
    order = np.lexsort((classes.hashes[:, 1], classes.hashes[:, 0]))
    table = classes.hashes[order]  # the classes of all chains
    logs = tuple(read_only(values[order[places(table, r.hashes)]]) for r in sampled.results)
    known: dict[bytes, float] = {}  # log weights of classes that were drawn but are not listed
    draw_logs = []
    for r in sampled.results:
        at = places(table, r.draw_hashes)
        own = values[order[at]]
        for i, g in class_graphs(draw_list(sampled.start.labels, r, sampled.target.restriction), at < 0):
            name = r.draw_hashes[i].tobytes()
            if name not in known:
                known[name] = log_weight_by(prior, g)
            own[i] = known[name]
        draw_logs.append(read_only(own))
    return Reweighting(name_of(prior), logs, tuple(draw_logs))
