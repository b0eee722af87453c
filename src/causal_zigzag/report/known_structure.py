"""The known structure of a bundled table beside the answer: which of its edges a run found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag import datasets
from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.report.markup import escape, name, row, table
from causal_zigzag.support.wording import probability

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
    """The known edges, each compared with the answer, and whether they are those of a simulation."""

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
        agreed = "The literature agrees on a graph for this table, which need not be complete."
        return (
            f"{'The table was simulated, so its graph is known.' if self.is_truth else agreed} {joined} of its "
            f"{len(known)} edges are joined with probability {CONSENSUS_THRESHOLD:g} or more; other "
            f"pairs: {extra or 'none'}. Observations can determine the direction of {len(directed)} of the edges; "
            f"{right} of these are found with their direction."
        )


def known_structure(posterior: Posterior) -> KnownStructure | None:
    """The comparison for a run on a bundled table with a reference graph; None for any other run."""
    record = posterior.record
    if record is None or record.origin != "name" or record.data not in datasets.with_reference():
        return None
    if {*posterior.nodes} != {*datasets.describe(record.data).columns}:
        return None  # a table of the user's own that has this name, or only some of the columns
    simulated = datasets.describe(record.data).is_simulated
    edges = datasets.reference_edges(record.data)
    truth, consensus = CPDAG.from_dag(edges, nodes=posterior.nodes), posterior.consensus()
    found = posterior.edge_probabilities()
    number = {v: i for i, v in enumerate(posterior.nodes)}

    def compared(x: Hashable, y: Hashable, known: bool) -> Compared:
        i, j = number[x], number[y]
        ways = found.adjacent[i, j], found.directed[i, j], found.directed[j, i], found.undirected[i, j]
        determinable = y in truth.children(x)
        if not known:
            outcome = "not a known edge"
        elif y not in consensus.adjacent(x):
            outcome = "no"
        elif x in consensus.children(y):
            outcome = "yes, turned around"
        elif determinable == (y in consensus.children(x)):
            outcome = "yes"
        else:
            outcome = "yes, without direction" if determinable else "yes, as an arrow"
        return Compared(x, y, known, determinable, outcome, tuple(map(probability, ways)))

    extra = [(x, y) for x, y in (*consensus.directed_edges, *consensus.undirected_edges) if y not in truth.adjacent(x)]
    both = [*(compared(x, y, known=True) for x, y in edges), *(compared(x, y, known=False) for x, y in extra)]
    return KnownStructure(both, simulated)


def known_structure_html(known: KnownStructure) -> str:
    """The comparison as text and a table."""
    rows = []
    for edge in known.edges:
        mark, words = ("→", "causes") if edge.determinable else ("—", "direction not determinable")
        head = f'{name(edge.x)}<span class="mark" role="img" aria-label="{words}">{mark}</span>{name(edge.y)}'
        rows.append(row(head, *edge.numbers, note=edge.outcome))
    return (
        f"<p>{escape(known.text)} An edge that is known as a line here can point either way without changing what is "
        f"observed.</p>{table('Known edges', HEADS, rows)}"
    )
