"""sample() and resume(): from data or a score, through settings and chains, to the posterior."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import CheckpointError, SamplingWarning, SettingsError
from causal_zigzag.posterior.posterior import Posterior
from causal_zigzag.sampler.chain_task import ChainTask
from causal_zigzag.sampler.checkpoint.checkpoint import INTERVAL, Checkpoint
from causal_zigzag.sampler.checkpoint.run_file import ENTROPY, Run
from causal_zigzag.sampler.parallel.run_chains import run_chains
from causal_zigzag.sampler.parallel.workers import read_executor
from causal_zigzag.sampler.record import Recorder
from causal_zigzag.sampler.settings import Balance, Settings
from causal_zigzag.sampler.starts import read_starts
from causal_zigzag.scores.choose import as_score
from causal_zigzag.scores.equivalence import check_score_equivalence
from causal_zigzag.scores.uniform import Uniform
from causal_zigzag.support.rng import Rng, as_generator
from causal_zigzag.target.edge_prior import DEFAULT_EDGE_PRIOR
from causal_zigzag.target.target import Pairs, Target

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from causal_zigzag.graphs.cpdag import CPDAG
    from causal_zigzag.scores.base import Score
    from causal_zigzag.target.edge_prior import EdgePriorInput


def sample(
    data_or_score: Any,
    score: str | type[Score] = "auto",
    momentum: float = Settings.momentum,
    balance: Balance = Settings.balance,
    coldness: float = Target.coldness,
    edge_prior: EdgePriorInput = DEFAULT_EDGE_PRIOR,
    max_degree: int | None = Target.max_degree,
    forbidden: Pairs = (),
    jumps: int = Settings.jumps,
    warmup: int | None = Settings.warmup,
    chains: int = Settings.chains,
    start: CPDAG | str | Sequence[CPDAG | str | None] | None = None,
    rng: Rng = None,
    executor: Executor | Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    *,
    minutes: float | None = Settings.minutes,
    checkpoint_interval: float = INTERVAL,
    max_classes: int = Settings.max_classes,
    cache_bytes: int = Settings.cache_bytes,
    trace_points: int = Settings.trace_points,
    tempering: int | Sequence[float] | None = Settings.tempering,
) -> Posterior:
    """Sample Markov equivalence classes in proportion to exp(coldness · score) · edge prior.

    The first argument is a table of observations or a score. For a table, ``score`` names the score to make of it:
    "gaussian-bic", "bge", "bdeu", "discrete-bic", "mixed-bic" or a class of scores; "auto" goes by the kinds of the
    columns, and ``posterior.score.reason`` says how. A score of your own is first tested for score equivalence.

    ``momentum`` 1 is the Causal Zig-Zag, 0 the reversible process of Zanella, and between is their superposition;
    ``balance`` turns ratios of weights into rates. ``edge_prior`` is None (uniform over classes), a number c (weight
    exp(-c) per edge), the log weight of m edges as a sequence or a function of m, or "auto": the log of the number of
    nodes per edge, and None for ``Uniform``. Only classes in which no node has more than ``max_degree`` adjacent nodes
    and no ``forbidden`` pair is joined have a weight.

    Each of the ``chains`` makes ``warmup`` jumps that are forgotten and then ``jumps`` that count. By default each
    chain chooses its warm-up: at least a tenth of ``jumps`` and a few hundred, and on until the number of edges and the
    score no longer drift, or until it is as long as ``jumps``. All begin at ``start``: a CPDAG, "ges" (the graph that
    ``ges`` finds for the same target) or None, the graph without edges; or each at its own of a sequence of these.
    "scattered" is such a sequence: the graph without edges, that of ``ges`` and random ones with as many edges. Chains
    from far apart that agree are better evidence.

    One ``rng`` gives one answer, whatever the machine is busy with and whatever ``executor`` runs the chains: one of
    ``concurrent.futures``, joblib's or mpi4py's, or a client of Dask (``distributed.Client``); by default they run in
    threads. ``progress`` shows a bar on stderr; None does so if that is a terminal. Ctrl-C ends a run early and returns
    what was sampled so far. With ``minutes`` the run ends when they are over, whatever ``jumps`` says: how long it is
    then depends on the machine.

    With ``checkpoint``, a directory, each chain keeps its state there, every ``checkpoint_interval`` seconds and at the
    end. The same call again goes on from it, after whatever ended the first, and gives the same posterior bit for bit;
    with more ``jumps`` it becomes longer. Other data or settings are refused; ``rng`` and ``warmup`` may be left out.

    ``tempering`` is for targets with modes that chains do not leave: every chain becomes a ladder of chains at several
    coldness values that exchange their states (non-reversible parallel tempering), and only the coldest, at the target
    itself, counts. It is a number of temperatures, for which the warm-up finds a ladder that reaches down as far as it
    can with half of the exchanges accepted, or the ladder itself: coldness as fractions of the target's, increasing to
    1. Only the score is tempered, so that at 0 the edge prior is left. The work grows with the number of temperatures,
    and where ordinary chains agree with each other nothing is gained. The ``tempering`` of ``posterior.statistics``
    tells how it went.

    Memory is bounded for any number of jumps: each chain lists up to ``max_classes`` classes (the time in others is
    ``posterior.unlisted``), caches rows of scores in ``cache_bytes``, and traces up to ``trace_points`` points.

    >>> import causal_zigzag as cz
    >>> posterior = cz.sample(cz.Uniform(3), jumps=20_000, chains=2, rng=1)
    >>> abs(posterior.probability(cz.CPDAG.empty(3)) - 1 / 11) < 0.01
    True
    """
    _check_run(executor, progress)
    kept = Checkpoint(checkpoint, checkpoint_interval) if checkpoint is not None else None
    recorder = Recorder(data_or_score, rng, start)
    settings = Settings(
        momentum=momentum,
        balance=balance,
        jumps=jumps,
        warmup=warmup,
        chains=chains,
        max_classes=max_classes,
        cache_bytes=cache_bytes,
        trace_points=trace_points,
        minutes=minutes,
        tempering=tempering,  # type: ignore[arg-type] # a sequence becomes a tuple
    )
    made = as_score(data_or_score, score)
    target = Target.read(made, coldness, edge_prior, max_degree, forbidden)
    if settings.tempering is not None and (target.coldness == 0 or isinstance(made, Uniform)):
        raise SettingsError("tempering flattens the score, and this target is flat as it is; leave tempering out")
    check_score_equivalence(made)
    entropy = as_generator(recorder.rng).integers(0, 2**32, size=ENTROPY, dtype=np.uint32)
    first, *others = read_starts(start, target, settings.chains, entropy)
    others = [] if all(g is first for g in others) else others
    run = Run(target, settings, first, entropy, recorder.record(), others=tuple(others))
    if kept is None:
        return _finish(run, executor, None, progress)
    with kept:
        return _finish(kept.begin(run, warmup is None, rng is None), executor, kept, progress)


def resume(
    path: str | os.PathLike[str],
    jumps: int | None = None,
    *,
    minutes: float | None = None,
    executor: Any = None,
    progress: bool | None = None,
    checkpoint_interval: float = INTERVAL,
) -> Posterior:
    """Go on with the run in a checkpoint that ``sample(..., checkpoint=path)`` began; its data are in the directory.

    With ``jumps`` or ``minutes`` it becomes longer than first asked for. A run under a score of your own goes on by
    the call of ``sample`` that began it, as no file can hold such a score.

    >>> import tempfile
    >>> import causal_zigzag as cz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     short = cz.sample(cz.Uniform(3), jumps=1000, warmup=100, rng=1, checkpoint=folder)
    ...     longer = resume(folder, jumps=2000)
    >>> longer.top(1) == cz.sample(cz.Uniform(3), jumps=2000, warmup=100, rng=1).top(1)
    True
    """
    if not Path(os.fspath(path)).is_dir():
        raise CheckpointError(f"there is no checkpoint {os.fspath(path)!r}: no such directory")
    with Checkpoint(path, checkpoint_interval) as checkpoint:
        return _finish(checkpoint.resume(jumps, minutes), executor, checkpoint, progress)


def _finish(run: Run, executor: Any, checkpoint: Checkpoint | None, progress: bool | None) -> Posterior:
    """The posterior of a run, from its start or from where its checkpoint left off."""
    begun = time.monotonic()
    deadline = None if run.settings.minutes is None else time.time() + 60 * run.settings.minutes
    tasks = [
        ChainTask(
            i, run.target, run.settings, start, seed, checkpoint.chain_files(i) if checkpoint else None, deadline, score
        )
        for i, (seed, (start, score)) in enumerate(zip(run.seeds(), run.starts(), strict=True))
    ]
    shown = sys.stderr is not None and sys.stderr.isatty() if progress is None else progress
    results, notes, interrupted = run_chains(tasks, executor, shown)
    seconds = checkpoint.seconds() if checkpoint else time.monotonic() - begun
    record = replace(run.record, seconds=run.record.seconds + seconds)
    starts = (run.start, *run.others) if run.others else ()
    posterior = Posterior(run.target, run.settings, run.start, results, interrupted, record, starts=starts)
    for note in (*(checkpoint.notes if checkpoint else ()), *notes, *posterior.shortfalls()):
        warnings.warn(note, SamplingWarning, stacklevel=3)
    return posterior


def _check_run(executor: object, progress: object) -> None:
    if executor is not None:
        read_executor(executor)
    if progress is not None and not isinstance(progress, bool):
        raise SettingsError(f"progress must be None, True or False, not {progress!r}")
