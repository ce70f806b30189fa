"""What the pages work with: the service's parts, and who is asking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, cast

from flask import current_app
from sqlalchemy import Engine

from grader.errors import UserError
from grader.problems.loader import Problem
from grader.services.judging import Dispatch
from grader.services.packages import Packages
from grader.services.passwords import Passwords
from grader.services.samples import SampleView
from grader.services.steady_clock import CLOCK
from grader.store.credential_models import WebSession
from grader.store.models import User
from grader.web import cookies, reception
from grader.web.metrics import Metrics

_NAME: Final = "grader"


class SignInNeeded(UserError):
    """Nobody is signed in; the page for that is shown instead."""

    status = 401


@dataclass(frozen=True)
class Service:
    """The parts that the application was made with."""

    engine: Engine
    packages: Packages
    dispatch: Dispatch  # has a submission judged; called in the transaction that stores it
    samples: Callable[[Problem], Sequence[SampleView]]
    passwords: Passwords = field(default_factory=Passwords)
    metrics: Metrics = field(default_factory=Metrics)
    started_at: datetime = field(default_factory=lambda: now())
    wait: Callable[[int, float], None] = lambda submission, seconds: None  # until a submission is judged, or so long

    def keep(self) -> None:
        """Make these the current application's parts."""
        current_app.extensions[_NAME] = self


def service() -> Service:
    """Return the current application's parts."""
    return cast(Service, current_app.extensions[_NAME])


def now() -> datetime:
    """Return the time in UTC."""
    return CLOCK.now()


def received_at() -> datetime:
    """Return when the request was there as a whole, to be asked for once its body has been read."""
    return reception.stamp() or now()


def user() -> User | None:
    """Return who is signed in, with the rights of this moment; None for nobody."""
    found = cookies.web_session(service().engine, now())
    return found.user if found else None


def current_user() -> User:
    """Return who is signed in.

    Raises:
        SignInNeeded: nobody is.
    """
    return current_session().user


def current_session() -> WebSession:
    """Return the session of the browser that asks.

    Raises:
        SignInNeeded: nobody is signed in.
    """
    found = cookies.web_session(service().engine, now())
    if found is None:
        raise SignInNeeded("Sign in first.")
    return found
