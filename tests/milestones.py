"""Actions at the moment when a chain has made a given number of jumps, so that no test waits for a time to pass."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from causal_zigzag.sampler.chain_task import Meter
from causal_zigzag.support import clock


def at_jumps(jumps: int, action: Callable[[Meter], None], monkeypatch: pytest.MonkeyPatch | None = None) -> None:
    """From now on, call ``action`` once per meter, when it first shows at least ``jumps`` jumps, warm-up included.

    A chain in a thread shows its jumps on a Meter. One in a worker process shows them on a WorkerMeter, and the process
    that waits for it copies them to a Meter of its own. Without ``monkeypatch`` there is no way back.
    """
    show = Meter.show
    reached: list[Meter] = []

    def watched(self: Meter, made: int, edges: int, score: float) -> None:
        show(self, made, edges, score)
        if made >= jumps and not any(meter is self for meter in reached):
            reached.append(self)
            action(self)

    if monkeypatch is None:
        Meter.show = watched  # type: ignore[method-assign]
    else:
        monkeypatch.setattr(Meter, "show", watched)


def when_all(
    chains: int, jumps: int, action: Callable[[], None], monkeypatch: pytest.MonkeyPatch | None = None
) -> None:
    """Call ``action`` once, when this process has seen ``jumps`` jumps of each of its chains, wherever they run."""
    seen: list[Meter] = []

    def note(meter: Meter) -> None:
        if type(meter) is Meter:
            seen.append(meter)
            if len(seen) == chains:
                action()

    at_jumps(jumps, note, monkeypatch)


def let_time_run_out(chains: int, jumps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the clock an hour ahead when each of the chains has made this many jumps, warm-up included."""
    now = clock.now
    monkeypatch.setattr(clock, "now", now)
    when_all(chains, jumps, lambda: monkeypatch.setattr(clock, "now", lambda: now() + 3600), monkeypatch)


def environment() -> dict[str, str]:
    """The environment of a script that imports this file."""
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
