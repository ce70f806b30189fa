"""What admins see and do: users, tokens, sessions, the audit log, how the service is set up and how it is doing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from grader.errors import UserError
from grader.services import accounts, audit_log, departure, links, load, sessions, tokens
from grader.services.audit_log import Line
from grader.services.names import name_key
from grader.store import admin_queries as queries
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.web.confirmation import confirm
from grader.web.errors import retry_header
from grader.web.interview_audit import entry_asked
from grader.web.kept_text import told_on
from grader.web.pages import asked_page, public_address
from grader.web.service import current_user, now, service

SHOWN: Final = 50  # on one page
DONE: Final = {
    "rights": "The rights are changed, and every session and token of the user has ended.",
    "sessions": "Every session of the user has ended.",
    "session": "The session has ended.",
    "token": "The token is revoked.",
}
bp = Blueprint("admin", __name__, url_prefix="/admin")


@bp.before_request
def _require_admin() -> None:
    """Let nobody else learn that there is such a page."""
    if not current_user().is_admin:
        raise NotFound


@bp.get("")
def show() -> ResponseReturnValue:
    """Show how the service is doing, and which setting comes from which variable."""
    with read_session(service().engine) as session:
        found, totals = load.load(session, now(), service().started_at), queries.totals(session)
    return render_template(
        "admin.html",
        load=found,
        most=load.WAITING_MAX,
        totals=totals,
        variables=current_app.config["VARIABLES"],
        started_at=service().started_at,
        database=service().engine.dialect.name,
    )


@bp.get("/users")
def list_users() -> ResponseReturnValue:
    """List users whose name holds what is searched for."""
    text, page = request.args.get("q", "")[:100], asked_page()
    with read_session(service().engine) as session:
        found = queries.users_page(session, name_key(text), (page - 1) * SHOWN, SHOWN + 1)
    return render_template("admin_users.html", users=found[:SHOWN], q=text, page=page, has_more=len(found) > SHOWN)


@bp.get("/users/<public_id>")
def show_user(public_id: str) -> ResponseReturnValue:
    """Show a user and what can be done for them."""
    return _user_page(public_id)


@bp.post("/users/<public_id>/rights")
@told_on(lambda error, public_id: _user_page(public_id, "rights", error), passwords=["password"])
def set_rights(public_id: str) -> ResponseReturnValue:
    """Give or take rights, once the admin has given their own password."""
    try:
        confirm()
        with write_session(service().engine) as session:
            accounts.set_rights(
                session,
                queries.user_by_public_id(session, public_id),
                now(),
                is_interviewer="interviewer" in request.form,
                is_admin="admin" in request.form,
                actor=current_user(),
            )
    except UserError as error:
        return _user_page(public_id, "rights", error)
    return redirect(url_for("admin.show_user", public_id=public_id, done="rights"), 303)


@bp.post("/users/<public_id>/link")
@told_on(lambda error, public_id: _user_page(public_id, "link", error), passwords=["password"])
def make_link(public_id: str) -> ResponseReturnValue:
    """Make a link by which the user chooses another password; it stands in this reply alone."""
    try:
        confirm()
        with write_session(service().engine) as session:
            user = queries.user_by_public_id(session, public_id)
            token = links.make(session, user, now(), links.RESET, current_user())
    except UserError as error:
        return _user_page(public_id, "link", error)
    return _user_page(public_id, link=public_address(url_for("accounts.take_link", token=token)))


@bp.post("/users/<public_id>/sessions")
def end_sessions(public_id: str) -> ResponseReturnValue:
    """Sign every browser of a user out."""
    with write_session(service().engine) as session:
        sessions.end_all(session, queries.user_by_public_id(session, public_id), now(), current_user())
    return redirect(url_for("admin.show_user", public_id=public_id, done="sessions"), 303)


@bp.get("/tokens")
def list_tokens() -> ResponseReturnValue:
    """List everybody's tokens."""
    page = asked_page()
    with read_session(service().engine) as session:
        found = queries.tokens_page(session, (page - 1) * SHOWN, SHOWN + 1)
    return render_template(
        "admin_tokens.html", tokens=found[:SHOWN], now=now(), page=page, has_more=len(found) > SHOWN, done=_done()
    )


@bp.post("/tokens/<public_id>/revoke")
def revoke_token(public_id: str) -> ResponseReturnValue:
    """End somebody's token."""
    with write_session(service().engine) as session:
        tokens.revoke_any(session, current_user(), public_id, now())
    return redirect(url_for("admin.list_tokens", done="token"), 303)


@bp.get("/sessions")
def list_sessions() -> ResponseReturnValue:
    """List everybody's sessions."""
    page = asked_page()
    with read_session(service().engine) as session:
        found = queries.sessions_page(session, (page - 1) * SHOWN, SHOWN + 1)
    return render_template(
        "admin_sessions.html", sessions=found[:SHOWN], page=page, has_more=len(found) > SHOWN, done=_done()
    )


@bp.post("/sessions/<public_id>/end")
def end_session(public_id: str) -> ResponseReturnValue:
    """Sign one browser out."""
    with write_session(service().engine) as session:
        found = queries.web_session_by_public_id(session, public_id)
        sessions.end_own(session, found.user, public_id, now(), current_user())
    return redirect(url_for("admin.list_sessions", done="session"), 303)


@bp.get("/audit")
def audit() -> ResponseReturnValue:
    """Show the audit log, the newest first."""
    asked = request.args.to_dict()
    lines: Sequence[Line] = ()
    next_before: int | None = None
    error: UserError | None = None
    try:
        with read_session(service().engine) as session:
            lines, next_before = audit_log.page(session, current_user(), audit_log.wanted(asked), entry_asked())
    except UserError as refused:
        error = refused
    filters = {name: asked[name] for name in audit_log.FIELDS if asked.get(name)}
    page = render_template("admin_audit.html", lines=lines, next_before=next_before, filters=filters, error=error)
    return (page, error.status) if error else page


@bp.get("/audit.csv")
def audit_table() -> ResponseReturnValue:
    """Hand the audit log out as CSV."""
    pieces = audit_log.table(service().engine, current_user(), audit_log.wanted(request.args.to_dict()))
    headers = {"Content-Disposition": 'attachment; filename="grader-audit.csv"'}
    return Response(pieces, content_type="text/csv; charset=utf-8", headers=headers)


def _done() -> str | None:
    return DONE.get(request.args.get("done", ""))


def _user_page(
    public_id: str, refused: str | None = None, error: UserError | None = None, link: str | None = None
) -> ResponseReturnValue:
    with read_session(service().engine) as session:
        user: User = queries.user_by_public_id(session, public_id)
        left = departure.interviews_left(session, user, now())
        open_sessions, open_tokens = sessions.own(session, user, now()), tokens.own(session, user, now())
    page = render_template(
        "admin_user.html",
        found=user,
        sessions=open_sessions,
        tokens=open_tokens,
        left_behind=left,
        refused=refused,
        error=error,
        link=link,
        done=_done(),
    )
    return (page, error.status, retry_header(error)) if error else page
