"""EffectPictures: the pictures that every posterior has, as methods of ``posterior.plot``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from matplotlib.axes import Axes

    from causal_zigzag.answers.distribution import Distribution


class EffectPictures:
    """The pictures of effects in a posterior."""

    def __init__(self, posterior: Distribution) -> None:
        self._posterior = posterior

    def effects(self, outcome: Hashable, *, standardized: bool = False, ax: Axes | None = None) -> Axes:
        """The effects of all other variables on one: 95 % intervals, the largest effect first, and probabilities.

        They are the rows of ``effects(outcomes=outcome)``, per standard deviation if ``standardized``; up to 40 causes
        with a probability of at least 0.01 are shown, on ``ax`` or on a new figure.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> axes = cz.sample(table, jumps=2000, rng=1).plot.effects("wet")
        >>> sorted(label.get_text() for label in axes.get_yticklabels())
        ['rain', 'sun']
        """
        from causal_zigzag.figures.effect_plots import outcome_plot

        table = self._posterior.effects(outcomes=[outcome], standardized=standardized)
        return outcome_plot(table, outcome, ax, standardized)
