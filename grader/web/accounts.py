"""Signing in, signing up and signing out."""

from __future__ import annotations

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.errors import NotFound, UserError
from grader.services import accounts, passwords
from grader.store.models import User
from grader.store.session import write_session
from grader.web import cookies
from grader.web.pages import known_page
from grader.web.service import now, service, user

bp = Blueprint("accounts", __name__)


@bp.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> ResponseReturnValue:
    """Sign a user in by name and password."""
    if request.method == "GET":
        return redirect(_next(), 303) if user() else _form("signin.html")
    try:
        found = accounts.sign_in(
            service().engine, service().passwords, request.form.get("name", ""), request.form.get("password", ""), now()
        )
    except UserError as error:
        return _form("signin.html", error)
    return _enter(found)


@bp.route("/sign-up", methods=["GET", "POST"])
def sign_up() -> ResponseReturnValue:
    """Make an account where anybody may, and sign its user in."""
    if not current_app.jinja_env.globals["is_signup_open"]:
        raise NotFound("Accounts are made by the people who run this service; ask them for one.")
    if request.method == "GET":
        return redirect(_next(), 303) if user() else _form("signup.html")
    name, password = request.form.get("name", ""), request.form.get("password", "")
    try:
        name = accounts.tidy_name(name)
        passwords.check(password, name)
        password_hash = service().passwords.hash(password)
        with write_session(service().engine) as session:
            made = accounts.add(session, name, password_hash, now())
    except UserError as error:
        return _form("signup.html", error)
    return _enter(made)


@bp.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End this browser's session."""
    cookies.sign_out(service().engine)
    return redirect(url_for("accounts.sign_in"), 303)


@bp.get("/me")
def me() -> ResponseReturnValue:
    """Show the own account."""
    return render_template("me.html")


def _enter(found: User) -> ResponseReturnValue:
    cookies.sign_in(service().engine, found, now(), is_kept="keep" in request.form)
    return redirect(_next(), 303)


def _next() -> str:
    return known_page(request.values.get("next", ""))


def _form(template: str, error: UserError | None = None) -> ResponseReturnValue:
    page = render_template(template, error=error, name=request.form.get("name", ""), next=_next())
    return page, error.status if error else 200
