"""Questions about what is under way when an account is deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session, aliased

from grader.store.interview_models import Interview, InterviewMember, Invitation, Part
from grader.store.models import User
from grader.store.under_way import is_under_way, may_be_started

SHOWN: Final = 20  # of each kind, newest first


@dataclass(frozen=True)
class OpenInterview:
    """An interview that somebody interviews in and that candidates may still take."""

    title: str
    is_led: bool  # by them
    other_leads: int
    under_way: int  # candidates


def taken(session: Session, user: User, now: datetime) -> Sequence[str]:
    """Return the titles of interviews that a user is taking."""
    return _titles(session, user, is_under_way(now))


def accepted(session: Session, user: User, now: datetime) -> Sequence[str]:
    """Return the titles of interviews that a user has accepted and may still start."""
    may_start = and_(Invitation.started_at.is_(None), Invitation.revoked_at.is_(None), may_be_started(now))
    return _titles(session, user, may_start)


def _titles(session: Session, user: User, condition: ColumnElement[bool]) -> Sequence[str]:
    statement = (
        select(Interview.title)
        .join(Invitation, Invitation.interview_id == Interview.id)
        .where(Invitation.user_id == user.id, condition)
        .order_by(Interview.id.desc())
        .limit(SHOWN)
    )
    return session.scalars(statement).all()


def interviewed(session: Session, user: User, now: datetime) -> Sequence[OpenInterview]:
    """Return the open interviews that a user is an interviewer of."""
    other, person = aliased(InterviewMember), aliased(User)
    leads = (
        select(func.count(other.id))
        .join(person, person.id == other.user_id)
        .where(
            other.interview_id == Interview.id,
            other.part == Part.LEAD,
            other.user_id != user.id,
            person.is_interviewer.is_(True),
        )
        .correlate(Interview)
        .scalar_subquery()
    )
    under_way = (
        select(func.count(Invitation.id))
        .where(Invitation.interview_id == Interview.id, is_under_way(now))
        .correlate(Interview)
        .scalar_subquery()
    )
    statement = (
        select(Interview.title, InterviewMember.part == Part.LEAD, leads, under_way)
        .join(InterviewMember, InterviewMember.interview_id == Interview.id)
        .where(InterviewMember.user_id == user.id, may_be_started(now))
        .order_by(Interview.id.desc())
        .limit(SHOWN)
    )
    found = session.execute(statement)
    return [OpenInterview(title, bool(is_led), others, running) for title, is_led, others, running in found]
