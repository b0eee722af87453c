"""What any posterior answers from the probabilities of its edges alone: single graphs, and its table as a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from causal_zigzag.answers.consensus import EdgeGraph, consensus, edges_above

if TYPE_CHECKING:
    import os

    import pandas as pd

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.graphs.cpdag import CPDAG


class EdgeAnswers(ABC):
    """The part that the posterior of ``sample`` and the exact one share."""

    @abstractmethod
    def edge_probabilities(self) -> EdgeProbabilities:
        """How likely every edge is."""

    @abstractmethod
    def edge_table(self) -> pd.DataFrame:
        """One row a pair of nodes."""

    def median_graph(self, threshold: float = 0.5) -> EdgeGraph:
        """The median-probability graph: every edge x -> y or x - y that by itself has at least this probability.

        It need not stand for a class, so it is an ``EdgeGraph``; ``consensus`` gives a class.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(["a", "b"]), edge_prior=-3, jumps=1000, rng=1).median_graph()
        EdgeGraph(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return edges_above(self.edge_probabilities(), threshold)

    def consensus(self, threshold: float = 0.5) -> CPDAG:
        """The class of the pairs that are adjacent with at least this probability.

        Where most of that probability is x -> y, the pair has this direction, else it is undirected. The graph is
        then completed: it becomes the class of the DAGs that extend it, in which an arrow that nothing compels is
        undirected. Where no DAG extends it, pairs are taken by descending probability, without those that cannot be.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=-3).consensus()
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return consensus(self.edge_probabilities(), threshold)

    def export_edges(self, path: str | os.PathLike[str]) -> None:
        """Write ``edge_table()`` into a file, .csv, .tsv or .parquet (which needs pyarrow): wholly, or not at all.

        >>> import tempfile
        >>> from pathlib import Path
        >>> import causal_zigzag as cz
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cz.exact_posterior(cz.Uniform(2)).export_edges(f"{folder}/edges.csv")
        ...     Path(f"{folder}/edges.csv").read_text().splitlines()
        ['x,y,adjacent,forward,undirected,backward', '0,1,0.5,0.0,0.5,0.0']
        """
        from causal_zigzag.graphs.export import write_table

        write_table(self.edge_table(), path)
