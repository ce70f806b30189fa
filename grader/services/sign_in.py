"""Signing in and up by name and password, slowed down for who guesses.

Failures are counted by name and network address, and by address alone. After a few free ones each further try has to
wait for longer, but never for everybody: the right password from another address works at once.
"""

from __future__ import annotations

import contextlib
import ipaddress
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.services import accounts, names, passwords
from grader.services.passwords import Passwords
from grader.store import account_queries as queries
from grader.store.models import SignInFailure, User
from grader.store.session import read_session, write_session

FORGOTTEN: Final = timedelta(hours=1)  # since the last failure


class WrongPassword(UserError):
    """A name and a password do not belong together."""


class Slowed(UserError):
    """There were too many failures; the next try has to wait."""

    status = 429

    def __init__(self, wait_s: float) -> None:
        self.retry_after_s = max(1, math.ceil(wait_s))
        span = (
            f"{self.retry_after_s} seconds" if self.retry_after_s < 120 else f"{self.retry_after_s // 60 + 1} minutes"
        )
        super().__init__(f"There were too many tries from your network; wait {span} and try again.")


@dataclass(frozen=True)
class _Counter:
    """What failures are counted by: how many are free, and how the wait for each further one grows, in seconds."""

    name_key: str
    free: int
    first_wait: float
    longest_wait: float

    def wait(self, failures: int) -> float:
        if failures < self.free:
            return 0.0
        return min(self.longest_wait, self.first_wait * 2.0 ** min(failures - self.free, 30))


# a name never begins with a blank
_ANY: Final = _Counter(" any", free=50, first_wait=1, longest_wait=60)
_SIGN_UP: Final = _Counter(" sign-up", free=100, first_wait=1, longest_wait=60)
_UNUSABLE: Final = " unusable"  # counts what cannot be a name


def _of_name(name_key: str) -> _Counter:
    return _Counter(name_key, free=5, first_wait=10, longest_wait=900)


def sign_in(engine: Engine, hashes: Passwords, name: str, password: str, address: str | None, now: datetime) -> User:
    """Return the user whom a name and a password belong to. An unknown name takes the same way and the same time.

    Raises:
        WrongPassword: they do not belong together, or there is no such user.
        Slowed: there were many failures for this name or from this address.
        TooBusy: too many others sign in.
    """
    try:
        keys = names.name_keys(names.typed_name(name))
    except UserError:
        keys = (_UNUSABLE,)
    with hashes.place(), _counted(engine, (_ANY, _of_name(keys[-1])), address, now):
        with read_session(engine) as session:
            user = queries.user_named(session, *keys)
        if not hashes.is_right(user.password_hash if user else None, password) or user is None:
            raise WrongPassword("That name and password do not belong together.")
    return user


def confirm(engine: Engine, hashes: Passwords, user: User, password: str, address: str | None, now: datetime) -> None:
    """Make sure that it is the user who sits at a browser that is signed in.

    Raises:
        WrongPassword: the password is not theirs.
        Slowed: there were many failures.
        TooBusy: too many others sign in.
    """
    with hashes.place(), _counted(engine, (_ANY, _of_name(user.name_key)), address, now):
        if not hashes.is_right(user.password_hash, password):
            raise WrongPassword("That is not your current password.")


def sign_up(engine: Engine, hashes: Passwords, name: str, password: str, address: str | None, now: datetime) -> User:
    """Return a new user.

    Raises:
        UserError: the name or the password cannot be used.
        NameTaken: another user has the name.
        Slowed: many others have signed up from this address.
        TooBusy: too many others sign in.
    """
    name = names.tidy_name(name)
    passwords.check(password, name)
    with hashes.place():
        with write_session(engine) as session:
            _count(session, (_SIGN_UP,), network_of(address), now)
        password_hash = hashes.hash(password)
    with write_session(engine) as session:
        return accounts.add(session, name, password_hash, now)


def count_wrong_token(engine: Engine, address: str | None, now: datetime) -> None:
    """Count a program's token that opened nothing among the failures of its address; a right one never waits.

    Raises:
        Slowed: there were many failures from this address.
    """
    with write_session(engine) as session:
        _count(session, (_ANY,), network_of(address), now)


def network_of(address: str | None) -> str:
    """Return what failures are counted by: an IPv4 address, or the /64 of an IPv6 one, which one machine has."""
    try:
        parsed = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return "local"  # a socket of this machine
    if parsed.version == 6:
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.IPv6Network((parsed, 64), strict=False).network_address) + "/64"
    return str(parsed)


@contextlib.contextmanager
def _counted(engine: Engine, counters: tuple[_Counter, _Counter], address: str | None, now: datetime) -> Iterator[None]:
    """Count a try as a failure before it is made, so that many at once gain nothing; take that back if it was none."""
    place, (shared, own) = network_of(address), counters
    with write_session(engine) as session:
        _count(session, counters, place, now)
    yield
    with write_session(engine) as session:
        row = queries.failures_locked(session, shared.name_key, place)
        if row is not None:
            row.count = max(0, row.count - 1)
        queries.delete_failures(session, own.name_key, place)


def _count(session: Session, counters: tuple[_Counter, ...], place: str, now: datetime) -> None:
    queries.delete_failures_before(session, now - FORGOTTEN)
    for counter in counters:
        row = queries.failures_locked(session, counter.name_key, place)
        if row is None:
            first = SignInFailure(name_key=counter.name_key, address=place, count=1, last_at=now)
            if queries.add_failure(session, first):
                continue
            row = queries.failures_locked(session, counter.name_key, place)
            assert row is not None
        wait = (row.last_at - now).total_seconds() + counter.wait(row.count)
        if wait > 0 and counter.wait(row.count) > 0:
            raise Slowed(wait)
        row.count += 1
        row.last_at = now
