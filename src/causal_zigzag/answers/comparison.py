"""compare(): two posteriors of the same variables, edge by edge, with errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.distribution import Distribution
from causal_zigzag.answers.edge_probabilities import EdgeProbabilities, pair_table
from causal_zigzag.answers.settled_directions import settled_arrows
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.notebook_view import view
from causal_zigzag.support.wording import count, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

CLEAR_ERRORS = 4.0  # standard errors; with 1000 pairs one is exceeded by chance in 6 % of comparisons
SMALL_DIFFERENCE = 0.02  # smaller differences are not reported
LIMIT_WITHOUT_ERROR = 0.05  # of a difference that is mentioned though its error is not known
PRINTED_PAIRS = 10


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Two posteriors of the same variables compared; ``print`` shows the pairs that differ most.

    ``table`` has one row per pair, the largest difference first: the nodes ``x`` and ``y``, the probabilities that they
    are adjacent ``first`` and ``second``, the ``difference`` second - first and its Monte Carlo ``error`` (NaN if it is
    unknown, and then no difference is clear), whether the difference is ``clear``, and the edges ``first_edge`` and
    ``second_edge`` that are shown for the pair: "->" and "<-" if an arrow has more than half of all probability, "-" if
    none has, and "" if the pair is rather not adjacent.
    ``known`` is the knowledge of both in words, or None if it is the same.

    >>> import causal_zigzag as cz
    >>> score = cz.GaussianBIC.from_covariance([[1, 0.15], [0.15, 1]], n_samples=200, nodes=["a", "b"])
    >>> both = cz.compare(cz.exact_posterior(score), cz.exact_posterior(score, edge_prior=2), names=("flat", "sparse"))
    >>> print(str(both).splitlines()[0])
    1 of 1 pair differ by more than Monte Carlo error between flat and sparse.
    """

    names: tuple[str, str]
    table: pd.DataFrame
    known: tuple[str, str] | None = None

    @property
    def largest_difference(self) -> float:
        """The largest absolute difference of the probabilities of an adjacency.

        >>> import causal_zigzag as cz
        >>> same = cz.exact_posterior(cz.Uniform(3))
        >>> cz.compare(same, same).largest_difference
        0.0
        """
        return float(self.table["difference"].abs().max()) if len(self.table) else 0.0

    def plot(self, ax: Axes | None = None) -> Axes:
        """The probabilities of both posteriors against each other, one dot per pair; clear differences are named.

        >>> import causal_zigzag as cz
        >>> same = cz.exact_posterior(cz.Uniform(3))
        >>> cz.compare(same, same).plot().get_xlabel()
        'joined, first'
        """
        from causal_zigzag.figures.comparison_plot import comparison_plot

        return comparison_plot(self, ax)

    def __str__(self) -> str:
        clear = self.table[self.table["clear"]]
        between = f"between {self.names[0]} and {self.names[1]}"
        lines = [f"{len(clear):,} of {count(len(self.table), 'pair')} differ by more than Monte Carlo error {between}."]
        for row in clear.head(PRINTED_PAIRS).to_dict("records"):
            error = f" ± {row['error']:.1g}" if row["error"] > 0 else ""
            lines.append(
                f"  {show(row['x'])}, {show(row['y'])}: {probability(row['first'])} and {probability(row['second'])}, "
                f"difference {row['difference']:+.3f}{error}"
            )
        if len(clear) > PRINTED_PAIRS:
            lines.append(f"  and {len(clear) - PRINTED_PAIRS:,} more")
        unknown = self.table[self.table["error"].isna() & (self.table["difference"].abs() > LIMIT_WITHOUT_ERROR)]
        if len(unknown):
            verb = "differs" if len(unknown) == 1 else "differ"
            lines.append(
                f"{count(len(unknown), 'pair')} {verb} by more than {LIMIT_WITHOUT_ERROR}, but changed too rarely for "
                "a Monte Carlo error, so that longer runs are needed to tell."
            )
        turned = self.table[(self.table["first_edge"] != self.table["second_edge"]) & ~self.table["clear"]]
        if len(turned):
            lines.append(f"Shown with a different edge: {count(len(turned), 'other pair')}.")
        if self.known is not None:
            known = "; ".join(f"{name}: {words}" for name, words in zip(self.names, self.known, strict=True))
            lines.append(f"They differ in the knowledge that was given, {known}.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        first, *lines = str(self).splitlines()
        return view(first, lines, self.table)

    def __repr__(self) -> str:
        return f"Comparison({str(self).splitlines()[0]})"


def compare(p: Distribution, q: Distribution, names: Sequence[str] = ("first", "second")) -> Comparison:
    """Compare two posteriors of the same variables, sampled or exact, edge by edge.

    They may differ in the score, the prior, the knowledge, the rows or the settings of the run; the variables can be in
    another order. A difference is ``clear`` if it is above 0.02 and above four Monte Carlo standard errors; where no
    error is known, none is. ``names`` are the names of the two in text and plots. Monte Carlo errors are about the
    sampling only: to see how much an answer depends on the rows, compare posteriors of two halves of them.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=200, rng=1)
    >>> both = cz.compare(cz.sample(table, jumps=2000, rng=1), cz.sample(table, score="bge", jumps=2000, rng=1))
    >>> list(both.table.columns)
    ['x', 'y', 'first', 'second', 'difference', 'error', 'clear', 'first_edge', 'second_edge']
    """
    for given in (p, q):
        if not isinstance(given, Distribution):
            raise SettingsError(f"compare needs two posteriors, not {given!r}")
    if not isinstance(names, (list, tuple)) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise SettingsError(f'names must be two texts such as ("north", "south"), not {names!r}')
    first, second = p.edge_probabilities(), q.edge_probabilities()
    nodes = first.nodes
    if {*nodes} != {*second.nodes}:
        odd = sorted({*nodes} ^ {*second.nodes}, key=str)
        raise SettingsError(f"the posteriors must have the same nodes, but only one of them has {show_all(odd)}")
    order = np.ix_(*2 * ([second.nodes.index(v) for v in nodes],))
    error = _combined(p._classes.edge_errors[:, :, 0], q._classes.edge_errors[:, :, 0][order])
    difference = second.adjacent[order] - first.adjacent
    limit = np.where(np.isnan(error), np.inf, np.maximum(SMALL_DIFFERENCE, CLEAR_ERRORS * error))
    columns = {
        "first": first.adjacent,
        "second": second.adjacent[order],
        "difference": difference,
        "error": error,
        "clear": np.abs(difference) > limit,
        "first_edge": _shown(first),
        "second_edge": _shown(second)[order],
    }
    table = pair_table(nodes, difference, columns)
    known = None
    if p.target.knowledge != q.target.knowledge:
        known = (str(p.target.knowledge or "none"), str(q.target.knowledge or "none"))
    return Comparison((names[0], names[1]), table, known)


def _combined(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The error of a difference; an unknown error counts as 0 if the other one is known and positive."""
    squares = np.nan_to_num(a) ** 2 + np.nan_to_num(b) ** 2
    unknown = (np.isnan(a) | np.isnan(b)) & (squares == 0)
    return np.where(unknown, np.nan, np.sqrt(squares))


def _shown(edges: EdgeProbabilities) -> NDArray[Any]:
    """The edge that is shown for each pair that is rather adjacent than not."""
    arrows = settled_arrows(edges)
    marks = np.where(arrows, "->", np.where(arrows.T, "<-", "-"))
    return np.where(edges.adjacent >= CONSENSUS_THRESHOLD, marks, "").astype(object)
