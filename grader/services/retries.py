"""What failed by our own fault and is tried again: not at once, and each time a little later."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Retries(Generic[Key]):
    """How often each thing failed in a row, and which are not to be tried yet; used by several threads."""

    def __init__(self, first_s: float, longest_s: float) -> None:
        """Take the pause in seconds after the first failure, which doubles with each one, and the longest."""
        self._first_s, self._longest_s = first_s, longest_s
        self._failed: dict[Key, tuple[int, float]] = {}  # by key: times in a row, until when it is left alone
        self._lock = threading.Lock()

    def failed(self, key: Key) -> int:
        """Have a thing left alone for a while; return how often it has failed in a row."""
        with self._lock:
            times = self._failed.get(key, (0, 0.0))[0] + 1
            pause_s = min(self._first_s * 2.0 ** min(times - 1, 30), self._longest_s)
            self._failed[key] = times, time.monotonic() + pause_s
            return times

    def forget(self, key: Key) -> None:
        """Let a thing that is done, or given up, begin anew should it ever come again."""
        with self._lock:
            self._failed.pop(key, None)

    def paused(self) -> frozenset[Key]:
        """Return the keys of what is not to be tried yet."""
        with self._lock:
            now = time.monotonic()
            return frozenset(key for key, (_, until) in self._failed.items() if now < until)
