"""Questions of the programs' interface: lists in pages, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from grader.store.models import Attempt, Submission, User
from grader.store.queries import WITH_INTERVIEW


def attempts_page(session: Session, candidate: User, offset: int, limit: int) -> Sequence[Attempt]:
    """Return a stretch of a candidate's attempts of either kind, newest first."""
    statement = (
        select(Attempt)
        .where(Attempt.candidate_id == candidate.id)
        .options(joinedload(Attempt.package), joinedload(Attempt.interview_problem), WITH_INTERVIEW)
        .order_by(Attempt.id.desc())
        .offset(offset)
        .limit(limit)
    )
    return session.scalars(statement).all()


def newest_submissions(session: Session, attempt: Attempt, limit: int) -> Sequence[Submission]:
    """Return an attempt's last submissions, newest first, without their sources."""
    statement = select(Submission).filter_by(attempt_id=attempt.id).order_by(Submission.ordinal.desc()).limit(limit)
    return session.scalars(statement).all()
