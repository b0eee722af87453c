"""The order of nodes that a distribution prefers, causes first: for layouts of graphs with open edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causal_zigzag.answers.effects.parent_sets import parent_set_tables
from causal_zigzag.answers.weighted_classes import Part, WeightedClasses
from causal_zigzag.errors import SettingsError

ORDERING_CLASSES = 200  # the most probable ones; more would not change a layout noticeably


def causal_depth(classes: WeightedClasses) -> NDArray[np.float64]:
    """How far down each node is: its mean probability to be below another node, minus that to be above one.

    It is between -1 for a node that is an ancestor of all others and 1 for one that all others are ancestors of. The
    most probable classes are used; within a class, ancestors are counted over its DAGs.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> depth = causal_depth(cz.exact_posterior(cz.GaussianBIC(table))._classes)
    >>> bool(depth[1] == depth.max())  # the columns are rain, wet and sun
    True
    """
    n = len(classes.nodes)
    chosen = np.where(np.arange(len(classes)) < ORDERING_CLASSES, classes.shares, 0.0)
    parts = [Part(some, own) for some, own in zip(classes.lists, classes.by_record(chosen), strict=True)]
    above = np.zeros((n, n))
    try:
        for table in parent_set_tables(parts, merged=True):
            above[table.cause] = table.below
    except SettingsError:  # too many possible parents in a class: open edges then have no preferred order
        above[:] = classes.edges.directed
    return np.asarray((above - above.T).sum(axis=0) / max(1, n - 1))
