"""A clock that a step of the machine's own does not move: deadlines stay where they were promised.

While both agree the machine's time counts. When it is set by more than a little, this one goes on as if nothing had
happened, until the process is started again, and says so in the log.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

STEP: Final = timedelta(seconds=2)  # less than that is a clock being trimmed, which is followed
_NOTE_EVERY: Final = timedelta(minutes=10)
log = logging.getLogger(__name__)


def _machine() -> datetime:
    return datetime.now(UTC)


def _since_boot() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)  # goes on while the machine sleeps


class SteadyClock:
    """Tells the time in UTC; used by many threads."""

    def __init__(self, machine: Callable[[], datetime] = _machine, passed: Callable[[], float] = _since_boot) -> None:
        self._machine, self._passed = machine, passed
        self._lock = threading.Lock()
        self._anchor = machine()  # the time when `_passed_then` seconds had passed
        self._passed_then = passed()
        self._noted: datetime | None = None  # when the log was told last that the clocks disagree

    def now(self) -> datetime:
        """Return the time."""
        with self._lock:
            machine, passed = self._machine(), self._passed()
            expected = self._anchor + timedelta(seconds=passed - self._passed_then)
            step = machine - expected
            if abs(step) <= STEP:
                self._anchor, self._passed_then, self._noted = machine, passed, None
                return machine
            if self._noted is None or expected - self._noted >= _NOTE_EVERY:
                self._noted = expected
                log.error(
                    "the machine's clock was set by %+.1f s; deadlines keep the time from before. "
                    "Start the service again once nobody is being interviewed",
                    step.total_seconds(),
                )
            return expected


CLOCK: Final = SteadyClock()  # of this process
