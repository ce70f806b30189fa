"""Questions about programs' tokens, and about replies that are kept for those who ask again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from grader.store.credential_models import ApiToken
from grader.store.interview_models import IdempotentReply
from grader.store.models import User


def token_of(session: Session, token_sha256: str) -> tuple[ApiToken, User] | None:
    """Return the token with a hash and its user as the rights are now; None after any change of them."""
    statement = (
        select(ApiToken, User)
        .join(User, User.id == ApiToken.user_id)
        .where(ApiToken.token_sha256 == token_sha256, ApiToken.epoch == User.epoch)
    )
    found = session.execute(statement).one_or_none()
    return None if found is None else (found[0], found[1])


def tokens_of(session: Session, user: User) -> Sequence[ApiToken]:
    """Return a user's tokens, the newest first."""
    return session.scalars(select(ApiToken).filter_by(user_id=user.id).order_by(ApiToken.id.desc())).all()


def number_of_tokens(session: Session, user: User) -> int:
    """Return how many tokens a user has."""
    return session.scalar(select(func.count(ApiToken.id)).where(ApiToken.user_id == user.id)) or 0


def set_token_used(session: Session, key: int, now: datetime) -> None:
    """Write that a token is in use."""
    session.execute(update(ApiToken).where(ApiToken.id == key).values(last_used_at=now))


def delete_token(session: Session, public_id: str, user: User | None) -> bool:
    """Remove a token, of this user's alone where one is named; return whether there was one."""
    statement = delete(ApiToken).where(ApiToken.public_id == public_id)
    if user is not None:
        statement = statement.where(ApiToken.user_id == user.id)
    removed: int = session.connection().execute(statement).rowcount
    return removed == 1


def delete_tokens_before(session: Session, user: User, expiry: datetime) -> None:
    """Remove those of a user's tokens that ended before a time, or by a change of password or rights."""
    is_ended = (ApiToken.expires_at <= expiry) | (ApiToken.epoch != user.epoch)
    session.execute(delete(ApiToken).where(ApiToken.user_id == user.id, is_ended))


def reply_of(session: Session, user: User, route: str, key: str) -> IdempotentReply:
    """Return what a user was answered to the request of a key that is taken."""
    return session.scalars(select(IdempotentReply).filter_by(user_id=user.id, route=route, key=key)).one()


def add_reply(session: Session, reply: IdempotentReply) -> bool:
    """Insert a reply; return whether its key was free. A transaction that has taken the key is waited for."""
    try:
        with session.begin_nested():
            session.add(reply)
    except IntegrityError:
        return False
    return True


def delete_replies_before(session: Session, time: datetime, user: User | None = None) -> None:
    """Forget a user's replies, or everybody's, that are older than a time, but for those that others forget."""
    old = select(IdempotentReply.id).where(IdempotentReply.created_at < time)
    if user is not None:
        old = old.where(IdempotentReply.user_id == user.id)
    session.execute(delete(IdempotentReply).where(IdempotentReply.id.in_(old.with_for_update(skip_locked=True))))
