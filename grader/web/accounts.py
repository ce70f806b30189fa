"""Signing in, signing up, signing out, and links that let somebody choose a password."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from grader.errors import NotFound, UserError
from grader.services import links, sign_in
from grader.services.links import LinkEnded
from grader.services.names import UnusableName
from grader.services.passwords import WeakPassword
from grader.services.sign_in import WrongPassword
from grader.store.models import User
from grader.store.session import read_session
from grader.web import cookies, invited
from grader.web.errors import retry_header
from grader.web.kept_text import UnusableCharacter, told_on
from grader.web.pages import known_page
from grader.web.service import now, service, user

LINK_COOKIE: Final = "grader-link"
LINK_COOKIE_S: Final = 3600
NOTICES: Final = {
    "out": "You are signed out.",
    "deleted": "Your account is deleted, with everything that was stored of you.",
    "former": "Your account is deleted. What belongs to interviews or packages stays there without your name.",
}
bp = Blueprint("accounts", __name__)


@bp.get("/sign-in")
def show_sign_in() -> ResponseReturnValue:
    """Show the form that signs somebody in."""
    return redirect(_next(), 303) if user() else _form("signin.html")


@bp.post("/sign-in")
@told_on(lambda error: _form("signin.html", error), "name", passwords=["password"])
def enter() -> ResponseReturnValue:
    """Sign a user in by name and password."""
    name, password = request.form.get("name", ""), request.form.get("password", "")
    try:
        found = sign_in.sign_in(service().engine, service().passwords, name, password, request.remote_addr, now())
    except UserError as error:
        return _form("signin.html", error)
    return _open_session(found)


@bp.get("/sign-up")
def show_sign_up() -> ResponseReturnValue:
    """Show the form that makes an account, where anybody may."""
    _require_signup()
    return redirect(_next(), 303) if user() else _form("signup.html")


@bp.post("/sign-up")
@told_on(lambda error: _sign_up_form(error), "name", passwords=["password"])
def sign_up() -> ResponseReturnValue:
    """Make an account and sign its user in."""
    _require_signup()
    name, password = request.form.get("name", ""), request.form.get("password", "")
    try:
        made = sign_in.sign_up(service().engine, service().passwords, name, password, request.remote_addr, now())
    except UserError as error:
        return _form("signup.html", error)
    return _open_session(made, is_told=True)


def _sign_up_form(error: UserError) -> ResponseReturnValue:
    _require_signup()
    return _form("signup.html", error)


@bp.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End this browser's session."""
    cookies.sign_out(service().engine, now())
    return redirect(url_for("accounts.show_sign_in", notice="out"), 303)


@bp.get("/links/<token>")
def take_link(token: str) -> ResponseReturnValue:
    """Put a link's token into a cookie and lead to an address without it; that uses nothing up."""
    response = redirect(url_for("accounts.show_link"), 303)
    cookies.set_cookie(response, LINK_COOKIE, token[: cookies.TOKEN_LENGTH_MAX], LINK_COOKIE_S)
    return response


@bp.get("/link")
def show_link() -> ResponseReturnValue:
    """Show the form in which a password is chosen."""
    return _link_form()


@bp.post("/link")
@told_on(lambda error: _link_form(error), "name", passwords=["password"])
def use_link() -> ResponseReturnValue:
    """Store the password, which uses the link up, and sign its user in."""
    name, password = request.form.get("name", ""), request.form.get("password", "")
    try:
        found = links.use(service().engine, service().passwords, _link_token(), name, password, now())
    except LinkEnded:
        raise
    except UserError as error:
        return _link_form(error)
    response = _open_session(found, is_told=True)
    response.delete_cookie(cookies.cookie_name(LINK_COOKIE), secure=current_app.config["SESSION_COOKIE_SECURE"])
    return response


def _link_token() -> str:
    return request.cookies.get(cookies.cookie_name(LINK_COOKIE), "")


def _link_form(error: UserError | None = None) -> ResponseReturnValue:
    with read_session(service().engine) as session:
        owner = links.find(session, _link_token(), now()).user
    return _form("link.html", error, owner=owner)


def _require_signup() -> None:
    if not current_app.config["IS_SIGNUP_OPEN"] and not invited.is_invited(service().engine):
        raise NotFound("Accounts are made by the people who run this service; ask them for one.")


def _open_session(found: User, *, is_told: bool = False) -> Response:
    cookies.sign_in(service().engine, found, now(), is_kept="keep" in request.form, is_told=is_told)
    return redirect(_next(), 303)


def _next() -> str:
    return known_page(request.values.get("next", ""))


def _form(template: str, error: UserError | None = None, **more: object) -> ResponseReturnValue:
    page = render_template(
        template,
        error=error,
        wrong=_wrong_fields(error),
        name=request.form.get("name", ""),
        next=_next(),
        notice=NOTICES.get(request.args.get("notice", "")),
        **more,
    )
    return (page, error.status, retry_header(error)) if error else page


def _wrong_fields(error: UserError | None) -> tuple[str, ...]:
    if isinstance(error, WeakPassword):
        return ("password",)
    if isinstance(error, UnusableCharacter):
        return (error.field,)
    if isinstance(error, UnusableName):
        return ("name",)
    return ("name", "password") if isinstance(error, WrongPassword) else ()
