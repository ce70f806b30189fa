"""What settles an attempt and what lets it go on, at once: one of them is refused, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.services import invitations, own_time, reviews, taking
from grader.services.packages import Packages
from grader.store.held import held
from grader.store.interview_models import Interview, Invitation, Review, ScoreOverride
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from grader.store.time_models import EarlyEnd
from tests.services.beside import DONE, in_turn
from tests.services.made import after, make_judgement
from tests.services.reviewing import END, draft, make_judged, make_led
from tests.services.test_interviews_at_once import together

ROUNDS = 12
Settle = Callable[[Session, User, Attempt, Packages], None]


def finish(session: Session, lead: User, attempt: Attempt, packages: Packages) -> None:
    reviews.finish(session, lead, attempt.public_id, draft(), 0, packages, END)


def score(session: Session, lead: User, attempt: Attempt, packages: Packages) -> None:
    reviews.override(session, lead, attempt.public_id, 50.0, "mended aloud within a minute", 0, END)


@pytest.fixture
def led(engine: Engine, packages: Packages) -> tuple[User, Interview]:
    return make_led(engine, packages)


@pytest.mark.parametrize("settle", [finish, score])
def test_nobody_is_given_time_for_what_is_settled_at_once(
    engine: Engine, packages: Packages, led: tuple[User, Interview], settle: Settle
) -> None:
    lead, interview = led
    for number in range(ROUNDS):
        attempt = make_judged(engine, lead, interview, f"Candidate {number}", make_judgement(Verdict.WA))
        assert together(2, both(engine, packages, lead, interview, attempt, settle)) == ["NotNow", "done"]
        with read_session(engine) as session:
            is_settled = any(
                session.scalar(select(table.id).filter_by(attempt_id=attempt.id)) for table in (Review, ScoreOverride)
            )
            invitation = session.get_one(Invitation, attempt.invitation_id)
            assert is_settled is own_time.is_over(invitation, END)


def both(
    engine: Engine, packages: Packages, lead: User, interview: Interview, attempt: Attempt, settle: Settle
) -> Callable[[int], None]:
    """Return what settles an attempt when it is called with 0, and gives its candidate more time otherwise."""
    with read_session(engine) as session:
        place = session.get_one(Invitation, attempt.invitation_id).public_id

    def call(which: int) -> None:
        with write_session(engine) as session:
            if which == 0:
                settle(session, lead, attempt, packages)
            else:
                ids = interview.public_id, place
                invitations.extend(session, lead, *ids, "10", "a fire drill", END, is_confirmed=True)

    return call


def test_a_time_is_ended_once_by_who_came_first(
    engine: Engine, packages: Packages, led: tuple[User, Interview]
) -> None:
    lead, interview = led
    attempt = make_judged(engine, lead, interview, "Ines")
    ends = [end_at(engine, lead, interview, attempt, now) for now in (after(6), after(5))]  # the second one waited
    assert in_turn(engine, holding(attempt), *ends) == [DONE, "NotNow"]
    assert early_ends(engine) == [(after(6), "Because.")]


def test_who_ends_the_own_time_behind_an_interviewer_ends_nothing(
    engine: Engine, packages: Packages, led: tuple[User, Interview]
) -> None:
    lead, interview = led
    attempt = make_judged(engine, lead, interview, "Ines")
    with read_session(engine) as session:
        place = session.get_one(Invitation, attempt.invitation_id)
        candidate = session.get_one(User, attempt.candidate_id)

    def end() -> None:
        with write_session(engine) as session:
            taking.end(session, candidate, place.public_id, packages, after(5))

    first = end_at(engine, lead, interview, attempt, after(6))
    assert in_turn(engine, holding(attempt), first, end) == [DONE, DONE]
    assert early_ends(engine) == [(after(6), "Because.")]
    with read_session(engine) as session:
        assert session.get_one(Invitation, place.id).ended_at == after(5)


def holding(attempt: Attempt) -> Callable[[Session], object]:
    return lambda session: held(session, Invitation, Invitation.id == attempt.invitation_id)


def end_at(engine: Engine, lead: User, interview: Interview, attempt: Attempt, now: datetime) -> Callable[[], None]:
    """Return what ends a candidate's time, with the time at which it was asked for."""
    with read_session(engine) as session:
        ids = interview.public_id, session.get_one(Invitation, attempt.invitation_id).public_id

    def call() -> None:
        with write_session(engine) as session:
            invitations.end_early(session, lead, *ids, "Because.", now, is_told=False)

    return call


def early_ends(engine: Engine) -> list[tuple[datetime, str]]:
    with read_session(engine) as session:
        return [(row.created_at, row.reason) for row in session.scalars(select(EarlyEnd).order_by(EarlyEnd.id))]
