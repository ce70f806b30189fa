"""The audit log of one interview, for those who lead or review it."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from grader.services import audit_log
from grader.store import admin_queries, interview_queries
from grader.store.session import read_session
from grader.web import review_switches
from grader.web.readings import note_reading
from grader.web.service import current_user, service

bp = Blueprint("interview_audit", __name__, url_prefix="/interviews/<public_id>")


@bp.get("/audit")
def show(public_id: str) -> ResponseReturnValue:
    """Show what was done in the interview, the newest first; candidates are called what other pages call them."""
    current = current_user()
    with read_session(service().engine) as session:
        interview = interview_queries.interview_of(session, current, public_id)
        lines, next_before = audit_log.interview_page(session, current, interview, entry_asked())
        shown = review_switches.shown_names(session, interview)
        candidates = admin_queries.candidates_of(session, interview)
    note_reading(current, interview, has_part=interview_queries.is_member(current, interview))
    return render_template(
        "interview_audit.html",
        interview=interview,
        lines=lines,
        next_before=next_before,
        names={user: shown.get(key, "a candidate") for user, key in candidates.items()},
    )


def entry_asked() -> int | None:
    """Return the key of the entry before which the address asks for a page; None: from the newest on."""
    before = request.args.get("before", "")
    return int(before) if before.isascii() and before.isdigit() and len(before) < 10 else None
