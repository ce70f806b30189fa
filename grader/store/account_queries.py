"""Questions about users, their sessions, their links and failures of signing in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import delete, exists, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload, undefer

from grader.store.base import Base, Mode
from grader.store.credential_models import ApiToken, SignInFailure, SignInLink, WebSession
from grader.store.held import held
from grader.store.interview_models import IdempotentReply, RejudgedAttempt, RejudgeItem
from grader.store.models import (
    Attempt,
    CaseResult,
    FollowUpAnswer,
    GroupResult,
    SampleRun,
    Submission,
    SubmissionFault,
    User,
)

ANYWHERE: Final = " anywhere"  # stands for an address where the failures of a name from all of them are counted


def user_named(session: Session, *name_keys: str) -> User | None:
    """Return the user with a folded name, that of the first where several are named."""
    users = session.scalars(select(User).where(User.name_key.in_(name_keys))).all()
    return min(users, key=lambda user: name_keys.index(user.name_key), default=None)


def user_locked(session: Session, key: int, *, for_removal: bool = False) -> User | None:
    """Return a user whom no other transaction changes until this one ends; None when the account is gone.

    Args:
        session: holds the row.
        key: the user's.
        for_removal: whether nothing may be stored that names the user, either.
    """
    return next(iter(held(session, User, User.id == key, for_removal=for_removal)), None)


def users(session: Session) -> Sequence[User]:
    """Return every user by name."""
    return session.scalars(select(User).order_by(User.name_key)).all()


def add_user(session: Session, user: User) -> bool:
    """Insert a user; return whether the name was free."""
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError:
        return False
    return True


def rename_user(session: Session, user: User, name: str, name_key: str, name_look: str) -> bool:
    """Give a user another name; return whether it was free."""
    given = {"name": name, "name_key": name_key, "name_look": name_look}
    try:
        with session.begin_nested():
            session.execute(update(User).where(User.id == user.id).values(**given))
    except IntegrityError:
        return False
    return True


def admins_locked(session: Session) -> Sequence[User]:
    """Return the users who are admins; no other transaction changes them until this one ends."""
    return held(session, User, User.is_admin.is_(True))


def has_admin(session: Session) -> bool:
    """Return whether anybody is an admin."""
    return session.scalar(select(User.id).filter_by(is_admin=True).limit(1)) is not None


def number_of_users(session: Session) -> int:
    """Return how many users there are."""
    return session.scalar(select(func.count(User.id))) or 0


def web_session_of(session: Session, token_sha256: str) -> WebSession | None:
    """Return the session that a token opens, with its user as the rights are now."""
    statement = (
        select(WebSession)
        .join(WebSession.user)
        .where(WebSession.token_sha256 == token_sha256, WebSession.epoch == User.epoch)
        .options(joinedload(WebSession.user))
    )
    return session.scalar(statement)


def web_sessions_of(session: Session, user: User) -> Sequence[WebSession]:
    """Return a user's sessions, the one used last first."""
    statement = select(WebSession).filter_by(user_id=user.id).order_by(WebSession.seen_at.desc(), WebSession.id.desc())
    return session.scalars(statement).all()


def set_seen(session: Session, key: int, now: datetime) -> None:
    """Write that a session is in use."""
    session.execute(update(WebSession).where(WebSession.id == key, WebSession.seen_at < now).values(seen_at=now))


def delete_web_session(session: Session, token_sha256: str) -> None:
    """Remove the session that a token opens."""
    session.execute(delete(WebSession).where(WebSession.token_sha256 == token_sha256))


def delete_own_session(session: Session, user: User, public_id: str) -> bool:
    """Remove a session when it is this user's; return whether there was one."""
    statement = delete(WebSession).where(WebSession.public_id == public_id, WebSession.user_id == user.id)
    removed: int = session.connection().execute(statement).rowcount
    return removed == 1


def delete_sessions_of(session: Session, user: User) -> int:
    """Remove every session of a user; return how many there were."""
    removed: int = session.connection().execute(delete(WebSession).where(WebSession.user_id == user.id)).rowcount
    return removed


def delete_sessions_before(session: Session, expiry: datetime, seen: datetime) -> None:
    """Remove sessions that end before a time, or that nobody has used since another.

    Those are left for the next time that another transaction is at work on; so with all of the kind here.
    """
    is_old = (WebSession.expires_at <= expiry) | (WebSession.seen_at <= seen)
    old = select(WebSession.id).where(is_old).with_for_update(skip_locked=True)
    session.execute(delete(WebSession).where(WebSession.id.in_(old)))


def link_of(session: Session, token_sha256: str, now: datetime) -> SignInLink | None:
    """Return the link with a token when it can still be used."""
    statement = (
        select(SignInLink)
        .where(SignInLink.token_sha256 == token_sha256, SignInLink.used_at.is_(None), SignInLink.expires_at > now)
        .options(joinedload(SignInLink.user))
    )
    return session.scalar(statement)


def use_link(session: Session, key: int, now: datetime) -> bool:
    """Use a link up; return whether this is the first use."""
    statement = update(SignInLink).where(SignInLink.id == key, SignInLink.used_at.is_(None)).values(used_at=now)
    changed: int = session.connection().execute(statement).rowcount
    return changed == 1


