"""Batches and draws of a chain equal those computed from its path, recorded jump by jump."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import Chain
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from targets import Case

CASES = [
    Case(4),
    Case(5, rows=50),
    Case(6, rows=40, momentum=0.3, balance="barker"),
    Case(4, rows=200, coldness=20.0),  # its unit of time changes during the run
]


@dataclass
class Path:
    """The classes that a chain visited, the times at which it left them, and their scores."""

    left: list[tuple[float, float]] = field(default_factory=list)  # (expected, drawn) time
    marks: list[np.ndarray] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    hashes: list[tuple[int, int]] = field(default_factory=list)
    first_score: float = 0.0

    def walk(self, chain: Chain, jumps: int) -> None:
        for _ in range(jumps):
            graph, score = chain.graph(), chain.score
            unit = chain.statistics().unit
            chain.run(1, 1e9)
            s = chain.statistics()
            if s.unit != unit and self.left:
                self.left = [tuple(np.ldexp(t, int(unit - s.unit))) for t in self.left]
            self.left.append((s.time.expected, s.time.drawn))
            matrix = graph.matrix()
            b, a = np.tril_indices(graph.n, -1)
            self.marks.append(matrix[a, b] + 2 * matrix[b, a])
            self.edges.append(graph.edge_count)
            self.score.append(score)
            self.hashes.append(graph.hash)

    @property
    def holding(self) -> np.ndarray:
        return np.diff([t for t, _ in self.left], prepend=0)


def walked(case: Case, jumps: int, warmup: int = 0) -> tuple[Chain, Path]:
    chain, path = case.chain(cz.CPDAG.empty(case.n)), Path()
    if warmup:
        chain.run(warmup, 1e9)
        chain.forget()
    path.first_score = chain.score
    path.walk(chain, jumps)
    return chain, path


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize(("jumps", "warmup"), [(5, 0), (1000, 0), (1024, 100), (5000, 300)])
def test_batches_are_sums_over_the_path(case: Case, jumps: int, warmup: int) -> None:
    chain, path = walked(case, jumps, warmup)
    batches = chain.batches()
    integrals = batches["integrals"].reshape(-1, 6)
    length = int(integrals[0, 0]) if jumps >= 16 else 16
    assert len(integrals) <= 64
    assert jumps < 1024 or len(integrals) >= 32
    assert np.all(integrals[:-1, 0] == length)
    assert integrals[:, 0].sum() == jumps

    holding, edges = path.holding, np.array(path.edges)
    score = np.array(path.score) - path.first_score
    cuts = np.arange(0, jumps, length)
    for column, values in enumerate([np.ones(jumps), edges, edges**2, score, score**2]):
        sums = np.add.reduceat(holding * values, cuts)
        assert integrals[: len(cuts), 1 + column] == pytest.approx(sums, rel=1e-9, abs=1e-9 * np.abs(sums).max())

    marks = np.array(path.marks)
    begin = batches["begin"].astype(int)
    held = batches["held"].reshape(-1, 3)
    after = marks[np.minimum(cuts + length, jumps - 1)]
    now = chain.graph().matrix()
    b, a = np.tril_indices(case.n, -1)
    after[-1] = now[a, b] + 2 * now[b, a]
    for i, cut in enumerate(cuts):
        inside = np.vstack([marks[cut : cut + length], after[i]])
        moved = np.flatnonzero((inside != inside[0]).any(axis=0))
        listed = slice(begin[i], begin[i + 1])
        assert set(moved) <= set(batches["pairs"][listed])
        assert np.all(np.diff(batches["pairs"][listed].astype(int)) > 0)
        for pair, ends, times in zip(batches["pairs"][listed], batches["marks"][listed], held[listed], strict=True):
            assert ends >> 2 == inside[0, pair]
            assert ends & 3 == inside[-1, pair]
            spent = [holding[cut : cut + length] @ (inside[:-1, pair] == mark) for mark in (1, 2, 3)]
            assert times == pytest.approx(spent, rel=1e-9, abs=1e-9 * path.left[-1][0])


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize(("jumps", "warmup"), [(5, 0), (1500, 50), (4000, 0)])
def test_draws_are_the_classes_at_the_points_of_the_grid(case: Case, jumps: int, warmup: int) -> None:
    chain, path = walked(case, jumps, warmup)
    step, edges, _, _ = chain.trace()
    stride, hashes, begin, deltas = chain.draws()
    assert stride == 1
    assert len(hashes) == 2 * len(edges)
    left = np.array([t for _, t in path.left])
    marks = np.zeros(case.n * (case.n - 1) // 2, dtype=np.uint8)
    for i in range(len(edges)):
        for delta in deltas[int(begin[i]) : int(begin[i + 1])]:
            marks[delta >> 2] ^= delta & 3
        here = int(np.searchsorted(left, i * step, side="right")) if i else 0  # times may be rounded to 0 in a new unit
        assert np.array_equal(marks, path.marks[here])
        assert tuple(hashes[2 * i : 2 * i + 2]) == path.hashes[here]


@pytest.mark.long
@pytest.mark.nosanitize
def test_draws_are_thinned_if_their_differences_are_too_many() -> None:
    settings = RunSettings(max_classes=1000, cache_bytes=2**20, trace_points=2**22)
    chain = make_chain(Case(30).target, settings, cz.CPDAG.empty(30), np.arange(1, 5, dtype=np.uint64))
    while chain.statistics().jumps < 6_000_000:
        chain.run(6_000_000, 10.0)
    stride, hashes, begin, deltas = chain.draws()
    _, edges, _, _ = chain.trace()
    assert stride > 1
    assert len(hashes) == 2 * len(begin) - 2
    assert len(begin) - 1 == -(-len(edges) // stride)
    assert 2**20 < len(deltas) <= 2**22
    marks = np.zeros(30 * 29 // 2, dtype=np.uint8)
    for i in range(len(begin) - 1):
        moved = deltas[int(begin[i]) : int(begin[i + 1])]
        marks[moved >> 2] ^= (moved & 3).astype(np.uint8)
        assert np.count_nonzero(marks) == edges[i * stride]
        if i == 2000:
            break
