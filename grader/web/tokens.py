"""The own tokens: those that work, a new one whose value is shown this once, and the end of one."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.errors import UserError
from grader.services import tokens
from grader.services.tokens import DAYS_DEFAULT, DAYS_MAX, SCOPES
from grader.store.credential_models import ApiToken
from grader.store.session import read_session, write_session
from grader.web.kept_text import told_on
from grader.web.service import current_user, now, service

LENGTHS: Final = (7, 30, DAYS_DEFAULT, DAYS_MAX)  # days that the form offers
bp = Blueprint("tokens", __name__, url_prefix="/me/tokens")


@bp.get("")
def show() -> ResponseReturnValue:
    """Show the tokens and the form for a new one."""
    return _page()


@bp.post("")
@told_on(lambda error: (_page(error=error), error.status), "name")
def make() -> ResponseReturnValue:
    """Make a token; this reply is the only place where its value ever stands."""
    form = request.form
    days = int(form["days"]) if form.get("days", "") in {str(length) for length in LENGTHS} else 0
    try:
        with write_session(service().engine) as session:
            made = tokens.make(session, current_user(), form.get("name", ""), form.getlist("scope"), days, now())
    except UserError as error:
        return _page(error=error), error.status
    return _page(*made)


@bp.post("/<public_id>/revoke")
def revoke(public_id: str) -> ResponseReturnValue:
    """End a token."""
    with write_session(service().engine) as session:
        tokens.revoke(session, current_user(), public_id, now())
    return redirect(url_for("tokens.show", done="revoked"), 303)


def _page(made: ApiToken | None = None, value: str | None = None, error: UserError | None = None) -> str:
    with read_session(service().engine) as session:
        own = tokens.own(session, current_user(), now())
    return render_template(
        "tokens.html",
        tokens=own,
        made=made,
        value=value,
        error=error,
        typed=request.form.get("name", "") if error else "",
        scopes={scope: SCOPES[scope] for scope in tokens.scopes_for(current_user())},
        lengths=LENGTHS,
        length=DAYS_DEFAULT,
        done=request.args.get("done"),
    )
