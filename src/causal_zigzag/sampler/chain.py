"""run_chain: runs one chain from its start to its end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from causal_zigzag.errors import CausalZigzagError, CheckpointError
from causal_zigzag.sampler.chain_result import ChainOutcome, collect
from causal_zigzag.sampler.chain_task import SLICE, UNLIMITED, ChainTask, Meter, Signal
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.tempering.tempered_chain import run_tempered_chain

if TYPE_CHECKING:
    from causal_zigzag._core import Chain
    from causal_zigzag.sampler.checkpoint.saved_chain import SavedChain
    from causal_zigzag.sampler.warmup import WarmUp


def run_chain(task: ChainTask, stop: Signal | None = None, meter: Meter | None = None) -> ChainOutcome:
    """Run a chain from its start, or from its last checkpoint, to its end or until ``stop`` is set.

    The result is None if it stopped before anything was accumulated. Ctrl-C in a worker process raises a
    KeyboardInterrupt here and also stops the chain.
    """
    settings, files = task.settings, task.files
    if settings.tempering is not None:
        return run_tempered_chain(task, stop, meter or Meter())
    saved = files.load() if files is not None else None
    chain, warmup = _begin(task, saved)
    runner = _Runner(chain, warmup, task, stop, meter or Meter())
    while not warmup.over and runner.run(warmup.length):
        warmup.finish_block(chain)
    if warmup.over:
        runner.run(settings.jumps if settings.minutes is None else UNLIMITED)
    if runner.too_dense:
        after = chain.statistics()
        raise task.target.too_dense(int(after["dense_node"]), int(after["dense_clique"]))
    if files is not None:
        files.save(chain, warmup)  # before collect, which also counts the current, unfinished visit
    notes = tuple(files.notes) if files is not None else ()
    if not warmup.over or not chain.statistics()["expected_time"] > 0:
        return ChainOutcome(None, notes)
    return ChainOutcome(collect(task, chain, warmup, runner.stopped), notes)


def _begin(task: ChainTask, saved: SavedChain | None) -> tuple[Chain, WarmUp]:
    if saved is None:
        chain = make_chain(task.target, task.settings, task.start, task.seed, first_score=task.first_score)
        return chain, task.settings.warm_up(task.target)
    try:
        chain = make_chain(task.target, task.settings, task.start, task.seed, saved=saved.state())
    except ValueError as error:
        if isinstance(error, CausalZigzagError):
            raise
        raise CheckpointError(
            f"the checkpoint of chain {task.number} cannot be continued: {error}; finish it with the version of "
            f"causal-zigzag that wrote it, or start again in another directory"
        ) from None
    return chain, saved.warmup


class _Runner:
    """Runs a chain in slices of time; between slices it checks whether to stop, shows progress and saves the state."""

    def __init__(self, chain: Chain, warmup: WarmUp, task: ChainTask, stop: Signal | None, meter: Meter) -> None:
        self.chain, self.warmup, self.task, self.stop, self.meter = chain, warmup, task, stop, meter
        self.stopped = self.too_dense = False
        self.made = int(chain.statistics()["jumps"])

    def run(self, jumps: int) -> bool:
        """Run until the chain has made this many jumps since its accumulators were last reset, or is frozen.

        Returns False if it stopped before.
        """
        try:
            state = self._progress()
            while not (self.made >= jumps or state["frozen"] or self.too_dense or self.stopped or self._time_is_up()):
                self.chain.run(jumps - self.made, SLICE)
                state = self._progress()
                self.too_dense = state["dense_node"] >= 0
                self.stopped = self.stop is not None and self.stop.is_set() and self.made < jumps
                if self.task.files is not None and self.made < jumps and not self.too_dense:
                    self.task.files.save_if_due(self.chain, self.warmup)
        except KeyboardInterrupt:
            self.stopped = True
        return self.made >= jumps or bool(self.chain.statistics()["frozen"])

    def _progress(self) -> dict[str, float]:
        state = self.chain.statistics()
        self.made = int(state["jumps"])
        self.meter.show(self.warmup.made + self.made, self.chain.edge_count, self.chain.score)
        return state

    def _time_is_up(self) -> bool:
        return self.task.deadline is not None and time.time() >= self.task.deadline
