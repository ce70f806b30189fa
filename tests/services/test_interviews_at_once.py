"""Interviews that several people change at once, on SQLite and PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine

from grader.errors import UserError
from grader.services import interviewers, interviews
from grader.services.invitations import Invited
from grader.services.packages import Packages
from grader.store import interview_queries as queries
from grader.store.interview_models import Interview, Part
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.interviewing import make_interview, make_interviewer, make_invitations, make_settings
from tests.services.made import NOON


@pytest.fixture
def lead(engine: Engine) -> User:
    return make_interviewer(engine, "Lena")


@pytest.fixture
def interview(engine: Engine, packages: Packages, lead: User) -> Interview:
    return make_interview(engine, packages, lead)


def together(number: int, call: Callable[[int], object]) -> list[str]:
    """Call from many threads at once; return what came of each: "done", or the error's name."""

    def outcome(which: int) -> str:
        start.wait()
        try:
            call(which)
        except UserError as error:
            return type(error).__name__
        return "done"

    start = threading.Barrier(number)
    with ThreadPoolExecutor(number) as threads:
        return sorted(threads.map(outcome, range(number)))


def test_of_forms_that_are_saved_at_once_one_is_stored(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    def save(which: int) -> None:
        settings = make_settings(packages, title=f"Title {which}")
        with write_session(engine) as session:
            interviews.change(session, lead, interview.public_id, settings, 1, packages, NOON)

    assert together(8, save) == ["Outdated"] * 7 + ["done"]
    with read_session(engine) as session:
        assert queries.interview_of(session, lead, interview.public_id).version == 2


def test_leads_who_take_each_other_off_at_once_leave_one(engine: Engine, lead: User, interview: Interview) -> None:
    leads = [lead, make_interviewer(engine, "Rob"), make_interviewer(engine, "Xena")]
    with write_session(engine) as session:
        for other in leads[1:]:
            interviewers.set_part(session, lead, interview.public_id, other.name, Part.LEAD, NOON)

    def leave(which: int) -> None:
        with write_session(engine) as session:
            interviewers.remove(session, leads[which], interview.public_id, leads[which].public_id, NOON)

    assert together(3, leave) == ["UserError", "done", "done"]


def test_who_is_invited_twice_at_once_gets_one_link(engine: Engine, lead: User, interview: Interview) -> None:
    made: list[Invited] = []
    together(6, lambda which: made.extend(make_invitations(engine, lead, interview, "Ines", "Tomasz")))
    assert sorted(one.label for one in made) == ["Ines", "Tomasz"]
