"""Ctrl-C while an estimator of another library works.

Such a library may be in the middle of C code that calls Python back. What is raised there goes nowhere: the interrupt
is lost, and XGBoost goes on with rows it was never given. So it is put off until the call is over, and what was lost
all the same is raised when the estimator comes back.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

__all__ = ["Interrupts"]

# How XGBoost calls back for rows.
CALLED_BACK = frozenset({"_next_wrapper", "_reset_wrapper"})

SOON = 0.05  # seconds


class Interrupts:
    """Listens for Ctrl-C while it is entered, where that is possible: in the main thread."""

    def __init__(self) -> None:
        self._before: Any = None
        self._later: threading.Timer | None = None
        self._minding = self._pressed = False

    def __enter__(self) -> Interrupts:
        """Listen."""
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Listen no more."""
        if self._later is not None:
            self._later.cancel()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    @contextmanager
    def minded(self) -> Iterator[None]:
        """Raise an interrupt that a library lost, or made an error of its own."""
        self._minding, self._pressed = True, False
        try:
            yield
        except Exception as error:
            if self._pressed:
                raise KeyboardInterrupt from error
            raise
        finally:
            self._minding = False
        if self._pressed:
            raise KeyboardInterrupt

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if _is_called_back(frame):
            self._later = threading.Timer(SOON, os.kill, (os.getpid(), number))
            self._later.daemon = True
            self._later.start()
            return
        try:
            self._before(number, frame)
        except KeyboardInterrupt:
            self._pressed = self._minding
            raise


def _is_called_back(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name in CALLED_BACK:
            return True
        frame = frame.f_back
    return False
