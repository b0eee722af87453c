"""Queries that need only the edge probabilities of a posterior: summary graphs, and the table of edges as a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD, consensus, median_graph

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable

    import pandas as pd

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.answers.pair_explanation import PairExplanation
    from causal_zigzag.graphs.edge_graph import EdgeGraph
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.target.target import Target


class EdgeAnswers(ABC):
    """Methods shared by ``Posterior`` and ``ExactPosterior``."""

    target: Target

    @abstractmethod
    def edge_probabilities(self) -> EdgeProbabilities:
        """The probability of every edge."""

    @abstractmethod
    def edge_table(self) -> pd.DataFrame:
        """One row per pair of nodes."""

    def median_graph(self, threshold: float = 0.5) -> EdgeGraph:
        """The median-probability graph: the pairs of which one kind of edge alone has at least this probability.

        The kinds are x -> y, y -> x and x - y. A pair is directed only if that direction has more than half of the
        probability that the pair is adjacent; below a threshold of 0.5 there can be pairs for which no direction has.
        The graph need not be a CPDAG, so it is an ``EdgeGraph``; ``consensus`` returns a CPDAG.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).median_graph()
        EdgeGraph(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return median_graph(self.edge_probabilities(), threshold)

    def consensus(self, threshold: float = CONSENSUS_THRESHOLD) -> ClassGraph:
        """The class of the pairs that are adjacent with at least this probability; reports and plots show it.

        A pair is directed x -> y if x -> y has more than half of the probability that the pair is adjacent, and
        undirected otherwise. The graph is then completed to the class of the DAGs that extend it, so that arrows which
        nothing compels become undirected. If no DAG extends it, pairs are added by descending probability, and those
        that do not fit are left out. With knowledge, it is the MPDAG of the agreeing DAGs of this class.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=-3).consensus()
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return consensus(self.edge_probabilities(), threshold, self.target.restriction)

    def explain(self, x: Hashable, y: Hashable) -> PairExplanation:
        """What is known of one pair of nodes, in words and numbers.

        That is the probability that they are joined, with its error and by chain; of the three kinds of edge; which
        variables are joined to both; which of the most probable classes disagree; and the effects of each on the other.

        >>> import causal_zigzag as cz
        >>> print(cz.exact_posterior(cz.Uniform(["a", "b"])).explain("a", "b"))
        a and b are joined with probability 0.500: a -> b 0, b -> a 0, open 0.500.
        No direction is settled: none has more than half of that probability.
        No variable is joined to both with probability 0.5 or more.
        The most probable of 2 classes (together 1) has no edge; these disagree: class 2 (0.500): a - b.
        """
        from causal_zigzag.answers.pair_explanation import explain_pair

        return explain_pair(self, x, y)

    def export_edges(self, path: str | os.PathLike[str]) -> None:
        """Write ``edge_table()`` to a file, .csv, .tsv or .parquet (which needs pyarrow), atomically.

        >>> import tempfile
        >>> from pathlib import Path
        >>> import causal_zigzag as cz
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cz.exact_posterior(cz.Uniform(2)).export_edges(f"{folder}/edges.csv")
        ...     Path(f"{folder}/edges.csv").read_text().splitlines()
        ['x,y,adjacent,forward,undirected,backward', '0,1,0.5,0.0,0.5,0.0']
        """
        from causal_zigzag.tables.files.write import write_table

        write_table(self.edge_table(), path)
