"""A submission's verdict: the page, what a page that waits takes in, and the hints that are opened on it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.report.visible import beginning
from grader.services import candidate_view, diagnoses, feedback, hints
from grader.store import queries
from grader.store.models import Submission
from grader.store.score_queries import scores_by_hand
from grader.store.session import read_session, write_session
from grader.web.service import current_user, now, service

FRESH: Final = timedelta(seconds=2)  # so young a submission is worth a moment's wait, which saves a second's
HOLD_S: Final = 0.2
bp = Blueprint("verdicts", __name__, url_prefix="/attempts/<public_id>/submissions/<int(max=1000000):ordinal>")


@bp.get("")
def show(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Show a submission's verdict, or that it is being graded."""
    with read_session(service().engine) as session:
        submission = queries.submission_of(session, current_user(), public_id, ordinal)
        return render_template("submission.html", **_shown(session, submission))


@bp.get("/verdict")
def fragment(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Answer a page that waits: with the verdict, or with nothing yet (204)."""
    key, verdict, created_at, g.is_practice = _state(public_id, ordinal)
    if verdict is None and now() - created_at < FRESH:
        service().wait(key, HOLD_S)
        _, verdict, *_ = _state(public_id, ordinal)
    if verdict is None:
        return "", 204
    with read_session(service().engine) as session:
        submission = queries.submission_of(session, current_user(), public_id, ordinal)
        return render_template("verdict_fragment.html", **_shown(session, submission))


def _state(public_id: str, ordinal: int) -> tuple[int, Verdict | None, datetime, bool]:
    with read_session(service().engine) as session:
        return queries.submission_state(session, current_user(), public_id, ordinal)


@bp.post("/hints")
def open_hint(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Open the hint whose price the button named."""
    level = hints.asked_level(request.form.get("level", ""))
    with write_session(service().engine) as session:
        hints.open_hint(session, current_user(), public_id, ordinal, level, service().packages, now())
    return redirect(url_for("verdicts.show", public_id=public_id, ordinal=ordinal, _anchor="hints"), 303)


def _shown(session: Session, submission: Submission) -> dict[str, Any]:
    attempt = submission.attempt
    shown = feedback.of(session, attempt, now())
    problem = service().packages.pinned(session, attempt.package)
    source, left_out = beginning(submission.source)
    return {
        "attempt": attempt,
        "shown": shown,
        "when": feedback.WHEN,
        "view": candidate_view.view(submission, problem, shown, queries.judged_before(session, submission)),
        "diagnosis": diagnoses.diagnosis(session, attempt, problem, shown),
        "source": source,
        "left_out": left_out,
        "by_hand": scores_by_hand(session, [attempt.id]).get(attempt.id) if shown.by_hand else None,
        "submissions": candidate_view.handed_in(queries.submissions_in(session, attempt), shown),
    }
