"""The exceptions and warnings of the package: one base class, and one subclass per kind of invalid input."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal

Flaw = Literal[
    "missing", "infinite", "constant", "empty", "unusable", "collinear", "identifier", "text", "no number", "kind",
    "fractions", "markers", "unit", "comma", "decimal comma", "delimiter", "ending", "encoding", "date", "order", "",
]  # fmt: skip
"""The code of a fault of a table, by which the command line finds its own remedy."""


LONGEST = 6_000  # characters of a message; what a long value has in its middle is left out


def list_of_faults(messages: list[str]) -> str:
    """The messages about a table, one per line."""
    shown = [f"- {message}" for message in messages[:20]]
    shown += [f"- and {len(messages) - 20} more"] if len(messages) > 20 else []
    return "\n".join([f"the table has {len(messages)} faults:", *shown])


class CausalZigzagError(Exception):
    """The base class of all exceptions that the package raises.

    >>> import causal_zigzag as cz
    >>> try:
    ...     cz.CPDAG.empty(-1)
    ... except cz.CausalZigzagError as error:
    ...     print(error)
    the number of nodes must be at least 0, not -1
    """

    def __str__(self) -> str:
        text = super().__str__()
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 4 :]}"


class GraphError(CausalZigzagError, ValueError):
    """The input is not a valid graph, or a node is not in the graph.

    >>> import causal_zigzag as cz
    >>> cz.CPDAG.from_edges(["x", "y"], undirected=[("x", "z")])
    Traceback (most recent call last):
    causal_zigzag.errors.GraphError: unknown node z; the nodes are x, y
    """


class OperatorError(CausalZigzagError, ValueError):
    """An operator is malformed, not valid for a graph, or a graph has no operator of the requested kind.

    >>> import causal_zigzag as cz
    >>> cz.Delete("a", "b").apply(cz.CPDAG.empty(["a", "b"]))
    Traceback (most recent call last):
    causal_zigzag.errors.OperatorError: Delete('a', 'b') is not valid: there is no edge a -> b or a - b
    """


class DataError(CausalZigzagError, ValueError):
    """The table of observations cannot be used as it is.

    ``fault`` is the message without the remedy at its end, ``flaw`` the code of the fault, empty if it has none, and
    ``about`` the column at fault, if there is one. A table with several faults raises one error that lists them;
    ``faults`` are the errors about each.

    >>> from causal_zigzag import CausalZigzagError, DataError
    >>> issubclass(DataError, CausalZigzagError) and issubclass(DataError, ValueError)
    True
    >>> print(DataError("column a is constant", "drop it"))
    column a is constant; drop it
    """

    def __init__(self, fault: str, remedy: str = "", flaw: Flaw = "", about: Hashable = None) -> None:
        super().__init__(f"{fault}; {remedy}" if remedy else fault)
        self.fault, self.flaw, self.about = fault, flaw, about
        self._several: tuple[DataError, ...] = ()

    @property
    def faults(self) -> tuple[DataError, ...]:
        """The errors about each fault of the table; the error itself if there is one.

        >>> import causal_zigzag as cz
        >>> try:
        ...     cz.read_table({"a": [1, 1, 1], "b": [0.5, None, 0.25], "c": [0.1, 0.3, 0.2]}, strict=True)
        ... except cz.DataError as error:
        ...     [fault.about for fault in error.faults]
        ['a', 'b']
        """
        return self._several or (self,)

    @classmethod
    def about_all(cls, faults: Iterable[DataError]) -> DataError:
        """One error about all of these faults, at least one."""
        several = tuple(one for fault in faults for one in fault.faults)
        if len(several) == 1:
            return several[0]
        error = cls(list_of_faults([str(fault) for fault in several]))
        error._several = several
        return error


class DataWarning(UserWarning):
    """The table of observations can be used, but something about it is unusual.

    >>> from causal_zigzag import DataWarning
    >>> issubclass(DataWarning, UserWarning)
    True
    """


class ScoreError(CausalZigzagError, ValueError):
    """A score is invalid, or cannot be computed.

    >>> from causal_zigzag import CausalZigzagError, ScoreError
    >>> issubclass(ScoreError, CausalZigzagError) and issubclass(ScoreError, ValueError)
    True
    """


class SettingsError(CausalZigzagError, ValueError):
    """A setting such as ``max_degree``, ``kind`` or ``rng`` has an invalid value.

    >>> import causal_zigzag as cz
    >>> cz.count_operators(cz.CPDAG.empty(2), max_degree=0)
    Traceback (most recent call last):
    causal_zigzag.errors.SettingsError: max_degree must be None or an integer of at least 1, not 0
    """


class KnowledgeError(SettingsError):
    """What is known contradicts itself, names an unknown node, or does not fit a graph.

    ``nodes`` are the nodes that show why.

    >>> import causal_zigzag as cz
    >>> cz.Knowledge(tiers=[["age"], ["income"]], required=[("income", "age")])
    Traceback (most recent call last):
    causal_zigzag.errors.KnowledgeError: required income -> age contradicts ...
    """

    def __init__(self, message: str, nodes: Iterable[Hashable] = ()) -> None:
        super().__init__(message)
        self.nodes = tuple(nodes)


class SamplingWarning(UserWarning):
    """A run gave less than was requested: it was interrupted, or a chain stopped moving.

    >>> import causal_zigzag as cz
    >>> issubclass(cz.SamplingWarning, UserWarning)
    True
    """


class MissingDependencyError(CausalZigzagError, ImportError):
    """A required optional package is not installed; the message says how to install it.

    >>> from causal_zigzag import MissingDependencyError
    >>> issubclass(MissingDependencyError, ImportError)
    True
    """


class OutputError(CausalZigzagError, OSError):
    """A file cannot be written; an existing file is unchanged.

    >>> from causal_zigzag import CausalZigzagError, OutputError
    >>> issubclass(OutputError, CausalZigzagError) and issubclass(OutputError, OSError)
    True
    """


class FileError(CausalZigzagError, ValueError):
    """A file is not a saved posterior, or a value cannot be saved in a file.

    >>> import causal_zigzag as cz
    >>> cz.load("nowhere.czz")
    Traceback (most recent call last):
    causal_zigzag.errors.FileError: cannot read 'nowhere.czz': No such file or directory
    """


class WorkerError(CausalZigzagError, RuntimeError):
    """A worker process of an executor died; the message says how to continue.

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
