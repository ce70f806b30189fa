"""Users: who may make one, what changes of rights and passwords end."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.report.visible import visible
from grader.services import audit, departure
from grader.services.names import UnusableName, look_of, name_key, name_keys, own_name, tidy_name
from grader.store import account_queries as queries
from grader.store.models import FORMER, User


class NameTaken(UnusableName):
    """Another user has this name, or one that looks like it."""

    status = 409

    def __init__(self, name: str) -> None:
        super().__init__(f"The name {name}, or one that looks like it, is taken; choose another one.")


def add(
    session: Session,
    name: str,
    password_hash: str | None,
    now: datetime,
    *,
    is_interviewer: bool = False,
    is_admin: bool = False,
) -> User:
    """Return a new user: with a password they made the account themselves, without one a link lets them in.

    Raises:
        UnusableName: it cannot be used, or another user has it.
    """
    name = tidy_name(name)
    user = User(
        name=name,
        name_key=name_key(name),
        name_look=look_of(name),
        password_hash=password_hash,
        is_interviewer=is_interviewer,
        is_admin=is_admin,
        epoch=1,
        created_at=now,
    )
    if not queries.add_user(session, user):
        raise NameTaken(name)
    actor = None if password_hash is None else user
    audit.record(session, actor, "user.add", user, now, is_interviewer=is_interviewer, is_admin=is_admin)
    return user


def named(session: Session, name: str) -> User:
    """Return the user with a name.

    Raises:
        NotFound: there is none.
    """
    user = queries.user_named(session, *name_keys(name))
    if user is None:
        raise NotFound(f"There is no user {visible(name, keep='')}; grader user list shows them all.")
    return user


def rename(session: Session, user: User, name: str, now: datetime) -> None:
    """Give a user another name, as they ask.

    Raises:
        UnusableName: it cannot be used, or another user has it.
        NotFound: the account is gone.
    """
    stored = _locked(session, user)
    name = tidy_name(name) if stored.is_admin else own_name(name)
    if not queries.rename_user(session, stored, name, name_key(name), look_of(name)):
        raise NameTaken(name)
    audit.record(session, stored, "user.rename", stored, now)


def set_password(session: Session, user: User, password_hash: str, now: datetime) -> User:
    """Give a user another password, which ends every session and link of theirs; return the user as stored.

    Raises:
        NotFound: the account is gone.
    """
    stored = _locked(session, user)
    stored.password_hash = password_hash
    _end_access(session, stored)
    audit.record(session, stored, "user.password", stored, now)
    return stored


def set_rights(
    session: Session,
    user: User,
    now: datetime,
    *,
    is_interviewer: bool | None,
    is_admin: bool | None,
    actor: User | None = None,
) -> User:
    """Give or take rights, which ends every session of the user; None leaves a right as it is.

    Args:
        session: stores the change.
        user: whose rights they are.
        now: the time.
        is_interviewer: whether they may set interviews up.
        is_admin: whether they may do everything.
        actor: the admin who decides; None: who runs the service at its machine.

    Raises:
        NotFound: the account is gone.
        UserError: nobody would be an admin any more.
    """
    if is_admin is False:
        _keep_an_admin(session, user)
    stored = _locked(session, user)
    stored.is_interviewer = stored.is_interviewer if is_interviewer is None else is_interviewer
    stored.is_admin = stored.is_admin if is_admin is None else is_admin
    stored.epoch += 1
    queries.delete_sessions_of(session, stored)
    interviewer, admin = stored.is_interviewer, stored.is_admin
    audit.record(session, actor, "user.rights", stored, now, is_interviewer=interviewer, is_admin=admin)
    return stored


def remove(session: Session, user: User, now: datetime, actor: User | None = None) -> bool:
    """Delete a user and everything that is theirs alone; of them the audit log keeps an id alone.

    What they are taking ends.

    Records of interviews and packages stay. Who is named by some is "former user" and an id there from now on, in an
    account that nothing opens.

    Returns:
        Whether nothing names them.

    Raises:
        NotFound: the account is gone.
        UserError: others would be left without an admin.
    """
    if queries.number_of_users(session) > 1:
        _keep_an_admin(session, user)
    stored = _locked(session, user, for_removal=True)
    audit.record(session, actor, "user.remove", stored, now)
    queries.delete_own(session, stored)
    departure.end_taken(session, stored, actor, now)
    if queries.delete_unnamed(session, stored):
        return True
    stored.name = f"former user {stored.public_id}"
    stored.name_key, stored.password_hash = f"{FORMER}{stored.public_id}", None
    stored.name_look = None
    stored.is_interviewer = stored.is_admin = False
    stored.epoch += 1
    return False


def _locked(session: Session, user: User, *, for_removal: bool = False) -> User:
    stored = queries.user_locked(session, user.id, for_removal=for_removal)
    if stored is None or stored.is_former:
        raise NotFound(f"There is no user {user.name} any more.")
    return stored


def _keep_an_admin(session: Session, user: User) -> None:
    if [admin.id for admin in queries.admins_locked(session)] == [user.id]:
        raise UserError(f"{user.name} is the only admin; make somebody else one first: grader user role NAME --admin")


def _end_access(session: Session, user: User) -> None:
    user.epoch += 1
    queries.delete_sessions_of(session, user)
    queries.delete_links_for(session, user)
    queries.delete_failures_of(session, user.name_key)
