"""What a posterior says of its classes: the most probable ones, any one, all that share something, DAGs from them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from causal_zigzag._core import Graph
from causal_zigzag.answers.member_dags import sample_dags
from causal_zigzag.answers.top_classes import TopClass
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.node_order import in_node_order
from causal_zigzag.posterior.listed_classes import column_of, decode
from causal_zigzag.posterior.listed_graphs import listed_graphs
from causal_zigzag.posterior.reweighting import warn_of_unlisted
from causal_zigzag.posterior.statement_queries import (
    CredibleSet,
    Probability,
    credible_set,
    probability_that,
    top_classes,
)
from causal_zigzag.support.validation import read_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from causal_zigzag.answers.statements import Statement
    from causal_zigzag.posterior.listed_classes import Weights
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.support.rng import Rng


class ClassAnswers:
    """What ``Posterior`` inherits: questions about classes, which the chains have listed."""

    __slots__ = ()

    @property
    def class_count(self) -> int:
        """How many classes are listed.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=1000, rng=1).class_count
        11
        """
        return len(cast("Posterior", self)._classes)

    def top(self, k: int = 10, weights: Weights = "expected") -> list[TopClass]:
        """The most probable classes with their probability and score, the most probable first.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> graph, probability, score = cz.sample(score, jumps=1000, rng=1).top(1)[0]
        >>> graph
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return [*top_classes(cast("Posterior", self), range(min(read_count("k", k, 0), self.class_count)), weights)]

    def probability(self, g: CPDAG, weights: Weights = "expected") -> float:
        """The probability of a class: its share of the time.

        A class that is not listed gets 0; if it was visited all the same, its time is part of ``unlisted``.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(2), jumps=1000, rng=1)
        >>> round(posterior.probability(cz.CPDAG.complete(2)), 2)
        0.5
        """
        column = column_of(weights)
        if not isinstance(g, CPDAG):
            raise SettingsError(f"probability needs a CPDAG, not {g!r}")
        own = cast("Posterior", self)
        row = own._classes.find(in_node_order(g, own.nodes, "the graph").core.hash)
        return 0.0 if row is None else float(own._classes.shares[row, column])

    def probability_that(
        self, statement: Statement | Callable[[CPDAG], bool], weights: Weights = "expected"
    ) -> Probability:
        """The probability that something is true of the class: a statement of ``cz.statements`` or your function.

        Statements are quick; a function is asked of every listed class. Of classes that are not listed, what is true
        is told from ``draws()`` (and of single edges it is known). The result is a float with the bounds ``lower`` and
        ``upper``: as if the statement were false, or true, in every class that is not listed.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1)
        >>> abs(posterior.probability_that(cz.statements.path("a", "c")) - 1 / 11) < 0.02  # a -> c <- b
        True
        >>> abs(posterior.probability_that(lambda g: g.edge_count <= 1) - 4 / 11) < 0.02
        True
        """
        return probability_that(cast("Posterior", self), statement, weights)

    def credible_set(self, level: float = 0.95, weights: Weights = "expected") -> CredibleSet:
        """The fewest classes that together hold this probability: a sequence as ``top`` gives it, without limit.

        It is an error where the listed classes do not hold so much.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=20_000, rng=1).credible_set(0.5))  # 11 classes, all the same
        6
        """
        return credible_set(cast("Posterior", self), level, weights)

    def sample_dags(self, k: int, rng: Rng = None) -> NDArray[np.uint8]:
        """So many DAGs from the posterior, as an array of k matrices like that of ``CPDAG.dag``.

        Each is drawn anew: a listed class by its probability, then a DAG of that class, all of them equally likely.
        Under the prior "dags" (see ``reweight``), DAGs of the same score have the same probability.

        >>> import causal_zigzag as cz
        >>> dags = cz.sample(cz.Uniform(3), jumps=1000, rng=1).sample_dags(100, rng=2)
        >>> dags.shape
        (100, 3, 3)
        """
        own = cast("Posterior", self)
        if own.reweighting is None:
            warn_of_unlisted(own, "and no DAG comes from those: the listed ones stand for all", depth=3)
        return sample_dags(own._classes.shares[:, 0], partial(listed_graphs, own), len(own.nodes), k, rng)

    def _order(self, weights: Weights) -> NDArray[np.int64]:
        """The rows of the listed classes by descending share."""
        classes = cast("Posterior", self)._classes
        if column_of(weights) == 0:
            return np.arange(len(classes))
        return np.argsort(-classes.shares[:, 1], kind="stable")

    def _rank(self, g: CPDAG, weights: Weights) -> int | None:
        """Where a class comes in this order; None where it is not listed."""
        own = cast("Posterior", self)
        if {*g.nodes} != {*own.nodes}:
            return None
        row = own._classes.find(in_node_order(g, own.nodes, "the graph").core.hash)
        return None if row is None else int(np.flatnonzero(self._order(weights) == row)[0])

    def _graph(self, row: int) -> CPDAG:
        """The class of a row."""
        own = cast("Posterior", self)
        result, record = own.results[own._classes.chain[row]], int(own._classes.record[row])
        return CPDAG.from_core(Graph.from_matrix(decode(result, record, len(own.nodes))), own.start.labels)
