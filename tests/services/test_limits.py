"""Limits and deadlines under load: no submission too many, none judged by when its turn came."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, delete, func, select, update

from grader.services import deadline, drafts
from grader.services.packages import Packages
from grader.store.interview_models import AuditEntry, Interview, Invitation
from grader.store.models import Attempt, Submission, User
from grader.store.session import make_engine, read_session, write_session
from tests.services import submitting
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, make_candidate
from tests.services.tiny_package import RIGHT

LIMIT, PROCESSES, THREADS = 20, 2, 32
REQUESTS, SPREAD_S, HELD_S = 500, 2.0, 3.0


@dataclass
class Taken:
    """An attempt in an interview, under way."""

    engine: Engine
    ada: User
    attempt: Attempt

    def numbers(self) -> list[int]:
        with read_session(self.engine) as session:
            return list(session.scalars(select(Submission.ordinal).order_by(Submission.ordinal)))

    def forget(self) -> None:
        with write_session(self.engine) as session:
            session.execute(delete(Submission))


@pytest.fixture
def taken(engine: Engine, packages: Packages) -> Taken:
    lead, ada = make_interviewer(engine, "Lea"), make_candidate(engine, "Ada")
    (invited,) = make_invitations(engine, lead, make_interview(engine, packages, lead, submissions_max=LIMIT), "Ada L.")
    return Taken(engine, ada, begin(engine, invited.token, ada, NOON))


def rounds(database_url: str, taken: Taken, number: int) -> None:
    processes = [
        submitting.start(database_url, taken.ada.id, taken.attempt.public_id, THREADS) for _ in range(PROCESSES)
    ]
    try:
        for _ in range(number):
            for process in processes:
                assert process.stdin
                process.stdin.write("go\n")
                process.stdin.flush()
            counts = [process.stdout.readline().split() for process in processes if process.stdout]
            assert sum(int(count[0]) for count in counts) == LIMIT
            assert sum(int(count[1]) for count in counts) == PROCESSES * THREADS - LIMIT
            assert taken.numbers() == list(range(1, LIMIT + 1))
            taken.forget()
    finally:
        for process in processes:
            process.communicate(timeout=30)


def test_as_many_submissions_as_are_allowed(database_url: str, taken: Taken) -> None:
    rounds(database_url, taken, 5)


@pytest.mark.long
def test_as_many_submissions_as_are_allowed_each_time(database_url: str, taken: Taken) -> None:
    rounds(database_url, taken, 200)


@contextmanager
def held(engine: Engine, attempt: Attempt) -> Iterator[None]:
    """Keep every other writer, or at least every other one of this attempt, waiting."""
    own = make_engine(engine.url.render_as_string(hide_password=False))
    with write_session(own) as session:
        session.scalars(select(Attempt).filter_by(id=attempt.id).with_for_update()).one()
        yield
    own.dispose()


def test_what_counts_is_when_it_came_in_not_when_its_turn_was(taken: Taken, packages: Packages) -> None:
    begun = datetime.now(UTC)
    end = begun + timedelta(seconds=SPREAD_S / 2)
    with write_session(taken.engine) as session:
        session.execute(update(Interview).values(submissions_max=2 * REQUESTS))
        session.execute(update(Invitation).values(started_at=begun, ends_at=end))
    with write_session(taken.engine) as session:
        drafts.save(session, taken.ada, taken.attempt.public_id, RIGHT, None, packages, begun)
    is_done = threading.Event()

    def sweep() -> None:  # as the thread that watches, only more often
        while not is_done.wait(0.05):
            deadline.close_due(taken.engine, packages, lambda session, row: None, datetime.now(UTC))

    def hand_in(number: int, received_at: datetime) -> tuple[datetime, bool]:
        source = f"x = {number}\n".encode()
        return received_at, submitting.submit(taken.engine, taken.ada, taken.attempt.public_id, source, received_at)

    with ThreadPoolExecutor(32) as threads:
        watch = threads.submit(sweep)
        began = time.monotonic()
        with held(taken.engine, taken.attempt):
            jobs = []
            for number in range(REQUESTS):
                time.sleep(max(0.0, began + SPREAD_S * number / REQUESTS - time.monotonic()))
                jobs.append(threads.submit(hand_in, number, datetime.now(UTC)))
            time.sleep(max(0.0, began + HELD_S - time.monotonic()))
        answers = [job.result() for job in jobs]
        is_done.set()
        watch.result()
    assert [was_taken for _, was_taken in answers] == [received_at <= end for received_at, _ in answers]
    assert {was_taken for _, was_taken in answers} == {True, False}
    deadline.close_due(taken.engine, packages, lambda session, row: None, datetime.now(UTC))
    with read_session(taken.engine) as session:
        by_clock = session.scalar(select(func.count(Submission.id)).filter_by(is_by_clock=True))
        closed = session.scalar(select(func.count(AuditEntry.id)).filter_by(action="invitation.close"))
    assert by_clock in (0, 1)  # none where a submission that came after the draft got the lock before the clock did
    assert closed == 1
    assert taken.numbers() == list(range(1, len(taken.numbers()) + 1))
