"""Effects of several causes at once in a linear Gaussian model, by drawn DAGs and drawn parameters.

Under do(a, b) the arrows into a and b are removed, and the effect of a on y, with b held, is the sum over directed
paths from a to y of the products of their coefficients. Given the DAG, the coefficients of each node have independent
posteriors: those of the regression on its parents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.answers.effects.effect import Effect
from causal_zigzag.answers.effects.mixture import Mixture
from causal_zigzag.answers.effects.pair import EffectError
from causal_zigzag.answers.errors.batch_means import draw_errors
from causal_zigzag.answers.member_dags import sample_dags
from causal_zigzag.errors import ScoreError, SettingsError
from causal_zigzag.scores.responses.response import Terms
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.scores.regression import RegressionMoments

DAG_BYTES = 1 << 28  # of the matrices of DAGs

Step = tuple[int, tuple[int, ...]]
"""A node and its parents."""


Posterior = tuple["NDArray[np.float64]", "NDArray[np.float64]", float]
"""Of the coefficients of a node: their mean, a root of their covariance for residual variance 1, and what is left."""


class DrawnDags(NamedTuple):
    """DAGs drawn from a posterior with their weights, which add up to 1.

    ``errors`` returns the Monte Carlo standard errors of the weighted means of values: one row per DAG.
    """

    dags: NDArray[np.uint8]
    weights: NDArray[np.float64]
    errors: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def joint_effects(
    classes: WeightedClasses,
    causes: Sequence[int],
    y: int,
    moments: RegressionMoments,
    draws: int,
    rng: np.random.Generator,
) -> list[Effect]:
    """The effects of the causes on y, each with the others held; the components are drawn DAGs."""
    drawn = drawn_dags(classes, draws, rng)
    values, means = joint_changes(drawn.dags, causes, y, moments, rng)
    errors = drawn.errors(np.stack([means, values != 0], axis=-1)).tolist()
    names, found = [classes.nodes[x] for x in causes], []
    for i, name in enumerate(names):
        kept = np.flatnonzero(values[:, i])
        sets = [tuple(classes.nodes[v] for v in np.flatnonzero(drawn.dags[k][:, causes[i]])) for k in kept.tolist()]
        own, mean, none = values[kept, i], means[kept, i], np.full(len(kept), np.nan)
        terms = Terms(mean, np.abs(own - mean), np.full(len(kept), np.inf), None, none, none)
        mixture = Mixture(drawn.weights[kept], terms, own)
        held, error = tuple(other for other in names if other != name), EffectError(*errors[i])
        found.append(Effect(name, classes.nodes[y], mixture, tuple(sets), held=held, known_error=error))
    return found


def joint_changes(
    dags: NDArray[np.uint8], causes: Sequence[int], y: int, moments: RegressionMoments, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The effects of the causes on y, one row per DAG: with parameters drawn for each, and with their means.

    The effect of a cause without a path to y that avoids the other causes is exactly 0. Coefficients of different nodes
    are independent, so that the mean of a sum of products over paths is that of their means.
    """
    effects, means = np.zeros((len(dags), len(causes))), np.zeros((len(dags), len(causes)))
    paths: dict[tuple[Step, ...], list[int]] = {}
    for i, dag in enumerate(dags):
        paths.setdefault(steps_to(dag, causes, y), []).append(i)
    known: dict[Step, Posterior] = {}
    for steps, places in paths.items():
        if not steps:
            continue
        changes = {c: np.tile(row, (len(places), 1)) for c, row in zip(causes, np.eye(len(causes)), strict=True)}
        expected = {c: row[None, :] for c, row in zip(causes, np.eye(len(causes)), strict=True)}
        for v, parents in steps:
            if (v, parents) not in known:
                known[v, parents] = _posterior(moments, v, parents)
            mean, root, left = known[v, parents]
            variance = left / rng.chisquare(_freedom(moments, len(parents)), len(places))
            noise = rng.standard_normal((len(places), len(parents))) @ root.T
            coefficients = mean + np.sqrt(variance)[:, None] * noise
            for given, of in ((changes, coefficients), (expected, mean[None, :])):
                terms = [of[:, [k]] * given[u] for k, u in enumerate(parents) if u in given]
                given[v] = sum(terms, np.zeros((len(of), len(causes))))
        effects[places], means[places] = changes[y], expected[y]
    unit = np.exp(moments.log_deviation[y] - moments.log_deviation[[*causes]])
    return effects * unit, means * unit


