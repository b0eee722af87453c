"""Node labels: what users call the nodes, and which number each of them has in the core."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import final

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.support.validation import as_whole, is_hashable

Nodes = int | Iterable[Hashable]
"""How users give the nodes: a count, which names them 0..n-1, or a sequence of names."""

SHOWN_AT_MOST = 10
MOST_WITH_PAIRS = 512  # nodes; the pairs of all of them take 2 MB, and no more than those of edges is ever made


def show(label: object) -> str:
    """A label as messages write it: bare where it reads as a name, else its repr, so that 1 and '1' differ."""
    if isinstance(label, np.generic):
        label = label.item()
    return label if isinstance(label, str) and label.isidentifier() else repr(label)


def show_all(labels: Iterable[object]) -> str:
    """Labels separated by commas, cut short where they are many."""
    texts = [show(label) for label in labels]
    if len(texts) > SHOWN_AT_MOST:
        texts[SHOWN_AT_MOST:] = [f"... ({len(texts)} in all)"]
    return ", ".join(texts)


def distinct_texts(labels: Iterable[Hashable]) -> list[str]:
    """The labels as text; those that print alike, such as 1 and '1', are told apart.

    >>> distinct_texts(("a", 1, "1"))
    ['a', '1', "'1'"]
    """
    labels = tuple(labels)
    plain = [str(label) for label in labels]
    times = Counter(plain)
    texts = [text if times[text] == 1 else repr(label) for text, label in zip(plain, labels, strict=True)]
    if len(set(texts)) == len(texts):
        return texts
    return [f"{i}: {text}" for i, text in enumerate(plain)]


@final
class Labels:
    """The labels of a graph in node order; one such object is shared by all graphs reached from one another."""

    __slots__ = ("_hash", "_number", "_pairs", "names")

    def __init__(self, names: Iterable[Hashable]) -> None:
        self.names = tuple(names)
        self._number = _numbers(self.names)
        self._hash = hash(self.names)
        self._pairs: list[tuple[Hashable, Hashable] | None] = []

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Labels) and self.names == other.names)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type["Labels"], tuple[tuple[Hashable, ...]]]:
        return Labels, (self.names,)  # hashes of texts differ from process to process

    @property
    def pairs(self) -> list[tuple[Hashable, Hashable] | None]:
        """Where the core keeps the pairs of names that edges have had, to make each once; empty for many nodes."""
        if not self._pairs and len(self.names) <= MOST_WITH_PAIRS:
            self._pairs = [None] * len(self.names) ** 2
        return self._pairs

    def find(self, label: object) -> int | None:
        """The number of a node, or None where no node has this label."""
        return self._number.get(label) if is_hashable(label) else None

    def number(self, label: object) -> int:
        """The number of a node that must be there."""
        try:
            return self._number[label]
        except (KeyError, TypeError):  # it is not there, or not hashable
            raise GraphError(self.unknown(label)) from None

    def unknown(self, label: object) -> str:
        """The message about a label that no node has."""
        return f"unknown node {show(label)}; the nodes are {show_all(self.names) or 'none at all'}"


def read_nodes(nodes: Nodes) -> Labels:
    """Labels from what the user gave as nodes."""
    count = as_whole(nodes)
    if count is not None:
        if count < 0:
            raise GraphError(f"the number of nodes must be at least 0, not {count}")
        return Labels(range(count))
    if isinstance(nodes, (str, bytes)):
        raise GraphError(
            f"nodes must be a count or a sequence of names, not the string {nodes!r}; "
            f"write [{nodes!r}] for one node, list({nodes!r}) for one a letter"
        )
    if isinstance(nodes, (set, frozenset)):
        raise GraphError("nodes must be in an order, but a set has none; write sorted(nodes) or list(nodes)")
    # Arrays and pandas indices hold numpy scalars; tolist() gives the plain values that users write.
    plain = nodes.tolist() if hasattr(nodes, "tolist") else nodes
    if not isinstance(plain, Iterable):
        raise GraphError(f"nodes must be a count or a sequence of names, not {nodes!r}")
    return Labels(plain)


def _numbers(names: tuple[object, ...]) -> dict[object, int]:
    numbers: dict[object, int] = {}
    for i, name in enumerate(names):
        if not is_hashable(name):
            raise GraphError(f"node labels must be hashable, but label {i} is {name!r}")
        first = numbers.setdefault(name, i)
        if first != i:
            raise GraphError(f"duplicate label {show(name)}: nodes {first} and {i} have the same name")
        if not _equals_itself(name):
            raise GraphError(f"label {i} is {name!r}, which does not equal itself and so cannot name a node")
    return numbers


def _equals_itself(name: object) -> bool:
    try:
        return bool(name == name)  # NaN and pandas.NA are the reason to ask
    except (TypeError, ValueError):
        return False
