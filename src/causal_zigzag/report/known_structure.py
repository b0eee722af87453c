"""The known structure of a bundled table beside the answer: which of its edges a run found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from causal_zigzag import datasets
from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.report.markup import escape, name
from causal_zigzag.support.wording import count, probability

if TYPE_CHECKING:
    from collections.abc import Hashable

    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.posterior.posterior import Posterior

HEADS = ("Known edge", "Joined", "This way", "Other way", "Open", "Found")


class Compared(NamedTuple):
    """A known edge x -> y, or a pair that the run joins although it is not known, with its probabilities.

    ``known`` says whether the edge is known, and ``determinable`` whether observations can determine its direction.
    """

    x: Hashable
    y: Hashable
    known: bool
    determinable: bool
    joined: float
    forward: float
    backward: float
    undirected: float
    outcome: str

    @property
    def numbers(self) -> tuple[str, str, str, str]:
        """The four probabilities in the order of HEADS."""
        joined, forward, backward, undirected = map(
            probability, (self.joined, self.forward, self.backward, self.undirected)
        )
        return joined, forward, backward, undirected


class KnownStructure(NamedTuple):
    """Where the known edges come from, and each of them compared with the answer."""

    source: str
    edges: list[Compared]
    is_truth: bool

    @property
    def text(self) -> str:
        """The comparison in a few sentences."""
        known = [edge for edge in self.edges if edge.known]
        joined = sum(edge.joined >= CONSENSUS_THRESHOLD for edge in known)
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
        else "The literature agrees on a graph for this table, which need not be complete."
    )
    edges = datasets.reference_edges(record.data)
    truth = CPDAG.from_dag(edges, nodes=posterior.nodes)
    consensus = posterior.consensus()
    return KnownStructure(source, [*_known(posterior, edges, truth, consensus), *_extra(posterior, truth)], simulated)


def _known(
    posterior: Posterior, edges: tuple[tuple[str, str], ...], truth: CPDAG, consensus: ClassGraph
) -> list[Compared]:
    found = []
    for x, y in edges:
        determinable = y in truth.children(x)
        if y not in consensus.adjacent(x):
            outcome = "no"
        elif y in consensus.children(x):
            outcome = "yes" if determinable else "yes, as an arrow"
        elif x in consensus.children(y):
            outcome = "yes, turned around"
        else:
            outcome = "yes, without direction" if determinable else "yes"
        found.append(_compared(posterior, x, y, True, determinable, outcome))
    return found


def _extra(posterior: Posterior, truth: CPDAG) -> list[Compared]:
    table = posterior.edge_table()
    likely = table[table["adjacent"] >= CONSENSUS_THRESHOLD]
    pairs = [(x, y) for x, y in zip(likely["x"], likely["y"], strict=True) if y not in truth.adjacent(x)]
    return [_compared(posterior, x, y, False, False, "not a known edge") for x, y in pairs]


def _compared(
    posterior: Posterior, x: Hashable, y: Hashable, known: bool, determinable: bool, outcome: str
) -> Compared:
    edges, i, j = posterior.edge_probabilities(), posterior.nodes.index(x), posterior.nodes.index(y)
    ways = float(edges.directed[i, j]), float(edges.directed[j, i]), float(edges.undirected[i, j])
    return Compared(x, y, known, determinable, float(edges.adjacent[i, j]), *ways, outcome)


def known_structure_html(known: KnownStructure) -> str:
    """The comparison as text and a table."""
    head = "".join(f'<th scope="col">{text}</th>' for text in HEADS)
    rows = "".join(
        f'<tr><th scope="row">{_edge(edge)}</th>'
        + "".join(f'<td class="num">{text}</td>' for text in edge.numbers)
        + f'<td class="small">{edge.outcome}</td></tr>'
        for edge in known.edges
    )
    return (
        f"<p>{escape(known.text)} An edge that is known as a line here can point either way without changing what is "
        'observed.</p><div class="scroll still" tabindex="0" role="region" aria-label="Known edges">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _edge(edge: Compared) -> str:
    mark, words = ("→", "causes") if edge.determinable else ("—", "direction not determinable")
    label = f'<span class="mark" role="img" aria-label="{words}">{mark}</span>'
    return f"{name(str(edge.x))}{label}{name(str(edge.y))}"
