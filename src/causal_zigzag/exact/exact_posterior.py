"""exact_posterior: the exact distribution over all classes of up to 6 nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from causal_zigzag import _core
from causal_zigzag.answers.distribution import Distribution
from causal_zigzag.answers.prior_weights import log_weights_by, name_of, prior_in_words
from causal_zigzag.answers.top_classes import top_lines
from causal_zigzag.answers.weighted_classes import ClassTable, Part, WeightedClasses
from causal_zigzag.errors import SettingsError
from causal_zigzag.exact.all_classes import check_size, class_list_of, code_of, pair_marks
from causal_zigzag.exact.local_table import cooled_scores
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.scores.choose import read_score
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.validation import is_word
from causal_zigzag.support.wording import count
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from causal_zigzag.scores.base import Score
    from causal_zigzag.tables.read_table import Reading
    from causal_zigzag.target.edge_prior import EdgePriorInput
    from causal_zigzag.target.knowledge import Knowledge

Prior = Literal["classes", "dags"]
"""Whether the prior, before the edge prior, is uniform over classes or over DAGs."""


def exact_posterior(
    data_or_score: Any,
    score: str | type[Score] = "auto",
    *,
    knowledge: Knowledge | None = None,
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    coldness: float = Target.coldness,
    prior: Prior = "classes",
    **reading: Unpack[Reading],
) -> ExactPosterior:
    """The exact posterior over all classes, for up to 6 nodes; it has most methods of the posterior of ``sample``.

    The arguments are those of ``sample``, with the same defaults. With ``prior="classes"`` so is the target, whose
    prior is uniform over classes apart from the edge prior. With ``prior="dags"`` the prior is uniform over DAGs: the
    prior weight of a class is its number of DAGs.

    With ``knowledge``, the posterior is over the classes that agree with it, and a class stands for its agreeing DAGs:
    its edges are those of an ``MPDAG``, and its prior weight with ``prior="dags"`` is the number of agreeing DAGs.

    >>> import causal_zigzag as cz
    >>> posterior = cz.exact_posterior(cz.Uniform(["a", "b", "c"]))
    >>> round(posterior.probability(cz.CPDAG.empty(["a", "b", "c"])) * 11, 6)
    1.0
    """
    made = read_score(exact_posterior, data_or_score, score, reading)
    target = Target.read(made, coldness, edge_prior, knowledge=knowledge)
    n = len(target.nodes)
    check_size("exact_posterior", n)
    over = read_prior(prior)
    table = cooled_scores(target)
    if over == "classes":  # over DAGs, a score may differ within a class
        check_score_equivalence(target.score)
    codes, sizes, log_weights, _ = _core.all_classes(n, table, target.known.arrows if target.known else None)
    edge_counts = sum((marks > 0 for _, _, marks in pair_marks(codes, n)), np.zeros(len(codes), dtype=np.int64))
    most = n * (n - 1) // 2
    with np.errstate(over="ignore"):
        log_weights += np.array([target.edge_prior.log_weight(m) for m in range(most + 1)])[edge_counts]
    if not np.isfinite(log_weights.max()):
        required = f" that has the {count(len(target.required_arrows), 'edge')} of the knowledge"
        which = required if target.required_arrows else ""
        raise SettingsError(
            f"edge_prior {target.edge_prior} gives no finite weight to any class{which}; use another one"
        )
    return ExactPosterior(target, over, read_only(codes), read_only(sizes), read_only(log_weights))


@dataclass(frozen=True, eq=False, repr=False)
class ExactPosterior(Distribution):
    """The exact distribution over all classes, by number of edges: their codes, sizes and log weights.

    The log weight is coldness times the score plus the edge prior, without the sizes. If the score is not
    score-equivalent, which ``prior="dags"`` allows, the weight of a class is the mean weight of its DAGs. With
    knowledge, the classes and their sizes are those of agreeing DAGs.

    >>> import causal_zigzag as cz
    >>> cz.exact_posterior(cz.Uniform(3)).sizes.tolist()
    [1, 2, 2, 2, 1, 3, 1, 1, 3, 3, 6]
    """

    target: Target
    prior: str
    codes: NDArray[np.uint32]
    sizes: NDArray[np.uint32]
    log_weights: NDArray[np.float64]
    log_prior: NDArray[np.float64] | None = None

    @property
    def log_total(self) -> float:
        """The log of the sum of the weights of all classes, or of all DAGs: the log normalizing constant of the target.

        >>> import math
        >>> import causal_zigzag as cz
        >>> round(math.exp(cz.exact_posterior(cz.Uniform(3), prior="dags").log_total), 6)
        25.0
        """
        return self._shares[1]

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probabilities of all classes, in the order of ``enumerate_cpdags``.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(2), prior="dags").probabilities.round(3).tolist()
        [0.333, 0.667]
        """
        return self._shares[0]

    def reweight(self, prior: Prior | Callable[[Any], float] = "dags") -> ExactPosterior:
        """The same posterior with another prior in place of the present one: uniform over "dags" or over "classes".

        The prior may also be a function that returns the log weight of a class, minus infinity for weight 0.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(2)).reweight("dags").probabilities.round(3).tolist()
        [0.333, 0.667]
        """
        if isinstance(prior, str) or not callable(prior):
            return replace(self, prior=read_prior(prior), log_prior=None)
        (every,) = self._classes.lists
        log_prior = log_weights_by(prior, every.graphs(np.ones(len(every), dtype=np.bool_)), len(every))
        return replace(self, prior=name_of(prior), log_prior=read_only(log_prior))

    def summary(self) -> str:
        """A few lines of text: the target and the most probable classes.

        >>> import causal_zigzag as cz
        >>> print(cz.exact_posterior(cz.Uniform(3)).summary().splitlines()[0])
        Exact posterior of all 11 classes of 3 nodes, prior uniform over classes
        """
        classes, nodes = count(self.class_count, "class"), count(len(self.nodes), "node")
        agreeing = "" if self.target.knowledge is None else " that agree with the knowledge"
        lines = [
            f"Exact posterior of all {classes} of {nodes}{agreeing}, prior {prior_in_words(self.prior)}",
            str(self.target),
            f"edges       {self._classes.edges.adjacent.sum() / 2:.4g} expected",
            *top_lines(self._classes),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        known = "" if self.target.knowledge is None else f", knowledge {self.target.knowledge}"
        return (
            f"ExactPosterior({self.target.score!r}, {prior_in_words(self.prior)}, edge prior {self.target.edge_prior}, "
            f"coldness {self.target.coldness:g}{known}: {self.class_count:,} classes)"
        )

    @cached_property
    def _classes(self) -> WeightedClasses:
        """The classes with their probabilities."""
        some = replace(class_list_of(self.codes, Labels(self.nodes)), restriction=self.target.restriction)
        return WeightedClasses(
            self.target,
            (some,),
            0.0,
            self._table,
            lambda _: (Part(some, self.probabilities),),
            name=lambda g: (code_of(g.matrix()), 0),
        )

    def _table(self) -> ClassTable:
        order = np.argsort(-self.probabilities, kind="stable")
        names = np.stack([self.codes, np.zeros_like(self.codes)], axis=1).astype(np.uint64)
        return ClassTable(names[order], self.probabilities[order], np.zeros(len(order), dtype=np.int64), order)

    @cached_property
    def _shares(self) -> tuple[NDArray[np.float64], float]:
        """The probabilities, and the log of the sum of the weights."""
        logs = self.log_weights + (np.log(self.sizes) if self.prior == "dags" else 0.0)
        if self.log_prior is not None:
            logs = self.log_weights + self.log_prior
        most = logs.max()
        shares = np.exp(logs - most)
        total = float(shares.sum())
        return read_only(shares / total), float(most + math.log(total))


def read_prior(prior: Any) -> Prior:
    """The prior that the user gave; a SettingsError if it is neither."""
    if is_word(prior, "classes", "dags"):
        return cast(Prior, prior)
    raise SettingsError(f'prior must be "classes" or "dags", not {prior!r}')
