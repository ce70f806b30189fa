"""Who sits what: nobody interviews where they are a candidate, or reads what is hidden of a problem that they sit."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, aliased

from grader.errors import UserError
from grader.store.interview_models import Interview, InterviewProblem, Invitation
from grader.store.models import Attempt, Package, User


class SatByReader(UserError):
    """The one who asks is a candidate with the same problem at this moment."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            "You are sitting this problem yourself, in an interview; what is hidden of it opens when your time is over."
        )


class PlaceOfReader(UserError):
    """The one who asks for everybody's attempts has, or had, a place in one of the interviews."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            "You are or were a candidate in an interview with this problem, so another admin has to judge everybody's "
            "attempts again; those of any other interview you can judge again from its own page."
        )


def has_place(user: User) -> ColumnElement[bool]:
    """Return the condition that a user is a candidate of a row's interview: whatever else rows say, that goes first."""
    own = aliased(Invitation)
    statement = select(own.id).where(own.interview_id == Interview.id, own.user_id == user.id, own.revoked_at.is_(None))
    return statement.correlate(Interview).exists()


def is_candidate(session: Session, user: User, interview: Interview) -> bool:
    """Return whether a user has a place in an interview."""
    statement = select(Invitation.id).filter_by(interview_id=interview.id, user_id=user.id, revoked_at=None)
    return session.scalar(statement) is not None


def is_sat_by(user: User) -> ColumnElement[bool]:
    """Return the condition that a user sits a row's package, or another version of it, in an interview now.

    Whoever has started sits it until their invitation is closed, a moment after the time is over at most.
    """
    attempt, package, invitation = aliased(Attempt), aliased(Package), aliased(Invitation)
    statement = (
        select(attempt.id)
        .join(package, package.id == attempt.package_id)
        .join(invitation, invitation.id == attempt.invitation_id)
        .where(attempt.candidate_id == user.id, invitation.ended_at.is_(None), package.slug == Package.slug)
    )
    return statement.correlate(Package).exists()


def require_not_sat(session: Session, user: User, packages: Iterable[Package]) -> None:
    """Make sure that a user may read what is hidden of packages.

    Raises:
        SatByReader: they sit one of them themselves.
    """
    keys = [package.id for package in packages]
    if session.scalar(select(Package.id).where(Package.id.in_(keys), is_sat_by(user)).limit(1)) is not None:
        raise SatByReader


def require_no_place(session: Session, user: User, package: Package) -> None:
    """Make sure that a user has no place in any interview with a package, or another version of it.

    Raises:
        PlaceOfReader: they have one, or had it until their time was over.
    """
    statement = (
        select(Interview.id)
        .join(InterviewProblem, InterviewProblem.interview_id == Interview.id)
        .join(Package, Package.id == InterviewProblem.package_id)
        .where(Package.slug == package.slug, has_place(user))
        .limit(1)
    )
    if session.scalar(statement) is not None:
        raise PlaceOfReader


def require_none_sat(session: Session, user: User, interview: Interview) -> None:
    """Make sure that a user may read what is hidden of any problem of an interview.

    Raises:
        SatByReader: they sit one of them themselves, in another interview.
    """
    require_not_sat(session, user, [problem.package for problem in interview.problems])
