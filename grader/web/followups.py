"""The follow-up questions of an attempt: answer first, then read what was expected."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.errors import NotFound, UserError
from grader.report.source_diff import corrected_diff
from grader.services import feedback, followups
from grader.services.attempts import AttemptClosed
from grader.services.followups import ANSWER_MAX, ANSWER_MIN, RATINGS
from grader.services.problem_list import LEVELS
from grader.store import queries
from grader.store.session import read_session, write_session
from grader.web.kept_text import told_on
from grader.web.service import current_user, now, service

bp = Blueprint("followups", __name__)


@bp.get("/attempts/<public_id>/follow-ups")
def show(public_id: str) -> ResponseReturnValue:
    """Show the questions, or when they open."""
    return _page(public_id)


@bp.post("/attempts/<public_id>/answers/<question>")
@told_on(lambda error, **path: _refused(**path, error=error), "answer")
def answer(public_id: str, question: str) -> ResponseReturnValue:
    """Store the own answer, which opens the expected one; an answer that is refused stays in its field."""
    text, digest = request.form.get("answer", ""), request.form.get("question")
    try:
        with write_session(service().engine) as session:
            answering = session, current_user(), public_id, question, text, service().packages, now()
            followups.answer(*answering, digest=digest)
    except (NotFound, AttemptClosed):
        raise
    except UserError as error:
        return _refused(public_id, question, error)
    return redirect(url_for("followups.show", public_id=public_id, _anchor=question), 303)


@bp.post("/attempts/<public_id>/answers/<question>/rating")
def rate(public_id: str, question: str) -> ResponseReturnValue:
    """Keep how near the own answer came."""
    rating = request.form.get("rating", "")
    with write_session(service().engine) as session:
        followups.rate(session, current_user(), public_id, question, rating, service().packages, now())
    return redirect(url_for("followups.show", public_id=public_id, _anchor=question), 303)


@bp.get("/problems/<slug>/quiz")
def quiz(slug: str) -> ResponseReturnValue:
    """Lead to a problem's multiple-choice questions among an attempt's follow-ups, or say when they open."""
    problem = service().packages.named(slug)
    with read_session(service().engine) as session:
        attempt = queries.opened_attempt(session, current_user(), slug)
    if attempt is None or not problem.interview.multiple_choice:
        return render_template("quiz.html", problem=problem)
    return redirect(url_for("followups.show", public_id=attempt.public_id, _anchor="to_check_yourself"))


def _refused(public_id: str, question: str, error: UserError) -> ResponseReturnValue:
    return _page(public_id, question, error.message, request.form.get("answer", "")), error.status


def _page(public_id: str, refused: str | None = None, error: str | None = None, typed: str = "") -> str:
    with read_session(service().engine) as session:
        attempt = queries.attempt_of(session, current_user(), public_id)
        shown = feedback.of(session, attempt, now())
        return render_template(
            "followups.html",
            attempt=attempt,
            shown=shown,
            follow_ups=followups.follow_ups(session, attempt, service().packages, shown),
            corrected_diff=corrected_diff,
            ratings=RATINGS,
            levels=LEVELS,
            shortest=ANSWER_MIN,
            longest=ANSWER_MAX,
            refused=refused,
            error=error,
            typed=typed,
        )
