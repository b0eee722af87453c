"""Comparison of the sampled probabilities of adjacencies with the exact ones, for targets with few nodes."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from causal_zigzag.answers.edge_probabilities import pair_table
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show
from causal_zigzag.posterior.reweighting import dag_weights
from causal_zigzag.support.notebook_view import view

if TYPE_CHECKING:
    import pandas as pd

    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.target.target import Target

AFFORDABLE = 1.0  # estimated seconds that diagnostics() may spend on exact probabilities
# Measured on one core: GaussianBIC, BGe and Uniform with 14 nodes take 0.13 s; BDeu with 12 nodes takes 0.4 s for 1,000
# rows and 0.6 s for 4,000, and with 14 nodes and 1,000 rows 2.5 s.
STEP_SECONDS = 2.7e-8  # per step of the sums over all DAGs, of which there are 3^n
LOCAL_SECONDS = 2.5e-7  # per local score of relative cost 1


@dataclass(frozen=True, eq=False, repr=False)
class ExactComparison:
    """The probabilities of all adjacencies, sampled and exact, under the uniform prior over DAGs.

    ``table`` has the columns x, y, ``sampled``, ``exact`` and ``difference`` (sampled minus exact), one row per pair of
    nodes, the largest absolute difference first; ``largest_difference`` and ``pair`` are those of its first row.

    >>> import causal_zigzag as cz
    >>> check = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1).check_exact()
    >>> check.largest_difference < 0.05
    True
    >>> list(check.table.columns)
    ['x', 'y', 'sampled', 'exact', 'difference']
    """

    largest_difference: float
    pair: tuple[Hashable, Hashable]
    table: pd.DataFrame

    @property
    def pair_in_words(self) -> str:
        """The pair with the largest difference, such as "a -- b"."""
        return " -- ".join(map(show, self.pair))

    def _repr_html_(self) -> str:
        return view("Sampled and exact probabilities", [repr(self)], self.table)

    def __repr__(self) -> str:
        return f"ExactComparison(largest difference {self.largest_difference:.3f}, for {self.pair_in_words})"


def check_exact(run: Posterior) -> ExactComparison:
    """See ``Posterior.check_exact``."""
    if reason := obstacle(run.target):
        raise SettingsError(f"check_exact cannot be used: {reason}")
    return _compare(run)


def affordable_check(run: Posterior) -> ExactComparison | None:
    """The comparison if it is possible and estimated to take less than a second; None otherwise.

    The cost of a user-defined score is not known, so such a run is compared on request only; so is a run under a prior
    of the user, as the comparison does not concern its probabilities.
    """
    own_prior = run.prior not in ("classes", "dags")
    return None if own_prior or obstacle(run.target) or estimated_seconds(run.target) > AFFORDABLE else _compare(run)


def obstacle(target: Target) -> str:
    """Why there are no exact probabilities for this target; empty if there are."""
    from causal_zigzag.exact.edge_posterior import MOST_EDGE_POSTERIOR_NODES as MOST  # not needed to sample

    n = len(target.nodes)
    reasons = (
        (not 2 <= n <= MOST, f"exact probabilities are for 2 to {MOST} nodes, and the target has {n}"),
        (target.max_degree is not None and target.max_degree < n - 1, "exact probabilities are without max_degree"),
        (target.score.is_incomplete, "exact probabilities need a table without missing cells"),
        (len(target.edge_prior.table) > 0, "exact probabilities need an edge prior with the same cost for every edge"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def estimated_seconds(target: Target) -> float:
    """The estimated time of ``exact_edge_posterior``; infinite if the cost of the score is unknown."""
    n, cost = len(target.nodes), target.score.relative_cost()
    return math.inf if cost is None else STEP_SECONDS * 3.0**n + LOCAL_SECONDS * cost * n * 2.0 ** (n - 1)


def _compare(run: Posterior) -> ExactComparison:
    from causal_zigzag.exact.edge_posterior import exact_edge_posterior

    target, nodes = run.target, run.nodes
    exact = exact_edge_posterior(
        target.score, knowledge=target.knowledge, edge_prior=target.edge_prior.cost, coldness=target.coldness
    ).adjacent
    over_dags = run if run.prior == "dags" else run._under(dag_weights(run))
    sampled = over_dags.edge_probabilities().adjacent
    table = pair_table(nodes, sampled - exact, {"sampled": sampled, "exact": exact, "difference": sampled - exact})
    first = table.iloc[0]
    return ExactComparison(float(abs(first["difference"])), (first["x"], first["y"]), table)
