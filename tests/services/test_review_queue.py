"""The queue of reviews: whose attempts it holds, in which order, narrowed down how, with how many queries."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, select, update

from grader.grading.verdict import Verdict
from grader.services import own_time, reviews
from grader.services.packages import Packages
from grader.store import review_queue_queries as queue
from grader.store.interview_models import Interview, Invitation
from grader.store.models import Attempt, User
from grader.store.review_queue_queries import Filters, Neighbours, Wanted
from grader.store.session import read_session, write_session
from tests.services.interviewing import make_interview, make_interviewer
from tests.services.made import after, make_judgement
from tests.services.reviewing import END, draft, make_judged, make_led, make_member, queries_of

WA = make_judgement(Verdict.WA, ("thrice",), "output")
AC = make_judgement()
JE = make_judgement(Verdict.JE)


@pytest.fixture
def led(engine: Engine, packages: Packages) -> tuple[User, Interview]:
    return make_led(engine, packages)


@pytest.fixture
def lead(led: tuple[User, Interview]) -> User:
    return led[0]


@pytest.fixture
def interview(led: tuple[User, Interview]) -> Interview:
    return led[1]


def labels(engine: Engine, user: User, filters: Filters | None = None, now: datetime = END, **page: Any) -> list[str]:
    with read_session(engine) as session:
        rows = queue.rows_in(session, user, filters or Filters(), now, page.get("offset", 0), page.get("limit", 50))
        if not page:
            assert queue.number_in(session, user, filters or Filters(), now) == len(rows)
    return [row.label for row in rows]


def test_an_attempt_waits_once_its_time_is_over_and_something_was_handed_in(
    engine: Engine, lead: User, interview: Interview
) -> None:
    make_judged(engine, lead, interview, "Ines", WA)
    make_judged(engine, lead, interview, "Tomasz")
    assert labels(engine, lead, now=after(30)) == []
    assert labels(engine, lead) == ["Ines"]
    assert labels(engine, lead, Filters(Wanted.ALL)) == ["Ines", "Tomasz"]


def test_the_end_itself_is_still_in_time_for_the_queue_as_for_the_candidate(
    engine: Engine, lead: User, interview: Interview
) -> None:
    make_judged(engine, lead, interview, "Ines", WA)
    with write_session(engine) as session:
        (invitation,) = session.scalars(select(Invitation).where(Invitation.ends_at.is_not(None)))
        assert invitation.ends_at is not None
        session.execute(update(Interview).values(closes_at=invitation.ends_at))
    for end, is_over in ((invitation.ends_at, False), (invitation.ends_at + timedelta(microseconds=1), True)):
        assert own_time.is_over(invitation, end) is is_over
        assert labels(engine, lead, now=end) == ["Ines"] * is_over
        with read_session(engine) as session:
            (row,) = queue.rows_in(session, lead, Filters(Wanted.ALL), end, 0, 50)
        assert row.is_over is is_over


def test_who_ended_early_waits_at_once(engine: Engine, lead: User, interview: Interview) -> None:
    make_judged(engine, lead, interview, "Ines", WA)
    with write_session(engine) as session:
        session.execute(update(Invitation).values(ended_at=after(10)))
    assert labels(engine, lead, now=after(11)) == ["Ines"]


def test_a_row_tells_what_is_needed_to_choose(engine: Engine, lead: User, interview: Interview) -> None:
    make_judged(engine, lead, interview, "Ines", AC, WA)
    with read_session(engine) as session:
        (row,) = queue.rows_in(session, lead, Filters(), END, 0, 50)
    assert (row.interview, row.label, row.number, row.problem) == ("Spring round", "Ines", 1, "Twice as much")
    assert (row.submissions, row.verdict, row.score, row.faults) == (2, Verdict.WA, 100.0, ("thrice",))
    assert (row.claimed_by, row.is_mine, row.own_finished_at, row.finished) == (None, False, None, 0)


def test_others_interviews_and_own_attempts_are_not_there(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    attempt = make_judged(engine, lead, interview, "Ines", WA)
    other = make_interviewer(engine, "Otto")
    make_judged(engine, other, make_interview(engine, packages, other), "Noor", AC)
    assert labels(engine, other, Filters(Wanted.ALL)) == ["Noor"]
    with write_session(engine) as session:
        session.execute(update(Attempt).where(Attempt.id == attempt.id).values(candidate_id=lead.id))
    assert labels(engine, lead, Filters(Wanted.ALL)) == []


def test_who_is_no_interviewer_any_more_has_no_queue(engine: Engine, lead: User, interview: Interview) -> None:
    make_judged(engine, lead, interview, "Ines", WA)
    lead.is_interviewer = False
    assert labels(engine, lead, Filters(Wanted.ALL)) == []


def test_an_admin_reads_all(engine: Engine, lead: User, interview: Interview) -> None:
    make_judged(engine, lead, interview, "Ines", WA)
    assert labels(engine, make_interviewer(engine, "Anna", is_admin=True)) == ["Ines"]


def test_what_is_claimed_waits_for_nobody_else(engine: Engine, lead: User, interview: Interview) -> None:
    attempt, colleague = make_judged(engine, lead, interview, "Ines", WA), make_member(engine, interview, "Rita")
    with write_session(engine) as session:
        reviews.claim(session, colleague, attempt.public_id, END)
    assert labels(engine, lead) == []
    assert labels(engine, colleague) == labels(engine, colleague, Filters(Wanted.MINE)) == ["Ines"]
    assert labels(engine, lead, Filters(Wanted.MINE)) == []


def test_what_is_reviewed_waits_no_longer(engine: Engine, packages: Packages, lead: User, interview: Interview) -> None:
    attempt, colleague = make_judged(engine, lead, interview, "Ines", WA), make_member(engine, interview, "Rita")
    with write_session(engine) as session:
        reviews.finish(session, colleague, attempt.public_id, draft(), 0, packages, END)
    assert labels(engine, lead) == labels(engine, lead, Filters(Wanted.FINISHED)) == []
    assert labels(engine, colleague, Filters(Wanted.FINISHED)) == ["Ines"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(Wanted.ALL, verdict=Verdict.AC), ["right"]),
        (Filters(Wanted.ALL, verdict=Verdict.WA), ["wrong", "ours before"]),
        (Filters(Wanted.ALL, verdict=Verdict.JE), ["ours before"]),
        (Filters(Wanted.ALL, fault="thrice"), ["right", "wrong", "ours before"]),
        (Filters(Wanted.ALL, fault="no-such"), []),
        (Filters(Wanted.ALL, interview="aaaaaaaaaaaa"), []),
    ],
    ids=["AC", "WA", "JE", "fault", "no such fault", "no such interview"],
)
def test_filters(engine: Engine, lead: User, interview: Interview, filters: Filters, expected: list[str]) -> None:
    make_judged(engine, lead, interview, "right", WA, AC)
    make_judged(engine, lead, interview, "wrong", WA)
    make_judged(engine, lead, interview, "ours before", JE, WA)
    assert labels(engine, lead, filters) == expected


def test_filters_offer_what_there_is_in_own_interviews(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    make_judged(engine, lead, interview, "Ines", WA)
    other = make_interviewer(engine, "Otto")
    foreign = make_interview(engine, packages, other, title="canary round")
    make_judged(engine, other, foreign, "Noor", make_judgement(Verdict.WA, ("canary-fault",), "output"))
    with read_session(engine) as session:
        offered = queue.offered(session, lead, END)
    assert (list(offered.interviews), list(offered.faults)) == ([(interview.public_id, "Spring round")], ["thrice"])


def test_neighbours_and_pages(engine: Engine, lead: User, interview: Interview) -> None:
    attempts = [make_judged(engine, lead, interview, f"C{number}", WA) for number in range(4)]
    assert labels(engine, lead, offset=1, limit=2) == ["C1", "C2"]
    with read_session(engine) as session:
        found = [queue.neighbours_of(session, lead, Filters(), attempt, END) for attempt in attempts]
        assert found[0] == Neighbours(None, attempts[1].public_id, 1, 4)
        assert found[2] == Neighbours(attempts[1].public_id, attempts[3].public_id, 3, 4)
        assert found[3] == Neighbours(attempts[2].public_id, None, 4, 4)
        outside = queue.neighbours_of(session, lead, Filters(verdict=Verdict.AC), attempts[1], END)
    assert outside == Neighbours(None, None, 0, 0)


def test_the_number_of_queries_does_not_grow(engine: Engine, lead: User, interview: Interview) -> None:
    def asked() -> int:
        with read_session(engine) as session, queries_of(engine) as found:
            queue.rows_in(session, lead, Filters(), END, 0, 50)
            queue.number_in(session, lead, Filters(), END)
            queue.offered(session, lead, END)
            return len(found)

    make_judged(engine, lead, interview, "Ines", WA)
    before = asked()
    for number in range(6):
        make_judged(engine, lead, interview, f"C{number}", WA, AC)
    assert asked() == before
