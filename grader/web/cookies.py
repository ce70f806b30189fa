"""The cookie that a browser is known by: a random token, which opens a session of the store once somebody signs in.

Before that it opens nothing, and forms alone are bound to it. It is exchanged whenever rights change.
"""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import Final

from flask import Flask, Response, current_app, g, request
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from werkzeug.wrappers import Response as BaseResponse

from grader.services import sessions
from grader.store import account_queries as queries
from grader.store.credential_models import WebSession
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.web.devices import device

NAME: Final = "grader"
TOKEN_LENGTH_MAX: Final = 100


def register(app: Flask) -> None:
    """Hand the cookie out with the replies of an application."""
    app.after_request(_send)


def cookie_name(name: str = NAME) -> str:
    """Return a cookie's name; under https the browser itself then keeps other hosts from setting it."""
    return f"__Host-{name}" if current_app.config["SESSION_COOKIE_SECURE"] else name


def set_cookie(response: BaseResponse, name: str, value: str, max_age: int | None) -> None:
    """Put a cookie on a reply that no script reads and no other site sends."""
    response.set_cookie(
        cookie_name(name),
        value,
        max_age=max_age,
        path="/",
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        httponly=True,
        samesite="Lax",
    )


def token() -> str:
    """Return this browser's token, a new one when it brought none."""
    if "token" not in g:
        brought = request.cookies.get(cookie_name(), "")
        is_usable = 0 < len(brought) <= TOKEN_LENGTH_MAX and brought.isascii()
        g.token = brought if is_usable else _hand_out(sessions.new_token(), None)
    found: str = g.token
    return found


def web_session(engine: Engine, now: datetime) -> WebSession | None:
    """Return the session of the browser that asks; its user's rights are those of the database at this moment."""
    if "web_session" not in g:
        g.web_session = None  # also for the page that says that the database cannot be asked
        g.web_session = _find(engine, now) if request.cookies.get(cookie_name()) else None
    found: WebSession | None = g.web_session
    return found


def _find(engine: Engine, now: datetime) -> WebSession | None:
    with read_session(engine) as session:
        found = sessions.recognise(session, token(), now)
    if found is not None and sessions.is_stale(found, now):
        # a page is worth more than this mark
        with contextlib.suppress(OperationalError), write_session(engine) as session:
            queries.set_seen(session, found.id, now)
    return found


def sign_in(engine: Engine, user: User, now: datetime, *, is_kept: bool, is_told: bool = False) -> None:
    """Open a session for this browser under a new token; the one from before is worth nothing afterwards.

    Args:
        engine: the database.
        user: who signs in.
        now: the time.
        is_kept: whether the browser keeps the session when it is closed.
        is_told: whether the audit log has an entry of what led to it.
    """
    browser, before = device(request.user_agent.string), token()
    with write_session(engine) as session:
        new = sessions.begin(session, user, browser, now, is_kept=is_kept, is_told=is_told, instead_of=before)
    _hand_out(new, int(sessions.KEPT.total_seconds()) if is_kept else None)


def sign_out(engine: Engine, now: datetime) -> None:
    """End this browser's session for good: no copy of the cookie opens anything any more."""
    with write_session(engine) as session:
        sessions.end(session, token(), now)
    forget()


def forget() -> None:
    """Give this browser another token, which opens nothing."""
    _hand_out(sessions.new_token(), None)


def _hand_out(new: str, max_age: int | None) -> str:
    g.token, g.new_token = new, (new, max_age)
    g.pop("web_session", None)
    return new


def _send(response: Response) -> Response:
    if "new_token" in g:
        value, max_age = g.new_token
        set_cookie(response, NAME, value, max_age)
    return response
