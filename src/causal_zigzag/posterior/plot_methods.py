"""The plots that a posterior has as methods; matplotlib is imported only when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from causal_zigzag.posterior.posterior import Posterior


class Plots:
    """What ``Posterior`` inherits. Every plot is returned as a ``matplotlib.figure.Figure``, and none is shown.

    Notebooks show a figure by themselves; ``figure.savefig("name.pdf")`` writes it. pyplot is left alone.
    """

    __slots__ = ()

    def plot(self) -> Figure:
        """An overview: the consensus graph, the edges and classes most probable, and the traces of the chains.

        >>> import causal_zigzag as cz
        >>> figure = cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot()
        >>> len(figure.axes)
        6
        """
        from causal_zigzag.figures.plots import overview_figure

        return overview_figure(cast("Posterior", self))

    def plot_edges(self, kind: str | None = None) -> Figure:
        """A heat map of the probabilities of the edges.

        ``kind`` is "adjacent", "directed" (from the row to the column), "undirected", or None: the first two.

        >>> import causal_zigzag as cz
        >>> figure = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=1000, rng=1).plot_edges("adjacent")
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['a', 'b', 'c']
        """
        from causal_zigzag.figures.plots import edges_figure

        return edges_figure(cast("Posterior", self), kind)

    def plot_top(self, k: int = 4) -> Figure:
        """The ``k`` most probable classes, drawn with their arrows and lines, and their probabilities.

        All have their nodes at the same places; edges that differ from the most probable class stand out.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot_top(3).axes)
        3
        """
        from causal_zigzag.figures.plots import top_figure

        return top_figure(cast("Posterior", self), k)

    def plot_consensus(self, threshold: float = CONSENSUS_THRESHOLD) -> Figure:
        """The graph ``consensus(threshold)``; the more probable a pair is joined, the wider and darker its edge.

        An edge has an arrowhead only where its direction is settled; see ``consensus``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> figure = cz.sample(table, jumps=1000, rng=1).plot_consensus()
        >>> sorted(text.get_text() for text in figure.axes[0].texts)
        ['rain', 'sun', 'wet']
        """
        from causal_zigzag.figures.plots import consensus_figure

        return consensus_figure(cast("Posterior", self), threshold)

    def plot_trace(self, window: int = 200) -> Figure:
        """Numbers of edges and scores of all chains over time, and the last ``window`` points of the first chain.

        There the color tells the direction: the Zig-Zag inserts for a while, then deletes for a while.

        >>> import causal_zigzag as cz
        >>> [ax.get_ylabel() for ax in cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot_trace().axes]
        ['edges', 'score', 'edges']
        """
        from causal_zigzag.figures.plots import trace_figure

        return trace_figure(cast("Posterior", self), window)

    def plot_diagnostics(self) -> Figure:
        """The verdict of ``diagnostics``, effective samples and R-hat of what has the fewest, and rank plots.

        In a rank plot the bars of every chain are flat where all chains tell the same.

        >>> import causal_zigzag as cz
        >>> figure = cz.sample(cz.Uniform(3), jumps=2000, chains=2, rng=1).plot_diagnostics()
        >>> [ax.get_title(loc="left") for ax in figure.axes[:2]]
        ['effective samples', 'R-hat']
        """
        from causal_zigzag.figures.plots import diagnostics_figure

        return diagnostics_figure(cast("Posterior", self))
