"""Waiting for a verdict that another process writes."""

from __future__ import annotations

import threading
import time
from typing import Final

from sqlalchemy import Engine

from grader.store import queue
from grader.store.session import read_session

HELD_MAX: Final = 4  # requests of a process that wait at a time; more would leave no thread for others
POLL_S: Final = 0.1


class Polled:
    """Looks again and again."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._held = threading.BoundedSemaphore(HELD_MAX)

    def wait(self, key: int, seconds: float) -> None:
        """Wait until a submission is judged, but no longer than so many seconds; not at all while others wait."""
        if not self._held.acquire(blocking=False):
            return
        try:
            end = time.monotonic() + seconds
            while self._is_waiting(key) and time.monotonic() < end:
                time.sleep(POLL_S)
        finally:
            self._held.release()

    def _is_waiting(self, key: int) -> bool:
        with read_session(self._engine) as session:
            return queue.is_unjudged(session, key)
