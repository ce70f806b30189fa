"""Waiting for a verdict that another process writes."""

from __future__ import annotations

import time
from typing import Final

from sqlalchemy import Engine

from grader.services.held_waits import HeldWaits
from grader.store import queue
from grader.store.session import read_session

POLL_S: Final = 0.1
SOON: Final = (
    4  # rows that wait; of those in front a submission's turn comes in a moment, however few workers there are
)


class Polled:
    """Looks again and again."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._held = HeldWaits(self._is_soon, self._until_judged)

    def wait(self, key: int, seconds: float) -> None:
        """Wait until a submission is judged anywhere, as `HeldWaits.wait` does."""
        self._held.wait(key, seconds)

    def _is_soon(self, key: int) -> bool:
        with read_session(self._engine) as session:
            return key in queue.first_unjudged(session, SOON)

    def _until_judged(self, key: int, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self._is_waiting(key) and time.monotonic() < end:
            time.sleep(POLL_S)

    def _is_waiting(self, key: int) -> bool:
        with read_session(self._engine) as session:
            return queue.is_unjudged(session, key)
