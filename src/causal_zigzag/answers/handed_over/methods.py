"""Exchange: the methods of distributions that judge a user's graph, and that hand over graphs and experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causal_zigzag.answers.experiments.next_experiment import next_experiment
from causal_zigzag.answers.handed_over.weighted_dags import WeightedDags, weighted_dags
from causal_zigzag.support.arguments import hinted
from causal_zigzag.support.rng import Rng
from causal_zigzag.support.validation import check_flag

if TYPE_CHECKING:
    from collections.abc import Hashable

    import networkx as nx
    import pandas as pd

    from causal_zigzag.answers.own_graph.judgement import Judgement
    from causal_zigzag.answers.weighted_classes import WeightedClasses

LEAST_ARROW = 0.01  # probability of an arrow in a networkx graph


class Exchange:
    """What posteriors take from users and hand on to other packages."""

    @property
    def _classes(self) -> WeightedClasses:
        """The classes with their probabilities."""
        raise NotImplementedError

    def judge(self, graph: Any, data: Any = None) -> Judgement:
        """What the data say about a graph of your own: ``print`` says it in words, ``edges`` has it as a table.

        ``graph`` is a ``networkx.DiGraph``, also that of pgmpy or of a model of DoWhy, a list of edges ``(cause,
        effect)``, a matrix or DataFrame with m[i, j] = 1 for i -> j, a CPDAG, or a text or file with an edge list, DOT,
        GML, JSON, a graph of dagitty or regressions of lavaan. Variables that it lacks have no edges in it; it cannot
        have others.

        The odds against the most probable class are the exact ratio of their weights, also for a class that no chain
        visited. If the graph is a DAG, it shares the probability of its class with the other members. Each pair has a
        verdict, and each independence that the graph implies is tested on the rows; see ``Judgement``. A posterior from
        a file does not have its rows, so pass the same table as ``data`` (unless all columns are categorical).

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> found = cz.exact_posterior(cz.GaussianBIC(table)).judge([("rain", "wet")])
        >>> print(found.missing, found.log_odds > 100, len(found.independences))
        [('wet', 'sun')] True 2
        """
        from causal_zigzag.answers.own_graph.judge import judge  # here, so that sampling starts fast

        return judge(self._classes, graph, data, str(getattr(self, "prior", "classes")))

    def to_networkx(
        self, graph: Any = None, *, least: float = LEAST_ARROW, standardized: bool = False
    ) -> nx.DiGraph[Hashable]:
        """Arrows as a ``networkx.DiGraph`` whose edges have their probabilities, sign and size as attributes.

        All arrows of a probability of at least ``least`` are in it, so it may have both directions and cycles. With
        ``graph``, such as ``posterior.consensus()`` or ``posterior.top(1)[0].graph``, it has the edges of that graph; a
        line is two opposite arrows, as in ``CPDAG.to_networkx``.

        ``probability`` is the share of DAGs that have the arrow. ``adjacent``, ``forward``, ``undirected`` and
        ``backward`` are those of ``edge_table``, and end in ``_again`` for resampled rows. ``mean``, ``sd``, ``lower``,
        ``upper`` and ``probability_positive`` are those of ``strengths``, and ``sign`` is "+", "-", or "±" if the
        interval has both signs; a score without effects has none of these.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> posterior = cz.exact_posterior(cz.GaussianBIC(table))
        >>> graph = posterior.to_networkx(posterior.consensus())
        >>> sorted(graph.edges), graph.edges["rain", "wet"]["probability"] > 0.9
        ([('rain', 'wet'), ('sun', 'wet')], True)
        """
        from causal_zigzag.answers.handed_over.networkx_graph import posterior_digraph  # as above

        check_flag("standardized", standardized)
        return posterior_digraph(self._classes, graph, least, standardized)

    @hinted
    def weighted_dags(self, k: int, rng: Rng = None) -> WeightedDags:
        """At most k different DAGs with weights that add up to 1, for averages in other packages.

        Fit each DAG elsewhere, and average the results with the weights: this is the average over the posterior, and
        unbiased for any number k. If the posterior has at most k DAGs, all are there with their exact probabilities. If
        not, the most probable ones are, and of the others some are drawn, each with the same weight (optimal
        resampling, Fearnhead & Clifford 2003). Classes are weighted by their probabilities, and their members are
        counted exactly. ``posterior.resampled.weighted_dags`` does the same for resampled rows.

        >>> import causal_zigzag as cz
        >>> dags = cz.exact_posterior(cz.Uniform(3)).weighted_dags(25)
        >>> len(dags), round(float(dags.weights.max()), 3)
        (25, 0.091)
        """
        return weighted_dags(self._classes, k, rng)

    def next_experiment(self, candidates: Any = None) -> pd.DataFrame:
        """Which variable to intervene on next, to learn most about directions: one row per variable, the best first.

        An intervention makes its ``target`` independent of its causes. Together with observations it shows which
        variables these are, and nothing else that observations alone could not show. ``information`` is the expected
        number of bits about the graph: the entropy of this outcome over the DAGs of a class, averaged over the classes.
        ``arrows`` is the expected number of lines that become arrows, and ``open_after`` that of the lines that stay.
        ``probability_open`` is the probability that an edge at the target has an open direction.

        ``candidates`` are the variables that you can intervene on; all by default, except for conditions. Numbers are
        exact within the classes, for the 5000 most probable ones. What more observations could tell, such as which
        class it is, is not counted.

        >>> import causal_zigzag as cz
        >>> chain = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=1000, rng=1)
        >>> cz.exact_posterior(cz.GaussianBIC(chain)).next_experiment()["target"][0]  # if b has no causes, a and c have
        'b'
        """
        return next_experiment(self._classes, candidates)
