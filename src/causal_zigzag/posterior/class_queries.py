"""Queries about classes: the most probable ones, the probability of one or of a statement, and DAGs drawn from them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from causal_zigzag.answers.member_dags import sample_dags
from causal_zigzag.answers.top_classes import TopClasses
from causal_zigzag.graphs.mpdag import class_of
from causal_zigzag.graphs.node_order import in_node_order
from causal_zigzag.posterior.listed_graphs import restricted_graphs
from causal_zigzag.posterior.reweighting import warn_of_unlisted
from causal_zigzag.posterior.sampled_run import SampledRun
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

    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.answers.statements import Statement
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.support.rng import Rng


class ClassQueries(SampledRun):
    """The methods of ``Posterior`` that are about the classes which the chains have listed."""

    def top(self, k: int = 10) -> TopClasses:
        """The k most probable classes with their probabilities and scores, the most probable first.

        The result is a list of ``TopClass``, which notebooks show as cards with pictures.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> graph, probability, score = cz.sample(score, jumps=1000, rng=1).top(1)[0]
        >>> graph
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return TopClasses(top_classes(self, range(min(read_count("k", k, 0), self.class_count))))

    def probability(self, g: ClassGraph) -> float:
        """The probability of a class: its share of the time.

        It is 0 for a class that is not listed; if such a class was visited, its time is part of ``unlisted``.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(2), jumps=1000, rng=1)
        >>> round(posterior.probability(cz.CPDAG.complete(2)), 2)
        0.5
        """
        g = class_of(g, "probability")
        row = self.listed_classes.find(in_node_order(g, self.nodes, "the graph").core.hash)
        return 0.0 if row is None else float(self.listed_classes.shares[row])

    def probability_that(self, statement: Statement | Callable[[Any], bool]) -> Probability:
        """The probability that a statement of ``cz.statements``, or your function of a class, is true.

        Statements are fast; a function is called once per listed class. For classes that are not listed, the
        probability is estimated from ``draws()``; for single edges it is known. The result is a float with the
        attributes ``lower`` and ``upper``: its values if the statement were false, or true, in all unlisted classes.
        ``mcse(statement)`` is its Monte Carlo error. For a statement about DAGs, ``cz.ancestor``, a class counts with
        the share of its DAGs for which it is true.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1)
        >>> abs(posterior.probability_that(cz.statements.path("a", "c")) - 1 / 11) < 0.02  # a -> c <- b
        True
        >>> abs(posterior.probability_that(lambda g: g.edge_count <= 1) - 4 / 11) < 0.02
        True
        """
        return probability_that(self, statement)

    def credible_set(self, level: float = 0.95) -> CredibleSet:
        """The smallest set of classes with at least this probability, as a sequence like the list of ``top``.

        Raises a ``SettingsError`` if the listed classes together have less probability.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=20_000, rng=1).credible_set(0.5))  # 11 equally probable classes
        6
        """
        return credible_set(self, level)

    def sample_dags(self, k: int, rng: Rng = None) -> NDArray[np.uint8]:
        """Draw k independent DAGs from the posterior, as an array of k matrices like that of ``CPDAG.dag``.

        For each DAG, a listed class is drawn with its probability, then one of the DAGs of that class uniformly. Under
        the prior "dags" (see ``reweight``), DAGs of the same score have the same probability. With knowledge, only
        DAGs that agree are drawn.

        >>> import causal_zigzag as cz
        >>> dags = cz.sample(cz.Uniform(3), jumps=1000, rng=1).sample_dags(100, rng=2)
        >>> dags.shape
        (100, 3, 3)
        """
        if self.reweighting is None:
            warn_of_unlisted(self, "and DAGs are drawn from listed classes only", depth=3)
        return sample_dags(self.listed_classes.shares, partial(restricted_graphs, self), len(self.nodes), k, rng)
