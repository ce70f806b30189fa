"""A busy machine is not a submission's fault: what it waits for a processor is not counted, all else is."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Final

import pytest

from grader.sandbox.exchange import End, Limits
from grader.sandbox.pool import Lane
from tests.sandbox.asking import array, ask, end_of

pytestmark = pytest.mark.sandbox
LIMITS: Final = Limits(case_s=0.5, total_s=8, memory_mib=64)  # left out is twice the total at most
COMPUTES: Final = """
import time
def f():
    end = time.process_time() + 0.42
    while time.process_time() < end: pass
    return [1.0]
"""


@pytest.fixture
def busy() -> Iterator[None]:
    """A machine on which each processor has three others to serve."""
    cores = [core for core in os.sched_getaffinity(0) for _ in range(3)]
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in cores]
    for other, core in zip(others, cores, strict=True):
        os.sched_setaffinity(other.pid, {core})
    yield
    for other in others:
        other.kill()
        other.wait()


def test_what_waits_for_a_processor_is_not_out_of_time(lane: Lane, busy: None) -> None:
    for _ in range(20):  # until it did wait: how much others get is the kernel's affair
        began = time.monotonic()
        assert array(ask(lane, COMPUTES, limits=LIMITS)).tolist() == [1.0]
        if time.monotonic() - began > 2 * LIMITS.case_s:  # for two calls, each below it by its own processor time
            return
    pytest.fail("it never had to wait")


@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(60)"])
def test_what_does_not_end_ends_on_a_busy_machine_too(lane: Lane, busy: None, body: str) -> None:
    began = time.monotonic()
    assert end_of(lane, f"def f():\n    {body}\n", limits=LIMITS) == (End.TIME, "the grader's clock ran out")
    assert time.monotonic() - began < 30


def test_what_sleeps_is_out_of_time(lane: Lane) -> None:
    began = time.monotonic()
    assert end_of(lane, "import time\ndef f(): time.sleep(60)\n", limits=LIMITS)[0] is End.TIME
    assert time.monotonic() - began < 30
