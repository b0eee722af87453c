"""The paragraph for the methods section of a paper: what was done, in sentences, with the settings of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.answers.prior_weights import prior_in_words
from causal_zigzag.posterior.facts import ZIGZAG_NAMES
from causal_zigzag.posterior.stability import is_untested
from causal_zigzag.support.wording import count, percentage

if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior


def methods_paragraph(posterior: Posterior) -> str:
    """See ``Posterior.methods``."""
    return " ".join([*_model(posterior), *_run(posterior), *_accuracy(posterior), *_stability(posterior), ASSUMPTIONS])


ASSUMPTIONS = (
    "The analysis assumes that there are no unmeasured common causes of two of the variables, no selection on them and "
    "no feedback between them."
)


def _model(posterior: Posterior) -> list[str]:
    target, record = posterior.target, posterior.record
    version = "" if record is None else f" {record.version}"
    what = "Markov equivalence classes of directed acyclic graphs"
    found = [
        (
            f"We sampled the posterior distribution over {what} of {count(len(posterior.nodes), 'variable')} with "
            f"causal-zigzag{version} (Schauer & Wienöbst 2024)."
        ),
        f"The score was {target.score!r}"
        + (f" ({target.score.reason})." if target.score.reason else ".")
        + (f" It was multiplied by {target.coldness:g}." if target.coldness != 1 else ""),
        f"The prior was {prior_in_words(posterior.prior)}, with a factor of {target.edge_prior}.",
    ]
    if target.max_degree is not None:
        found.append(f"Variables had at most {target.max_degree} neighbors.")
    if target.knowledge is not None:
        found.append(
            f"Background knowledge was given as {target.knowledge}; only graphs that agree with it had weight."
        )
    if record is not None and record.left_out:
        found.append(f"{count(record.left_out, 'row')} with missing cells {_were(record.left_out)} left out.")
    if target.score.is_incomplete:
        missing = int(target.score.missing.sum())
        found.append(f"{count(missing, 'missing cell')} {_were(missing)} sampled together with the graph.")
    audit = posterior.audit()
    return found + ([] if audit is None else [str(note) for note in audit.notes])


def _run(posterior: Posterior) -> list[str]:
    ran, settings = posterior.statistics, posterior.settings
    jumps, warmup = (sum(getattr(s, what) for s in ran) for what in ("jumps", "warmup"))
    process = f"momentum {settings.momentum:g}{ZIGZAG_NAMES.get(settings.momentum, '')}"
    annealed = "annealed starts and " if any(s.annealing for s in ran) else ""
    found = f"{count(len(ran), 'chain')} with {process} made {jumps:,} jumps in total after {annealed}{warmup:,} jumps "
    seed = None if posterior.record is None else posterior.record.seed
    return [f"{found}of warm-up{'' if seed is None else f' (seed {seed})'}."]


def _accuracy(posterior: Posterior) -> list[str]:
    diagnostics = posterior.diagnostics()
    table = diagnostics.table
    found = []
    if len(posterior._results) > 1 and table["r_hat"].notna().any():
        found.append(
            f"The largest R-hat of all edges, the number of edges and the score was {table['r_hat'].max():.3f}."
        )
    errors = table["mcse"].iloc[2:]
    if errors.notna().any():
        found.append(f"The largest Monte Carlo standard error of a probability was {np.nanmax(errors):.2g}.")
    if diagnostics.exact is not None:
        difference = diagnostics.exact.largest_difference
        found.append(f"Probabilities of adjacencies differed from exact ones by at most {difference:.2g}.")
    if not diagnostics.ok:
        found.append("The run had not converged, so that numbers are provisional.")
    if posterior.unlisted > 0:
        found.append(f"{percentage(posterior.unlisted)} of the time was spent in classes that were not listed.")
    return found


def _stability(posterior: Posterior) -> list[str]:
    if posterior.resampled is None:
        return ["Rows were not resampled."] if is_untested(posterior) else []
    resampled = posterior.resampled
    number, error = count(resampled.resamples, "resample"), resampled.diagnostics().mcse
    return [
        (
            f"The posterior was also averaged over {number} of the rows ({resampled.scheme}; Huggins & Miller 2023), "
            f"with Monte Carlo errors of at most {error:.2g}."
        ),
        "We report both probabilities, and arrows only if they have more than half of all probability in both.",
    ]


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
