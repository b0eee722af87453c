"""Plots: the pictures of a sampled posterior, as ``posterior.plot()`` and the methods of ``posterior.plot``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD
from causal_zigzag.answers.effect_pictures import EffectPictures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from causal_zigzag.posterior.posterior import Posterior


class ClassPlots(EffectPictures):
    """The pictures of edges and classes, which ``posterior.resampled.plot`` has too."""

    @property
    def _sampled(self) -> Posterior:
        return cast("Posterior", self._posterior)

    def edges(self, kind: Literal["adjacent", "directed", "undirected"] = "adjacent", *, ax: Any = None) -> Axes:
        """A heat map of edge probabilities; "directed" is from the row to the column.

        >>> import causal_zigzag as cz
        >>> axes = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=1000, rng=1).plot.edges()
        >>> [label.get_text() for label in axes.get_xticklabels()]
        ['a', 'b', 'c']
        """
        from causal_zigzag.figures.plots import plot_edges

        return plot_edges(self._sampled, kind, ax)

    def top(self, k: int = 4, *, ax: Any = None) -> NDArray[Any]:
        """The ``k`` most probable classes, at most 100, and their probabilities, each on axes of its own.

        The nodes have the same positions in all of them; edges that differ from the most probable class are
        highlighted.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot.top(3))
        3
        """
        from causal_zigzag.figures.plots import plot_top

        return plot_top(self._sampled, k, ax)


class Plots(ClassPlots):
    """The pictures of a posterior: ``posterior.plot()`` is an overview, ``posterior.plot.edges()`` a heat map.

    As with pandas and ArviZ, the result is a matplotlib ``Axes``, or an array of them, on a new pyplot figure;
    ``axes.figure.savefig("name.pdf")`` writes it to a file. With ``ax=`` a picture is drawn on axes of yours, as many
    as are returned otherwise.
    """

    def __call__(self, ax: Any = None) -> NDArray[Any]:
        """An overview on five axes: the consensus graph, the likeliest edges and classes, and the traces of the chains.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot())
        5
        """
        from causal_zigzag.figures.plots import plot_overview

        return plot_overview(self._sampled, ax)

    def consensus(
        self, threshold: float = CONSENSUS_THRESHOLD, *, signs: Literal["color", "text"] | None = None, ax: Any = None
    ) -> Axes:
        """The graph ``consensus(threshold)``; the more probable a pair is joined, the wider and darker its edge.

        An edge has an arrowhead only where its direction is settled; see ``consensus``. ``signs`` shows whether a cause
        raises or lowers its effect, by the color of an edge or by +, − and ± on it; see ``strengths``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> axes = cz.sample(table, jumps=1000, rng=1).plot.consensus()
        >>> sorted(text.get_text() for text in axes.texts)
        ['rain', 'sun', 'wet']
        """
        from causal_zigzag.figures.plots import plot_consensus

        return plot_consensus(self._sampled, threshold, ax, signs)

    def trace(self, window: int = 200, *, ax: Any = None) -> NDArray[Any]:
        """On three axes: edges and scores of all chains over time, and the last ``window`` points of the first chain.

        In the latter, the color is the direction: the Zig-Zag inserts for a while, then deletes for a while.

        >>> import causal_zigzag as cz
        >>> [ax.get_ylabel() for ax in cz.sample(cz.Uniform(3), jumps=1000, rng=1).plot.trace()]
        ['edges', 'score', 'edges']
        """
        from causal_zigzag.figures.plots import plot_trace

        return plot_trace(self._sampled, window, ax)

    def diagnostics(self, *, ax: Any = None) -> NDArray[Any]:
        """Effective samples and R-hat of the quantities with the fewest, on two axes; with the verdict and rank plots.

        In a rank plot the bars of every chain have about the same height if the chains agree. Rank plots and the
        verdict are on new figures only.

        >>> import causal_zigzag as cz
        >>> axes = cz.sample(cz.Uniform(3), jumps=2000, chains=2, rng=1).plot.diagnostics()
        >>> [ax.get_title(loc="left") for ax in axes]
        ['effective samples', 'R-hat']
        """
        from causal_zigzag.figures.diagnostics_plot import plot_diagnostics

        return plot_diagnostics(self._sampled, ax)
