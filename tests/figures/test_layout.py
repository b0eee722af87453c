"""Layouts: arrows point down, nodes do not overlap, and no edge passes behind a node that it does not join."""

import sys
from itertools import pairwise

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.figures.layout import arrange
from causal_zigzag.figures.routes import BOX_HEIGHT
from causal_zigzag.figures.scene import graph_edges, scene
from hidden_edges import hidden
from random_graphs import KINDS


def layered(n: int, directed: list[tuple[int, int]], undirected: list[tuple[int, int]] | None = None) -> np.ndarray:
    return arrange(n, directed, undirected or [], gap=0.0).positions


def numbered(g: cz.CPDAG) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    return g.core.directed_edges(), g.core.undirected_edges()


CASES = [
    pytest.param(cz.CPDAG.from_dag(make(n, np.random.default_rng(n))), id=f"{kind}-{n}")
    for kind, make in KINDS.items()
    for n in (1, 2, 6, 11, 30)
] + [
    pytest.param(cz.CPDAG.from_dag(KINDS["sparse"](60, np.random.default_rng(60))), id="sparse-60"),
    pytest.param(cz.CPDAG.from_dag(KINDS["chordal"](60, np.random.default_rng(60))), id="chordal-60"),
    pytest.param(cz.CPDAG.empty(60), id="empty-60"),
    pytest.param(cz.CPDAG.complete(11), id="complete-11"),
    pytest.param(cz.CPDAG.empty(0), id="nothing"),
]


@pytest.mark.parametrize("g", CASES)
def test_arrows_point_down_and_nodes_do_not_overlap(g: cz.CPDAG) -> None:
    directed, undirected = numbered(g)
    at = layered(len(g), directed, undirected)
    assert at.shape == (len(g), 2)
    assert np.isfinite(at).all()
    for a, b in directed:
        assert at[b, 1] >= at[a, 1] + 1 - 1e-9
    # Boxes of width 1 and height 1 around any two nodes share no inner point.
    apart = np.abs(at[:, None] - at[None]).max(axis=2)
    assert (apart[~np.eye(len(g), dtype=bool)] >= 1 - 1e-9).all()


@pytest.mark.parametrize("g", CASES)
def test_no_edge_passes_behind_a_node_that_it_does_not_join(g: cz.CPDAG) -> None:
    names = [f"v{'x' * (i % 9)}{i}" for i in range(len(g))]
    drawn = scene(names, graph_edges(cz.CPDAG.from_matrix(g.matrix(), names)))
    assert len(drawn.curves) == g.edge_count
    on_circle = not g.directed_edges and g.edge_count > 0.25 * len(g) * (len(g) - 1)
    if not on_circle:  # chords of an ellipse may pass near a node
        assert hidden(drawn) == 0
    for box in drawn.boxes:
        assert box.width / 2 <= box.x <= drawn.width - box.width / 2
        assert BOX_HEIGHT / 2 <= box.y <= drawn.height - BOX_HEIGHT / 2
    for curve in drawn.curves:
        assert (curve.points >= 0).all()
        assert (curve.points <= [drawn.width, drawn.height]).all()


def test_edges_start_and_end_at_their_nodes() -> None:
    g = cz.CPDAG.from_dag(KINDS["sparse"](30, np.random.default_rng(3)))
    drawn = scene(g.nodes, graph_edges(g))
    boxes = {box.label: box for box in drawn.boxes}
    for curve in drawn.curves:
        tip = curve.points[-1] if curve.head is None else curve.head[0]
        for point, label in ((curve.points[0], curve.edge.x), (tip, curve.edge.y)):
            box = boxes[str(label)]
            distance = np.abs(point - [box.x, box.y]) - [box.width / 2, BOX_HEIGHT / 2]
            assert -2 < distance.max() < 3


def test_a_layout_is_deterministic() -> None:
    directed, undirected = numbered(cz.CPDAG.from_dag(KINDS["mixed"](40, np.random.default_rng(1))))
    first, second = (arrange(40, directed, undirected) for _ in range(2))
    assert np.array_equal(first.positions, second.positions)
    assert all(np.array_equal(a, b) for a, b in zip(first.bends, second.bends, strict=True))


def test_graphs_with_cycles_and_mixed_edges_have_a_layout() -> None:
    # An EdgeGraph need not be acyclic.
    cycle = [(0, 1), (1, 2), (2, 3), (3, 0)]
    at = layered(5, cycle, [(3, 4)])
    assert sum(at[b, 1] > at[a, 1] for a, b in cycle) == 3
    rng = np.random.default_rng(4)
    for _ in range(30):
        pairs = np.argwhere(np.triu(rng.random((9, 9)) < 0.4, k=1)).tolist()
        arrows = [(a, b) if rng.random() < 0.5 else (b, a) for a, b in pairs if rng.random() < 0.6]
        lines = [(a, b) for a, b in pairs if (a, b) not in arrows and (b, a) not in arrows]
        at = layered(9, arrows, lines)
        apart = np.abs(at[:, None] - at[None]).max(axis=2)
        assert (apart[~np.eye(9, dtype=bool)] >= 1 - 1e-9).all()


def test_a_tree_of_paths_is_drawn_without_crossings() -> None:
    # A root with four paths of seven nodes, numbered at random.
    name = np.random.default_rng(2).permutation(29).tolist()
    paths = [[name[0], *name[first : first + 7]] for first in (1, 8, 15, 22)]
    at = layered(29, [edge for path in paths for edge in pairwise(path)])
    rows = np.array([[at[v, 0] for v in path[1:]] for path in paths])
    assert (np.argsort(rows, axis=0) == np.argsort(rows[:, :1], axis=0)).all()


def test_the_work_of_a_layout_grows_at_most_cubically() -> None:
    def calls(n: int) -> int:
        """The number of Python and C functions that the layout of a random graph calls."""
        edges = numbered(cz.CPDAG.from_dag(cz.datasets.random_dag(n, expected_degree=4, rng=1)))
        count = 0

        def counted(_frame: object, event: str, _arg: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(counted)
        try:
            positions = layered(n, *edges)
        finally:
            sys.setprofile(None)
        assert np.isfinite(positions).all()
        return count

    assert calls(200) < 4**3 * calls(50)
