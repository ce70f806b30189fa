"""The cookie in which a browser keeps an invitation's token until it is accepted: no address shows the token again."""

from __future__ import annotations

from typing import Final

from flask import current_app, request
from sqlalchemy import Engine
from werkzeug.wrappers import Response

from grader.services import taking
from grader.services.steady_clock import CLOCK
from grader.services.taking import InvitationEnded
from grader.store.session import read_session
from grader.web import cookies

COOKIE: Final = "grader-invitation"
COOKIE_S: Final = 3600


def keep_token(response: Response, token: str) -> None:
    """Have the browser keep a token for a while."""
    cookies.set_cookie(response, COOKIE, token[: cookies.TOKEN_LENGTH_MAX], COOKIE_S)


def token() -> str:
    """Return the token that the browser keeps; "" for none."""
    return request.cookies.get(cookies.cookie_name(COOKIE), "")


def forget_token(response: Response) -> None:
    """Have the browser forget the token."""
    response.delete_cookie(cookies.cookie_name(COOKIE), secure=current_app.config["SESSION_COOKIE_SECURE"])


def is_invited(engine: Engine) -> bool:
    """Whether the browser keeps an invitation that nobody has accepted: then an account may be made for it."""
    if not token():
        return False
    with read_session(engine) as session:
        try:
            taking.find(session, token(), None, CLOCK.now())
        except InvitationEnded:
            return False
    return True