def steps_to(dag: NDArray[np.uint8], causes: Sequence[int], y: int) -> tuple[Step, ...]:
    """The nodes on directed paths from the causes to y that avoid other causes, in topological order, with all parents.

    Empty if there is no such path.
    """
    below: dict[int, bool] = dict.fromkeys(causes, True)
    parents: dict[int, tuple[int, ...]] = {}
    steps = []
    todo = [y]
    while todo:
        v = todo[-1]
        if v in below:
            todo.pop()
            continue
        if v not in parents:
            parents[v] = tuple(np.flatnonzero(dag[:, v]).tolist())
            todo += [u for u in parents[v] if u not in below]
            continue
        todo.pop()  # all parents are finished
        below[v] = any(below[u] for u in parents[v])
        if below[v]:
            steps.append((v, parents[v]))
    return tuple(steps)


def _posterior(moments: RegressionMoments, y: int, parents: Sequence[int]) -> Posterior:
    P = [*parents]
    root = np.linalg.cholesky(moments.matrix[np.ix_(P, P)])
    half = np.linalg.solve(root, moments.matrix[P, y])
    inverse = np.linalg.inv(root).T
    return inverse @ half, inverse, max(0.0, float(moments.matrix[y, y] - half @ half))


def _freedom(moments: RegressionMoments, parents: int) -> float:
    freedom = moments.freedom + moments.freedom_per_parent * (parents - 1)
    if freedom <= 0:
        raise ScoreError(
            f"there are too few rows for effects: a node has {count(parents, 'parent')} in a drawn DAG, and the "
            f"regression on them needs more rows; use score='bge', or sample with a smaller max_degree"
        )
    return freedom


def drawn_dags(classes: WeightedClasses, k: int, rng: np.random.Generator) -> DrawnDags:
    """About k DAGs, fewer for many nodes; independent ones if the probabilities of the classes are exact.

    Otherwise they are uniform members of the class of each draw, or of every few draws, in the order of the draws, so
    that errors include how slowly the chains move.
    """
    if classes.batches is None:
        each = np.full(k, 1 / k)
        return DrawnDags(sample_dags(classes, k, rng), each, lambda values: values.std(axis=0) / math.sqrt(k))
    source, n = classes.batches.draws, len(classes.nodes)
    if not source.weights.any():
        raise SettingsError("no draw has a positive weight, so no DAGs can be drawn; sample more jumps")
    k = max(1, min(k, DAG_BYTES // n**2))
    step = -(-len(source.draws) // k)
    kept = [np.arange(len(chain)) % step == 0 for chain in source.draws.chains]
    counts = [int(own.sum()) for own in kept]
    repeats, chosen = max(1, k // sum(counts)), source.weights[np.concatenate(kept)]
    dags = [
        g.random_dags(repeats, rng)
        for chain, own in zip(source.draws.chains, kept, strict=True)
        for _, g in chain.drawn.graphs(chain.spread(own))
    ]

    def errors(values: NDArray[np.float64]) -> NDArray[np.float64]:
        means = values.reshape(sum(counts), repeats, *values.shape[1:]).mean(axis=1)
        return draw_errors(counts, means, chosen, independent=source.independent)

    return DrawnDags(np.concatenate(dags), np.repeat(chosen / chosen.sum() / repeats, repeats), errors)
