"""Every class of up to 6 nodes: their list, and the exact posterior over them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from causal_zigzag import _core
from causal_zigzag.answers.edge_answers import EdgeAnswers
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
from causal_zigzag.answers.member_dags import sample_dags
from causal_zigzag.answers.prior_weights import log_weights_by, name_of, prior_in_words
from causal_zigzag.answers.statements import ClassList, Statement, class_list, truth
from causal_zigzag.answers.top_classes import TOP, TopClass, top_lines
from causal_zigzag.errors import SettingsError
from causal_zigzag.exact.local_table import cool, local_scores, read_exact_target
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import Labels, Nodes, read_nodes
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

    from causal_zigzag.support.rng import Rng

MOST_NODES = 6

Prior = Literal["classes", "dags"]
"""What is uniform before the data and the edge prior: the classes, or the DAGs."""


def enumerate_cpdags(n: Nodes) -> Iterator[CPDAG]:
    """Every class of n nodes, n at most 6: an iterator, by number of edges. ``n`` is a count or a sequence of names.

    There are 1, 2, 11, 185, 8782 and 1,067,825 classes of 1 to 6 nodes.

    >>> import causal_zigzag as cz
    >>> sum(1 for _ in cz.enumerate_cpdags(4))
    185
    >>> list(cz.enumerate_cpdags(["a", "b"]))
    [CPDAG(2 nodes, no edges), CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)]
    """
    labels = read_nodes(n)
    _check_size("enumerate_cpdags", len(labels))
    codes, _, _ = _core.all_classes(len(labels), None)
    return _graphs(codes, labels)


def exact_posterior(
    score: Any, prior: Prior = "classes", edge_prior: Any = None, coldness: float = 1.0
) -> ExactPosterior:
    """The exact posterior over all classes, for up to 6 nodes; it answers as the posterior of ``sample`` does.

    ``score`` is a score, or data, for which one is chosen as by ``sample``.
    ``prior="classes"`` is the target of ``sample``: uniform over classes before the score and the edge prior.
    ``prior="dags"`` is uniform over DAGs instead: a class weighs as much as its DAGs together. ``edge_prior`` and
    ``coldness`` are those of ``sample``, but without an edge prior unless one is given.

    >>> import causal_zigzag as cz
    >>> posterior = cz.exact_posterior(cz.Uniform(["a", "b", "c"]))
    >>> round(posterior.probability(cz.CPDAG.empty(["a", "b", "c"])) * 11, 6)
    1.0
    """
    target = read_exact_target(score, edge_prior, coldness)
    n = len(target.nodes)
    _check_size("exact_posterior", n)
    over = _read_prior(prior)
    table = local_scores(target.score)
    if over == "classes":  # over DAGs, a score that differs within a class has a meaning too
        check_score_equivalence(target.score)
    cool(table, target.coldness)
    codes, sizes, log_weights = _core.all_classes(n, table)
    edge_counts = sum((marks > 0 for _, _, marks in _marks(codes, n)), np.zeros(len(codes), dtype=np.int64))
    most = n * (n - 1) // 2
    with np.errstate(over="ignore"):
        log_weights += np.array([target.edge_prior.log_weight(m) for m in range(most + 1)])[edge_counts]
    if not np.isfinite(log_weights.max()):
        raise SettingsError(
            f"edge_prior {target.edge_prior} gives weights beyond the range of numbers; take a milder one"
        )
    return ExactPosterior(target, over, read_only(codes), read_only(sizes), read_only(log_weights))


@dataclass(frozen=True, eq=False, repr=False)
class ExactPosterior(EdgeAnswers):
    """The exact distribution over all classes, by number of edges: their codes, sizes and log weights.

    The log weight is coldness times the score, plus the edge prior, without the sizes. Where a score is not
    score-equivalent, which ``prior="dags"`` allows, the weight of a class is the mean of those of its DAGs.

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
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes, in the order of the arrays.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(3)).nodes
        (0, 1, 2)
        """
        return self.target.nodes

    @property
    def class_count(self) -> int:
        """How many classes there are.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(4)).class_count
        185
        """
        return len(self.codes)

    @property
    def log_total(self) -> float:
        """The log of the summed weights of all classes, or of all DAGs: the constant that the target leaves open.

        >>> import math
        >>> import causal_zigzag as cz
        >>> round(math.exp(cz.exact_posterior(cz.Uniform(3), prior="dags").log_total), 6)
        25.0
        """
        return self._shares[1]

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Of all classes, in the order of ``enumerate_cpdags``.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(2), prior="dags").probabilities.round(3).tolist()
        [0.333, 0.667]
        """
        return self._shares[0]

    def top(self, k: int = 10) -> list[TopClass]:
        """The most probable classes with their probability and score, the most probable first.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> cz.exact_posterior(score).top(1)[0].graph
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        best = np.argsort(-self.probabilities, kind="stable")[: read_count("k", k, 0)]
        graphs = _graphs(self.codes[best], Labels(self.nodes))
        scored = class_totals(self.target.score, graphs)
        return [TopClass(g, p, total) for p, (g, total) in zip(self.probabilities[best].tolist(), scored, strict=True)]

    def probability(self, g: CPDAG) -> float:
        """The probability of a class.

        >>> import causal_zigzag as cz
        >>> round(cz.exact_posterior(cz.Uniform(3), prior="dags").probability(cz.CPDAG.complete(3)), 6)  # 6 of 25 DAGs
        0.24
        """
        if not isinstance(g, CPDAG):
            raise SettingsError(f"probability needs a CPDAG, not {g!r}")
        code = _code_of(in_node_order(g, self.nodes, "the graph").matrix())
        return float(self.probabilities[self.codes == code][0])

    def probability_that(self, statement: Statement | Callable[[CPDAG], bool]) -> float:
        """The probability that something is true of the class: a statement of ``cz.statements`` or your function.

        >>> import causal_zigzag as cz
        >>> round(cz.exact_posterior(cz.Uniform(3)).probability_that(cz.statements.path(0, 2)) * 11, 6)
        1.0
        """
        if isinstance(statement, Statement):
            holds = statement.among(_class_list(self.codes, Labels(self.nodes)))
        elif callable(statement):
            graphs = _graphs(self.codes, Labels(self.nodes))
            holds = np.fromiter((truth(statement, g) for g in graphs), dtype=np.bool_, count=len(self.codes))
        else:
            raise SettingsError(f"probability_that needs a statement or a function of a graph, not {statement!r}")
        return math.fsum(self.probabilities[holds])

    def edge_probabilities(self) -> EdgeProbabilities:
        """How likely every edge of the class is, in the order of ``nodes``.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(2)).edge_probabilities().adjacent.tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        return self._edges

    def edge_table(self) -> pd.DataFrame:
        """One row a pair of nodes x and y, the most probably adjacent first; the columns are those of ``sample``'s.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(["a", "b"])).edge_table()
           x  y  adjacent  forward  undirected  backward
        0  a  b       0.5      0.0         0.5       0.0
        """
        return self._edges.table()

    def reweight(self, prior: Prior | Callable[[CPDAG], float] = "dags") -> ExactPosterior:
        """The same posterior under another prior, in place of the present one: uniform over "dags" or over "classes".

        Or a function that gives the log weight of a class, minus infinity for none; it is asked for all classes.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(2)).reweight("dags").probabilities.round(3).tolist()
        [0.333, 0.667]
        """
        if isinstance(prior, str) or not callable(prior):
            return replace(self, prior=_read_prior(prior), log_prior=None)
        log_prior = log_weights_by(prior, enumerate(_graphs(self.codes, Labels(self.nodes))), len(self.codes))
        return replace(self, prior=name_of(prior), log_prior=read_only(log_prior))

    def sample_dags(self, k: int, rng: Rng = None) -> NDArray[np.uint8]:
        """So many DAGs from the posterior, as an array of k matrices like that of ``CPDAG.dag``.

        A class is drawn by its probability, then one of its DAGs, all of them equally likely, as they are where the
        score is score-equivalent.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(3), prior="dags").sample_dags(100, rng=2).shape
        (100, 3, 3)
        """
        check_score_equivalence(self.target.score)
        labels = Labels(self.nodes)
        return sample_dags(self.probabilities, lambda rows: _graphs(self.codes[rows], labels), len(labels), k, rng)

    def summary(self) -> str:
        """What the posterior is of and its most probable classes, in a few lines.

        >>> import causal_zigzag as cz
        >>> print(cz.exact_posterior(cz.Uniform(3)).summary().splitlines()[0])
        Exact posterior of all 11 classes of 3 nodes, prior uniform over classes
        """
        classes, nodes = count(self.class_count, "class"), count(len(self.nodes), "node")
        lines = [
            f"Exact posterior of all {classes} of {nodes}, prior {prior_in_words(self.prior)}",
            str(self.target),
            f"edges       {self._edges.adjacent.sum() / 2:.4g} expected",
            *top_lines(self.top(TOP)),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"ExactPosterior({self.target.score!r}, {prior_in_words(self.prior)}, edge prior {self.target.edge_prior}, "
            f"coldness {self.target.coldness:g}: {self.class_count:,} classes)"
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

    @cached_property
    def _edges(self) -> EdgeProbabilities:
        n = len(self.nodes)
        directed, undirected = np.zeros((n, n)), np.zeros((n, n))
        for a, b, marks in _marks(self.codes, n):
            _, directed[a, b], directed[b, a], undirected[a, b] = np.bincount(marks, self.probabilities, minlength=4)
        return EdgeProbabilities(self.nodes, read_only(directed), read_only(undirected + undirected.T))


def _graphs(codes: NDArray[np.uint32], labels: Labels, chunk: int = 4096) -> Iterator[CPDAG]:
    n = len(labels)
    for begin in range(0, len(codes), chunk):
        some = codes[begin : begin + chunk]
        matrices = np.zeros((len(some), n, n), dtype=np.uint8)
        for a, b, marks in _marks(some, n):
            matrices[:, a, b] = marks & 1
            matrices[:, b, a] = marks >> 1
        for matrix in matrices:
            yield CPDAG.from_core(_core.Graph.from_matrix(matrix), labels)


def _marks(codes: NDArray[np.uint32], n: int) -> Iterator[tuple[int, int, NDArray[np.uint32]]]:
    """For each pair a < b how the classes join it: 0 not at all, 1 a -> b, 2 b -> a, 3 a - b."""
    for b in range(n):
        for a in range(b):
            yield a, b, codes >> np.uint32(b * (b - 1) + 2 * a) & np.uint32(3)


def _class_list(codes: NDArray[np.uint32], labels: Labels) -> ClassList:
    marks = [marks.astype(np.uint8) for _, _, marks in _marks(codes, len(labels))]  # in the order of the core
    return class_list(labels, np.stack(marks, axis=1) if marks else np.zeros((len(codes), 0), dtype=np.uint8))


def _code_of(matrix: NDArray[np.uint8]) -> int:
    n = len(matrix)
    marks = matrix.astype(int) + 2 * matrix.T
    return sum(int(marks[a, b]) << (b * (b - 1) + 2 * a) for b in range(n) for a in range(b))


def _check_size(asking: str, n: int) -> None:
    if n > MOST_NODES:
        raise SettingsError(
            f"{asking} lists every class and takes at most {MOST_NODES} nodes (1,067,825 classes), not {n}; "
            f"cz.sample draws classes of any number of nodes"
        )


def _read_prior(prior: Any) -> Prior:
    for known in get_args(Prior):
        if isinstance(prior, str) and prior == known:
            return cast(Prior, known)
    raise SettingsError(f'prior must be "classes" or "dags", not {prior!r}')
