"""Passwords: which are good enough, and their hashes, of which only a few are computed at a time."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from werkzeug.security import check_password_hash, generate_password_hash

from grader.errors import UserError

PASSWORD_MIN: Final = 10  # characters
PASSWORD_MAX: Final = 200
AT_A_TIME: Final = 2  # each takes 32 MiB and a core for a quarter of a second
CROWDED_MAX: Final = 2  # of all places together
WAITING_MAX: Final = 2  # each holds a thread of the server, which has others to answer
METHOD: Final = "scrypt:32768:8:1"
_DUMMY: Final = f"${'0' * 16}${'0' * 128}"  # no password has it
_TRIED_FIRST: Final = """
1234567890 0123456789 0987654321 123456789a 1q2w3e4r5t 1qaz2wsx3edc qwertyuiop qwerty12345 qwerty123456
asdfghjkl1 zxcvbnm123 password12 password123 password1234 passw0rd123 mypassword iloveyou12 iloveyou123
letmein123 letmein1234 welcome123 welcome1234 administrator admin12345 changeme123 football123 baseball123
superman123 sunshine123 princess123 computer123 attention1 attention123 interview1 interview123
correcthorsebatterystaple abcdefghij abcdefghijk abcd123456 abc1234567
"""
_COMMON: Final = frozenset(_TRIED_FIRST.split())


class TooBusy(UserError):
    """So many passwords are being checked that another one would have to wait too long."""

    status = 503
    retry_after_s = 3


class WeakPassword(UserError):
    """A password is too easy to guess, or too long."""


class Passwords:
    """Computes hashes of passwords, a few at a time, so that signing in cannot use the machine up."""

    def __init__(self, method: str = METHOD) -> None:
        """Take the function and its cost as Werkzeug writes them."""
        self._method = method
        self._slots = threading.BoundedSemaphore(AT_A_TIME)
        self._places = threading.BoundedSemaphore(AT_A_TIME + WAITING_MAX)
        self._crowded_places = threading.BoundedSemaphore(CROWDED_MAX)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place, within which passwords are hashed and checked; it is asked for before anything else is done.

        Raises:
            TooBusy: too many others have one.
        """
        with _held(self._places):
            yield

    @contextmanager
    def crowded_place(self) -> Iterator[None]:
        """Hold one of the places that are left to networks from which very much is guessed, so that others have some.

        Raises:
            TooBusy: too many others there have one.
        """
        with _held(self._crowded_places):
            yield

    def hash(self, password: str) -> str:
        """Return what is stored of a password."""
        with self._slots:
            return generate_password_hash(_composed(password), self._method)

    def is_right(self, password_hash: str | None, password: str) -> bool:
        """Return whether a password is the one of a hash; it takes as long when there is no hash."""
        bounded = _composed(password[: PASSWORD_MAX + 1])  # what is longer is nobody's
        with self._slots:
            matches = check_password_hash(password_hash or self._method + _DUMMY, bounded)
        return matches and password_hash is not None and len(password) <= PASSWORD_MAX


@contextmanager
def _held(places: threading.BoundedSemaphore) -> Iterator[None]:
    if not places.acquire(blocking=False):
        raise TooBusy("Many people are signing in right now; try again in a few seconds.")
    try:
        yield
    finally:
        places.release()


def check(password: str, name: str) -> None:
    """Refuse a password that is too easy to guess.

    Raises:
        WeakPassword: it is short, long, the name, or one that everybody tries first.
    """
    if len(password) < PASSWORD_MIN:
        raise WeakPassword(
            f"The password is too short; use {PASSWORD_MIN} characters or more. A few words make a good one."
        )
    if len(password) > PASSWORD_MAX:
        raise WeakPassword(f"The password has more than {PASSWORD_MAX} characters; shorten it.")
    folded = password.casefold().strip()
    if folded == name.casefold().strip():
        raise WeakPassword("The password is the name; choose one that others do not know.")
    if folded in _COMMON or len(set(folded)) < 4 or _is_repeated(folded):
        raise WeakPassword("That password is among the first that everybody tries; choose another one.")


def _is_repeated(text: str) -> bool:
    """Return whether a text is a short piece over and over, such as abcabcabcabc."""
    return any(text == (text[:size] * len(text))[: len(text)] for size in range(1, min(6, len(text) // 2 + 1)))


def _composed(password: str) -> str:
    # the same letters may arrive taken apart, from another keyboard or system
    return unicodedata.normalize("NFC", password.encode("utf-8", "replace").decode())
