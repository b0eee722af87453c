"""Causal discovery with honest uncertainty: distributions over Markov equivalence classes of causal structures."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from causal_zigzag.estimator import CausalZigZag as CausalZigZag
    from causal_zigzag.exact import ExactPosterior, enumerate_cpdags, exact_posterior
    from causal_zigzag.graph import CPDAG
    from causal_zigzag.greedy import GesResult, Step, ges
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

    __version__: str

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

# Which module defines what: a name is imported when it is first asked for, and a program waits for what it uses alone.
# No module may have a public name of another: once imported, it would be found in the place of that.
_HOMES = {
    "consensus": "EdgeGraph",
    "data": "Table read_table",
    "diagnostics": "Diagnostics",
    "draws": "Draws",
    "edge_probabilities": "EdgeProbabilities",
    "errors": "CausalZigzagError CheckpointError DataError DataWarning FileError GraphError MissingDependencyError "
    "OperatorError OutputError SamplingWarning ScoreError SettingsError WorkerError",
    "estimator": "CausalZigZag",
    "exact": "ExactPosterior enumerate_cpdags exact_posterior",
    "graph": "CPDAG",
    "greedy": "GesResult Step ges",
    "operators": "Delete Insert OperatorCounts count_operators list_operators random_operator",
    "posterior": "Posterior",
    "questions": "CredibleSet Probability TopClass",
    "record": "RunRecord",
    "sampling": "sample",
    "saving": "load",
    "scores.base": "Score",
    "scores.bge": "BGe",
    "scores.discrete": "BDeu DiscreteBIC",
    "scores.gaussian": "GaussianBIC",
    "scores.mixed": "MixedBIC",
    "scores.uniform": "Uniform",
    "subsets": "BestGraph ExactEdges best_graph exact_edge_posterior",
    "tempering": "TemperingStatistics",
    "traces": "Trace",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from causal_zigzag.record import package_version

            return package_version()
        if name in _HOME:
            return globals().setdefault(name, getattr(import_module(f"{__name__}.{_HOME[name]}"), name))
        if name in __all__:  # a module
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
