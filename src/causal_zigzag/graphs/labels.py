"""Node labels: the names of the nodes for users, and their numbers in the core."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sized
from typing import final

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.support.validation import as_whole, is_hashable

Nodes = int | Iterable[Hashable]
"""The argument ``nodes`` of users: a number of nodes, which are then named 0..n-1, or a sequence of names."""

SHOWN_AT_MOST = 10
MOST_NODES = 100_000  # of a graph, which takes n * n / 8 bytes at least, here 1.25 GB
MOST_IN_MATRIX = 30_000  # of a matrix, with a byte per entry and copies of it
LONGEST_NAME = 1_000  # characters; names are repeated in tables and on pages for each pair that they are part of
MOST_WITH_PAIRS = 512  # nodes; the list of all pairs then takes 2 MB, and a pair is created when an edge first has it


def show(label: object) -> str:
    """A label in messages: without quotes if it is an identifier, else its repr, so that 1 and '1' differ."""
    if isinstance(label, np.generic):
        label = label.item()
    return label if isinstance(label, str) and label.isidentifier() else repr(label)


def show_all(labels: Iterable[object]) -> str:
    """Labels separated by commas; a long list is abbreviated."""
    texts = [show(label) for label in labels]
    if len(texts) > SHOWN_AT_MOST:
        texts[SHOWN_AT_MOST:] = [f"... ({len(texts)} in all)"]
    return ", ".join(texts)


def distinct_texts(labels: Iterable[Hashable]) -> list[str]:
    """The labels as distinct texts, also for labels with the same text such as 1 and '1'.

    >>> distinct_texts(("a", 1, "1"))
    ['a', '1', "'1'"]
    """
    labels = tuple(labels)
    plain = [str(label) for label in labels]
    times = Counter(plain)
    return [text if times[text] == 1 else repr(label) for text, label in zip(plain, labels, strict=True)]


def meant(label: object, names: Iterable[object]) -> str:
    """The end of a message about an unknown label: the name that was probably meant, if one is similar.

    >>> meant("Age", ["age", "sex"]), meant("dose", ["age", "sex"])
    ('; did you mean age?', '')
    """
    from difflib import get_close_matches  # here, so that the package starts fast

    by_text = {str(name).casefold(): name for name in names}
    close = get_close_matches(str(label).casefold(), by_text, 1, 0.75)
    return f"; did you mean {show(by_text[close[0]])}?" if close and by_text[close[0]] != label else ""


@final
class Labels:
    """The labels of a graph in node order; graphs that are derived from each other share one object."""

    __slots__ = ("_hash", "_number", "_pairs", "names")

    def __init__(self, names: Iterable[Hashable]) -> None:
        check_size(len(names) if isinstance(names, Sized) else 0)
        self.names = tuple(names)
        if fault := name_fault(self.names, "node label", "nodes"):
            raise GraphError(fault)
        self._number = {name: i for i, name in enumerate(self.names)}
        self._hash = hash(self.names)
        self._pairs: list[tuple[Hashable, Hashable] | None] = []

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Labels) and self.names == other.names)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type["Labels"], tuple[tuple[Hashable, ...]]]:
        return Labels, (self.names,)  # the hash of a string differs between processes

    @property
    def pairs(self) -> list[tuple[Hashable, Hashable] | None]:
        """A cache for the core of pairs of names, one per possible edge; empty for many nodes."""
        if not self._pairs and len(self.names) <= MOST_WITH_PAIRS:
            self._pairs = [None] * len(self.names) ** 2
        return self._pairs

    def find(self, label: object) -> int | None:
        """The number of a node, or None if no node has this label."""
        return self._number.get(label) if is_hashable(label) else None

    def number(self, label: object) -> int:
        """The number of a node; raises a GraphError if no node has this label."""
        try:
            return self._number[label]
        except (KeyError, TypeError):  # the label is unknown or not hashable
            raise GraphError(self.unknown(label)) from None

    def unknown(self, label: object) -> str:
        """The error message for a label that no node has."""
        return f"unknown node {show(label)}; the nodes are {show_all(self.names) or 'none'}{meant(label, self.names)}"


def check_size(count: int, most: int = MOST_NODES, what: str = "a graph") -> None:
    """Raise a GraphError for more nodes than fit into memory, before any is allocated.

    >>> check_size(10**9)
    Traceback (most recent call last):
    causal_zigzag.errors.GraphError: a graph can have at most 100,000 nodes, not 1,000,000,000
    """
    if count > most:
        raise GraphError(f"{what} can have at most {most:,} nodes, not {count:,}")


def read_nodes(nodes: Nodes) -> Labels:
    """The labels from the argument ``nodes`` of a user."""
    count = as_whole(nodes)
    if count is not None:
        if count < 0:
            raise GraphError(f"the number of nodes must be at least 0, not {count}")
        check_size(count)
        return Labels(range(count))
    # Arrays and pandas indices contain numpy scalars; tolist() converts them to the Python values that users write.
    plain = nodes.tolist() if hasattr(nodes, "tolist") else nodes
    if not isinstance(plain, Iterable) or isinstance(plain, (str, bytes, set, frozenset)):
        raise GraphError(f"nodes must be a count or an ordered sequence of names, such as [{nodes!r}], not {nodes!r}")
    return Labels(plain)


def name_fault(names: Iterable[object], noun: str, things: str) -> str:
    """Why names cannot be labels; empty if they can. ``noun`` is what a name is called, ``things`` what has names."""
    numbers: dict[object, int] = {}
    for i, name in enumerate(names):
        if not is_hashable(name):
            return f"{noun}s must be hashable, but {noun} {i} is {name!r}"
        try:
            text = str(name)
        except ValueError:  # of more digits than Python converts
            return f"{noun} {i} is a number of too many digits; shorten it to {LONGEST_NAME:,}"
        if len(text) > LONGEST_NAME:
            return f"{noun} {i} has {len(text):,} characters, {text[:20]!r}...; shorten it to {LONGEST_NAME:,}"
        first = numbers.setdefault(name, i)
        if first != i:
            return f"duplicate {noun} {show(name)}: {things} {first} and {i} have the same name"
        if str(name == name) != "True":  # NaN, pandas.NA
            return f"{noun} {i} is {name!r}, which is not equal to itself and so cannot be a name"
        if isinstance(name, str) and name.encode(errors="replace").decode() != name:
            return f"{noun} {i}, {name!r}, has half of a surrogate pair, which no file can hold; rename it"
    return ""
