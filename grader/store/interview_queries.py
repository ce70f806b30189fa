"""Questions about interviews, as interviewers put them. Whether the user has a part in it is part of the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy import ColumnElement, and_, case, delete, exists, false, func, or_, select
from sqlalchemy.orm import Session, selectinload

from grader.errors import NotFound
from grader.store.held import held
from grader.store.interview_models import (
    Interview,
    InterviewMember,
    InterviewProblem,
    Invitation,
    PackageCheck,
    Part,
)
from grader.store.models import Package, User
from grader.store.package_queries import is_usable
from grader.store.sitting_queries import has_place
from grader.store.under_way import is_under_way

UPLOADS_SHOWN: Final = 200  # of one interviewer, newest first
_NO_INTERVIEW: Final = "There is no such interview, or it is not yours; the list of interviews shows your own."


class Phase(StrEnum):
    """Where an interview stands."""

    PLANNED = "planned"  # nobody is invited yet, or it opens later
    RUNNING = "running"
    ENDED = "ended"  # nobody can hand in any more, or the results are released
    ARCHIVED = "archived"


@dataclass(frozen=True)
class Counts:
    """How many candidates of an interview are where; revoked invitations count as none."""

    invited: int = 0
    accepted: int = 0  # and not started yet
    under_way: int = 0
    ended: int = 0

    @property
    def started(self) -> int:
        """How many have begun, whether or not they have ended."""
        return self.under_way + self.ended


def interview_of(
    session: Session, user: User, public_id: str, part: Part | None = None, *, lock: bool = False
) -> Interview:
    """Return an interview that a user has a part in, with its problems and interviewers.

    Args:
        session: asks the database.
        user: who asks, with the rights of this moment.
        public_id: the interview's.
        part: what they have to be in it: a lead is a reviewer as well. None: reading is enough, as admins may
            everywhere.
        lock: whether no other transaction may change the interview until this one ends. Whatever depends on its
            settings or on who has started takes this lock first.

    Raises:
        NotFound: there is none, or they have no such part in it.
    """
    statement = (
        select(Interview)
        .filter_by(public_id=public_id)
        .where(may(user, part))
        .options(
            selectinload(Interview.problems).joinedload(InterviewProblem.package),
            selectinload(Interview.members).joinedload(InterviewMember.user),
        )
    )
    if lock:
        held(session, Interview, Interview.public_id == public_id)
    interview = session.scalar(statement.execution_options(populate_existing=lock))
    if interview is None:
        raise NotFound(_NO_INTERVIEW)
    return interview


def may(user: User, part: Part | None) -> ColumnElement[bool]:
    """Return the condition under which a user is what `part` asks for in a row's interview, unless they take it."""
    if part is None and user.is_admin:
        return ~has_place(user)
    if not user.is_interviewer:  # whose right was taken has no part any more, whatever rows say
        return false()
    member = exists().where(InterviewMember.interview_id == Interview.id, InterviewMember.user_id == user.id)
    member = member.where(InterviewMember.part == Part.LEAD) if part is Part.LEAD else member
    return and_(member, ~has_place(user))


def is_member(user: User, interview: Interview) -> bool:
    """Tell whether a user is one of an interview's interviewers; an admin may read it without."""
    return user.is_interviewer and any(member.user_id == user.id for member in interview.members)


def is_lead(user: User, interview: Interview) -> bool:
    """Tell whether a user leads an interview."""
    return user.is_interviewer and any(
        member.user_id == user.id and member.part is Part.LEAD for member in interview.members
    )


def phase(now: datetime) -> ColumnElement[str]:
    """Return the expression for where an interview stands."""
    is_invited = exists().where(Invitation.interview_id == Interview.id, Invitation.revoked_at.is_(None))
    return case(
        (Interview.archived_at.is_not(None), Phase.ARCHIVED.value),
        (or_(Interview.closes_at <= now, Interview.released_at.is_not(None)), Phase.ENDED.value),
        (or_(Interview.opens_at > now, ~is_invited), Phase.PLANNED.value),
        else_=Phase.RUNNING.value,
    )


def phases_of(session: Session, user: User, now: datetime) -> dict[Phase, int]:
    """Return how many interviews of a user stand where."""
    counted = select(phase(now).label("phase")).where(may(user, None)).subquery()
    statement = select(counted.c.phase, func.count()).group_by(counted.c.phase)
    found = {Phase(word): number for word, number in session.execute(statement)}
    return {one: found.get(one, 0) for one in Phase}


def interviews_of(
    session: Session, user: User, wanted: Phase, now: datetime, offset: int, limit: int
) -> Sequence[Interview]:
    """Return a user's interviews that stand somewhere, newest first, with problems and interviewers."""
    statement = (
        select(Interview)
        .where(may(user, None), phase(now) == wanted.value)
        .options(
            selectinload(Interview.problems).joinedload(InterviewProblem.package),
            selectinload(Interview.members).joinedload(InterviewMember.user),
        )
        .order_by(Interview.id.desc())
        .offset(offset)
        .limit(limit)
    )
    return session.scalars(statement).all()


def counts_of(session: Session, interviews: Sequence[Interview], now: datetime) -> dict[int, Counts]:
    """Return how many candidates are where, by the interviews' keys."""
    has_started = Invitation.started_at.is_not(None)
    statement = (
        select(
            Invitation.interview_id,
            func.count(),
            _number(and_(Invitation.accepted_at.is_not(None), ~has_started)),
            _number(is_under_way(now)),
            _number(and_(has_started, ~is_under_way(now))),
        )
        .where(Invitation.interview_id.in_([interview.id for interview in interviews]), Invitation.revoked_at.is_(None))
        .group_by(Invitation.interview_id)
    )
    found = {key: Counts(*numbers) for key, *numbers in session.execute(statement)}
    return {interview.id: found.get(interview.id, Counts()) for interview in interviews}


def _number(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def last_end(session: Session, interview: Interview, now: datetime) -> datetime | None:
    """Return when the last candidate who is under way ends; None when nobody is."""
    statement = select(func.max(Invitation.ends_at)).where(Invitation.interview_id == interview.id, is_under_way(now))
    return session.scalar(statement)


def packages_for(session: Session, sha256s: Sequence[str]) -> dict[str, Package]:
    """Return packages by their hashes."""
    return {package.sha256: package for package in session.scalars(select(Package).where(Package.sha256.in_(sha256s)))}


def uploads_of(session: Session, user: User) -> Sequence[Package]:
    """Return the packages that a user has uploaded and that can be used: accepted, not retired; newest first."""
    statement = (
        select(Package)
        .join(PackageCheck, PackageCheck.package_id == Package.id)
        .where(Package.uploaded_by_id == user.id, is_usable())
        .order_by(Package.id.desc())
        .limit(UPLOADS_SHOWN)
    )
    return session.scalars(statement).all()


def delete_problems(session: Session, interview: Interview) -> None:
    """Take an interview's problems off, which only goes while nobody has started."""
    session.execute(delete(InterviewProblem).where(InterviewProblem.interview_id == interview.id))
    session.expire(interview, ["problems"])
