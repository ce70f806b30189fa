"""The follow-up questions of an attempt: answer first, then read what was expected."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.errors import NotFound, UserError
from grader.services import attempts, followups
from grader.services.attempts import AttemptClosed
from grader.services.followups import ANSWER_MAX, ANSWER_MIN
from grader.store import queries
from grader.store.session import read_session, write_session
from grader.web.attempts import current_candidate
from grader.web.service import now, service

bp = Blueprint("followups", __name__, url_prefix="/attempts/<public_id>")


@bp.get("/follow-ups")
def show(public_id: str) -> ResponseReturnValue:
    """Show the questions, or when they open."""
    return _page(public_id)


@bp.post("/answers/<question>")
def answer(public_id: str, question: str) -> ResponseReturnValue:
    """Store the own answer, which opens the expected one; an answer that is refused stays in its field."""
    text = request.form.get("answer", "")
    try:
        with write_session(service().engine) as session:
            followups.answer(session, current_candidate(), public_id, question, text, service().packages, now())
    except (NotFound, AttemptClosed):
        raise
    except UserError as error:
        return _page(public_id, question, error.message, text), error.status
    return redirect(url_for("followups.show", public_id=public_id, _anchor=question), 303)


def _page(public_id: str, refused: str | None = None, error: str | None = None, typed: str = "") -> str:
    with read_session(service().engine) as session:
        attempt = queries.attempt_of(session, current_candidate(), public_id)
        problem = service().packages.pinned(session, attempt.package)
        return render_template(
            "followups.html",
            attempt=attempt,
            status=attempts.status(attempt),
            follow_ups=followups.follow_ups(session, attempt, problem),
            shortest=ANSWER_MIN,
            longest=ANSWER_MAX,
            refused=refused,
            error=error,
            typed=typed,
        )
