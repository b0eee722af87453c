"""Knowledge: what is known about edges before the data: tiers, required and forbidden arrows, pairs that are apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag.errors import KnowledgeError
from causal_zigzag.graphs.labels import Labels, Nodes, name_fault, read_nodes, show, show_all
from causal_zigzag.support.atomic_write import write_text
from causal_zigzag.support.validation import is_integer, is_word
from causal_zigzag.target import knowledge_files
from causal_zigzag.target.knowledge_checks import NumberedKnowledge

if TYPE_CHECKING:
    import os
    from types import EllipsisType

    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.target.knowledge_checks import Arrow

REST = "..."
"""The tier of all nodes that are in no other tier."""


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Knowledge:
    """What is known about edges before the data. A class *agrees* with it if one of its DAGs does.

    ``tiers`` are groups of nodes in their order, such as time: no arrow leads from a later to an earlier tier. A node
    in no tier is free; ``...`` in place of a tier stands for all nodes that are in no other tier. ``required`` and
    ``forbidden`` have pairs ``(x, y)`` for the arrow ``x -> y``; ``apart`` has pairs of nodes that no edge joins, in
    either direction. ``conditions`` are nodes that no other node causes, see ``contexts``.

    ``no_edges_within`` is True if there are no edges within any tier, or has the numbers of the tiers without them,
    from 0 (with ``...`` counted). With ``neighboring_tiers_only``, nodes of tiers that are not neighbors are not
    joined.

    Nodes are given by their labels, or by their numbers if no label is an integer. Two values are equal if they say the
    same in the same terms; the order of arrows, pairs, and nodes in a tier does not matter.

    >>> import causal_zigzag as cz
    >>> cz.Knowledge(tiers=[["age", "sex"], ["bmi"], ["disease"]], forbidden=[("sex", "bmi")])
    Knowledge(tiers: age, sex before bmi before disease; forbidden: sex -> bmi)
    >>> cz.Knowledge(tiers=[["age", "sex"], ...])
    Knowledge(tiers: age, sex before all others)
    """

    tiers: tuple[tuple[Hashable, ...] | str, ...] = ()
    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    apart: tuple[Edge, ...] = ()
    conditions: tuple[Hashable, ...] = ()
    no_edges_within: tuple[int, ...] = ()
    neighboring_tiers_only: bool = False

    def __init__(
        self,
        tiers: Iterable[Iterable[Hashable] | EllipsisType | str] = (),
        required: Iterable[Edge] = (),
        forbidden: Iterable[Edge] = (),
        apart: Iterable[Edge] = (),
        conditions: Iterable[Hashable] = (),
        no_edges_within: bool | Iterable[int] = False,
        neighboring_tiers_only: bool = False,
    ) -> None:
        groups = _read_tiers(tiers)
        values = {
            "tiers": groups,
            "required": _read_pairs(required, "required", ARROWS),
            "forbidden": _read_pairs(forbidden, "forbidden", ARROWS),
            "apart": _read_pairs(apart, "apart", 'pairs of nodes such as [("a", "b")]'),
            "conditions": _items(conditions, "conditions must be a collection of nodes"),
            "no_edges_within": _read_numbers(no_edges_within, len(groups)),
            "neighboring_tiers_only": neighboring_tiers_only,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if not isinstance(neighboring_tiers_only, bool):
            raise KnowledgeError(f"neighboring_tiers_only must be True or False, not {neighboring_tiers_only!r}")
        if len(groups) == 1 and not self.no_edges_within:
            raise KnowledgeError("a single tier says nothing; name a later one, or write ... if all others come later")
        mentioned: list[Any] = [v for tier in groups if tier != REST for v in tier]
        mentioned += [v for pair in (*self.required, *self.forbidden, *self.apart) for v in pair] + [*self.conditions]
        for v in mentioned:
            if fault := name_fault([v], "node label", "nodes"):
                raise KnowledgeError(fault)
        self._numbered(Labels(dict.fromkeys(mentioned))).check()

    @classmethod
    def contexts(cls, conditions: Iterable[Hashable], **others: Any) -> Knowledge:
        """Experimental conditions, such as a treatment: no other node causes them, and no edges join them.

        Rows of several experiments are put into one table with a column for each condition. An arrow from a condition
        to a node says that the experiment acted on this node, which settles directions that observation leaves open
        (joint causal inference, Mooij, Magliacane & Claassen 2020). ``others`` are further arguments of ``Knowledge``.

        >>> import causal_zigzag as cz
        >>> cz.Knowledge.contexts(["drug", "diet"], tiers=[["age"], ["weight"]])
        Knowledge(conditions without causes: drug, diet; tiers: age before weight)
        """
        return cls(conditions=conditions, **others)

    def arrows(self, nodes: Nodes | Labels) -> tuple[list[Arrow], list[Arrow]]:
        """The forbidden and the required arrows among these nodes, as sorted pairs of numbers.

        The reverse of a required arrow is forbidden, and so are both arrows of pairs that are apart.

        >>> import causal_zigzag as cz
        >>> cz.Knowledge(tiers=[["a"], ...], required=[("b", "c")]).arrows(["a", "b", "c"])
        ([(1, 0), (2, 0), (2, 1)], [(1, 2)])
        """
        numbered = self._numbered(nodes if isinstance(nodes, Labels) else read_nodes(nodes))
        numbered.check()  # again, since a node may be given both by its name and by its number
        return numbered.arrows()

    def pairs_apart(self, labels: Labels) -> list[Arrow]:
        """The pairs that are apart, as sorted pairs of numbers.

        :meta private:
        """
        return sorted(self._numbered(labels).apart)

    def to_json(self) -> str:
        """The knowledge as JSON; the tier of all other nodes is "...".

        >>> import causal_zigzag as cz
        >>> cz.Knowledge(tiers=[["a"], ...], required=[("b", "c")]).to_json()
        '{"tiers": [["a"], "..."], "required": [["b", "c"]]}'
        """
        return knowledge_files.to_json(self._fields())

    @classmethod
    def from_json(cls, text: str) -> Knowledge:
        """The knowledge that ``to_json`` has written.

        >>> import causal_zigzag as cz
        >>> cz.Knowledge.from_json('{"forbidden": [["b", "a"]]}')
        Knowledge(forbidden: b -> a)
        """
        return cls(**knowledge_files.from_json(text))

    def to_yaml(self) -> str:
        """The knowledge as YAML, with the keys of ``to_json``; needs PyYAML (the extra ``yaml``).

        >>> import causal_zigzag as cz
        >>> print(cz.Knowledge(tiers=[["age"], ["bmi"]]).to_yaml(), end="")
        tiers:
        - [age]
        - [bmi]
        """
        return knowledge_files.to_yaml(self._fields())

    @classmethod
    def from_yaml(cls, text: str) -> Knowledge:
        """The knowledge in YAML; needs PyYAML (the extra ``yaml``).

        >>> import causal_zigzag as cz
        >>> cz.Knowledge.from_yaml("forbidden: [[b, a]]")
        Knowledge(forbidden: b -> a)
        """
        return cls(**knowledge_files.from_yaml(text))

    def to_tetrad(self, nodes: Nodes | None = None) -> str:
        """The knowledge file of Tetrad: its sections addtemporal, forbiddirect and requiredirect.

        Tetrad names every node of a tier, so that conditions and the tier ``...`` need all ``nodes``. So do nodes that
        are given by their numbers, which are written as names otherwise.

        >>> import causal_zigzag as cz
        >>> print(cz.Knowledge(tiers=[["age"], ["bmi"]], required=[("age", "bmi")]).to_tetrad(), end="")
        /knowledge
        addtemporal
        1 age
        2 bmi
        <BLANKLINE>
        forbiddirect
        <BLANKLINE>
        requiredirect
        age bmi
        """
        fields = self._fields()
        if nodes is not None:
            numbered = self._numbered(read_nodes(nodes))
            numbered.check()
            names = numbered.names
            into = {(x, y) for y in numbered.conditions for x in range(len(names)) if x != y}
            fields["tiers"] = tuple(
                tuple(v for v, t in zip(names, numbered.tiers, strict=True) if t == i) for i in range(len(self.tiers))
            )
            fields["required"] = tuple((names[x], names[y]) for x, y in numbered.required)
            fields["forbidden"] = tuple((names[x], names[y]) for x, y in sorted(numbered.forbidden | into))
            fields["apart"] = tuple((names[x], names[y]) for x, y in sorted(numbered.apart))
        elif self.conditions or REST in self.tiers:
            raise KnowledgeError("a file of Tetrad names all nodes of a tier; give the nodes: to_tetrad(nodes)")
        return knowledge_files.to_tetrad(fields)

    @classmethod
    def from_tetrad(cls, text: str) -> Knowledge:
        r"""The knowledge in a file of Tetrad.

        >>> import causal_zigzag as cz
        >>> cz.Knowledge.from_tetrad("/knowledge\naddtemporal\n1* age sex\n2 bmi\n\nforbiddirect\nsex bmi")
        Knowledge(tiers: age, sex before bmi; no edges within: age, sex; forbidden: sex -> bmi)
        """
        return cls(**knowledge_files.from_tetrad(text))

    def save(self, path: str | os.PathLike[str], nodes: Nodes | None = None) -> None:
        """Write a file: JSON (.json), YAML (.yaml or .yml), or Tetrad's (any other ending).

        >>> import tempfile
        >>> import causal_zigzag as cz
        >>> known = cz.Knowledge(forbidden=[("bmi", "age")])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     known.save(f"{folder}/known.txt")
        ...     cz.Knowledge.load(f"{folder}/known.txt") == known
        True
        """
        kind = knowledge_files.kind_of(path)
        text = self.to_tetrad(nodes) if kind == "tetrad" else self.to_json() if kind == "json" else self.to_yaml()
        write_text(path, text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Knowledge:
        """Read a file: JSON (.json), YAML (.yaml or .yml), or Tetrad's (any other ending).

        >>> import causal_zigzag as cz
        >>> cz.Knowledge.load("nowhere.json")
        Traceback (most recent call last):
        causal_zigzag.errors.KnowledgeError: cannot read 'nowhere.json': No such file or directory
        """
        return cls(**knowledge_files.load(path))

    def words(self) -> list[str]:
        """The parts of the knowledge in words, as they are printed.

        >>> import causal_zigzag as cz
        >>> cz.Knowledge(required=[("a", "b")], neighboring_tiers_only=True).words()
        ['required: a -> b']
        """
        parts = []
        if self.conditions:
            parts.append(f"conditions without causes: {show_all(self.conditions)}")
        if self.tiers:
            parts.append(f"tiers: {' before '.join(_words(tier) for tier in self.tiers)}")
        if self.no_edges_within:
            every = len(self.no_edges_within) == len(self.tiers) > 1
            within = "any tier" if every else " or ".join(_words(self.tiers[t]) for t in self.no_edges_within)
            parts.append(f"no edges within{'' if every else ':'} {within}")
        if self.neighboring_tiers_only and len(self.tiers) > 2:
            parts.append("edges between neighboring tiers only")
        for word, arrows in (("required", self.required), ("forbidden", self.forbidden)):
            if arrows:
                texts = [f"{show(x)} -> {show(y)}" for x, y in arrows]
                more = [f"... ({len(texts)} in all)"] if len(texts) > 10 else []
                parts.append(f"{word}: {', '.join(texts[:10] + more)}")
        if self.apart:
            texts = [f"{show(x)} and {show(y)}" for x, y in self.apart]
            more = [f"... ({len(texts)} in all)"] if len(texts) > 10 else []
            parts.append(f"never joined: {', '.join(texts[:10] + more)}")
        return parts

    def code(self) -> str:
        """Python code that makes this value.

        >>> import causal_zigzag as cz
        >>> cz.Knowledge(tiers=[["a"], ...], required=[("b", "c")]).code()
        "cz.Knowledge(tiers=[['a'], ...], required=[('b', 'c')])"
        """
        words = []
        for name, value in self._fields().items():
            if name == "tiers":
                shown = f"[{', '.join(tier if isinstance(tier, str) else repr([*tier]) for tier in value)}]"
            else:
                shown = repr([*value] if isinstance(value, tuple) else value)
            words.append(f"{name}={shown}")
        return f"cz.Knowledge({', '.join(words)})"

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self.directs or self.apart)

    @property
    def directs(self) -> bool:
        """Whether anything is known about directions. If not, all DAGs of a class agree, or none.

        :meta private:
        """
        return bool(self.tiers or self.required or self.forbidden or self.conditions)

    def __str__(self) -> str:
        return "; ".join(self.words()) or "nothing"

    def __repr__(self) -> str:
        return f"Knowledge({self or ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        tiers = tuple(tier if tier == REST else frozenset(tier) for tier in self.tiers)
        sets = (self.required, self.forbidden, map(frozenset, self.apart), self.conditions, self.no_edges_within)
        return (tiers, self.neighboring_tiers_only, *map(frozenset, sets))

    def _fields(self) -> dict[str, Any]:
        """The fields that say something, for files."""
        return {name: value for name in knowledge_files.KEYS if (value := getattr(self, name))}

    def _numbered(self, labels: Labels) -> NumberedKnowledge:
        numbers_are_names = any(is_integer(name) for name in labels.names)

        def number(v: Hashable, place: str) -> int:
            found = labels.find(v)
            if found is None and not numbers_are_names and is_integer(v) and 0 <= v < len(labels):
                found = int(v)
            if found is None:
                raise KnowledgeError(f"{place}: {labels.unknown(v)}", [v])
            return found

        def pairs(edges: tuple[Edge, ...], word: str, sign: str = "->") -> tuple[Arrow, ...]:
            return tuple((number(x, place := f"{word} {show(x)} {sign} {show(y)}"), number(y, place)) for x, y in edges)

        conditions = frozenset(number(v, "conditions") for v in self.conditions)
        tiers: list[int | None] = [None] * len(labels)
        for i, tier in enumerate(self.tiers):
            for v in tier if tier != REST else ():
                at = number(v, f"tier {i + 1} of {len(self.tiers)}")
                name = labels.names[at]
                first = tiers[at]
                if at in conditions or first is not None:
                    place = "a condition" if first is None else f"in tier {first + 1}"
                    raise KnowledgeError(f"{show(name)} is {place} and in tier {i + 1}; name it once", [name])
                tiers[at] = i
        if REST in self.tiers:
            rest = self.tiers.index(REST)
            tiers = [rest if t is None and v not in conditions else t for v, t in enumerate(tiers)]
        return NumberedKnowledge(
            labels.names,
            tuple(tiers),
            pairs(self.required, "required"),
            frozenset(pairs(self.forbidden, "forbidden")),
            frozenset((min(pair), max(pair)) for pair in pairs(self.apart, "apart", "and")),
            conditions,
            frozenset(self.no_edges_within),
            self.neighboring_tiers_only,
        )


def read_knowledge(knowledge: Any) -> Knowledge | None:
    """The argument ``knowledge`` of a user; None if nothing is known."""
    if knowledge is None:
        return None
    if not isinstance(knowledge, Knowledge):
        raise KnowledgeError(f"knowledge must be a cz.Knowledge, not {knowledge!r}; write knowledge=cz.Knowledge(...)")
    return knowledge or None


def with_contexts(
    knowledge: Knowledge | None,
    nodes: Iterable[Hashable],
    contexts: tuple[Hashable, ...],
    targets: Iterable[tuple[Hashable, tuple[Hashable, ...]]],
) -> Knowledge | None:
    """The knowledge, in which these contexts are conditions as well; those with targets act on these and no others."""
    if not contexts:
        return knowledge
    known = knowledge or Knowledge()
    arrows = [(c, v) for c, names in targets for v in names]
    excluded = [(c, v) for c, names in targets for v in nodes if v not in names and v not in contexts]
    return Knowledge(
        known.tiers,
        [*dict.fromkeys((*known.required, *arrows))],
        [*dict.fromkeys((*known.forbidden, *excluded))],
        known.apart,
        [*dict.fromkeys((*known.conditions, *contexts))],
        known.no_edges_within,
        known.neighboring_tiers_only,
    )


def _words(tier: tuple[Hashable, ...] | str) -> str:
    return "all others" if isinstance(tier, str) else show_all(tier)


def _items(given: Any, expected: str) -> tuple[Any, ...]:
    """The items of a collection; labels of numpy become those of Python."""
    if isinstance(given, (str, bytes, dict)) or not isinstance(given, Iterable):
        raise KnowledgeError(f"{expected}, not {given!r}")
    return tuple(v.item() if isinstance(v, np.generic) else v for v in given)


def _read_tiers(given: Any) -> tuple[tuple[Hashable, ...] | str, ...]:
    expected = 'tiers must be a sequence of groups of nodes such as [["age", "sex"], ["bmi"]]'
    if isinstance(given, (set, frozenset)):
        raise KnowledgeError(f"{expected} in their order, but a set has none")
    tiers = tuple(
        REST if tier is ... or is_word(tier, REST) else _items(tier, "a tier must be a collection of nodes")
        for tier in _items(given, expected)
    )
    if tiers.count(REST) > 1:
        raise KnowledgeError("tiers has ... twice, but all other nodes are in one tier")
    return tiers


ARROWS = 'arrows such as [("a", "b")] for a -> b'


def _read_pairs(given: Any, word: str, what: str) -> tuple[Edge, ...]:
    expected = f"{word} must be a collection of {what}"
    pairs = []
    for pair in _items(given, expected):
        has_no_order = isinstance(pair, (set, frozenset)) and what == ARROWS
        ends = () if has_no_order else _items(pair, expected)
        if len(ends) != 2:
            raise KnowledgeError(f"{expected}, but it contains {pair!r}")
        pairs.append((ends[0], ends[1]))
    return tuple(pairs)


def _read_numbers(given: Any, tiers: int) -> tuple[int, ...]:
    if isinstance(given, bool):
        return tuple(range(tiers)) if given else ()
    expected = "no_edges_within must be True, False or the numbers of tiers, from 0"
    numbers = _items(given, expected)
    if not all(is_integer(value) and 0 <= value < tiers for value in numbers):
        raise KnowledgeError(f"{expected}, not {given!r}, and there are {tiers} tiers")
    return tuple(sorted({*numbers}))
