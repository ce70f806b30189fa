"""Who is under way and what may still be started: conditions on rows, each said once for every query."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from grader.store.interview_models import Interview, Invitation
from grader.store.models import User


def is_under_way(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a row's candidate has started and has time left; the end itself is still in time."""
    return and_(Invitation.started_at.is_not(None), Invitation.ended_at.is_(None), Invitation.ends_at >= now)


def is_over(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a row's candidate, who has started, can hand nothing in any more."""
    return or_(Invitation.ended_at.is_not(None), Invitation.ends_at < now)


def may_be_started(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a row's interview is not archived, released or past its window; it may open later."""
    is_closing_later = or_(Interview.closes_at.is_(None), Interview.closes_at > now)
    return and_(Interview.archived_at.is_(None), Interview.released_at.is_(None), is_closing_later)


def has_open_invitation(session: Session, candidate: User, now: datetime) -> bool:
    """Return whether a candidate is under way in an interview, or accepted one that they may still start."""
    statement = (
        select(Invitation.id)
        .join(Interview, Interview.id == Invitation.interview_id)
        .where(
            Invitation.user_id == candidate.id,
            Invitation.revoked_at.is_(None),
            or_(is_under_way(now), and_(Invitation.started_at.is_(None), may_be_started(now))),
        )
        .limit(1)
    )
    return session.scalar(statement) is not None
