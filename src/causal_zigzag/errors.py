"""The errors of the package: one base class, and one subclass for each kind of input that can be at fault."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

Flaw = Literal[
    "missing", "infinite", "no use", "collinear", "identifier", "text", "no number", "kind", "fractions", "marks",
    "unit", "comma", "decimal comma", "delimiter", "ending", "",
]  # fmt: skip
"""What is wrong with a table, in a word, for faces of the package that have remedies of their own."""


class CausalZigzagError(Exception):
    """The base of every error raised by the package.

    >>> import causal_zigzag as cz
    >>> try:
    ...     cz.CPDAG.empty(-1)
    ... except cz.CausalZigzagError as error:
    ...     print(error)
    the number of nodes must be at least 0, not -1
    """


class GraphError(CausalZigzagError, ValueError):
    """The input is not the graph it should be, or a node is not in the graph.

    >>> import causal_zigzag as cz
    >>> cz.CPDAG.from_edges(["x", "y"], undirected=[("x", "z")])
    Traceback (most recent call last):
    causal_zigzag.errors.GraphError: unknown node z; the nodes are x, y
    """


class OperatorError(CausalZigzagError, ValueError):
    """An operator is malformed, not valid for a graph, or there is none of the kind asked for.

    >>> import causal_zigzag as cz
    >>> cz.Delete("a", "b").apply(cz.CPDAG.empty(["a", "b"]))
    Traceback (most recent call last):
    causal_zigzag.errors.OperatorError: Delete('a', 'b') is not valid: there is no edge a -> b or a - b
    """


class DataError(CausalZigzagError, ValueError):
    """The table of observations cannot be used as it is.

    ``fault`` is what is wrong, without the remedy that the message ends with; ``flaw`` is a word for it, and ``about``
    the column in question. All of them are empty where the message stands for itself.

    >>> from causal_zigzag import CausalZigzagError, DataError
    >>> issubclass(DataError, CausalZigzagError) and issubclass(DataError, ValueError)
    True
    >>> print(DataError("column a is constant", "drop it"))
    column a is constant; drop it
    """

    def __init__(self, fault: str, remedy: str = "", flaw: Flaw = "", about: Hashable = None) -> None:
        super().__init__(f"{fault}; {remedy}" if remedy else fault)
        self.fault, self.flaw, self.about = fault, flaw, about


class DataWarning(UserWarning):
    """The table of observations can be used, but not in every way.

    >>> from causal_zigzag import DataWarning
    >>> issubclass(DataWarning, UserWarning)
    True
    """


class ScoreError(CausalZigzagError, ValueError):
    """A score is malformed, or cannot be computed.

    >>> from causal_zigzag import CausalZigzagError, ScoreError
    >>> issubclass(ScoreError, CausalZigzagError) and issubclass(ScoreError, ValueError)
    True
    """


class SettingsError(CausalZigzagError, ValueError):
    """A setting such as ``max_degree``, ``kind`` or ``rng`` has a value that means nothing.

    >>> import causal_zigzag as cz
    >>> cz.count_operators(cz.CPDAG.empty(2), max_degree=0)
    Traceback (most recent call last):
    causal_zigzag.errors.SettingsError: max_degree must be None or an integer of at least 1, not 0
    """


class SamplingWarning(UserWarning):
    """A run gave less than was asked for: it was interrupted, or a chain came to rest.

    >>> import causal_zigzag as cz
    >>> issubclass(cz.SamplingWarning, UserWarning)
    True
    """


class MissingDependencyError(CausalZigzagError, ImportError):
    """An optional package is needed that is not installed; the message says how to install it.

    >>> from causal_zigzag import MissingDependencyError
    >>> issubclass(MissingDependencyError, ImportError)
    True
    """


class OutputError(CausalZigzagError, OSError):
    """A file cannot be written; what was there before is as it was.

    >>> from causal_zigzag import CausalZigzagError, OutputError
    >>> issubclass(OutputError, CausalZigzagError) and issubclass(OutputError, OSError)
    True
    """


class FileError(CausalZigzagError, ValueError):
    """A file is not the saved posterior it should be, or what is to be saved has no place in a file.

    >>> import causal_zigzag as cz
    >>> cz.load("nowhere.czz")
    Traceback (most recent call last):
    causal_zigzag.errors.FileError: cannot read 'nowhere.czz': No such file or directory
    """


class WorkerError(CausalZigzagError, RuntimeError):
    """A process that ran a chain for an executor died; the message says how to go on.

    >>> from causal_zigzag import CausalZigzagError, WorkerError
    >>> issubclass(WorkerError, CausalZigzagError) and issubclass(WorkerError, RuntimeError)
    True
    """


class CheckpointError(CausalZigzagError, ValueError):
    """A checkpoint cannot be written, is in use, is damaged, or belongs to a run with other data or settings.

    >>> from causal_zigzag import CausalZigzagError, CheckpointError
    >>> issubclass(CheckpointError, CausalZigzagError) and issubclass(CheckpointError, ValueError)
    True
    """
