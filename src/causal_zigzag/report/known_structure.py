"""The known structure of a bundled table beside the answer: which of its edges a run found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag import datasets
from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.report.markup import escape, name, row, table
from causal_zigzag.support.wording import count, probability

if TYPE_CHECKING:
    from collections.abc import Hashable

    from causal_zigzag.posterior.posterior import Posterior

HEADS = ("Known edge", "Joined", "Forward", "Backward", "Open", "Found")


class Compared(NamedTuple):
    """A known edge x -> y, or a pair that the run joins although it is not known, with its probabilities.

    ``known`` says whether the edge is known, and ``determinable`` whether observations can determine its direction.
    """

    x: Hashable
    y: Hashable
    known: bool
    determinable: bool
    outcome: str
    numbers: tuple[str, ...]


class KnownStructure(NamedTuple):
    """Where the known edges come from, and each of them compared with the answer."""

    source: str
    edges: list[Compared]
    is_truth: bool

    @property
    def heading(self) -> str:
        """What the answer is compared with."""
        return f"The {'truth' if self.is_truth else 'literature'} beside the answer"

    @property
    def text(self) -> str:
        """The comparison in a few sentences."""
        known = [edge for edge in self.edges if edge.known]
        joined = sum(edge.outcome != "no" for edge in known)
        directed = [edge for edge in known if edge.determinable]
        right = sum(edge.outcome == "yes" for edge in directed)
        extra = len(self.edges) - len(known)
        others = "no other pair is" if not extra else f"{count(extra, 'other pair')} {'is' if extra == 1 else 'are'}"
        return (
            f"{self.source} {joined} of its {len(known)} edges are joined with probability {CONSENSUS_THRESHOLD:g} or "
            f"more, and {others}. Observations can determine the direction of {len(directed)} of the edges; {right} of "
            "these are found with their direction."
        )


def known_structure(posterior: Posterior) -> KnownStructure | None:
    """The comparison for a run on a bundled table with a reference graph; None for any other run."""
    record = posterior.record
    if record is None or record.origin != "name" or record.data not in datasets.with_reference():
        return None
    if {*posterior.nodes} != {*datasets.describe(record.data).columns}:
        return None  # a table of the user's own that has this name, or only some of the columns
    simulated = datasets.describe(record.data).is_simulated
    source = (
        "The table was simulated, so its graph is known."
        if simulated
        else ("The literature agrees on a graph for this table, which need not be complete.")
    )
    edges = datasets.reference_edges(record.data)
    truth, consensus = CPDAG.from_dag(edges, nodes=posterior.nodes), posterior.consensus()
    found = posterior.edge_probabilities()
    number = {v: i for i, v in enumerate(posterior.nodes)}

    def compared(x: Hashable, y: Hashable, known: bool, outcome: str) -> Compared:
        i, j = number[x], number[y]
        ways = found.adjacent[i, j], found.directed[i, j], found.directed[j, i], found.undirected[i, j]
        return Compared(x, y, known, known and y in truth.children(x), outcome, tuple(map(probability, ways)))

    def outcome(x: Hashable, y: Hashable) -> str:
        determinable = y in truth.children(x)
        if y not in consensus.adjacent(x):
            return "no"
        if x in consensus.children(y):
            return "yes, turned around"
        if y in consensus.children(x):
            return "yes" if determinable else "yes, as an arrow"
        return "yes, without direction" if determinable else "yes"

    extra = [(x, y) for x, y in (*consensus.directed_edges, *consensus.undirected_edges) if y not in truth.adjacent(x)]
    listed = [compared(x, y, True, outcome(x, y)) for x, y in edges]
    return KnownStructure(source, [*listed, *(compared(x, y, False, "not a known edge") for x, y in extra)], simulated)


def known_structure_html(known: KnownStructure) -> str:
    """The comparison as text and a table."""
    rows = [row(_edge(edge), *edge.numbers, note=edge.outcome) for edge in known.edges]
    return (
        f"<p>{escape(known.text)} An edge that is known as a line here can point either way without changing what is "
        f"observed.</p>{table('Known edges', HEADS, rows)}"
    )


def _edge(edge: Compared) -> str:
    mark, words = ("→", "causes") if edge.determinable else ("—", "direction not determinable")
    return f'{name(edge.x)}<span class="mark" role="img" aria-label="{words}">{mark}</span>{name(edge.y)}'
