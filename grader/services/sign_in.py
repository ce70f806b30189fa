"""Signing in and up by name and password, slowed down for who guesses.

Failures are counted by name and network, by name, and by network. After a few free ones for a name from a network each
further try has to wait for longer; the right password from another network works at once. What a network has failed at
in all stops nobody there who has not failed: many people may share it with the one who guesses.
"""

from __future__ import annotations

import contextlib
import ipaddress
import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.services import accounts, names, passwords
from grader.services.passwords import Passwords
from grader.store import account_queries as queries
from grader.store.credential_models import SignInFailure
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.wording import counted

FORGOTTEN: Final = timedelta(hours=1)  # since the last failure


class WrongPassword(UserError):
    """A name and a password do not belong together."""


class Slowed(UserError):
    """There were too many failures; the next try has to wait."""

    status = 429

    def __init__(self, wait_s: float) -> None:
        self.retry_after_s = max(1, math.ceil(wait_s))
        wait = self.retry_after_s
        span = counted(wait, "second") if wait < 120 else counted(wait // 60 + 1, "minute")
        super().__init__(f"There were too many tries; wait {span} and try again.")


@dataclass(frozen=True)
class _Counter:
    """What failures are counted by: how many are free, and how the wait for each further one grows, in seconds."""

    free: int
    first_wait: float
    longest_wait: float

    def wait(self, failures: int) -> float:
        if failures < self.free:
            return 0.0
        return min(self.longest_wait, self.first_wait * 2.0 ** min(failures - self.free, 30))


_OWN: Final = _Counter(free=5, first_wait=10, longest_wait=900)  # a name from a network, or confirmed by its user
_NAME: Final = _Counter(
    free=100, first_wait=1, longest_wait=1
)  # a name from anywhere; its owner can always get between
_NETWORK: Final = _Counter(free=500, first_wait=1, longest_wait=60)
_TOKENS: Final = _Counter(free=50, first_wait=1, longest_wait=60)  # as failures of the same network
_SIGN_UPS: Final = _Counter(free=100, first_wait=1, longest_wait=60)
# what stands for a name, which never begins with a blank, and for a network
_ANY_NAME, _SIGN_UP, _UNUSABLE = " any", " sign-up", " unusable"
_CONFIRMED = " confirmed"


def sign_in(engine: Engine, hashes: Passwords, name: str, password: str, address: str | None, now: datetime) -> User:
    """Return the user whom a name and a password belong to. An unknown name takes the same way and the same time.

    Raises:
        WrongPassword: they do not belong together, or there is no such user.
        Slowed: there were many failures for this name, or some from a network that has very many.
        TooBusy: too many others sign in.
    """
    try:
        keys = names.name_keys(names.typed_name(name))
    except UserError:
        keys = (_UNUSABLE,)
    place = network_of(address)
    with contextlib.ExitStack() as held:
        held.enter_context(hashes.place())
        with write_session(engine) as session:
            if _count_try(session, keys[-1], place, now):
                held.enter_context(hashes.crowded_place())
        with read_session(engine) as session:
            user = queries.user_named(session, *keys)
        if not hashes.is_right(user.password_hash if user else None, password) or user is None:
            raise WrongPassword("That name and password do not belong together.")
        with write_session(engine) as session:
            _take_back(session, keys[-1], place)
    return user


def confirm(engine: Engine, hashes: Passwords, user: User, password: str, now: datetime) -> None:
    """Make sure that it is the user who sits at a browser that is signed in; failures count for the account alone.

    Raises:
        WrongPassword: the password is not theirs.
        Slowed: there were many failures.
        TooBusy: too many others sign in.
    """
    with hashes.place():
        with write_session(engine) as session:
            _count(session, _OWN, user.name_key, _CONFIRMED, now)
        if not hashes.is_right(user.password_hash, password):
            raise WrongPassword("That is not your current password.")
        with write_session(engine) as session:
            queries.delete_failures(session, user.name_key, _CONFIRMED)


def sign_up(engine: Engine, hashes: Passwords, name: str, password: str, address: str | None, now: datetime) -> User:
    """Return a new user.

    Raises:
        UserError: the name or the password cannot be used.
        NameTaken: another user has the name.
        Slowed: many others have signed up from this address.
        TooBusy: too many others sign in.
    """
    name = names.own_name(name)
    passwords.check(password, name)
    with hashes.place():
        with write_session(engine) as session:
            _count(session, _SIGN_UPS, _SIGN_UP, network_of(address), now)
        password_hash = hashes.hash(password)
    with write_session(engine) as session:
        return accounts.add(session, name, password_hash, now)


def count_wrong_token(engine: Engine, address: str | None, now: datetime) -> None:
    """Count a program's token that opened nothing among the failures of its address; a right one never waits.

    Raises:
        Slowed: there were many failures from this address.
    """
    with write_session(engine) as session:
        _count(session, _TOKENS, _ANY_NAME, network_of(address), now)


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


def _count_try(session: Session, name_key: str, place: str, now: datetime) -> bool:
    """Count a try as a failure before it is made, so that many at once gain nothing.

    Returns:
        Whether its network has so many failures that only names are tried there that have none.
    """
    queries.delete_failures_before(session, now - FORGOTTEN)
    own = _locked(session, name_key, place, now)
    anywhere = _locked(session, name_key, queries.ANYWHERE, now)
    network = _locked(session, _ANY_NAME, place, now)
    _require_waited(_OWN, own, now)
    _require_waited(_NAME, anywhere, now)
    is_crowded = _NETWORK.wait(network.count) > 0
    if is_crowded and own.count > 0:
        _require_waited(_NETWORK, network, now)
    for row in (own, anywhere, network):
        _add(row, now)
    return is_crowded


def _take_back(session: Session, name_key: str, place: str) -> None:
    """Forget a try that was none to guess, and what failed before it for the name from there."""
    queries.delete_failures(session, name_key, place)
    for key, where in ((name_key, queries.ANYWHERE), (_ANY_NAME, place)):
        row = queries.failures_locked(session, key, where)
        if row is not None:
            row.count = max(0, row.count - 1)


def _count(session: Session, counter: _Counter, name_key: str, place: str, now: datetime) -> None:
    queries.delete_failures_before(session, now - FORGOTTEN)
    row = _locked(session, name_key, place, now)
    _require_waited(counter, row, now)
    _add(row, now)


def _require_waited(counter: _Counter, row: SignInFailure, now: datetime) -> None:
    wait = counter.wait(row.count)
    left = (row.last_at - now).total_seconds() + wait
    if wait > 0 and left > 0:
        raise Slowed(left)


def _add(row: SignInFailure, now: datetime) -> None:
    row.count += 1
    row.last_at = now


def _locked(session: Session, name_key: str, place: str, now: datetime) -> SignInFailure:
    """Return the failures of a name from a place, which may be none yet."""
    while (row := queries.failures_locked(session, name_key, place)) is None:
        first = SignInFailure(name_key=name_key, address=place, count=0, last_at=now)
        if queries.add_failure(session, first):
            return first
    return row
