"""exact_posterior: the exact distribution over all classes of up to 6 nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.edge_answers import EdgeAnswers
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.answers.effects.effect_answers import ClassWeights, EffectAnswers
from causal_zigzag.answers.effects.joint_draws import DrawnDags
from causal_zigzag.answers.effects.parent_sets import WeightedClasses
from causal_zigzag.answers.member_dags import sample_dags
from causal_zigzag.answers.prior_weights import log_weights_by, name_of, prior_in_words
from causal_zigzag.answers.statements import Statement, truth
from causal_zigzag.answers.top_classes import TOP, TopClass, TopClasses, top_lines
from causal_zigzag.errors import SettingsError
from causal_zigzag.exact.all_classes import check_size, class_list_of, code_of, graphs_of, pair_marks
from causal_zigzag.exact.local_table import cool, local_scores, read_exact_target
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.graphs.mpdag import class_of
from causal_zigzag.graphs.node_order import in_node_order
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.scores.totals import class_totals
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.validation import read_count
from causal_zigzag.support.wording import count
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.class_list import ClassList
    from causal_zigzag.answers.effects.parent_sets import ParentSetTable
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.scores.base import Score
    from causal_zigzag.support.rng import Rng
    from causal_zigzag.target.knowledge import Knowledge

Prior = Literal["classes", "dags"]
"""Whether the prior, before the edge prior, is uniform over classes or over DAGs."""


def exact_posterior(
    score: Any,
    prior: Prior = "classes",
    edge_prior: Any = None,
    coldness: float = 1.0,
    *,
    knowledge: Knowledge | None = None,
) -> ExactPosterior:
    """The exact posterior over all classes, for up to 6 nodes; it has most methods of the posterior of ``sample``.

    ``score`` is a score, or data, for which a score is chosen as in ``sample``. With ``prior="classes"`` the target is
    that of ``sample``, whose prior is uniform over classes apart from the edge prior. With ``prior="dags"`` the prior
    is uniform over DAGs: the prior weight of a class is its number of DAGs. ``edge_prior`` and ``coldness`` are those
    of ``sample``, but the default is no edge prior.

    With ``knowledge``, the posterior is over the classes that agree with it, and a class stands for its agreeing DAGs:
    its edges are those of an ``MPDAG``, and its prior weight with ``prior="dags"`` is the number of agreeing DAGs.

    >>> import causal_zigzag as cz
    >>> posterior = cz.exact_posterior(cz.Uniform(["a", "b", "c"]))
    >>> round(posterior.probability(cz.CPDAG.empty(["a", "b", "c"])) * 11, 6)
    1.0
    """
    target = read_exact_target(score, edge_prior, coldness, knowledge)
    n = len(target.nodes)
    check_size("exact_posterior", n)
    over = _read_prior(prior)
    table = local_scores(target.score)
    if over == "classes":  # over DAGs, a score may differ within a class
        check_score_equivalence(target.score)
    cool(table, target.coldness)
    codes, sizes, log_weights, restricted = _core.all_classes(n, table, target.arrows)
    edge_counts = sum((marks > 0 for _, _, marks in pair_marks(codes, n)), np.zeros(len(codes), dtype=np.int64))
    most = n * (n - 1) // 2
    with np.errstate(over="ignore"):
        log_weights += np.array([target.edge_prior.log_weight(m) for m in range(most + 1)])[edge_counts]
    if target.required_arrows and np.isneginf(log_weights).all():
        raise SettingsError(
            f"knowledge requires {count(len(target.required_arrows), 'edge')}, but edge_prior gives no weight to any "
            "class that has them; use a longer or weaker one"
        )
    if not np.isfinite(log_weights.max()):
        raise SettingsError(
            f"edge_prior {target.edge_prior} gives weights beyond the range of floating-point numbers; use a weaker one"
        )
    return ExactPosterior(
        target, over, read_only(codes), read_only(sizes), read_only(log_weights), restricted=read_only(restricted)
    )


@dataclass(frozen=True, eq=False, repr=False)
class ExactPosterior(EdgeAnswers, EffectAnswers):
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
    restricted: NDArray[np.uint32]  # the codes of the edges that the DAGs share; with knowledge, the agreeing ones
    log_prior: NDArray[np.float64] | None = None

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes, in the order of the arrays.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(3)).nodes
        (0, 1, 2)
        """
        return self.target.nodes

    @property
    def class_count(self) -> int:
        """The number of classes.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(4)).class_count
        185
        """
        return len(self.codes)

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

    def top(self, k: int = 10) -> TopClasses:
        """The most probable classes with their probability and score, the most probable first.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> cz.exact_posterior(score).top(1)[0].graph
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        best = np.argsort(-self.probabilities, kind="stable")[: read_count("k", k, 0)]
        scored = class_totals(self.target.score, graphs_of(self.codes[best], Labels(self.nodes)))
        shares, restrict = self.probabilities[best].tolist(), self.target.restrict
        return TopClasses(TopClass(restrict(g), p, total) for p, (g, total) in zip(shares, scored, strict=True))

    def probability(self, g: ClassGraph) -> float:
        """The probability of a class, given as a CPDAG, or as an MPDAG if there is knowledge.

        >>> import causal_zigzag as cz
        >>> round(cz.exact_posterior(cz.Uniform(3), prior="dags").probability(cz.CPDAG.complete(3)), 6)  # 6 of 25 DAGs
        0.24
        """
        code = code_of(in_node_order(class_of(g, "probability"), self.nodes, "the graph").matrix())
        return float(self.probabilities[self.codes == code].sum())  # 0 for a class that does not agree

    def probability_that(self, statement: Statement | Callable[[Any], bool]) -> float:
        """The probability that a statement is true: one of ``cz.statements``, or your function of a class.

        For a statement about DAGs, ``cz.ancestor``, a class counts with the share of its DAGs for which it is true.

        >>> import causal_zigzag as cz
        >>> round(cz.exact_posterior(cz.Uniform(3)).probability_that(cz.statements.path(0, 2)) * 11, 6)
        1.0
        """
        if isinstance(statement, Statement):
            holds = statement.shares(self._classes())
        elif callable(statement):
            graphs = self._graphs()
            holds = np.fromiter((truth(statement, g) for g in graphs), dtype=np.float64, count=len(self.codes))
        else:
            raise SettingsError(f"probability_that needs a statement or a function of a graph, not {statement!r}")
        return math.fsum(self.probabilities * holds)

    def edge_probabilities(self) -> EdgeProbabilities:
        """The probability of every edge of the class, in the order of ``nodes``.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(2)).edge_probabilities().adjacent.tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        return self._edges

    def edge_table(self) -> pd.DataFrame:
        """One row per pair of nodes x and y, in decreasing order of ``adjacent``.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(["a", "b"])).edge_table()
           x  y  adjacent  forward  undirected  backward
        0  a  b       0.5      0.0         0.5       0.0
        """
        return self._edges.table()

    def reweight(self, prior: Prior | Callable[[Any], float] = "dags") -> ExactPosterior:
        """The same posterior with another prior in place of the present one: uniform over "dags" or over "classes".

        The prior may also be a function that returns the log weight of a class, minus infinity for weight 0.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(2)).reweight("dags").probabilities.round(3).tolist()
        [0.333, 0.667]
        """
        if isinstance(prior, str) or not callable(prior):
            return replace(self, prior=_read_prior(prior), log_prior=None)
        log_prior = log_weights_by(prior, enumerate(self._graphs()), len(self.codes))
        return replace(self, prior=name_of(prior), log_prior=read_only(log_prior))

    def sample_dags(self, k: int, rng: Rng = None) -> NDArray[np.uint8]:
        """``k`` DAGs drawn from the posterior, as an array of k matrices like that of ``CPDAG.dag``.

        A class is drawn by its probability, then one of its DAGs uniformly, which is right for a score-equivalent
        score; another score raises a ScoreError.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(3), prior="dags").sample_dags(100, rng=2).shape
        (100, 3, 3)
        """
        check_score_equivalence(self.target.score)
        return sample_dags(self.probabilities, self._graphs, len(self.nodes), k, rng)

    def class_weights(self) -> ClassWeights:
        """All classes with their probabilities. Internal to the package.

        :meta private:
        """
        check_score_equivalence(self.target.score)  # otherwise the DAGs of a class differ in probability
        return ClassWeights([WeightedClasses(self._classes(), self.probabilities)])

    def effect_errors(self, table: ParentSetTable, _: object) -> NDArray[np.float64]:
        """Zeros: nothing is random. Internal to the package.

        :meta private:
        """
        return np.zeros((len(table.causes), len(table.nodes), 2))

    def effect_dags(self, k: int, rng: np.random.Generator) -> DrawnDags:
        """Independent draws. Internal to the package.

        :meta private:
        """
        return DrawnDags(self.sample_dags(k, rng), np.full(k, 1 / k), lambda values: values.std(axis=0) / math.sqrt(k))

    def _effect_score(self) -> Score:
        return self.target.score

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
            f"edges       {self._edges.adjacent.sum() / 2:.4g} expected",
            *top_lines(self.top(TOP)),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        known = "" if self.target.knowledge is None else f", knowledge {self.target.knowledge}"
        return (
            f"ExactPosterior({self.target.score!r}, {prior_in_words(self.prior)}, edge prior {self.target.edge_prior}, "
            f"coldness {self.target.coldness:g}{known}: {self.class_count:,} classes)"
        )

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

    def _graphs(self, rows: NDArray[np.int64] | None = None) -> Iterator[ClassGraph]:
        """The classes of these rows, or all."""
        codes = self.codes if rows is None else self.codes[rows]
        return map(self.target.restrict, graphs_of(codes, Labels(self.nodes)))

    def _classes(self) -> ClassList:
        return class_list_of(self.codes, Labels(self.nodes))._replace(restriction=self.target.restriction)

    @cached_property
    def _edges(self) -> EdgeProbabilities:
        n = len(self.nodes)
        directed, undirected = np.zeros((n, n)), np.zeros((n, n))
        for a, b, marks in pair_marks(self.restricted, n):
            _, directed[a, b], directed[b, a], undirected[a, b] = np.bincount(marks, self.probabilities, minlength=4)
        return EdgeProbabilities(self.nodes, read_only(directed), read_only(undirected + undirected.T))


def _read_prior(prior: Any) -> Prior:
    for known in get_args(Prior):
        if isinstance(prior, str) and prior == known:
            return cast(Prior, known)
    raise SettingsError(f'prior must be "classes" or "dags", not {prior!r}')
