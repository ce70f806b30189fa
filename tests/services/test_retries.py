"""What failed is left alone for a while, the longer the oftener it failed."""

from __future__ import annotations

import pytest

from grader.services import retries
from grader.services.retries import Retries


class Clock:
    """Time as this test wants it."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(retries, "time", clock := Clock())
    return clock


def pause_of(failing: Retries[int], clock: Clock, key: int) -> float:
    """Let a thing fail; return how many whole seconds it is left alone."""
    failing.failed(key)
    began = clock.now_s
    while key in failing.paused():
        clock.now_s += 1.0
    return clock.now_s - began


def test_each_pause_is_twice_as_long_up_to_the_longest(clock: Clock) -> None:
    failing = Retries[int](10.0, 60.0)
    assert [pause_of(failing, clock, 7) for _ in range(5)] == [10.0, 20.0, 40.0, 60.0, 60.0]


def test_what_is_forgotten_begins_anew(clock: Clock) -> None:
    failing = Retries[int](10.0, 60.0)
    assert [failing.failed(7), failing.failed(7), failing.failed(8)] == [1, 2, 1]
    failing.forget(7)
    failing.forget(9)  # of which nothing is known
    assert failing.paused() == {8}
    assert failing.failed(7) == 1


def test_failures_without_end_are_still_counted(clock: Clock) -> None:
    failing = Retries[int](10.0, 60.0)
    assert [failing.failed(7) for _ in range(2000)][-1] == 2000
    assert pause_of(failing, clock, 7) == 60.0
