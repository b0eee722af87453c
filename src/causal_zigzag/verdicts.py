"""Whether a run can be believed, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from causal_zigzag.posterior import Posterior


class Verdict(NamedTuple):
    """Whether the chains agree as far as can be told, and a sentence or two."""

    ok: bool
    verdict: str


def diagnosed(posterior: Posterior) -> Any:
    """The diagnostics of a run."""
    if hasattr(posterior, "diagnostics"):
        return posterior.diagnostics()
    return Verdict(not posterior.shortfalls(), "Convergence was not assessed: compare the paths of the chains.")
