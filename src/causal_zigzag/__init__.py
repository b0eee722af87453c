"""Causal discovery with honest uncertainty: distributions over Markov equivalence classes of causal structures."""

from typing import TYPE_CHECKING

from causal_zigzag import datasets, statements
from causal_zigzag.consensus import EdgeGraph
from causal_zigzag.data import Table, read_table
from causal_zigzag.diagnostics import Diagnostics
from causal_zigzag.draws import Draws
from causal_zigzag.edge_probabilities import EdgeProbabilities
from causal_zigzag.errors import (
    CausalZigzagError,
    CheckpointError,
    DataError,
    DataWarning,
    FileError,
    GraphError,
    MissingDependencyError,
    OperatorError,
    OutputError,
    SamplingWarning,
    ScoreError,
    SettingsError,
    WorkerError,
)
from causal_zigzag.exact import ExactPosterior, enumerate_cpdags, exact_posterior
from causal_zigzag.ges import GesResult, Step, ges
from causal_zigzag.graph import CPDAG
from causal_zigzag.operators import (
    Delete,
    Insert,
    OperatorCounts,
    count_operators,
    list_operators,
    random_operator,
)
from causal_zigzag.posterior import Posterior
from causal_zigzag.questions import CredibleSet, Probability, TopClass
from causal_zigzag.record import RunRecord
from causal_zigzag.sampling import sample
from causal_zigzag.saving import load
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.bge import BGe
from causal_zigzag.scores.discrete import BDeu, DiscreteBIC
from causal_zigzag.scores.gaussian import GaussianBIC
from causal_zigzag.scores.mixed import MixedBIC
from causal_zigzag.scores.uniform import Uniform
from causal_zigzag.subsets import BestGraph, ExactEdges, best_graph, exact_edge_posterior
from causal_zigzag.tempering import TemperingStatistics
from causal_zigzag.traces import Trace

__all__ = [
    "CPDAG",
    "BDeu",
    "BGe",
    "BestGraph",
    "CausalZigzagError",
    "CheckpointError",
    "CredibleSet",
    "DataError",
    "DataWarning",
    "Delete",
    "Diagnostics",
    "DiscreteBIC",
    "Draws",
    "EdgeGraph",
    "EdgeProbabilities",
    "ExactEdges",
    "ExactPosterior",
    "FileError",
    "GaussianBIC",
    "GesResult",
    "GraphError",
    "Insert",
    "MissingDependencyError",
    "MixedBIC",
    "OperatorCounts",
    "OperatorError",
    "OutputError",
    "Posterior",
    "Probability",
    "RunRecord",
    "SamplingWarning",
    "Score",
    "ScoreError",
    "SettingsError",
    "Step",
    "Table",
    "TemperingStatistics",
    "TopClass",
    "Trace",
    "Uniform",
    "WorkerError",
    "best_graph",
    "count_operators",
    "datasets",
    "enumerate_cpdags",
    "exact_edge_posterior",
    "exact_posterior",
    "ges",
    "list_operators",
    "load",
    "random_operator",
    "read_table",
    "sample",
    "statements",
]

if TYPE_CHECKING:
    from causal_zigzag.estimator import CausalZigZag as CausalZigZag

    __version__: str
else:

    def __getattr__(name: str) -> object:
        """What would slow down every import, on request: the version, and what needs scikit-learn."""
        if name == "__version__":
            from causal_zigzag.record import package_version

            return package_version()
        if name == "CausalZigZag":
            from causal_zigzag.estimator import CausalZigZag

            return CausalZigZag
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
