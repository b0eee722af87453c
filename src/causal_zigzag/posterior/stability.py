"""What of a run holds when rows are resampled, or that this was not tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_zigzag.answers.resamples.stability import Stability, stability
from causal_zigzag.answers.settled_directions import arrows_from_knowledge

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.tables.finding import Finding


def stability_of(posterior: Posterior) -> Stability | None:
    """What holds when rows are resampled; None if they were not."""
    return stability(posterior.edge_probabilities(), arrows_of_consensus(posterior))


def is_untested(posterior: Posterior) -> bool:
    """Whether the run has rows, and it is not known what holds when they are resampled."""
    return not posterior.score.is_flat and posterior.edge_probabilities().again is None


def groups_apart(posterior: Posterior) -> Finding | None:
    """The groups of rows that the audit proposes to resample together, unless they were."""
    audit, resampled = posterior.audit(), posterior.resampled
    if audit is None or (resampled is not None and resampled.by):
        return None
    return next((doubt for doubt in audit.about("groups") if doubt.option), None)


def arrows_of_consensus(posterior: Posterior) -> tuple[tuple[object, object], ...]:
    """The arrows between pairs of the consensus graph whose direction comes from the knowledge, whatever the data."""
    restriction = posterior.target.restriction
    return () if restriction is None else arrows_from_knowledge(posterior.consensus().matrix(), restriction)
