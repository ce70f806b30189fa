"""Tokens: what a program shows instead of a password. Scope, the user's rights of the moment and their epoch count."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.report.visible import visible
from grader.services import audit
from grader.services.sessions import hash_of, new_token
from grader.store import token_queries as queries
from grader.store.credential_models import ApiToken
from grader.store.held import keep_user
from grader.store.models import User
from grader.store.session import read_session, write_session

Scope = Literal["practice", "review"]
SCOPES: Final[dict[Scope, str]] = {
    "practice": "your own attempts and submissions",
    "review": "read interviews, results and exports that you have a part in",
}
DAYS_DEFAULT: Final = 90
DAYS_MAX: Final = 365
TOKENS_MAX: Final = 20  # of one user
NAME_LENGTH: Final = 60
SIGN: Final = "grd_"  # what every token begins with, so that a leaked one is recognised
PREFIX_LENGTH: Final = 12  # of what lists show; the secret goes on for 35 characters more
USED_EVERY: Final = timedelta(minutes=5)


class TokenRefused(UserError):
    """A token opens nothing: it is unknown, expired, revoked or older than a change of rights; nobody learns which."""

    status = 401

    def __init__(self) -> None:
        super().__init__(
            "This token does not work, or not any more; make a new one on your account's page and send it as "
            "Authorization: Bearer TOKEN."
        )


class ScopeMissing(UserError):
    """A token is good, but not for this."""

    status = 403

    def __init__(self, scope: Scope) -> None:
        super().__init__(f"This token has not the scope {scope}; make one that has it on your account's page.")
        self.scope = scope


@dataclass(frozen=True)
class Caller:
    """Who calls by a token, with the rights of this moment, and what the token is for."""

    user: User
    scopes: tuple[str, ...]
    expires_at: datetime


def make(
    session: Session, user: User, name: str, scopes: Collection[str], days: int, now: datetime
) -> tuple[ApiToken, str]:
    """Return a new token's row and its value, which is told this once.

    Raises:
        UserError: name, scopes or days cannot be used, or there are too many tokens.
        NotFound: the account is gone.
    """
    name = _tidy_name(name)
    chosen = [scope for scope in scopes_for(user) if scope in scopes]
    if not chosen or len(chosen) != len(set(scopes)):
        raise UserError("Choose what the token is for, of what the form offers.")
    if not 1 <= days <= DAYS_MAX:
        raise UserError(f"A token lives for 1 to {DAYS_MAX} days; choose one of the lengths that the form offers.")
    keep_user(session, user.id)
    queries.delete_tokens_before(session, user, now)
    if queries.number_of_tokens(session, user) >= TOKENS_MAX:
        raise UserError(f"You have {TOKENS_MAX} tokens; revoke one that is not used any more first.")
    value = SIGN + new_token()
    row = ApiToken(
        user_id=user.id,
        name=name,
        prefix=value[:PREFIX_LENGTH],
        token_sha256=hash_of(value),
        scopes=" ".join(chosen),
        epoch=user.epoch,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    session.add(row)
    session.flush()
    audit.record(session, user, "token.make", f"token {row.public_id}", now, scopes=row.scopes, days=days)
    return row, value


def make_again(session: Session, user: User, public_id: str, now: datetime) -> tuple[ApiToken, str]:
    """Return the row of a token that nobody has used with a new value, which ends the one of before.

    Raises:
        NotFound: there is no such token of theirs.
        UserError: it is in use.
    """
    row = next((row for row in own(session, user, now) if row.public_id == public_id), None)
    if row is None:
        raise NotFound(
            "This form made a token before, which is revoked by now; load the page anew to make another one."
        )
    if row.last_used_at is not None:
        raise UserError(f"This form made {row.name} before, which is in use; load the page anew to make another token.")
    value = SIGN + new_token()
    row.prefix, row.token_sha256 = value[:PREFIX_LENGTH], hash_of(value)
    audit.record(session, user, "token.renew", f"token {row.public_id}", now)
    return row, value


def scopes_for(user: User) -> tuple[Scope, ...]:
    """Return the scopes that a user's tokens can have."""
    return ("practice", "review") if user.is_interviewer or user.is_admin else ("practice",)


def own(session: Session, user: User, now: datetime) -> Sequence[ApiToken]:
    """Return a user's tokens that work, the newest first."""
    return [row for row in queries.tokens_of(session, user) if row.epoch == user.epoch and row.expires_at > now]


def recognise(engine: Engine, value: str, now: datetime) -> Caller:
    """Return who calls by a token.

    Raises:
        TokenRefused: it opens nothing.
    """
    with read_session(engine) as session:
        found = queries.token_of(session, hash_of(value))
    if found is None or found[0].expires_at <= now:
        raise TokenRefused
    row, user = found
    if row.last_used_at is None or now - row.last_used_at >= USED_EVERY:
        _note_use(engine, row, now)
    return Caller(user, tuple(row.scopes.split()), row.expires_at)


def _note_use(engine: Engine, row: ApiToken, now: datetime) -> None:
    try:
        with write_session(engine) as session:
            queries.set_token_used(session, row.id, now)
    except OperationalError:  # an answer is worth more than this mark
        return


def require(caller: Caller, scope: Scope) -> None:
    """Make sure that a token is for something, and that its user still may do that.

    Raises:
        ScopeMissing: one of both is not so.
    """
    if scope not in caller.scopes or scope not in scopes_for(caller.user):
        raise ScopeMissing(scope)


def revoke(session: Session, user: User, public_id: str, now: datetime) -> None:
    """End one of a user's own tokens.

    Raises:
        NotFound: there is no such token of theirs.
    """
    _remove(session, user, public_id, now, of=user)


def revoke_any(session: Session, admin: User, public_id: str, now: datetime) -> None:
    """End anybody's token, as an admin decides.

    Raises:
        NotFound: there is no such token.
    """
    _remove(session, admin, public_id, now, of=None)


def _remove(session: Session, actor: User, public_id: str, now: datetime, *, of: User | None) -> None:
    if not queries.delete_token(session, public_id, of):
        raise NotFound("There is no such token, or not any more; the list shows those that work.")
    audit.record(session, actor, "token.revoke", f"token {public_id}", now)


def _tidy_name(name: str) -> str:
    name = " ".join(name[: 10 * NAME_LENGTH].split())
    if not name or len(name) > NAME_LENGTH or visible(name, keep="") != name:
        raise UserError(f"Give the token a name of 1 to {NAME_LENGTH} characters, such as the program that uses it.")
    return name
