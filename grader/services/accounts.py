"""Users: their names, who may make one, what changes of rights and passwords end."""

from __future__ import annotations

import unicodedata
from datetime import datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.report.visible import visible
from grader.services.passwords import Passwords
from grader.store import account_queries as queries
from grader.store.models import NAME_LENGTH, User
from grader.store.session import read_session


class NameTaken(UserError):
    """Another user has this name."""

    status = 409


class WrongPassword(UserError):
    """A name and a password do not belong together."""


def tidy_name(name: str) -> str:
    """Return a name as it is stored.

    Raises:
        UserError: it is empty, too long or has characters that do not show.
    """
    name = unicodedata.normalize("NFC", " ".join(name[: 10 * NAME_LENGTH].split()))
    if not name:
        raise UserError("Enter a name; you sign in with it, and only you and the people who run this service see it.")
    if len(name) > NAME_LENGTH:
        raise UserError(f"The name has more than {NAME_LENGTH} characters; shorten it.")
    if visible(name, keep="") != name:
        raise UserError("The name has characters that do not show; type it again without them.")
    return name


def name_key(name: str) -> str:
    """Return what a name is looked up by: names that differ in case alone are one."""
    # once more NFC, because folding can take a letter apart
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", " ".join(name.split())).casefold())


def add(
    session: Session,
    name: str,
    password_hash: str | None,
    now: datetime,
    *,
    is_interviewer: bool = False,
    is_admin: bool = False,
) -> User:
    """Return a new user; without a password only a link lets them in.

    Raises:
        UserError: the name cannot be used.
        NameTaken: another user has it.
    """
    name = tidy_name(name)
    user = User(
        name=name,
        name_key=name_key(name),
        password_hash=password_hash,
        is_interviewer=is_interviewer,
        is_admin=is_admin,
        epoch=1,
        created_at=now,
    )
    if not queries.add_user(session, user):
        raise NameTaken(f"The name {name} is taken; choose another one.")
    return user


def named(session: Session, name: str) -> User:
    """Return the user with a name.

    Raises:
        NotFound: there is none.
    """
    user = queries.user_named(session, name_key(name))
    if user is None:
        raise NotFound(f"There is no user {visible(name, keep='')}; grader user list shows them all.")
    return user


def sign_in(engine: Engine, passwords: Passwords, name: str, password: str, now: datetime) -> User:
    """Return the user whom a name and a password belong to.

    Raises:
        WrongPassword: they do not belong together, or there is no such user.
        TooBusy: too many others sign in.
    """
    with read_session(engine) as session:
        user = queries.user_named(session, name_key(name[: 10 * NAME_LENGTH]))
    if not passwords.is_right(user.password_hash if user else None, password) or user is None:
        raise WrongPassword("That name and password do not belong together.")
    return user
