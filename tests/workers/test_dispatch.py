"""A row and its job are stored together, and each waiting row has one job."""

from __future__ import annotations

import contextlib

import pytest
from sqlalchemy import Engine, select, text

from grader.services.judging import unjudged
from grader.services.packages import Packages
from grader.store.models import Submission
from grader.store.session import read_session, write_session
from grader.workers.dispatch import Deferring, jobs_without
from tests.services.tiny_package import RIGHT
from tests.workers.working import Queue

pytestmark = pytest.mark.services


@pytest.fixture
def queue(engine: Engine, postgres_url: str, packages: Packages) -> Queue:
    return Queue(engine, postgres_url, packages)


def test_a_committed_row_has_its_job(queue: Queue) -> None:
    queue.hand_in(RIGHT)
    assert queue.jobs() == [("todo", 0)]


class Failed(Exception):
    """What a request may end with."""


def test_a_row_that_is_rolled_back_leaves_no_job(queue: Queue, engine: Engine, postgres_url: str) -> None:
    with contextlib.suppress(Failed), write_session(engine) as session:
        row = Submission(attempt_id=queue.attempt.id, ordinal=1, source=RIGHT, created_at=queue.attempt.started_at)
        session.add(row)
        Deferring(postgres_url).dispatch(session, row)
        raise Failed
    with read_session(engine) as session:
        assert session.scalars(select(Submission.id)).all() == []
    assert queue.jobs() == []


def test_a_row_without_a_job_is_found(queue: Queue, engine: Engine) -> None:
    queue.hand_in(RIGHT)
    lost = queue.hand_in(RIGHT, has_job=False)
    with read_session(engine) as session:
        assert jobs_without(session, unjudged(session)) == [(Submission, lost)]


def test_who_waits_at_a_page_comes_before_what_nobody_waits_for(
    queue: Queue, engine: Engine, postgres_url: str
) -> None:
    with write_session(engine) as session:
        Deferring(postgres_url).work(session)
    queue.hand_in(RIGHT)
    with write_session(engine) as session:
        session.execute(text("INSERT INTO procrastinate_workers DEFAULT VALUES"))
        fetch = text("SELECT task_name FROM procrastinate_fetch_job_v2(ARRAY['batch', 'interactive'], 1)")
        taken = [session.execute(fetch).scalar_one() for _ in range(2)]
    assert taken == ["grader.judge", "grader.work"]
