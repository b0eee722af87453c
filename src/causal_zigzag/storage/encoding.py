"""Values as JSON and arrays, and back: graphs, scores, and the dataclasses that the caller allows, by their fields."""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.errors import FileError, ScoreError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.scores.base import Score
from causal_zigzag.scores.comparison import score_differences
from causal_zigzag.scores.registry import registered
from causal_zigzag.storage.field_types import fits

NOT_FINITE = {word: float(word) for word in ("inf", "-inf", "nan")}  # which JSON has no numbers for


def _key(field: str) -> str:
    """The name of a field in files, in which no field is private."""
    return field.removeprefix("_")


class Encoder:
    """Turns values into JSON, and collects their arrays in ``arrays``; ``kinds`` are the dataclasses that it accepts.

    In JSON, null, booleans, numbers and strings stand for themselves, and a list for a tuple. Anything else is an
    object with one key, which names its type.
    """

    def __init__(self, kinds: Iterable[type[Any]]) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._kinds = {kind.__name__: kind for kind in kinds}

    def encode(self, value: Any, place: str) -> Any:
        """The value as JSON; ``place`` names it in errors."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if type(value) is tuple:
            return [self.encode(item, place) for item in value]
        if isinstance(value, np.generic):  # a number of numpy keeps its type
            return {"scalar": self._collect(np.asarray(value), place)}
        if isinstance(value, np.ndarray):
            return {"array": self._collect(value, place)}
        if isinstance(value, Labels):
            names = tuple(name.item() if isinstance(name, np.generic) else name for name in value.names)
            return {"labels": self.encode(names, "a node")}
        if isinstance(value, CPDAG):
            return {"graph": {"nodes": self.encode(value.labels, place), "edges": _edges(value)}}
        if isinstance(value, Score):
            return {"score": self._score(value, place)}
        name = type(value).__name__
        if type(value) is self._kinds.get(name):
            return {
                name: {
                    _key(field.name): self.encode(getattr(value, field.name), f"{name}.{_key(field.name)}")
                    for field in dataclasses.fields(value)
                    if field.init  # others follow from these
                }
            }
        raise FileError(f"{place} cannot be saved: a file cannot hold a {name} such as {value!r}; rename or convert it")

    def _collect(self, array: NDArray[Any], place: str) -> int:
        if array.dtype.hasobject:
            raise FileError(f"{place} cannot be saved: it is an array of Python objects")
        self.arrays.append(array)
        return len(self.arrays) - 1

    def _score(self, score: Score, place: str) -> Any:
        state, name = score.state(), score.score_name
        if state is None or registered(name) is not type(score):
            raise FileError(f"{place} cannot be saved: {score!r} is a score of your own without a state or a name")
        values = {key: self.encode(value, f"{name}.{key}") for key, value in state.items()}
        labels = self.encode(Labels(score.nodes), place)
        return {"name": name, "nodes": labels, "reason": score.reason, "state": values}


class Decoder:
    """Turns JSON back into values. A ``score`` takes the place of the stored values of a user's own score."""

    def __init__(
        self,
        kinds: Iterable[type[Any]],
        array: Callable[[int], NDArray[Any]],
        score: Score | None = None,
    ) -> None:
        self._array, self._replacement = array, score
        self._kinds = {kind.__name__: kind for kind in kinds}
        self._named = {**self._kinds, "CPDAG": CPDAG, "Score": Score}

    def decode(self, value: Any) -> Any:
        """The value that ``Encoder.encode`` turned into this."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, list):
            return tuple(self.decode(item) for item in value)
        [(name, content)] = value.items()
        if name == "float":
            return NOT_FINITE[content]
        if name == "scalar":
            return self._array(int(content))[()]
        if name == "array":
            return self._array(int(content))
        if name == "labels":
            return Labels(self.decode(content))
        if name == "graph":
            return _graph(self.decode(content["nodes"]), self.decode(content["edges"]))
        if name == "score":
            return self._score(content)
        if name not in self._kinds:
            raise FileError(f"unknown {name!r}")
        return self._fields(self._kinds[name], content)

    def _fields(self, kind: type[Any], content: dict[str, Any]) -> Any:
        known = {_key(field.name): field for field in dataclasses.fields(kind) if field.init}
        for name in sorted(content.keys() ^ known.keys()):
            raise FileError(f"{kind.__name__}.{name} is {'unknown' if name in content else 'missing'}")
        values = {name: self.decode(item) for name, item in content.items()}
        for name, value in values.items():
            if not fits(value, str(known[name].type), self._named):
                raise FileError(f"{kind.__name__}.{name} is {reprlib.repr(value)}")
        return kind(
            **{known[key].name: value for key, value in values.items()}
        )  # which validates them as those of a user

    def _score(self, content: dict[str, Any]) -> Score:
        kind = registered(content["name"])
        if kind is None:
            raise FileError(f"unknown score {content['name']!r}")
        state = {name: self.decode(item) for name, item in content["state"].items()}
        made = kind.from_state(self.decode(content["nodes"]).names, state)
        if not isinstance(content["reason"], str):
            raise FileError(f"the reason for its score is {content['reason']!r}")
        if content["reason"]:
            vars(made)["_reason"] = content["reason"]
        if self._replacement is None:
            return made
        if not made.is_partial:
            raise FileError(f"it contains its score, {made!r}; leave score= out")
        if not isinstance(self._replacement, Score):
            raise ScoreError(f"score must be the score of the posterior, {made!r}, not {self._replacement!r}")
        differences = score_differences(made, self._replacement)
        if differences:
            raise ScoreError(f"{self._replacement!r} is not the score of the posterior: {'; '.join(differences)}")
        return self._replacement


def _edges(g: CPDAG) -> list[list[list[int]]]:
    return [[[*edge] for edge in edges] for edges in (g.core.directed_edges(), g.core.undirected_edges())]


def _graph(labels: Labels, edges: Any) -> CPDAG:
    names, pairs = labels.names, "tuple[tuple[int, int], ...]"
    right = fits(edges, f"tuple[{pairs}, {pairs}]", {})
    if not right or not all(0 <= x < len(names) for some in edges for pair in some for x in pair):
        raise FileError(f"a graph of {len(names)} nodes has edges {reprlib.repr(edges)}")
    directed, undirected = ([(names[x], names[y]) for x, y in some] for some in edges)
    return CPDAG.from_edges(names, directed, undirected)