def delete_links_for(session: Session, user: User | None) -> None:
    """Remove the links of a user; None: those that make the first one."""
    session.execute(delete(SignInLink).where(SignInLink.user_id == (user.id if user else None)))


def delete_links_before(session: Session, expiry: datetime) -> None:
    """Remove links that ended before a time."""
    old = select(SignInLink.id).where(SignInLink.expires_at <= expiry).with_for_update(skip_locked=True)
    session.execute(delete(SignInLink).where(SignInLink.id.in_(old)))


def delete_own(session: Session, user: User) -> None:
    """Remove all that is a user's alone, who is held for removal; what is being judged is waited for."""
    is_own = Attempt.candidate_id == user.id, Attempt.mode == Mode.PRACTICE
    attempts = select(Attempt.id).where(*is_own)
    submissions = select(Submission.id).where(Submission.attempt_id.in_(attempts))
    held(session, Attempt, *is_own, for_removal=True)
    held(session, Submission, Submission.id.in_(submissions), for_removal=True)
    for of_submission in (CaseResult, GroupResult, SubmissionFault, RejudgeItem):
        session.execute(delete(of_submission).where(of_submission.submission_id.in_(submissions)))
    for of_attempt in (FollowUpAnswer, SampleRun, RejudgedAttempt, Submission):
        session.execute(delete(of_attempt).where(of_attempt.attempt_id.in_(attempts)))
    for of_user in (WebSession, SignInLink, ApiToken, IdempotentReply):
        session.execute(delete(of_user).where(of_user.user_id == user.id))
    session.execute(delete(Attempt).where(Attempt.id.in_(attempts)))
    delete_failures_of(session, user.name_key)


def delete_unnamed(session: Session, user: User) -> bool:
    """Remove a user who is held for removal unless records name them; return whether none does.

    It is looked up rather than tried: a DELETE would wait for whoever is at work on what names them.
    """
    keys = [key for table in Base.metadata.tables.values() for key in table.foreign_keys]
    naming = [key.parent for key in keys if key.column.table is User.__table__]
    if session.scalar(select(or_(*(exists().where(column == user.id) for column in naming)))):
        return False
    session.execute(delete(User).where(User.id == user.id))
    return True


def failures_locked(session: Session, name_key: str, address: str) -> SignInFailure | None:
    """Return the failures of a name from an address; no other transaction changes them until this one ends."""
    own = SignInFailure.name_key == name_key, SignInFailure.address == address
    return next(iter(held(session, SignInFailure, *own)), None)


def add_failure(session: Session, failure: SignInFailure) -> bool:
    """Insert a first failure; return whether no other transaction was faster."""
    try:
        with session.begin_nested():
            session.add(failure)
    except IntegrityError:
        return False
    return True


def delete_failures(session: Session, name_key: str, address: str) -> None:
    """Forget the failures of a name from an address."""
    session.execute(delete(SignInFailure).where(SignInFailure.name_key == name_key, SignInFailure.address == address))


def delete_failures_of(session: Session, name_key: str) -> None:
    """Forget the failures of a name: from each place, then those from all of them, as a try is counted."""
    own = delete(SignInFailure).where(SignInFailure.name_key == name_key)
    session.execute(own.where(SignInFailure.address != ANYWHERE))
    session.execute(own)


def delete_failures_before(session: Session, time: datetime) -> None:
    """Forget failures that are older than a time, those excepted that another transaction is at work on."""
    old = select(SignInFailure.id).where(SignInFailure.last_at < time).with_for_update(skip_locked=True)
    session.execute(delete(SignInFailure).where(SignInFailure.id.in_(old)))


def own_attempts(session: Session, user: User) -> Sequence[int]:
    """Return the keys of a user's attempts, oldest first."""
    return session.scalars(select(Attempt.id).where(Attempt.candidate_id == user.id).order_by(Attempt.id)).all()


def whole_attempt(session: Session, key: int) -> Attempt | None:
    """Return an attempt with its package and draft."""
    statement = select(Attempt).filter_by(id=key).options(joinedload(Attempt.package), undefer(Attempt.draft))
    return session.scalar(statement)


def own_answers(session: Session, attempt: int) -> Sequence[FollowUpAnswer]:
    """Return the answers of an attempt, oldest first."""
    return session.scalars(select(FollowUpAnswer).filter_by(attempt_id=attempt).order_by(FollowUpAnswer.id)).all()


def submissions_and_runs(session: Session, attempt: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return the keys of an attempt's submissions and of its sample runs, oldest first."""
    submissions = session.scalars(select(Submission.id).filter_by(attempt_id=attempt).order_by(Submission.id)).all()
    return submissions, session.scalars(select(SampleRun.id).filter_by(attempt_id=attempt).order_by(SampleRun.id)).all()


def whole_submission(session: Session, key: int) -> Submission | None:
    """Return a submission with its source and results."""
    return session.scalar(select(Submission).filter_by(id=key).options(undefer(Submission.source)))
