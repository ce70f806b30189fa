"""Links that let somebody choose a password once: for a new user, for a forgotten password, for the first admin."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.services import accounts, audit, passwords
from grader.services.names import tidy_name
from grader.services.passwords import Passwords
from grader.services.sessions import hash_of, new_token
from grader.store import account_queries as queries
from grader.store.credential_models import SignInLink
from grader.store.held import keep_user
from grader.store.models import User
from grader.store.session import read_session, write_session

FIRST: Final = timedelta(days=7)
RESET: Final = timedelta(hours=24)


class LinkEnded(NotFound):
    """A link was used, has expired or never was; nobody learns which."""

    def __init__(self) -> None:
        super().__init__(
            "This link does not work, or not any more: each one serves once and for a limited time. "
            "Ask the people who run this service for a new one."
        )


def make(session: Session, user: User | None, now: datetime, lifetime: timedelta, actor: User | None = None) -> str:
    """Return the token of a new link, which ends earlier ones of the same user; None: it makes the first admin.

    Raises:
        UserError: the account is deleted.
        NotFound: so it is since a moment ago.
    """
    if user is not None and user.is_former:
        raise UserError(f"{user.name} is deleted for good, so no link opens the account; add a new one instead.")
    if user is not None:
        keep_user(session, user.id)
    queries.delete_links_for(session, user)
    token = new_token()
    session.add(
        SignInLink(
            token_sha256=hash_of(token),
            user_id=user.id if user else None,
            created_at=now,
            expires_at=now + lifetime,
        )
    )
    audit.record(session, actor, "link.make", user or "user first", now)
    queries.delete_links_before(session, now)
    return token


def make_first(engine: Engine, now: datetime) -> str | None:
    """Return the token of a link that makes the first admin; None when there is one already."""
    with write_session(engine) as session:
        return None if queries.has_admin(session) else make(session, None, now, FIRST)


def find(session: Session, token: str, now: datetime) -> SignInLink:
    """Return the link with a token, which stays unused.

    Raises:
        LinkEnded: it can no longer be used.
    """
    link = queries.link_of(session, hash_of(token), now)
    if link is None or (link.user is None and queries.has_admin(session)):
        raise LinkEnded
    return link


def use(engine: Engine, hashes: Passwords, token: str, name: str, password: str, now: datetime) -> User:
    """Use a link up: store the password, end every session of the user; return the user.

    Args:
        engine: the database.
        hashes: computes the password's hash.
        token: the link's.
        name: of the first admin; it counts only where the link makes one.
        password: the new one.
        now: the time.

    Raises:
        LinkEnded: it can no longer be used.
        UserError: the name or the password cannot be used; the link stays as it is.
        TooBusy: too many others sign in.
    """
    with read_session(engine) as session:
        user = find(session, token, now).user
    name = user.name if user else tidy_name(name)
    passwords.check(password, name)
    with hashes.place():
        password_hash = hashes.hash(password)
    with write_session(engine) as session:
        if user is not None:  # the user is held before what belongs to them; the link may have ended meanwhile
            queries.user_locked(session, user.id)
        link = find(session, token, now)
        if not queries.use_link(session, link.id, now):
            raise LinkEnded
        if link.user is None:
            return accounts.add(session, name, password_hash, now, is_interviewer=True, is_admin=True)
        return accounts.set_password(session, link.user, password_hash, now)
