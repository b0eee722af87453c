"""Interrupts: records Ctrl-C instead of raising an exception, for code that must not be interrupted anywhere."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType


class Interrupts:
    """While it is entered, the first Ctrl-C is only recorded; a second one raises KeyboardInterrupt as usual.

    Python raises a KeyboardInterrupt between any two instructions of the main thread, also inside its own library. If
    that happens while concurrent.futures holds a lock, the lock stays locked, and threads that need it wait for ever.
    In other threads than the main one, or if the program has its own handler for the signal, nothing changes.
    """

    def __init__(self) -> None:
        self._noted = False
        self._process = os.getpid()
        self._installed = False

    def __enter__(self) -> Interrupts:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def noted(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._noted

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._noted or os.getpid() != self._process:  # a forked worker inherits the handler, but does not check it
            signal.default_int_handler(number, frame)
        self._noted = True
