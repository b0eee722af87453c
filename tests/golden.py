"""Digests of short seeded chains: ``python tests/golden.py`` stores those of this build in data/golden.json.

A seed gives the same result with every build of the core on every machine. The digests of one build are stored, and
``core/test_golden.py`` compares those of the present build with them. Store them again only with a change that is meant
to change what chains do.

The input of the chains is made of integers, and of operations that are exact or whose rounding IEEE 754 prescribes.
Scores are made by the core from such input, because the scores of the package take logarithms from numpy and the C
library, which differ between machines in the last digit.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import causal_zigzag as cz
from causal_zigzag import _core as core
from causal_zigzag.graphs.labels import read_nodes
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import BALANCES, RunSettings
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.target.target import Target
from targets import dense_times

FILE = Path(__file__).parent / "data" / "golden.json"
ROWS = 40
FAMILIES = ("GaussianBIC", "BGe", "MixedBIC", "DiscreteBIC", "BDeu", "Uniform")
WIDTHS = (5, 64, 65, 129, 257, 513, 1025)  # each has node sets of another number of words, but 5 and 64: 1 word
ALL_PROCESSES_UP_TO = 129  # nodes; wider chains run only one of the processes each


@dataclass(frozen=True)
class Golden:
    """Chains of one kind, named by what it tests."""

    family: str
    n: int
    balance: str
    momentum: float

    def __str__(self) -> str:
        return f"{self.family} {self.n} nodes, {self.balance}, momentum {self.momentum:g}"

    @property
    def jumps(self) -> int:
        return 300 if self.n <= ALL_PROCESSES_UP_TO else 100


def all_cases() -> list[Golden]:
    processes = [(balance, momentum) for balance in BALANCES if balance != "auto" for momentum in (1.0, 0.5)]
    cases = []
    for i, family in enumerate(FAMILIES):
        for j, n in enumerate(WIDTHS):
            chosen = processes if n <= ALL_PROCESSES_UP_TO else [processes[(i + j) % len(processes)]]
            cases += [Golden(family, n, *process) for process in chosen]
    return cases + [Golden(family, n, "auto", 1.0) for family in FAMILIES for n in WIDTHS]


class ExactScore(BuiltinScore):
    """A score of the core from numbers that are the same on every machine."""

    _core: core.Score

    def __init__(self, n: int, made: core.Score) -> None:
        self._fill(read_nodes(n), _core=made)

    def _make(self) -> core.Score:
        return self._core


def pseudorandom(count: int, seed: int) -> list[int]:
    """Integers below 2**31 by a linear congruential generator (Knuth's MMIX)."""
    state, found = seed, []
    for _ in range(count):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        found.append(state >> 33)
    return found


def correlations(n: int) -> np.ndarray:
    """The mean of two matrices 2**-|i - j|, which are positive definite, in two orders of the nodes."""
    matrix = np.zeros((n, n))
    for seed in (1, 2):
        keys = pseudorandom(n, seed)
        place = np.argsort(np.argsort(keys, kind="stable"), kind="stable")
        matrix += np.ldexp(0.5, -np.abs(place[:, None] - place[None, :]))
    return matrix


def codes(n: int) -> np.ndarray:
    """Levels 0, 1, 2: each column is its predecessor, changed in about half of the rows."""
    noise = np.array(pseudorandom(n * ROWS, 3)).reshape(n, ROWS)
    change = np.where(noise // 3 % 2 == 0, noise % 3, 0)
    return (np.cumsum(change, axis=0) % 3).astype(np.uint16)


def make_score(family: str, n: int) -> cz.Score:
    if family == "Uniform":
        return cz.Uniform(n)
    k = np.arange(n + 1)
    if family == "GaussianBIC":
        half = np.full(n + 1, ROWS / 2)
        made = core.gaussian_score(correlations(n), np.zeros(n), half, -ROWS / 2 - 1.875 * (1 + k), 0.0)
    elif family == "BGe":
        made = core.gaussian_score(correlations(n), np.full(n, 0.25), (ROWS + k) / 2, -3.5 * k, 0.5)
    elif family == "MixedBIC":  # every second node is a block of two columns
        begin = [0]
        for node in range(n):
            begin.append(begin[-1] + 1 + node % 2)
        c, penalty = -ROWS / 2 * np.arange(begin[-1] + 1), 0.5 * math.log(ROWS)
        made = core.block_score(begin, correlations(begin[-1]), np.full(n, 0.25), ROWS / 2, 0.0, c, penalty)
    else:
        size, penalty = (0.0, 1.875) if family == "DiscreteBIC" else (1.5, 0.0)
        made = core.discrete_score([3] * n, codes(n), [], size, penalty)
    return ExactScore(n, made)


def run(case: Golden) -> list[core.Chain]:
    """A chain that begins with inserts and one that begins with deletes: wide ones are too short to turn around."""
    costly = case.family == "Uniform" or case.n > ALL_PROCESSES_UP_TO  # else nearly all jumps would be inserts
    cost = float(2 * case.n.bit_length()) if costly else 0.5
    target = Target.read(make_score(case.family, case.n), 1.0, cost, 8)
    settings = RunSettings(
        momentum=case.momentum, balance=case.balance, max_classes=1000, cache_bytes=2**22, trace_points=64
    )
    seed = np.arange(1, 5, dtype=np.uint64)
    path = cz.CPDAG.from_dag([(i, i + 1) for i in range(case.n - 1)])
    chains = [
        make_chain(target, settings, cz.CPDAG.empty(case.n), seed, direction=1, sqrt_weight=0.03),
        make_chain(target, settings, path, seed, direction=-1, sqrt_weight=0.03),
    ]
    for chain in chains:
        chain.run(case.jumps // 5, math.inf)
        chain.forget()
        chain.run(case.jumps, math.inf)
    return chains


def digest(chains: Iterable[core.Chain]) -> str:
    """Of all that the chains have accumulated, to the last bit; how they cache rows does not count.

    Left out are counts of what these chains do not do: excursions, and proposals that knowledge refuses.
    """
    found = hashlib.sha256()

    def add(name: str, *values: Any) -> None:
        found.update(name.encode())
        for value in values:
            array = np.asarray(value)
            found.update(f" {array.dtype.newbyteorder('<').str}{array.shape} ".encode())
            found.update(array.astype(array.dtype.newbyteorder("<")).tobytes())

    for chain in chains:
        classes = chain.classes()
        for name in ("hash", "time"):
            add(name, classes[name])
        add("edges", *(times.ravel() for times in dense_times(chain, chain.graph().n)))
        add("trace", *chain.trace())
        add("draws", *chain.draws())
        batches = chain.batches()
        for name in sorted(batches):
            add(name, batches[name])
        s = chain.statistics()
        counts = [s.dense_clique, s.dense_node, s.time.drawn, s.time.expected, s.flips, s.frozen, s.inserts, s.jumps]
        counts += [s.score_reference, s.unit, s.unlisted]
        add("statistics", *(float(count) for count in counts))
        add("end", chain.score, chain.direction, chain.edge_count)
    return found.hexdigest()


def main() -> None:
    digests = {str(case): digest(run(case)) for case in all_cases()}
    FILE.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
