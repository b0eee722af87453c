"""Hypothesis strategies: DAGs, classes and node labels of any kind."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from hypothesis import strategies as st

import causal_zigzag as cz
import naive

LARGEST = 10

# Few characters, including those that are special in DOT, Python or a terminal: faster to draw and to shrink.
texts = st.text(alphabet='ab1 "\\\n;[]{}->é漢', max_size=6)
names = st.one_of(
    texts,
    st.integers(2, 99),  # 0 and 1 equal False and True, and so cannot name two nodes of one graph
    st.booleans(),
    st.none(),
    st.binary(max_size=3),
    st.tuples(texts, st.integers(0, 9)),
    st.frozensets(st.integers(0, 9), max_size=2),
    st.dates(),
)


@st.composite
def dags(draw: st.DrawFn, largest: int = LARGEST) -> naive.Matrix:
    """Any DAG: an order of the nodes and any edges along that order."""
    n = draw(st.integers(0, largest))
    size = n * (n - 1) // 2
    bits = draw(st.integers(0, 2**size - 1))  # one number is drawn faster than a list
    order = draw(st.permutations(range(n)))
    dag = np.zeros((n, n), bool)
    dag[np.triu_indices(n, k=1)] = [bits >> i & 1 for i in range(size)]
    return dag[np.ix_(order, order)]


@st.composite
def labelled(draw: st.DrawFn, labels: st.SearchStrategy[Hashable] = names) -> tuple[naive.Matrix, list[Hashable]]:
    """A DAG and distinct labels for its nodes."""
    dag = draw(dags())
    return dag, draw(st.lists(labels, min_size=len(dag), max_size=len(dag), unique=True))


@st.composite
def cpdags(draw: st.DrawFn, labels: st.SearchStrategy[Hashable] = names) -> cz.CPDAG:
    """Any class, completed by the reference implementation."""
    dag, nodes = draw(labelled(labels))
    return cz.CPDAG.from_matrix(naive.completion(dag), nodes)


@st.composite
def pdags(draw: st.DrawFn, largest: int = 7) -> naive.Matrix:
    """Any graph with directed and undirected edges, usually not a CPDAG and often without a consistent extension."""
    n = draw(st.integers(0, largest))
    bits = draw(st.integers(0, 2 ** (n * n) - 1))
    pdag = np.array([bits >> i & 1 for i in range(n * n)], bool).reshape(n, n)
    np.fill_diagonal(pdag, False)
    return pdag
