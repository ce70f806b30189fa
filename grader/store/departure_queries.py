"""Questions about what is under way when an account is deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from grader.store.interview_models import Interview, InterviewMember, Invitation, Part
from grader.store.models import User

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
    is_running = and_(Invitation.started_at.is_not(None), Invitation.ended_at.is_(None), Invitation.ends_at >= now)
    return _titles(session, user, is_running)


def accepted(session: Session, user: User, now: datetime) -> Sequence[str]:
    """Return the titles of interviews that a user has accepted and may still start."""
    may_start = and_(Invitation.started_at.is_(None), Invitation.revoked_at.is_(None), _is_open(now))
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
        .where(
            Invitation.interview_id == Interview.id,
            Invitation.started_at.is_not(None),
            Invitation.ended_at.is_(None),
            Invitation.ends_at >= now,
        )
        .correlate(Interview)
        .scalar_subquery()
    )
    statement = (
        select(Interview.title, InterviewMember.part == Part.LEAD, leads, under_way)
        .join(InterviewMember, InterviewMember.interview_id == Interview.id)
        .where(InterviewMember.user_id == user.id, _is_open(now))
        .order_by(Interview.id.desc())
        .limit(SHOWN)
    )
    found = session.execute(statement)
    return [OpenInterview(title, bool(is_led), others, running) for title, is_led, others, running in found]


def _is_open(now: datetime) -> ColumnElement[bool]:
    is_closing_later = or_(Interview.closes_at.is_(None), Interview.closes_at > now)
    return and_(Interview.archived_at.is_(None), Interview.released_at.is_(None), is_closing_later)
