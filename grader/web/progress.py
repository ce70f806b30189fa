"""What the reader has practised, and what to do next."""

from __future__ import annotations

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from grader.services import progress
from grader.services.followups import RATINGS
from grader.store.session import read_session
from grader.web.service import current_user, now, service

bp = Blueprint("progress", __name__)


@bp.get("/progress")
def show() -> ResponseReturnValue:
    """Show attempts, faults, stages and follow-ups of whoever asks."""
    offered = service().packages.offered()
    with read_session(service().engine) as session:
        overview = progress.overview(session, current_user(), service().packages, now())
    return render_template(
        "progress.html",
        overview=overview,
        offered={problem.slug: problem for problem in offered},
        ratings=RATINGS,
    )
