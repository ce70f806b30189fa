"""What the pages work with: the service's parts, and who is asking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, cast

from flask import current_app, g, session
from sqlalchemy import Engine

from grader.problems.loader import Problem
from grader.services import accounts
from grader.services.judging import Dispatch
from grader.services.packages import Packages
from grader.services.samples import SampleView
from grader.store.models import User
from grader.store.session import read_session

_NAME: Final = "grader"
_COOKIE_KEY: Final = "candidate"


@dataclass(frozen=True)
class Service:
    """The parts that the application was made with."""

    engine: Engine
    packages: Packages
    dispatch: Dispatch  # has a submission judged; called in the transaction that stores it
    samples: Callable[[Problem], Sequence[SampleView]]

    def keep(self) -> None:
        """Make these the current application's parts."""
        current_app.extensions[_NAME] = self


def service() -> Service:
    """Return the current application's parts."""
    return cast(Service, current_app.extensions[_NAME])


def candidate() -> User | None:
    """Return the candidate whose signed cookie came with the request."""
    if "candidate" not in g:
        with read_session(service().engine) as reading:
            g.candidate = accounts.recognise(reading, session.get(_COOKIE_KEY))
    found: User | None = g.candidate
    return found


def enter(new: User) -> None:
    """Give the browser a cookie for a new candidate; a token from before it is worth nothing afterwards."""
    session.clear()
    session[_COOKIE_KEY] = new.public_id
    session.permanent = True
    g.candidate = new


def leave() -> None:
    """Take the cookie back."""
    session.clear()
    g.candidate = None


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)
