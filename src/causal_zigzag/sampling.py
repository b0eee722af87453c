"""sample(), resume() and extend(): from data, a score or a shorter run to the posterior."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from causal_zigzag.errors import CausalZigzagError, CheckpointError, SamplingWarning, SettingsError
from causal_zigzag.posterior.diagnostics.goal import distance_to_goal
from causal_zigzag.posterior.facts import shortfalls
from causal_zigzag.posterior.merging import joined, last_states
from causal_zigzag.posterior.posterior import Posterior
from causal_zigzag.resampling.kept_resamples import Number, keep_rows, kept_rows
from causal_zigzag.resampling.resample import can_resample, read_resamples, resampled_posterior
from causal_zigzag.resampling.units import read_units
from causal_zigzag.sampler.checkpoint.checkpoint import Checkpoint
from causal_zigzag.sampler.parallel.progress import is_shown
from causal_zigzag.sampler.parallel.run_chains import read_executor
from causal_zigzag.sampler.run import ENTROPY, Run, begin_record, drawn_seed
from causal_zigzag.sampler.settings import DEFAULT_MINUTES, Balance, RunSettings, first_stretch
from causal_zigzag.sampler.stages import Stages
from causal_zigzag.scores.builtin import BuiltinScore
from causal_zigzag.scores.choose import as_score, as_table
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.search.starts import read_starts
from causal_zigzag.support import clock
from causal_zigzag.support.arguments import check_arguments, hinted
from causal_zigzag.support.clock import Moment
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.support.user_warnings import warn_user
from causal_zigzag.support.validation import is_real
from causal_zigzag.tables.audit import audit_table
from causal_zigzag.tables.read_table import Reading
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.sampler.chain_result import ChainResult
    from causal_zigzag.sampler.chain_task import Start
    from causal_zigzag.sampler.settings import Settings
    from causal_zigzag.scores.base import Score
    from causal_zigzag.target.edge_prior import EdgePriorInput
    from causal_zigzag.target.knowledge import Knowledge

SEARCH_SHARE = 0.25  # of the time of a run, for a search for its start
RESAMPLING_SHARE = 0.5  # of the time of a run, for its chains, if rows are then resampled
RESAMPLING_STREAM = 5  # appended to the entropy, as in STREAMS


@hinted
def sample(
    data_or_score: Any,
    score: str | type[Score] = "auto",
    *,
    knowledge: Knowledge | None = Target.knowledge,
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    max_degree: int | None = Target.max_degree,
    momentum: float = RunSettings.momentum,
    balance: Balance = RunSettings.balance,
    coldness: float = Target.coldness,
    minutes: float | None = DEFAULT_MINUTES,
    jumps: int | None = None,
    chains: int = RunSettings.chains,
    resamples: int | Literal["auto"] = "auto",
    start: ClassGraph | str | Sequence[ClassGraph | str | None] | None = None,
    rng: Rng = None,
    executor: Executor | Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    settings: Settings | None = None,
    **reading: Unpack[Reading],
) -> Posterior:
    """Sample Markov equivalence classes in proportion to exp(coldness · score) · edge prior.

    The first argument is a table of observations or a score. For a table, ``score`` is the score to compute from it:
    "gaussian-bic", "bge", "bdeu", "discrete-bic", "mixed-bic" or a class of scores. "auto" chooses by the kinds of the
    columns, and ``posterior.score.reason`` gives the reason. A score of your own is first tested for score equivalence.
    ``reading`` are arguments of ``read_table``: ``kinds``, ``keep``, ``drop``, ``missing``, ``strict``, ``weights``,
    ``transform``, ``contexts``, ``targets``, ``by``, and those for files. Columns that cannot be used are left out,
    with a warning; ``posterior.audit()`` lists what was done, and ``strict`` raises an error instead.

    ``knowledge``, a ``Knowledge``, is what is known about edges: tiers, required and forbidden arrows, pairs that are
    never joined. Classes without a DAG that agrees with it have no weight. A class then stands for its agreeing DAGs,
    here and in all answers: edges that class and knowledge together direct count as directed, and graphs are ``MPDAG``
    values.

    ``edge_prior`` is None (uniform over classes), a number c (weight exp(-c) per edge), the log weight of m edges as a
    sequence or a function of m, or "auto": c is the log of the number of nodes, or with conditions half the log of
    about twice the number of pairs that can be edges, and None for ``Uniform``. Classes in which a node has more than
    ``max_degree`` adjacent nodes have no weight.

    ``momentum`` 1 is the Causal Zig-Zag, 0 the reversible process of Zanella, and values between are their
    superposition. ``balance`` is the function g that turns a ratio t of weights into a rate: "sqrt", "metropolis",
    min(1, t), "barker", t / (1 + t), or "auto", min(1, t) + c sqrt(t), in which the first term is smaller for ratios
    beyond exp(±4), and c is such that both terms make about as many jumps; each chain chooses it in its warm-up
    (``posterior.statistics[i].sqrt_weight``).

    By default the run goes on until it has converged: until the verdict of ``posterior.diagnostics()`` is good (R-hat
    at most 1.05) and every adjacency is known to ± 0.02, two standard errors. It is judged after 200,000 jumps of each
    chain (with 41 to 128 nodes 5,000 per node, with more than 1,000 nodes 200 per node) and each time that its length
    has doubled, and ends when ``minutes``, one by default, are over; None is no limit. What it then lacks is in the
    verdict. ``jumps`` sets a fixed length for each of the ``chains`` instead, without a limit in time.

    Then rows are resampled, since a posterior is far too certain if its model is not quite right:
    ``posterior.resampled`` is the average of the posteriors of ``resamples`` tables, drawn from the rows.
    "auto" resamples if ``jumps`` sets no fixed length, until the errors are small, in about half of the time; 0
    switches it off. ``by`` names the column, or the columns, that say which rows belong together, such as those of one
    person; it is no variable, and such rows are drawn together. See ``posterior.resample``.

    ``minutes`` include all that the call does: a search for the start, annealing and warm-up are made shorter if they
    would take too large a share. Only the differences of the score for the first edge of each pair of nodes are
    computed in any case, which takes long for a slow score written in Python.

    ``start`` is where the chains start: a CPDAG, "ges" or "search" (the graph that ``ges`` or ``search`` finds for the
    same target), None (the graph without edges), or a sequence of these, one per chain. "scattered" starts them far
    apart, at the graph without edges, that of ``ges`` and random graphs with the same number of edges; if such chains
    agree, that is stronger evidence of convergence. Chains are then annealed, which forgets the start, unless
    ``settings`` switch it off.

    The same ``rng`` gives the same result on any machine and with any ``executor``. An executor is one of
    ``concurrent.futures``, joblib or mpi4py, or a client of Dask (``distributed.Client``); by default the chains run in
    threads. ``progress`` shows a bar on stderr; None shows it if that is a terminal. Ctrl-C ends a run early and
    returns what was sampled so far. A run that ends by the clock depends on the speed of the machine.

    With ``checkpoint``, a directory, each chain saves its state there at intervals and at the end. The same call
    continues a run that was interrupted or killed, and returns the same posterior bit for bit; with more ``jumps`` the
    run becomes longer. Other data or settings raise an error; ``rng`` can be omitted.

    ``settings``, a ``Settings``, has what only experts set: warm-up, annealing, excursions, limits of memory.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(3), jumps=20_000, chains=2, rng=1)
    >>> abs(posterior.probability(cz.CPDAG.empty(3)) - 1 / 11) < 0.01
    True
    """
    begun = clock.now()
    check_arguments(sample, reading, Reading.__optional_keys__)
    _check_run(executor, progress)
    minutes = _limit(jumps, minutes)
    kept = Checkpoint(checkpoint) if checkpoint is not None else None
    data_or_score = as_table(data_or_score, score, **reading)
    number = read_resamples(resamples)
    numbers = drawn_seed(rng)
    record = begin_record(data_or_score, numbers, start)
    run_settings = RunSettings.of(
        settings,
        momentum=momentum,
        balance=balance,
        jumps=RunSettings.jumps if jumps is None else jumps,
        chains=chains,
        minutes=minutes,
        converge=jumps is None,
    )
    made = as_score(data_or_score, score)
    if run_settings.converge:
        run_settings = replace(run_settings, jumps=first_stretch(len(made.nodes)))
    target = Target.read(made, coldness, edge_prior, max_degree, knowledge)
    if made.is_incomplete:
        _check_incomplete(target, run_settings)
    check_score_equivalence(made)
    entropy = as_generator(numbers).integers(0, 2**32, size=ENTROPY, dtype=np.uint32)
    limit = begun + SEARCH_SHARE * run_settings.seconds
    first, *others = read_starts(start, target, run_settings.chains, entropy, limit)
    others = [] if all(g is first for g in others) else others
    record = replace(record, audit=audit_table(data_or_score))
    run = Run(target, run_settings, first, entropy, record, others=tuple(others))
    if number == "auto" and not (run_settings.converge and can_resample(made)):
        number = 0
    if number:
        read_units(None, made.source_table, made.row_count or 0)  # before the work begins, if there are too few groups
    if kept is None:
        return _run(run, begun, executor, None, progress, resamples=number)
    with kept:
        run = kept.begin(run, run_settings.warmup is None, rng is None)
        if number and isinstance(made, BuiltinScore) and made.source_table is not None:  # a file has no rows
            rows: Any = run.target.score  # the same score
            run = replace(run, target=replace(run.target, score=rows.with_table(made.source_table)))
        keep_rows(kept.folder, number, made)
        return _run(run, begun, executor, kept, progress, resamples=number)


def resume(
    path: str | os.PathLike[str],
    jumps: int | None = None,
    *,
    minutes: float | None = None,
    executor: Any = None,
    progress: bool | None = None,
) -> Posterior:
    """Continue the run in a checkpoint of ``sample(..., checkpoint=path)``; the directory contains its data.

    Rows are then resampled as in the call that started it. ``jumps`` or ``minutes`` make the run longer than it was. A
    run with a score of your own is continued by the call of ``sample`` that started it, because no file can hold such a
    score.

    >>> import tempfile
    >>> import causal_zigzag as cz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     short = cz.sample(cz.Uniform(3), jumps=1000, rng=1, checkpoint=folder)
    ...     longer = cz.resume(folder, jumps=2000)
    >>> [s.jumps for s in longer.statistics]
    [2000, 2000, 2000, 2000]
    """
    if not isinstance(path, (str, os.PathLike)):
        raise SettingsError(f"resume needs the path of a checkpoint, not {path!r}")
    if not os.path.isdir(os.fspath(path)):  # noqa: PTH112 - Path.is_dir raises an error for a name that is too long
        raise CheckpointError(f"there is no checkpoint {os.fspath(path)!r}: no such directory")
    begun = clock.now()
    with Checkpoint(path) as checkpoint:
        run = checkpoint.resume(jumps, minutes)
        number, score = kept_rows(checkpoint.folder, run.target.score)
        run = replace(run, target=replace(run.target, score=score))
        return _run(run, begun, executor, checkpoint, progress, resamples=number)


def extend(
    posterior: Posterior,
    jumps: int | None = None,
    *,
    minutes: float | None = DEFAULT_MINUTES,
    rng: Rng = None,
    executor: Any = None,
    progress: bool | None = None,
) -> Posterior:
    """See ``Posterior.extend``."""
    begun = clock.now()
    _check_run(executor, progress)
    limit = _limit(jumps, minutes)
    if posterior.score.is_partial:
        raise SettingsError(
            "a posterior from a file has no score of your own and cannot be extended; sample again, or merge it with "
            "another run of the same score: posterior.merge(cz.sample(score, ...))"
        )
    if posterior._chain_weights or (posterior._reweighting is not None and posterior.prior != "dags"):
        done = "its chains were weighed" if posterior._chain_weights else f"it was reweighted by {posterior.prior}"
        raise SettingsError(f"{done}, which new chains would undo; extend the run as it was sampled, then do so again")
    if posterior.prior == "dags":
        longer = extend(
            posterior.reweight("classes"), jumps, minutes=minutes, rng=rng, executor=executor, progress=progress
        )
        return longer.reweight("dags")
    ends = last_states(posterior)
    settings = replace(
        posterior.settings,
        jumps=first_stretch(len(posterior.nodes)) if jumps is None else jumps,
        minutes=limit,
        chains=len(ends),
        converge=jumps is None,
    )
    numbers = drawn_seed(rng)
    entropy = as_generator(numbers).integers(0, 2**32, size=ENTROPY, dtype=np.uint32)
    others = tuple(end.graph for end in ends[1:])
    record = begin_record(posterior.score, numbers)
    run = Run(posterior.target, settings, ends[0].graph, entropy, record, others=others)
    return _run(run, begun, executor, None, progress, posterior, ends)


def _run(
    run: Run,
    begun: float,
    executor: Any,
    checkpoint: Checkpoint | None,
    progress: bool | None,
    earlier: Posterior | None = None,
    ends: Sequence[Start] = (),
    resamples: Number = 0,
) -> Posterior:
    """Run the chains, from their starts or from the checkpoint, and return the posterior; the call has ``begun`` then.

    With an ``earlier`` posterior the chains begin at the ``ends`` of its chains, and the result has the chains of both.
    Then rows are resampled.
    """
    end = Moment(begun + run.settings.seconds)
    deadline = Moment(begun + (RESAMPLING_SHARE if resamples else 1) * run.settings.seconds)
    stages = Stages(run, executor, checkpoint, is_shown(progress), deadline)

    def posterior(results: tuple[ChainResult, ...]) -> Posterior:
        given = (run.start, *run.others) if run.others else ()
        record = replace(run.record, seconds=run.record.seconds + clock.now() - begun)
        made = Posterior(run.target, run.settings, run.start, results, stages.interrupted, record, _starts=given)
        return made if earlier is None else joined(earlier, made)

    with stages.interrupts:
        if earlier is None:
            stages.anneal()
        else:
            stages.follow(ends)
        found = posterior(stages.sample(run.settings))
        while run.settings.converge and not stages.interrupted and clock.now() < deadline:
            distance = distance_to_goal(found)
            if distance.reached:
                break
            run = replace(run, settings=replace(run.settings, jumps=2 * run.settings.jumps))
            if checkpoint is not None:
                checkpoint.lengthen(run)
            before = _jumps_made(found)
            found = posterior(stages.sample(run.settings, str(distance)))
            if _jumps_made(found) == before:  # chains that are frozen, or rest in classes that they hardly leave
                break
        if resamples and not stages.interrupted:
            entropy = [*run.entropy.tolist(), RESAMPLING_STREAM]
            try:
                found = resampled_posterior(
                    found, resamples, None, None, entropy, end, executor, is_shown(progress), stages.interrupts,
                    folder=None if checkpoint is None else checkpoint.folder,
                )  # fmt: skip
            except CausalZigzagError as error:  # the run is not lost for it
                warn_user(f"rows were not resampled: {error}", SamplingWarning)
            record = replace(run.record, seconds=run.record.seconds + clock.now() - begun)
            found = replace(found, record=record, _interrupted=found._interrupted or stages.interrupted)
    if checkpoint is not None and found.record is not None:
        with suppress(CheckpointError):  # how long it took is not worth a warning
            checkpoint.write(replace(run, record=found.record))
    for note in (*(checkpoint.notes if checkpoint else ()), *stages.notes, *shortfalls(found)):
        warn_user(note, SamplingWarning)
    return found


def _jumps_made(posterior: Posterior) -> int:
    return sum(s.jumps for s in posterior.statistics)


def _check_incomplete(target: Target, settings: RunSettings) -> None:
    """A SettingsError for settings that need a table without missing cells."""
    for asked, setting in (
        (settings.excursions is True, "excursions=True"),  # new cells need new tables
        (target.coldness != 1, f"coldness={target.coldness:g}"),  # cells are drawn at coldness 1
    ):
        if asked:
            remedy = "leave it out, or leave out incomplete rows with missing='drop'"
            raise SettingsError(f"{setting} needs a table without missing cells; {remedy}")


def _limit(jumps: int | None, minutes: float | None) -> float | None:
    """The minutes of a run until converged; None if ``jumps`` set its length."""
    if jumps is None:
        return minutes
    if minutes is not None and not (is_real(minutes) and minutes == DEFAULT_MINUTES):
        raise SettingsError(f"jumps={jumps} is a fixed length, and minutes={minutes} a limit of time; give one of them")
    return None


def _check_run(executor: object, progress: object) -> None:
    if executor is not None:
        read_executor(executor)
    if progress is not None and not isinstance(progress, bool):
        raise SettingsError(f"progress must be None, True or False, not {progress!r}")
