"""PosteriorPlots: the plots of a posterior as its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from causal_zigzag.posterior.posterior import Posterior


class PosteriorPlots:
    """The methods ``plot*`` of ``Posterior``."""

    def plot(self, ax: Any = None) -> Figure:
        """An overview: the consensus graph, the most probable edges and classes, and the traces of the chains.

        >>> import causal_zigzag as cz
        >>> figure = cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot()
        >>> len(figure.axes)
        5
        """
        from causal_zigzag.figures.plots import plot_overview

        return plot_overview(cast("Posterior", self), ax)

    def plot_edges(self, kind: str | None = None, ax: Any = None) -> Figure:
        """A heat map of edge probabilities.

        ``kind`` is "adjacent", "directed" (from the row to the column) or "undirected"; None shows the first two.

        >>> import causal_zigzag as cz
        >>> figure = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=1000, rng=1).plot_edges("adjacent")
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['a', 'b', 'c']
        """
        from causal_zigzag.figures.plots import plot_edges

        return plot_edges(cast("Posterior", self), kind, ax)

    def plot_top(self, k: int = 4, ax: Any = None) -> Figure:
        """The ``k`` most probable classes, at most 100, and their probabilities.

        The nodes have the same positions in all of them; edges that differ from the most probable class are
        highlighted.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot_top(3).axes)
        3
        """
        from causal_zigzag.figures.plots import plot_top

        return plot_top(cast("Posterior", self), k, ax)

    def plot_consensus(
        self, threshold: float = CONSENSUS_THRESHOLD, ax: Any = None, *, signs: Literal["color", "text"] | None = None
    ) -> Figure:
        """The graph ``consensus(threshold)``; the more probable a pair is joined, the wider and darker its edge.

        An edge has an arrowhead only where the arrow has more than half of all probability; see ``consensus``.
        ``signs`` shows whether a cause raises or lowers its effect, by the color of an edge or by +, − and ± on it; see
        ``strengths``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> figure = cz.sample(table, jumps=1000, rng=1).plot_consensus()
        >>> sorted(text.get_text() for text in figure.axes[0].texts)
        ['rain', 'sun', 'wet']
        """
        from causal_zigzag.figures.plots import plot_consensus

        return plot_consensus(cast("Posterior", self), threshold, ax, signs)

    def plot_trace(self, window: int = 200, ax: Any = None) -> Figure:
        """Numbers of edges and scores of all chains over time, and the last ``window`` points of the first chain.

        In the latter, the color is the direction: the Zig-Zag inserts for a while, then deletes for a while.

        >>> import causal_zigzag as cz
        >>> [ax.get_ylabel() for ax in cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot_trace().axes]
        ['edges', 'score', 'edges']
        """
        from causal_zigzag.figures.plots import plot_trace

        return plot_trace(cast("Posterior", self), window, ax)

    def plot_diagnostics(self, ax: Any = None) -> Figure:
        """The verdict of ``diagnostics``, the quantities with the fewest effective samples, and rank plots.

        In a rank plot the bars of every chain have about the same height if the chains agree.

        >>> import causal_zigzag as cz
        >>> figure = cz.sample(cz.Uniform(3), jumps=2000, chains=2, rng=1).plot_diagnostics()
        >>> [ax.get_title(loc="left") for ax in figure.axes[:2]]
        ['effective samples', 'R-hat']
        """
        from causal_zigzag.figures.diagnostics_plot import plot_diagnostics

        return plot_diagnostics(cast("Posterior", self), ax)
