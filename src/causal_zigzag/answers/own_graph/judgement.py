"""Judgement: what the data say about a graph that a user brings, in words and as tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from causal_zigzag.graphs.labels import show, show_all
from causal_zigzag.support.notebook_view import view
from causal_zigzag.support.wording import class_probability, count, probability

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

    from causal_zigzag.graphs.adjacency_matrix import Edge
    from causal_zigzag.graphs.mpdag import ClassGraph

NAMED = 8  # edges, or independences, in words
EVEN = 0.05  # log odds that are not worth a comparison
LARGEST_POWER = 15  # of 10, from which on odds are written as a power of 10
SMALL = 0.05  # p-values, times the number of tests, below which an independence is violated


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """What the data say about a graph of your own; ``print`` says it in words.

    ``graph`` is its class, of ``members`` DAGs, which agree with the knowledge if there is any. ``log_odds`` is the log
    of how many times as probable the most probable class of the posterior is; it is negative if yours is more probable,
    and NaN if it is not known. ``class_probability`` is the probability of its class, ``probability`` that of the graph
    itself if it is a DAG, and ``rank`` the place of its class by probability, None if the run has not listed it.

    ``edges`` is a pandas.DataFrame with one row per pair x, y: the ``edge`` of your graph ("->", "<-", "-" or ""), the
    ``verdict``, and the columns of ``edge_table``. The verdicts are "against": the pair is joined in your graph, with a
    probability below 0.5; "reversed": the opposite arrow has more than 0.5; "missing": the pair is not joined in your
    graph, but with a probability of at least 0.5; "unclear": resampled rows say otherwise; "open": joined, but no
    direction has more than 0.5; "holds"; and "absent": not joined in either. If rows were resampled, what is said
    against your graph must hold in both.

    ``independences`` is a pandas.DataFrame of the tests of what the graph implies: the ``node`` is independent of the
    ``other`` one ``given`` its parents. An independence is ``violated`` if its p-value is below 0.05 divided by the
    number of tests. It is None if the rows are not known, or the score has several models; ``untested`` says why.

    ``excluded`` says why the knowledge or the bounds of the run give the graph no weight, and ``lacking`` are variables
    of the posterior that the graph lacks; they count as variables without edges.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> mine = cz.exact_posterior(cz.GaussianBIC(table)).judge("rain -> wet, sun -> rain")
    >>> mine.against, mine.missing
    ([('sun', 'rain')], [('wet', 'sun')])
    """

    graph: ClassGraph
    is_dag: bool
    members: int
    log_odds: float
    class_probability: float
    probability: float
    rank: int | None
    classes: int
    edges: pd.DataFrame
    independences: pd.DataFrame | None
    untested: str = ""
    n_rows: int = 0
    excluded: str = ""
    lacking: tuple[Hashable, ...] = ()

    @property
    def against(self) -> list[Edge]:
        """The edges of the graph that the data speak against, the most improbable first."""
        return self._pairs("against")

    @property
    def reversed(self) -> list[Edge]:
        """The arrows of the graph whose opposite has more than half of all probability."""
        return self._pairs("reversed")

    @property
    def missing(self) -> list[Edge]:
        """The pairs that the graph does not join, and that are joined with probability 0.5 or more."""
        return self._pairs("missing")

    @property
    def ok(self) -> bool:
        """Whether the data say nothing against the graph: no edge against, reversed or missing, none violated.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> posterior = cz.exact_posterior(cz.GaussianBIC(table))
        >>> posterior.judge("rain -> wet <- sun").ok, posterior.judge("rain -> wet").ok
        (True, False)
        """
        wrong = self.against or self.reversed or self.missing or self.excluded
        return not wrong and not (self.independences is not None and self.independences["violated"].any())

    def _pairs(self, verdict: str) -> list[Edge]:
        """The pairs of a verdict, the cause first where the graph has an arrow."""
        rows = self.edges[self.edges["verdict"] == verdict]
        return [
            (y, x) if edge == "<-" else (x, y) for x, y, edge in zip(rows["x"], rows["y"], rows["edge"], strict=True)
        ]

    def __str__(self) -> str:
        return "\n".join([self._first(), *self._lines()])

    def _first(self) -> str:
        """How probable the graph is."""
        if self.excluded:
            return f"The graph has no weight: {self.excluded}."
        if math.isnan(self.log_odds) and not self.class_probability:
            return "The class of the graph was not visited, so it is improbable, but nothing else is known of it."
        own = f"The class of the graph has probability {class_probability(self.class_probability)}"
        if self.is_dag and self.members > 1:
            own += f", the graph itself, one of its {self.members:,} DAGs, {class_probability(self.probability)}"
        if self.rank == 1:
            return f"{own}. It is the most probable class."
        if math.isnan(self.log_odds):
            return f"{own}."
        if abs(self.log_odds) < EVEN:
            return f"{own}, as much as the most probable class."
        ahead, times = (
            ("The most probable class", "it") if self.log_odds > 0 else ("It", "the most probable class found")
        )
        return f"{own}. {ahead} is {_odds(abs(self.log_odds))} times as probable as {times}."

    def _lines(self) -> list[str]:
        lines = []
        if self.lacking:
            lines.append(f"Not in the graph, so without edges: {show_all(self.lacking)}.")
        held = int(self.edges["verdict"].isin(("holds", "open")).sum())
        total = int((self.edges["edge"] != "").sum())
        lines.append(
            f"{held:,} of its {count(total, 'edge')} {'is' if held == 1 else 'are'} joined in the posterior too."
        )
        lines += self._named("against", "Edges that the data speak against", "adjacent", "joined with probability")
        lines += self._named("reversed", "Arrows that point the other way", "backward", "the opposite has")
        lines += self._named("missing", "Edges that are missing", "adjacent", "joined with probability")
        lines += self._named(
            "unclear", "Unclear, as resampled rows say otherwise", "adjacent", "joined with probability"
        )
        return [*lines, *self._tests()]

    def _named(self, verdict: str, words: str, column: str, what: str) -> list[str]:
        rows = self.edges[self.edges["verdict"] == verdict]
        parts = []
        for row in rows.head(NAMED).to_dict("records"):
            x, y, edge = row["x"], row["y"], row["edge"]
            value = row["forward"] if column == "backward" and edge == "<-" else row[column]
            shown = f"{show(y)} -> {show(x)}" if edge == "<-" else f"{show(x)} {edge or '-'} {show(y)}"
            parts.append(f"{shown} ({probability(value)})")
        if len(rows) > NAMED:
            parts.append(f"and {len(rows) - NAMED:,} more")
        return [f"{words} ({what} in parentheses): {', '.join(parts)}."] if parts else []

    def _tests(self) -> list[str]:
        if self.independences is None:
            return [f"Its independences were not tested: {self.untested}."]
        violated = self.independences[self.independences["violated"]]
        tested = count(len(self.independences), "independence")
        lines = [f"Of the {tested} that it implies, the {self.n_rows:,} rows violate {len(violated):,}."]
        for row in violated.head(NAMED).to_dict("records"):
            given = f" given {show_all(row['given'])}" if row["given"] else ""
            lines.append(f"  {show(row['node'])} depends on {show(row['other'])}{given} (p = {row['p_value']:.1g})")
        return lines

    def _repr_html_(self) -> str:
        return view(self._first(), self._lines(), self.edges[self.edges["verdict"] != "absent"])

    def __repr__(self) -> str:
        return f"Judgement({self._first()})"


def _odds(log_odds: float) -> str:
    """Odds as a person would write them.

    >>> _odds(0.7), _odds(7.0), _odds(100.0)
    ('2', '1,100', '10^43')
    """
    power = log_odds / math.log(10)
    if power >= LARGEST_POWER:
        return f"10^{power:.0f}"
    odds = float(f"{math.exp(log_odds):.2g}")
    return f"{odds:,.0f}" if odds >= 2 else f"{odds:g}"
