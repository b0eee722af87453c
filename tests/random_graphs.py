"""Random DAGs of several kinds: few edges, many edges, large undirected components."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import naive


def sparse_dag(n: int, rng: np.random.Generator) -> naive.Matrix:
    """Erdős-Rényi with a mean degree of three: small components, long directed paths."""
    return _shuffled(np.triu(rng.random((n, n)) < 3 / max(n, 1), k=1), rng)


def dense_dag(n: int, rng: np.random.Generator) -> naive.Matrix:
    """Erdős-Rényi with half of all edges: nearly everything is directed."""
    return _shuffled(np.triu(rng.random((n, n)) < 0.5, k=1), rng)


def chordal_dag(n: int, rng: np.random.Generator) -> naive.Matrix:
    """No v-structures: the parents of a node are a clique of at most four, so every edge is undirected in the class."""
    return _shuffled(_grown(n, rng, share_of_colliders=0.0), rng)


def mixed_dag(n: int, rng: np.random.Generator) -> naive.Matrix:
    """Large undirected components, interrupted by some v-structures."""
    return _shuffled(_grown(n, rng, share_of_colliders=0.1), rng)


KINDS: dict[str, Callable[[int, np.random.Generator], naive.Matrix]] = {
    "sparse": sparse_dag,
    "dense": dense_dag,
    "chordal": chordal_dag,
    "mixed": mixed_dag,
}


def _grown(n: int, rng: np.random.Generator, share_of_colliders: float) -> naive.Matrix:
    """Each node takes as parents an earlier node and some of its parents or, sometimes, any two earlier nodes."""
    dag = np.zeros((n, n), bool)
    for v in range(1, n):
        if v > 1 and rng.random() < share_of_colliders:
            parents = rng.choice(v, size=2, replace=False)
        else:
            first = rng.integers(v)
            around = rng.permutation(np.flatnonzero(dag[:, first]))
            parents = np.array([first, *around[: rng.integers(4)]])
        dag[parents, v] = True
    return dag


def _shuffled(dag: naive.Matrix, rng: np.random.Generator) -> naive.Matrix:
    """The same DAG with the nodes in another order, so that 0..n-1 is not a topological order."""
    order = rng.permutation(len(dag))
    return dag[np.ix_(order, order)]
