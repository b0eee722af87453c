"""Ctrl-C as something to look at, where an exception at any moment would do harm."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType


class Interrupts:
    """While it is entered, a first Ctrl-C is only noted; a second one raises KeyboardInterrupt as ever.

    Python raises a KeyboardInterrupt between any two steps of the main thread, also between those of its own library.
    One that hits the locks of concurrent.futures leaves them locked, and the threads that want them wait for ever.
    In other threads than the main one, or where somebody else handles the signal, nothing changes.
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
        if self._noted or os.getpid() != self._process:  # a forked worker inherits the handler, but nobody looks there
            signal.default_int_handler(number, frame)
        self._noted = True
