"""Sessions of browsers that are signed in. The cookie's token is known to its browser alone; its hash is stored."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from grader.services import audit
from grader.store import account_queries as queries
from grader.store.credential_models import WebSession
from grader.store.held import keep_user
from grader.store.models import User

TOKEN_BYTES: Final = 32
KEPT: Final = timedelta(days=90)  # "stay signed in on this machine"
NOT_KEPT: Final = timedelta(days=1)  # the browser forgets its cookie earlier, when it is closed
IDLE: Final = timedelta(days=14)
SEEN_EVERY: Final = timedelta(minutes=5)


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hash_of(token: str) -> str:
    """Return what is stored of a token. It is random already, so a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def begin(
    session: Session,
    user: User,
    device: str,
    now: datetime,
    *,
    is_kept: bool,
    is_told: bool = False,
    instead_of: str | None = None,
) -> str:
    """Sign a browser in; return the token of its cookie.

    Args:
        device: words for the browser.
        is_kept: whether the browser keeps the session when it is closed.
        is_told: whether the audit log has an entry already of what opens it, such as another password.
        instead_of: the token that the browser had before, which opens nothing any more.

    Raises:
        NotFound: the account is gone since a moment ago.
    """
    keep_user(session, user.id)  # before the session that ends, for who deletes an account takes its sessions last
    if instead_of is not None:
        queries.delete_web_session(session, hash_of(instead_of))
    token = new_token()
    row = WebSession(
        token_sha256=hash_of(token),
        user_id=user.id,
        epoch=user.epoch,
        device=device,
        created_at=now,
        seen_at=now,
        expires_at=now + (KEPT if is_kept else NOT_KEPT),
    )
    session.add(row)
    session.flush()
    if not is_told:
        audit.record(session, user, "session.begin", user, now)
    queries.delete_sessions_before(session, now, now - IDLE)
    return token


def end(session: Session, token: str, now: datetime) -> None:
    """Sign a browser out: no copy of its cookie opens anything any more."""
    if found := queries.web_session_of(session, hash_of(token)):
        audit.record(session, found.user, "session.end", found.user, now)
    queries.delete_web_session(session, hash_of(token))


def end_own(session: Session, user: User, public_id: str, now: datetime, actor: User | None = None) -> None:
    """Sign another browser of a user out, when it is theirs; by themselves, or by an admin who is named."""
    if queries.delete_own_session(session, user, public_id):
        audit.record(session, actor or user, "session.end", user, now, ended=public_id)


def end_all(session: Session, user: User, now: datetime, actor: User | None) -> int:
    """Sign every browser of a user out, as an admin decides; return how many there were."""
    number = queries.delete_sessions_of(session, user)
    audit.record(session, actor, "session.end-all", user, now, number=number)
    return number


def recognise(session: Session, token: str, now: datetime) -> WebSession | None:
    """Return the session that a token opens, with its user; None when it has ended or never was."""
    found = queries.web_session_of(session, hash_of(token))
    if found is None or found.expires_at <= now or found.seen_at <= now - IDLE:
        return None
    return found


def is_kept(found: WebSession) -> bool:
    """Return whether the browser keeps a session when it is closed."""
    return found.expires_at - found.created_at > NOT_KEPT


def is_stale(found: WebSession, now: datetime) -> bool:
    """Return whether it is time to write down that a session is in use."""
    return now - found.seen_at >= SEEN_EVERY


def own(session: Session, user: User, now: datetime) -> Sequence[WebSession]:
    """Return a user's sessions that are open, the one used last first."""
    return [
        row
        for row in queries.web_sessions_of(session, user)
        if row.epoch == user.epoch and row.expires_at > now and row.seen_at > now - IDLE
    ]
