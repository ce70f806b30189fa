"""Waiting for a verdict that another process writes."""

from __future__ import annotations

import threading
import time

from sqlalchemy import Engine

from grader.grading.verdict import Verdict
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.polled import SOON, Polled
from tests.services.made import NOON, make_attempt, make_candidate, make_judgement, make_submission


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


def test_a_verdict_whose_turn_comes_late_is_not_waited_for(engine: Engine, packages: Packages) -> None:
    keys = [waiting(engine, packages) for _ in range(SOON + 1)]
    assert seconds_of(Polled(engine), keys[-1], 3600.0) < 60.0
    assert seconds_of(Polled(engine), keys[-2], 0.3) >= 0.3


def test_what_is_judged_or_gone_is_not_waited_for(engine: Engine, packages: Packages) -> None:
    key = waiting(engine, packages)
    assert write_result(engine, key, make_judgement(Verdict.AC), NOON)
    assert max(seconds_of(Polled(engine), each, 3600.0) for each in (key, key + 1)) < 60.0
