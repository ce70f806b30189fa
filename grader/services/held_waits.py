"""Requests that are held until a verdict is there: a few at a time, and only where its turn comes soon."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

HELD_MAX: Final = 4  # at a time; each takes a thread, and more would leave none for others


class HeldWaits:
    """Holds requests of one process."""

    def __init__(self, is_soon: Callable[[int], bool], until_judged: Callable[[int, float], object]) -> None:
        """Take how a submission, by its key, is asked about.

        Args:
            is_soon: whether it is not judged yet, and its turn comes soon.
            until_judged: waits for its verdict, but no longer than so many seconds.
        """
        self._is_soon, self._until_judged = is_soon, until_judged
        self._places = threading.BoundedSemaphore(HELD_MAX)

    def wait(self, key: int, seconds: float) -> None:
        """Wait until a submission is judged, but no longer than so many seconds.

        Not at all where its turn does not come soon, or while others wait.
        """
        if self._is_soon(key) and self._places.acquire(blocking=False):
            try:
                self._until_judged(key, seconds)
            finally:
                self._places.release()
