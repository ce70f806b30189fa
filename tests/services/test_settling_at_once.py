"""What settles an attempt and what lets it go on, at once: one of them is refused, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.services import invitations, own_time, reviews
from grader.services.packages import Packages
from grader.store.interview_models import Interview, Invitation, Review, ScoreOverride
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from tests.services.made import make_judgement
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
