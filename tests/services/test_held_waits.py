"""Requests are held for a verdict a few at a time, and none without hope takes another one's place."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from grader.services.held_waits import HELD_MAX, HeldWaits

SOON, LATE, SECONDS = 1, 2, 0.2
LONG_S: Final = 60.0


class Held:
    """Holds whoever may wait until the test lets them go."""

    def __init__(self) -> None:
        self.waits = HeldWaits(lambda key: key == SOON, self._until_judged)
        self.asked: list[tuple[int, float]] = []
        self._places = threading.Semaphore(0)
        self._judged = threading.Event()

    def _until_judged(self, key: int, seconds: float) -> None:
        self.asked.append((key, seconds))
        self._places.release()
        assert self._judged.wait(LONG_S)

    def until_full(self) -> None:
        assert all(self._places.acquire(timeout=LONG_S) for _ in range(HELD_MAX))

    def let_go(self) -> None:
        self._judged.set()


def test_only_so_many_wait_at_a_time_and_places_are_given_back() -> None:
    held = Held()
    with ThreadPoolExecutor(HELD_MAX) as threads:
        for _ in range(HELD_MAX):
            threads.submit(held.waits.wait, SOON, SECONDS)
        held.until_full()
        held.waits.wait(SOON, SECONDS)  # returns at once, for nobody lets anything go
        assert held.asked == [(SOON, SECONDS)] * HELD_MAX
        held.let_go()
    held.waits.wait(SOON, SECONDS)
    assert len(held.asked) == HELD_MAX + 1


def test_what_comes_late_takes_no_place() -> None:
    held = Held()
    for _ in range(HELD_MAX + 1):
        held.waits.wait(LATE, SECONDS)
    assert held.asked == []


def test_a_wait_that_fails_gives_its_place_back() -> None:
    def fail(key: int, seconds: float) -> None:
        asked.append(key)
        raise OSError("the database is away")

    asked: list[int] = []
    waits = HeldWaits(lambda key: True, fail)
    for _ in range(HELD_MAX + 1):
        with contextlib.suppress(OSError):
            waits.wait(SOON, SECONDS)
    assert len(asked) == HELD_MAX + 1
