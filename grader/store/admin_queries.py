"""What an admin asks: users, tokens, sessions and the audit log, all in pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, or_, select, update
from sqlalchemy.orm import Session, joinedload

from grader.errors import NotFound
from grader.store.credential_models import ApiToken, WebSession
from grader.store.interview_models import AuditEntry, Interview, Invitation, RepeatedReading
from grader.store.models import Attempt, Submission, User
from grader.store.sitting_queries import has_place

Entry = tuple[AuditEntry, str | None, RepeatedReading | None]  # with its interview's public id, and what was read again


@dataclass(frozen=True)
class Wanted:
    """Which entries of the audit log are asked for; nothing of a kind means any."""

    actor: str = ""  # a user's public id
    action: str = ""  # the beginning of it
    subject: str = ""  # the beginning of it, such as "attempt" or "attempt abc…"
    interview: str = ""  # its public id
    since: datetime | None = None
    until: datetime | None = None
    is_without_others_reviews: bool = False  # who has finished a review is told by the review's own page, in its time


@dataclass(frozen=True)
class Totals:
    """How much there is of everything."""

    users: int
    interviewers: int
    admins: int
    attempts: int
    submissions: int
    tokens: int
    sessions: int


def user_by_public_id(session: Session, public_id: str) -> User:
    """Return a user.

    Raises:
        NotFound: there is none.
    """
    user = session.scalar(select(User).filter_by(public_id=public_id))
    if user is None:
        raise NotFound("There is no such user, or not any more; the list shows them all.")
    return user


def count_reading(
    session: Session, actor: User, action: str, subject: str, detail: str, since: datetime, now: datetime
) -> bool:
    """Count a reading that an entry since then tells already; return whether there is one."""
    statement = select(AuditEntry.id).filter_by(actor=actor.public_id, action=action, subject=subject, detail=detail)
    entry = session.scalar(statement.where(AuditEntry.at > since).order_by(AuditEntry.id.desc()).limit(1))
    if entry is None:
        return False
    counted = update(RepeatedReading).where(RepeatedReading.entry_id == entry)
    session.execute(counted.values(times=RepeatedReading.times + 1, last_at=now))
    return True


def users_page(session: Session, text: str, offset: int, limit: int) -> Sequence[User]:
    """Return users whose folded name holds a text, by name."""
    statement = select(User).order_by(User.name_key).offset(offset).limit(limit)
    if text:
        statement = statement.where(User.name_key.contains(text, autoescape=True))
    return session.scalars(statement).all()


def names_of(session: Session, public_ids: set[str]) -> dict[str, str]:
    """Return the names of users by public id; who is deleted has none."""
    found = session.execute(select(User.public_id, User.name).where(User.public_id.in_(public_ids)))
    return dict(found.all())


def tokens_page(session: Session, offset: int, limit: int) -> list[tuple[ApiToken, User]]:
    """Return everybody's tokens with their users, the newest first."""
    statement = (
        select(ApiToken, User).join(User, User.id == ApiToken.user_id).order_by(ApiToken.id.desc()).offset(offset)
    )
    return [(row, user) for row, user in session.execute(statement.limit(limit))]


def sessions_page(session: Session, offset: int, limit: int) -> Sequence[WebSession]:
    """Return everybody's sessions with their users, the one used last first."""
    statement = (
        select(WebSession)
        .options(joinedload(WebSession.user))
        .order_by(WebSession.seen_at.desc(), WebSession.id.desc())
        .offset(offset)
        .limit(limit)
    )
    return session.scalars(statement).all()


def web_session_by_public_id(session: Session, public_id: str) -> WebSession:
    """Return a session with its user.

    Raises:
        NotFound: it has ended.
    """
    found = session.scalar(select(WebSession).filter_by(public_id=public_id).options(joinedload(WebSession.user)))
    if found is None:
        raise NotFound("There is no such session, or not any more; the list shows those that are open.")
    return found


def totals(session: Session) -> Totals:
    """Count everything in one question."""
    counted = {
        "users": select(func.count(User.id)),
        "interviewers": select(func.count(User.id)).where(User.is_interviewer),
        "admins": select(func.count(User.id)).where(User.is_admin),
        "attempts": select(func.count(Attempt.id)),
        "submissions": select(func.count(Submission.id)),
        "tokens": select(func.count(ApiToken.id)),
        "sessions": select(func.count(WebSession.id)),
    }
    row = session.execute(select(*(each.scalar_subquery().label(name) for name, each in counted.items()))).one()
    return Totals(**row._asdict())


def newest_entries(session: Session, reader: User, wanted: Wanted, before: int | None, limit: int) -> list[Entry]:
    """Return entries of the audit log, the newest first.

    Args:
        session: asks the database.
        reader: who reads them; of interviews where they are a candidate there are none.
        wanted: which ones.
        before: only those older than the entry of this key; None: from the newest on.
        limit: how many at most.
    """
    statement = _wanted(reader, wanted).order_by(AuditEntry.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(AuditEntry.id < before)
    return [(entry, interview, again) for entry, interview, again in session.execute(statement)]


def entries_after(session: Session, reader: User, wanted: Wanted, after: int, limit: int) -> list[Entry]:
    """Return entries of the audit log that are newer than the one of a key, the oldest first; for whom as above."""
    statement = _wanted(reader, wanted).where(AuditEntry.id > after).order_by(AuditEntry.id).limit(limit)
    return [(entry, interview, again) for entry, interview, again in session.execute(statement)]


def _wanted(reader: User, wanted: Wanted) -> Select[AuditEntry, str, RepeatedReading]:
    statement = select(AuditEntry, Interview.public_id, RepeatedReading)
    statement = statement.outerjoin(Interview, Interview.id == AuditEntry.interview_id)
    statement = statement.outerjoin(RepeatedReading, RepeatedReading.entry_id == AuditEntry.id)
    statement = statement.where(or_(AuditEntry.interview_id.is_(None), ~has_place(reader)))
    if wanted.actor:
        statement = statement.where(AuditEntry.actor == ("" if wanted.actor == "-" else wanted.actor))
    if wanted.action:
        statement = statement.where(AuditEntry.action.startswith(wanted.action, autoescape=True))
    if wanted.subject:
        statement = statement.where(AuditEntry.subject.startswith(wanted.subject, autoescape=True))
    if wanted.interview:
        statement = statement.where(Interview.public_id == wanted.interview)
    if wanted.since:
        statement = statement.where(AuditEntry.at >= wanted.since)
    if wanted.until:
        statement = statement.where(AuditEntry.at < wanted.until)
    if wanted.is_without_others_reviews:
        statement = statement.where(or_(AuditEntry.action != "review.finish", AuditEntry.actor == reader.public_id))
    return statement


def candidates_of(session: Session, interview: Interview) -> dict[str, int]:
    """Return the keys of an interview's invitations by the public ids of who accepted them."""
    statement = select(User.public_id, Invitation.id).join(Invitation, Invitation.user_id == User.id)
    return dict(session.execute(statement.where(Invitation.interview_id == interview.id)).all())


def sign_ins_of(session: Session, user: User, limit: int) -> Sequence[AuditEntry]:
    """Return entries of when a user signed in or out, or chose a password, which signs in as well; newest first."""
    actions = ("session.begin", "session.end", "user.password")
    statement = select(AuditEntry).where(AuditEntry.actor == user.public_id, AuditEntry.action.in_(actions))
    return session.scalars(statement.order_by(AuditEntry.id.desc()).limit(limit)).all()
