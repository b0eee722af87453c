"""ProgressBar: the progress of the chains of one stage, in a terminal or a notebook."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causal_zigzag.sampler.chain_task import ChainTask, Meter


def is_shown(progress: bool | None) -> bool:
    """Whether to show progress; None means if somebody can see it: in a terminal or in a notebook."""
    if progress is not None:
        return progress
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return type(shell).__name__ == "ZMQInteractiveShell"


class ProgressBar:
    """Counts the jumps of all chains and shows the best of them; ``label`` says what the run still lacks."""

    def __init__(self, tasks: Sequence[ChainTask], label: str = "") -> None:
        first = tasks[0]
        settings, target = first.settings, first.target
        anneals = first.stage.name == "anneal"
        timed = settings.minutes is not None and not settings.converge
        jumps = settings.planned_jumps(target) if anneals else settings.planned_warmup(target) + settings.jumps
        words = f"{'annealing ' * anneals}{len(tasks)} chain{'s' * (len(tasks) > 1)}"
        self._bar = _bar_class()(
            total=None if timed else len(tasks) * jumps,
            unit=" jumps",
            unit_scale=True,
            leave=False,
            desc=f"{words}, {label}" if label else words,
        )

    def show(self, meters: Sequence[Meter]) -> None:
        """Show what the meters say."""
        bar = self._bar
        bar.n = sum(meter.jumps for meter in meters)
        if bar.total is not None:
            bar.total = max(bar.total, bar.n)  # a warm-up may be longer than planned
        best = max(meters, key=lambda meter: meter.score)
        bar.set_postfix_str(f"edges {best.edges}, score {best.score:+.1f}")

    def clear(self) -> None:
        """Clear the line of the bar for another message; the next ``show`` draws it again."""
        self._bar.clear()

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()


def _bar_class() -> Any:
    """The bar with widgets in a notebook that has them, else the one of text."""
    if in_notebook() and find_spec("ipywidgets") is not None:
        from tqdm.notebook import tqdm as notebook_bar

        return notebook_bar
    from tqdm import tqdm

    return tqdm
