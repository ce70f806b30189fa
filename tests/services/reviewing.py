"""Attempts of interviews that are over and judged, as reviewers meet them, made by plain functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

from grader.grading.verdict import Judgement
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.reviews import Draft
from grader.store.interview_models import Decision, Interview, InterviewMember, Part
from grader.store.models import Attempt, Submission, User
from grader.store.session import write_session
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import after, make_candidate
from tests.services.tiny_package import WRONG

END = after(200)  # everybody's time is over by then


def make_member(engine: Engine, interview: Interview, name: str, part: Part = Part.REVIEWER) -> User:
    """Return a new interviewer with a part in an interview."""
    user = make_interviewer(engine, name)
    with write_session(engine) as session:
        session.add(InterviewMember(interview_id=interview.id, user_id=user.id, part=part))
    return user


def make_led(engine: Engine, packages: Packages, **changes: object) -> tuple[User, Interview]:
    """Return an interview and who leads it."""
    lead = make_interviewer(engine, "Lena")
    return lead, make_interview(engine, packages, lead, **changes)


def make_judged(
    engine: Engine, lead: User, interview: Interview, label: str, *judgements: Judgement | None, source: bytes = WRONG
) -> Attempt:
    """Return a candidate's attempt with a submission for each judgement; None: it is not judged yet."""
    (invited,) = make_invitations(engine, lead, interview, label)
    attempt = begin(engine, invited.token, make_candidate(engine), after(1))
    for number, judgement in enumerate(judgements, 1):
        hand_in(engine, attempt, number, judgement, source)
    return attempt


def hand_in(engine: Engine, attempt: Attempt, number: int, judgement: Judgement | None, source: bytes = WRONG) -> None:
    with write_session(engine) as session:
        submission = Submission(attempt_id=attempt.id, ordinal=number, source=source, created_at=after(number + 1))
        session.add(submission)
    if judgement is not None:
        assert write_result(engine, submission.id, judgement, after(number + 1.5))


def draft(decision: Decision | None = Decision.YES, **changes: Any) -> Draft:
    fields = {"private_note": "", "shared_note": "", "points": (), **changes}
    return Draft(decision=decision, **fields)


@contextmanager
def queries_of(engine: Engine) -> Iterator[list[str]]:
    """Collect the queries that a block puts to a database."""
    asked: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)
