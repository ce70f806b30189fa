"""A clock that goes on when the machine's is set."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

import pytest

from grader.services.steady_clock import SteadyClock
from tests.services.made import NOON

HOUR = 3600.0


class Machine:
    """A machine whose clock can be set."""

    def __init__(self) -> None:
        self.passed, self.offset = 0.0, 0.0
        self.clock = SteadyClock(self.now, lambda: self.passed)

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.passed + self.offset)

    def after(self, seconds: float) -> float:
        """Return the seconds since noon that the steady clock tells once some have passed."""
        self.passed += seconds
        return (self.clock.now() - NOON).total_seconds()


def test_it_tells_the_machines_time() -> None:
    machine = Machine()
    assert [machine.after(1), machine.after(HOUR)] == [1, 1 + HOUR]


def test_a_clock_that_is_trimmed_is_followed() -> None:
    machine = Machine()
    for _ in range(10):
        machine.offset += 1.5
        machine.after(60)
    assert machine.after(0) == 600 + 15


@pytest.mark.parametrize("step", [HOUR, -HOUR, 2.5, -2.5])
def test_a_step_moves_nothing_and_is_told(step: float, caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    machine.after(60)
    machine.offset = step
    with caplog.at_level(logging.ERROR):
        assert [machine.after(1), machine.after(1), machine.after(HOUR)] == [61, 62, 62 + HOUR]
    assert [record.getMessage().partition(";")[0] for record in caplog.records] == [
        f"the machine's clock was set by {step:+.1f} s"
    ] * 2  # at once, and again after a while


def test_a_clock_that_is_set_back_right_is_followed_again() -> None:
    machine = Machine()
    machine.offset = HOUR
    assert machine.after(10) == 10
    machine.offset = 0.5
    assert machine.after(10) == 20.5
