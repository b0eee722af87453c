"""ProgressBar: the progress of chains, in a terminal or a notebook."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from causal_zigzag.support.validation import check_flag
from causal_zigzag.support.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.sampler.chain_task import ChainTask, Meter, StageName


def is_shown(progress: bool | None) -> bool:
    """Whether to show progress; None means if somebody can see it: in a terminal or in a notebook."""
    if progress is not None:
        check_flag("progress", progress)
        return bool(progress)
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return type(shell).__name__ == "ZMQInteractiveShell"


WORDS: dict[StageName, str] = {"climb": "climbing ", "anneal": "annealing ", "sample": ""}


class ProgressBar:
    """A bar that counts jumps, of which ``expected`` are planned, if their number is known; None is not ``shown``."""

    def __init__(self, shown: bool, expected: int | None, description: str, unit: str = " jumps") -> None:
        self._bar = _bar_class()(
            total=expected, unit=unit, unit_scale=True, leave=False, desc=description, disable=not shown
        )
        self.clear, self.close = self._bar.clear, self._bar.close  # the next ``show`` draws a cleared bar again

    def show(self, jumps: int, words: str) -> None:
        """Set the number of jumps so far, and what is written after it."""
        self._bar.n = jumps
        if self._bar.total is not None:
            self._bar.total = max(self._bar.total, jumps)  # a warm-up may be longer than planned
        self._bar.set_postfix_str(words)


def bar_of_chains(shown: bool, tasks: Sequence[ChainTask], label: str) -> ProgressBar:
    """The bar of a stage; ``label`` says what the run still lacks."""
    stage = tasks[0].stage
    settings, anneals = stage.settings, stage.name != "sample"
    timed = settings.minutes is not None and not settings.converge
    planned = settings.planned_jumps(stage.target)
    jumps = planned if anneals else settings.planned_warmup(stage.target) + settings.jumps
    words = f"{WORDS[stage.name]}{count(len(tasks), 'chain')}"
    return ProgressBar(shown, None if timed else len(tasks) * jumps, f"{words}, {label}" if label else words)


def show_chains(bar: ProgressBar, meters: Sequence[Meter]) -> None:
    """Show the jumps of all chains, and the best of them."""
    best = max(meters, key=lambda meter: meter.score)
    bar.show(sum(meter.jumps for meter in meters), f"edges {best.edges}, score {best.score:+.1f}")


def _bar_class() -> Any:
    """The bar with widgets in a notebook that has them, else the one of text."""
    if in_notebook() and find_spec("ipywidgets") is not None:
        from tqdm.notebook import tqdm as notebook_bar

        return notebook_bar
    from tqdm import tqdm

    return tqdm
