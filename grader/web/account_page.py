"""The own account: name, password, sessions, what is stored, and the end of it."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.errors import UserError
from grader.services import accounts, departure, own_data, passwords, sessions
from grader.services.passwords import WeakPassword
from grader.services.sign_in import WrongPassword
from grader.store import admin_queries
from grader.store.session import read_session, write_session
from grader.web import cookies
from grader.web.confirmation import confirm
from grader.web.errors import retry_header
from grader.web.kept_text import UnusableCharacter, told_on
from grader.web.service import current_session, current_user, now, service

SIGN_INS_SHOWN: Final = 20
SIGN_IN_WORDS: Final = {  # by the audit log's word
    "session.begin": "Signed in",
    "session.end": "Signed out",
    "user.password": "Chose a password, which signed you in",
}
bp = Blueprint("account_page", __name__, url_prefix="/me")


@bp.get("")
def show() -> ResponseReturnValue:
    """Show the account and what can be changed."""
    return _page()


@bp.post("/name")
@told_on(lambda error: _page("name", error), "name")
def rename() -> ResponseReturnValue:
    """Take another name."""
    try:
        with write_session(service().engine) as session:
            accounts.rename(session, current_user(), request.form.get("name", ""), now())
    except UserError as error:
        return _page("name", error)
    return redirect(url_for("account_page.show", done="name", _anchor="change-name"), 303)


@bp.post("/password")
@told_on(lambda error: _page("password", error), passwords=["password", "new"])
def change_password() -> ResponseReturnValue:
    """Take another password, which signs every other browser out."""
    own, new, is_kept = current_user(), request.form.get("new", ""), sessions.is_kept(current_session())
    try:
        passwords.check(new, own.name)
        confirm()
        with service().passwords.place():
            password_hash = service().passwords.hash(new)
        with write_session(service().engine) as session:
            changed = accounts.set_password(session, own, password_hash, now())
    except UserError as error:
        return _page("password", error)
    cookies.sign_in(service().engine, changed, now(), is_kept=is_kept, is_told=True)
    return redirect(url_for("account_page.show", done="password", _anchor="change-password"), 303)


@bp.post("/sessions")
def end_session() -> ResponseReturnValue:
    """Sign one browser out."""
    with write_session(service().engine) as session:
        sessions.end_own(session, current_user(), request.form.get("session", ""), now())
    return redirect(url_for("account_page.show", _anchor="sessions"), 303)


@bp.get("/data")
def download() -> ResponseReturnValue:
    """Hand out the user's name, browsers and attempts with all that is in them."""
    pieces = own_data.export(service().engine, current_user(), service().packages, now())
    headers = {"Content-Disposition": 'attachment; filename="grader-data.json"'}
    return Response(pieces, content_type="application/json", headers=headers)


@bp.post("/delete")
@told_on(lambda error: _page("delete", error), passwords=["password"])
def delete() -> ResponseReturnValue:
    """Delete the account and everything of it that is the user's alone."""
    try:
        confirm()
        with write_session(service().engine) as session:
            is_gone = accounts.remove(session, current_user(), now(), current_user())
    except UserError as error:
        return _page("delete", error)
    cookies.forget()
    return redirect(url_for("accounts.show_sign_in", notice="deleted" if is_gone else "former"), 303)


def _page(refused: str | None = None, error: UserError | None = None) -> ResponseReturnValue:
    with read_session(service().engine) as session:
        own = sessions.own(session, current_user(), now())
        left_behind = departure.left_behind(session, current_user(), now())
        sign_ins = admin_queries.sign_ins_of(session, current_user(), SIGN_INS_SHOWN)
    page = render_template(
        "me.html",
        sessions=own,
        sign_ins=sign_ins,
        sign_in_words=SIGN_IN_WORDS,
        left_behind=left_behind,
        current=current_session().public_id,
        typed=request.form.get("name", current_user().name),
        refused=refused,
        wrong=_wrong_field(error),
        error=error,
        done=request.args.get("done"),
    )
    return (page, error.status, retry_header(error)) if error else page


def _wrong_field(error: UserError | None) -> str:
    if isinstance(error, UnusableCharacter):
        return error.field
    return "new" if isinstance(error, WeakPassword) else "password" if isinstance(error, WrongPassword) else "name"
