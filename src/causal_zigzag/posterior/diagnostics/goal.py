"""The goal of a run until converged: a good verdict, and small errors of all adjacencies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from causal_zigzag.posterior.diagnostics.diagnostics import diagnose
from causal_zigzag.posterior.diagnostics.verdict import GOAL_WIDTH, HIGH_R_HAT

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior


class Distance(NamedTuple):
    """How far a run is from the goal: two standard errors of the worst adjacency, and the largest R-hat."""

    error: float
    r_hat: float
    reached: bool

    def __str__(self) -> str:
        """What is still missing, for a progress bar."""
        return f"errors ±{self.error:.2g} of ±{GOAL_WIDTH:g}, R-hat {self.r_hat:.3g} of {HIGH_R_HAT:g}".replace(
            "nan", "?"
        )


def distance_to_goal(run: Posterior) -> Distance:
    """The errors of a run, and whether the goal is reached.

    What takes longer is only computed where the errors are small: R-hat and the verdict, and the comparison with exact
    probabilities where everything else is good.
    """
    errors = run._classes.edge_errors[:, :, 0]
    error = 2 * float(np.nanmax(errors)) if np.isfinite(errors).any() else math.nan
    if error > GOAL_WIDTH:
        return Distance(error, math.nan, False)
    quick = diagnose(run, compare=False)
    r_hats = quick.table["r_hat"].to_numpy()
    r_hat = float(np.nanmax(r_hats)) if np.isfinite(r_hats).any() else math.nan
    reached = quick.ok and run.diagnostics().ok
    return Distance(error, r_hat, reached)
