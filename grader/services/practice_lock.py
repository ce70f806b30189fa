"""While an interview runs that says so, its problems are closed for who takes it wherever else they met them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.services import own_time
from grader.store import taking_queries
from grader.store.models import Attempt, User


class ClosedMeanwhile(UserError):
    """The problem is part of an interview that the user is taking."""

    status = 409


def closed_slugs(session: Session, candidate: User, now: datetime) -> frozenset[str]:
    """Return the problems that are closed in practice for a candidate now."""
    return taking_queries.locked_slugs(session, candidate.id, now)


def require_open(session: Session, candidate: User, slug: str, now: datetime) -> None:
    """Make sure that a candidate may practise a problem now: begin, hand in, give up, read sources and answers.

    Raises:
        ClosedMeanwhile: an interview that they are taking has it.
    """
    _require(session, candidate.id, slug, now)


def require_readable(session: Session, attempt: Attempt, now: datetime) -> None:
    """As `require_open`, of an attempt in practice, or in an interview whose time is over: that one tells as much.

    Raises:
        ClosedMeanwhile: an interview that its candidate is taking has its problem.
    """
    if attempt.invitation is None or own_time.is_over(attempt.invitation, now):
        _require(session, attempt.candidate_id, attempt.package.slug, now)


def _require(session: Session, candidate: int, slug: str, now: datetime) -> None:
    if slug in taking_queries.locked_slugs(session, candidate, now):
        raise ClosedMeanwhile(
            "This problem is part of the interview that you are taking, so elsewhere it is closed until your time "
            "there is over."
        )
