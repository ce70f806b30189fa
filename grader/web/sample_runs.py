"""Running a source on the samples: handing it over, and the panel that shows what came of it."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.report.visible import beginning
from grader.services import feedback, load, sample_runs
from grader.services.attempts import TooManyWaiting
from grader.services.load import TooBusy
from grader.services.sample_run_view import view
from grader.store import sample_run_queries
from grader.store.models import SampleRun
from grader.store.session import read_session, write_session
from grader.web.attempts import handed_in, keep_text, next_page
from grader.web.service import current_user, now, received_at, service

bp = Blueprint("sample_runs", __name__, url_prefix="/attempts/<public_id>/sample-runs")
ORDINAL = "<int(max=1000000):ordinal>"
NOT_RUN: Final = "The samples were not run."


@bp.post("")
def start(public_id: str) -> ResponseReturnValue:
    """Have a source run on the samples; a page with scripts takes the panel in, others go to the run's page."""
    source, came_at = handed_in(), received_at()
    if "HX-Request" in request.headers:  # its editor saves drafts itself, and knows which it saved
        with write_session(service().engine) as session:
            run = _started(session, public_id, source, came_at)
        return _panel(_run(public_id, run.ordinal))
    return next_page(public_id, NOT_RUN, lambda: _kept_and_started(public_id, source, came_at))


def _kept_and_started(public_id: str, source: bytes, came_at: datetime) -> str:
    """Start a run and keep what the form's editor holds, for the page is left; that is kept where nothing can run."""
    with write_session(service().engine) as session:
        if "source" in request.form:
            keep_text(session, public_id, came_at)
        try:
            run = _started(session, public_id, source, came_at)
            return url_for("sample_runs.show", public_id=public_id, ordinal=run.ordinal)
        except (TooBusy, TooManyWaiting, InvalidPackage) as error:
            no_run = error
    raise no_run


def _started(session: Session, public_id: str, source: bytes, came_at: datetime) -> SampleRun:
    load.require_room(session, came_at, service().started_at)
    run = sample_runs.start(session, current_user(), public_id, source, service().packages, came_at)
    service().dispatch(session, run)
    return run


@bp.get(f"/{ORDINAL}")
def show(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Show a run on a page of its own."""
    with read_session(service().engine) as session:
        run = _allowed(session, public_id, ordinal)
        source, left_out = beginning(run.source)
    return render_template("sample_run.html", attempt=run.attempt, run=view(run), source=source, left_out=left_out)


@bp.get(f"/{ORDINAL}/panel")
def panel(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Answer a page that waits: with the run's panel, or with nothing yet (204)."""
    run = _run(public_id, ordinal)
    return ("", 204) if run.verdict is None else _panel(run)


def _run(public_id: str, ordinal: int) -> SampleRun:
    with read_session(service().engine) as session:
        return _allowed(session, public_id, ordinal)


def _allowed(session: Session, public_id: str, ordinal: int) -> SampleRun:
    run = sample_run_queries.sample_run_of(session, current_user(), public_id, ordinal)
    feedback.require_content(feedback.of(session, run.attempt, now()))
    return run


def _panel(run: SampleRun) -> str:
    return render_template("sample_run_panel.html", attempt=run.attempt, run=view(run))
