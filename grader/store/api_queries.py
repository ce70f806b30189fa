"""Questions of the programs' interface: lists in pages, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from grader.store.models import Attempt, Submission, User
from grader.store.queries import WITH_INTERVIEW


def attempts_page(session: Session, candidate: User, offset: int, limit: int) -> list[tuple[Attempt, int]]:
    """Return a stretch of a candidate's attempts, newest first, each with its number of submissions."""
    count = select(func.count(Submission.id)).where(Submission.attempt_id == Attempt.id).scalar_subquery()
    statement = (
        select(Attempt, count)
        .where(Attempt.candidate_id == candidate.id)
        .options(joinedload(Attempt.package), WITH_INTERVIEW)
        .order_by(Attempt.id.desc())
        .offset(offset)
        .limit(limit)
    )
    return [(attempt, number) for attempt, number in session.execute(statement)]


def newest_submissions(session: Session, attempt: Attempt, limit: int) -> Sequence[Submission]:
    """Return an attempt's last submissions, newest first, without their sources."""
    statement = select(Submission).filter_by(attempt_id=attempt.id).order_by(Submission.ordinal.desc()).limit(limit)
    return session.scalars(statement).all()
