"""A DAG of categorical columns with its parameters, in the Bayesian interchange format (BIF): written only."""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import ScoreError
from causal_zigzag.graphs.labels import distinct_texts, show

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

MOST_NUMBERS = 1_000_000  # of one table


def bif(
    levels: dict[Hashable, tuple[Hashable, ...]],
    codes: NDArray[np.uint16],
    weights: NDArray[np.int32],
    dag: NDArray[np.uint8],
    sample_size: float,
) -> str:
    """See ``BDeu.to_bif``."""
    names = _words(levels)
    states = [_words(own) for own in levels.values()]
    sizes = [len(own) for own in states]
    counted = weights if len(weights) else np.ones(codes.shape[1])
    lines = ["network unknown {", "}"]
    for name, own in zip(names, states, strict=True):
        lines += [f"variable {name} {{", f"  type discrete [ {len(own)} ] {{ {', '.join(own)} }};", "}"]
    for y, (label, name) in enumerate(zip(levels, names, strict=True)):
        parents = np.flatnonzero(dag[:, y]).tolist()
        shape = [sizes[p] for p in parents]
        if math.prod(shape) * sizes[y] > MOST_NUMBERS:
            raise ScoreError(
                f"the table of {show(label)} given its {len(parents)} parents has {math.prod(shape) * sizes[y]:,} "
                f"numbers, but at most {MOST_NUMBERS:,} are written; choose a DAG with fewer parents"
            )
        counts = np.zeros((*shape, sizes[y]))
        np.add.at(counts, tuple(codes[v].astype(np.intp) for v in (*parents, y)), counted)
        counts += sample_size / counts.size
        shares = counts / counts.sum(axis=-1, keepdims=True)
        if not parents:
            lines += [f"probability ( {name} ) {{", f"  table {_numbers(shares)};", "}"]
            continue
        lines.append(f"probability ( {name} | {', '.join(names[p] for p in parents)} ) {{")
        for configuration in itertools.product(*(range(size) for size in shape)):
            given = ", ".join(states[p][level] for p, level in zip(parents, configuration, strict=True))
            lines.append(f"  ({given}) {_numbers(shares[configuration])};")
        lines.append("}")
    return "\n".join([*lines, ""])


def _numbers(shares: NDArray[np.float64]) -> str:
    return ", ".join(repr(float(share)) for share in shares)


def _words(labels: Sequence[Hashable] | dict[Hashable, tuple[Hashable, ...]]) -> list[str]:
    """The labels as distinct words, which is all that readers of BIF agree on: letters, digits, underscores."""
    words = [re.sub(r"\W", "_", text, flags=re.ASCII) or "_" for text in distinct_texts(labels)]
    if len(set(words)) == len(words):
        return words
    return [f"{word}_{number}" for number, word in enumerate(words)]
