"""The own tokens: those that work, a new one whose value is shown this once, and the end of one."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.services import tokens
from grader.services.tokens import DAYS_DEFAULT, DAYS_MAX, SCOPES
from grader.store.credential_models import ApiToken
from grader.store.session import read_session, write_session
from grader.web.kept_text import told_on
from grader.web.once import once_shown
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
    days = _days() or 0
    try:
        with write_session(service().engine) as session:
            (row, value), is_again = once_shown(
                session,
                lambda: _made(session, days),
                lambda known: tokens.make_again(session, current_user(), known, now()),
            )
    except UserError as error:
        return _page(error=error), error.status
    return _page(row, value, is_again=is_again)


def _days() -> int | None:
    """Return the length that the form chose; None: it is none of those that are offered."""
    sent = request.form.get("days", "")
    return next((length for length in LENGTHS if str(length) == sent), None)


def _made(session: Session, days: int) -> tuple[tuple[ApiToken, str], str]:
    form = request.form
    row, value = tokens.make(session, current_user(), form.get("name", ""), form.getlist("scope"), days, now())
    return (row, value), row.public_id


@bp.post("/<public_id>/revoke")
def revoke(public_id: str) -> ResponseReturnValue:
    """End a token."""
    with write_session(service().engine) as session:
        tokens.revoke(session, current_user(), public_id, now())
    return redirect(url_for("tokens.show", done="revoked"), 303)


def _page(
    made: ApiToken | None = None, value: str | None = None, error: UserError | None = None, *, is_again: bool = False
) -> str:
    with read_session(service().engine) as session:
        own = tokens.own(session, current_user(), now())
    return render_template(
        "tokens.html",
        tokens=own,
        made=made,
        value=value,
        is_again=is_again,
        error=error,
        typed=request.form.get("name", "") if error else "",
        scopes={scope: SCOPES[scope] for scope in tokens.scopes_for(current_user())},
        lengths=LENGTHS,
        length=(_days() if error else None) or DAYS_DEFAULT,
        done=request.args.get("done"),
    )
