"""Waiting for a verdict that another process writes."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from sqlalchemy import Engine

from grader.grading.verdict import Verdict
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.polled import HELD_MAX, Polled
from tests.services.made import NOON, make_attempt, make_candidate, make_judgement, make_submission

LONG_S: Final = 4.0


def waiting(engine: Engine, packages: Packages) -> int:
    """Return the key of a submission that waits."""
    candidate = make_candidate(engine)
    return make_submission(engine, candidate, make_attempt(engine, packages, candidate)).id


def seconds_of(polled: Polled, key: int, longest_s: float) -> float:
    began = time.monotonic()
    polled.wait(key, longest_s)
    return time.monotonic() - began


def test_a_verdict_ends_the_wait(engine: Engine, packages: Packages) -> None:
    key = waiting(engine, packages)
    write = threading.Timer(0.2, lambda: write_result(engine, key, make_judgement(Verdict.AC), NOON))
    write.start()
    assert 0.2 <= seconds_of(Polled(engine), key, 60.0) < 30.0
    write.join()


def test_without_a_verdict_the_time_ends_it(engine: Engine, packages: Packages) -> None:
    assert 0.3 <= seconds_of(Polled(engine), waiting(engine, packages), 0.3) < 30.0


def test_only_so_many_wait_at_a_time(engine: Engine, packages: Packages) -> None:
    key, polled, number = waiting(engine, packages), Polled(engine), HELD_MAX + 3
    together = threading.Barrier(number)

    def wait(_: int) -> bool:
        together.wait()
        return seconds_of(polled, key, LONG_S) >= LONG_S

    with ThreadPoolExecutor(number) as threads:
        assert sorted(threads.map(wait, range(number))) == [False] * 3 + [True] * HELD_MAX
