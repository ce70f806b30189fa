"""A submission's verdict: the page, and what a page that waits for it asks."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from grader.services import candidate_view
from grader.store import queries
from grader.store.session import read_session
from grader.web.service import current_user, service

SOURCE_SHOWN: Final = 16 << 10  # bytes; colouring a megabyte would keep everybody else waiting for seconds
bp = Blueprint("verdicts", __name__, url_prefix="/attempts/<public_id>/submissions/<int(max=1000000):ordinal>")


@bp.get("")
def show(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Show a submission's verdict, or that it is being graded."""
    with read_session(service().engine) as session:
        submission = queries.submission_of(session, current_user(), public_id, ordinal)
        return render_template(
            "submission.html",
            attempt=submission.attempt,
            view=candidate_view.view(submission),
            source=submission.source[:SOURCE_SHOWN].decode("utf-8", "replace"),
            left_out=max(0, len(submission.source) - SOURCE_SHOWN),
            submissions=queries.submissions_in(session, submission.attempt),
        )


@bp.get("/state")
def state(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Answer "grading" or "judged", for the page that waits."""
    with read_session(service().engine) as session:
        submission = queries.submission_of(session, current_user(), public_id, ordinal)
    word = "grading" if submission.verdict is None else "judged"
    return word, {"Content-Type": "text/plain; charset=utf-8"}
