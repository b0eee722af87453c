"""sample_ancestral(): from data or a score to the posterior over maximal ancestral graphs."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any

from causal_zigzag.ancestral.chains import run_chains
from causal_zigzag.ancestral.columns import GaussianColumns, Normalizing, gaussian_columns
from causal_zigzag.ancestral.posterior import AncestralPosterior
from causal_zigzag.ancestral.restriction import knowledge_of_part, states_of_dag
from causal_zigzag.ancestral.target import AncestralTarget, read_edge_cost
from causal_zigzag.errors import SettingsError
from causal_zigzag.sampler.parallel.progress import is_shown
from causal_zigzag.support.arguments import hinted
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.validation import LARGEST, is_real, read_count
from causal_zigzag.target.knowledge import read_knowledge, with_contexts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from causal_zigzag.target.knowledge import Knowledge
    from causal_zigzag.target.target import Target

MINUTES = 1.0


@hinted
def sample_ancestral(
    data_or_score: Any,
    *,
    columns: Iterable[Hashable] | None = None,
    knowledge: Knowledge | None = None,
    edge_prior: float | str | None = "auto",
    transform: Normalizing = "auto",
    minutes: float | None = None,
    steps: int | None = None,
    chains: int = 2,
    rng: Rng = None,
    progress: bool | None = None,
    **reading: Any,
) -> AncestralPosterior:
    """Sample maximal ancestral graphs (MAGs): what can be said about causes if some of them may be hidden.

    ``cz.sample`` assumes that every common cause of two columns is a column. A MAG does not: ``x --> y`` says that x
    causes y, and ``x <-> y`` that neither causes the other although they are related. The posterior is proportional to
    exp(score) · edge prior over all MAGs. Selection of rows by effects of the columns is still assumed away.

    The first argument is a table of numbers, or a ``GaussianBIC``, for 2 to 20 columns. With more, name those of
    interest, ``columns=[...]``: MAGs of a part of the columns are again MAGs, so leaving out columns is no mistake
    here, other than for DAGs. The score is the BIC of a linear Gaussian MAG, a maximum of its likelihood: it is found
    per district (columns that paths of ``<->`` connect) by residual iterative conditional fitting from two starts, up
    to 0.001, and is equal for equivalent graphs. For a DAG it is ``GaussianBIC``. Rows with missing cells are left out.

    ``transform`` "auto" uses normal scores of the ranks for columns that are far from normal (skewness beyond 1 or
    excess kurtosis beyond 2, and certainly so), "normal-scores" for all, None for none. ``notes`` of the result say
    what was done. ``reading`` are other arguments of ``read_table``, such as ``kinds``, ``drop`` and ``contexts``.

    ``knowledge`` is about ancestors here: a required arrow says that its first node causes the second one, a forbidden
    one that it does not, directly or through others. Conditions of experiments have no causes, and no ``<->``.

    ``edge_prior`` is the cost c of an edge, which has the weight exp(-c); "auto" is the log of the number of nodes, as
    in ``sample``, and None is 0.

    By default the run goes on until its chains agree: no probability of a pair differs by more than 0.03 between two
    chains, for ``minutes``, one by default. Each is annealed anew in rounds of increasing length, of which the second
    half counts. Chains that differ by more than 0.05 at the end have not converged, as ``diagnostics()`` says. Ctrl-C
    ends a run early and returns what was sampled so far. ``steps`` sets the length of one round instead; then the same
    ``rng`` gives the same result on any machine. A step proposes another edge, and costs about a microsecond.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet"), ("wet", "slip")], rows=1000, rng=1)
    >>> posterior = cz.sample_ancestral(table, steps=50_000, rng=1)
    >>> bool(posterior.ancestors().loc["wet", "slip"] > 0.7)
    True
    """
    found = gaussian_columns(data_or_score, columns, transform, reading)
    return _sample(found, None, knowledge, edge_prior, minutes, steps, chains, as_generator(rng), progress)


def sample_beside(
    target: Target,
    sample_dags: Callable[[int, np.random.Generator], NDArray[np.uint8]],
    data: Any,
    columns: Iterable[Hashable] | None,
    edge_prior: float | str | None,
    transform: Normalizing,
    minutes: float | None,
    steps: int | None,
    chains: int,
    rng: Rng,
    progress: bool | None,
) -> AncestralPosterior:
    """The same for the columns and the knowledge of a posterior over DAGs; chains also start at DAGs drawn from it."""
    found = gaussian_columns(target.score if data is None else data, columns, transform, {})
    starts = sample_dags if found.score.nodes == target.nodes else None
    return _sample(found, starts, target.knowledge, edge_prior, minutes, steps, chains, as_generator(rng), progress)


def _sample(
    columns: GaussianColumns,
    sample_dags: Callable[[int, np.random.Generator], NDArray[np.uint8]] | None,
    knowledge: Knowledge | None,
    edge_prior: float | str | None,
    minutes: float | None,
    steps: int | None,
    chains: int,
    generator: np.random.Generator,
    progress: bool | None,
) -> AncestralPosterior:
    """The first chain starts at the graph that has the required arrows only."""
    score = columns.score
    known = knowledge_of_part(read_knowledge(knowledge), columns.others, score.nodes)
    known = with_contexts(known, score.nodes, columns.conditions, ())
    target = AncestralTarget(score, read_edge_cost(edge_prior, len(score.nodes)), known)
    number = read_count("chains", chains, 1, most=1000)
    length = None if steps is None else read_count("steps", steps, 4, most=LARGEST)
    first = target.restriction.first_graph()
    starts = [first] * number
    if sample_dags is not None and number > 1:
        for i, dag in enumerate(sample_dags(number - 1, generator), start=1):
            states = states_of_dag(dag)
            starts[i] = states if target.restriction.allows(states) else first
    run = run_chains(target, starts, generator, length, _seconds(minutes, steps), is_shown(progress))
    return AncestralPosterior(target, run, columns.notes)


def _seconds(minutes: Any, steps: int | None) -> float:
    if minutes is None:
        return 60 * MINUTES
    if steps is not None:
        raise SettingsError("give minutes or steps, not both: steps is the length of a run")
    if not is_real(minutes) or not 0 < minutes < math.inf:
        raise SettingsError(f"minutes must be a positive number, not {minutes!r}")
    return 60 * float(minutes)
