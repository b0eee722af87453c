"""Resampled: the average of the posteriors of resampled tables, which answers what a posterior answers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from causal_zigzag.answers.distribution import Distribution
from causal_zigzag.answers.resamples.mixture import Resamples, mixed_classes
from causal_zigzag.answers.top_classes import top_lines
from causal_zigzag.errors import SettingsError
from causal_zigzag.posterior.posterior_plots import ClassPlots
from causal_zigzag.support.frozen_arrays import read_only
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.target.target import Target

GOAL = 0.05  # Monte Carlo error between resamples of every open arrow and adjacency
OPEN = 0.05  # probabilities within this of 0 or 1 are not open
AGREE = 1.1  # R-hat of the two chains of a resample, which are short


@final
@dataclass(frozen=True, eq=False, repr=False)
class Resampled(Distribution):
    """What holds when rows are resampled: the average of the posteriors of resampled tables.

    Every resample has the same weight, and effects in it are computed with its own rows. ``scheme`` says what was
    drawn, ``by`` the columns that name rows that were drawn together. Errors, such as the ``mcse`` of ``edge_table``,
    are those of the limited number of ``resamples``; they are estimated from the differences between resamples.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> resampled = cz.sample(table, jumps=20_000, resamples=16, rng=1).resampled
    >>> resampled
    Resampled(16 resamples of 3 nodes: 0.7 times as many rows as there are, with replacement)
    >>> bool(resampled.edge_probabilities().frame().loc["rain", "wet"] > 0.9)
    True
    """

    target: Target  # of the whole table
    runs: tuple[Posterior, ...]  # one per resample
    numbers: tuple[int, ...]  # of the resamples
    scheme: str
    together: int  # consecutive resamples that depend on each other
    by: tuple[Any, ...]
    r_hats: tuple[float, ...]  # the largest of each resample; NaN if nothing is open, or chains began at exact draws
    lost: int = 0  # resamples whose chains had no time, or were interrupted

    @property
    def plot(self) -> ClassPlots:
        """Pictures, as methods: ``plot.edges()`` and ``plot.top()``; the consensus of a posterior shows what holds.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> len(cz.sample(table, jumps=2000, resamples=4, rng=1).resampled.plot.top(2))
        2
        """
        return ClassPlots(self)

    @property
    def resamples(self) -> int:
        """The number of resamples.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> cz.sample(table, jumps=2000, resamples=4, rng=1).resampled.resamples
        4
        """
        return len(self.runs)

    @cached_property
    def _classes(self) -> WeightedClasses:
        """The mixture of the classes of all resamples."""
        blocks = [number // self.together for number in self.numbers]
        return mixed_classes(self.target, Resamples([run._classes for run in self.runs], blocks))

    @cached_property
    def edge_values(self) -> NDArray[np.float64]:
        """The probabilities in each resample, resamples by n by n by 3: i -> j, i - j and j -> i.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> cz.sample(table, jumps=2000, resamples=4, rng=1).resampled.edge_values.shape
        (4, 3, 3, 3)
        """
        n = len(self.nodes)
        found = np.empty((self.resamples, n, n, 3))
        for own, run in zip(found, self.runs, strict=True):
            edges = run.edge_probabilities()
            own[:, :, 0], own[:, :, 1], own[:, :, 2] = edges.directed, edges.undirected, edges.directed.T
        return read_only(found)

    def diagnostics(self) -> ResampledDiagnostics:
        """Whether there are enough resamples, and whether the chains of each agree.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> cz.sample(table, jumps=20_000, resamples=16, rng=1).resampled.diagnostics().ok
        True
        """
        errors, edges = self._classes.edge_errors, self._classes.edges
        kinds = np.stack([edges.adjacent, edges.directed, edges.directed.T, edges.undirected], axis=-1)
        is_open = (kinds > OPEN) & (kinds < 1 - OPEN)
        largest = float(np.nan_to_num(errors[is_open], nan=np.inf).max(initial=0.0))
        disagree = sum(r_hat > AGREE for r_hat in self.r_hats)
        return ResampledDiagnostics(self.resamples, self.lost, largest, disagree, self.r_hats)

    def summary(self) -> str:
        """A few lines of text: what was drawn, how accurate the average is, and the most probable classes.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> print(cz.sample(table, jumps=2000, resamples=4, rng=1).resampled.summary().splitlines()[0])
        Average of the posteriors of 4 resamples of 3 nodes
        """
        lines = [
            f"Average of the posteriors of {count(self.resamples, 'resample')} of {count(len(self.nodes), 'node')}",
            f"drawn       {self.scheme}",
            f"accuracy    {self.diagnostics()}",
            f"edges       {self._classes.edges.adjacent.sum() / 2:.4g} expected",
            *top_lines(self._classes),
        ]
        return "\n".join(lines)

    def reweight(self, prior: Any) -> Resampled:
        """The same resamples under another prior, see ``Posterior.reweight``; each lists few classes, and has draws."""
        from causal_zigzag.posterior.reweighting import reweight

        return replace(self, runs=tuple(reweight(run, prior, warn=False) for run in self.runs))

    def __getstate__(self) -> dict[str, object]:
        """The fields alone: a pickle contains nothing that can be computed from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        return f"Resampled({count(self.resamples, 'resample')} of {count(len(self.nodes), 'node')}: {self.scheme})"


@dataclass(frozen=True)
class ResampledDiagnostics:
    """The accuracy of what was averaged over resamples.

    ``mcse`` is the largest Monte Carlo error of an adjacency, arrow or line with a probability between 0.05 and 0.95,
    ``disagree`` the number of resamples whose two chains disagree, ``lost`` that of resamples without a result.
    """

    resamples: int
    lost: int
    mcse: float
    disagree: int
    r_hats: tuple[float, ...]

    @property
    def accurate(self) -> bool:
        """Whether every open probability is known to ± 0.1, two standard errors."""
        return self.mcse <= GOAL

    @property
    def ok(self) -> bool:
        """Whether there are enough resamples, and at most a tenth of them have chains that disagree."""
        return self.accurate and self.disagree <= self.resamples // 10

    @property
    def verdict(self) -> str:
        """The conclusions in words."""
        text = f"{count(self.resamples, 'resample')}; probabilities are known to within {2 * self.mcse:.2g}"
        text += f", more than {2 * GOAL:g}: more resamples are needed" if self.mcse > GOAL else ""
        text += f". In {count(self.disagree, 'resample')} the two chains disagree" if self.disagree else ""
        text += f". {count(self.lost, 'resample')} {'is' if self.lost == 1 else 'are'} missing" if self.lost else ""
        return f"{text}."

    def __str__(self) -> str:
        return self.verdict


def merge_resampled(runs: Sequence[Posterior]) -> Resampled | None:
    """The resamples of all these posteriors together; None if none of them has any."""
    held = [run.resampled for run in runs if run.resampled is not None]
    if len(held) < 2:
        return held[0] if held else None
    first = held[0]
    if any((other.scheme, other.by) != (first.scheme, first.by) for other in held):
        words = "; ".join(dict.fromkeys(other.scheme for other in held))
        raise SettingsError(f"the rows of these posteriors were resampled in different ways: {words}")
    numbers, after = [], 0
    for own in held:
        numbers += [after + number for number in own.numbers]
        after = (max(numbers) // first.together + 1) * first.together
    return replace(
        first,
        runs=tuple(run for own in held for run in own.runs),
        numbers=tuple(numbers),
        r_hats=tuple(r_hat for own in held for r_hat in own.r_hats),
        lost=sum(own.lost for own in held),
    )
