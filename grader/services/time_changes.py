"""What changed a candidate's time: more of it, and its end before it was over; for reviewers, and for the candidate."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from grader.store import time_queries as queries
from grader.store.interview_models import Invitation


@dataclass(frozen=True)
class TimeChange:
    """One change; without minutes the time was ended."""

    at: datetime
    minutes: int | None
    is_own: bool  # the candidate's doing
    by: str | None  # whose doing, for who may know; None: the candidate's, or it is not told
    reason: str  # empty: none was given, or it is not told
    is_told: bool  # whether the candidate reads the reason


def all_changes(session: Session, invitation: Invitation) -> tuple[TimeChange, ...]:
    """Return every change, earliest first, as those who review may know it."""
    changes = [
        TimeChange(one.created_at, one.minutes, False, name, one.reason, False)
        for one, name in queries.extensions_of(session, invitation)
    ]
    for one, name in queries.early_ends_of(session, invitation):
        is_own = one.user_id == invitation.user_id
        changes.append(TimeChange(one.created_at, None, is_own, None if is_own else name, one.reason, one.is_told))
    return tuple(sorted(changes, key=lambda change: change.at))


def told_changes(session: Session, invitation: Invitation) -> tuple[TimeChange, ...]:
    """Return every change, earliest first, as its candidate may know it: without names, reasons where they are told."""
    return tuple(
        TimeChange(one.at, one.minutes, one.is_own, None, one.reason if one.is_told else "", one.is_told)
        for one in all_changes(session, invitation)
    )
