"""Running a source on the samples: handing it over, and the panel that shows what came of it."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.services import feedback, sample_runs
from grader.services.sample_run_view import view
from grader.store import sample_run_queries
from grader.store.models import SampleRun
from grader.store.session import read_session, write_session
from grader.web.attempts import handed_in, require_room
from grader.web.service import current_user, now, received_at, service

bp = Blueprint("sample_runs", __name__, url_prefix="/attempts/<public_id>/sample-runs")
ORDINAL = "<int(max=1000000):ordinal>"


@bp.post("")
def start(public_id: str) -> ResponseReturnValue:
    """Have a source run on the samples; a page with scripts takes the panel in, others go to the run's page."""
    source, came_at = handed_in(), received_at()
    require_room(came_at)
    with write_session(service().engine) as session:
        run = sample_runs.start(session, current_user(), public_id, source, service().packages, came_at)
        service().dispatch(session, run)
    if "HX-Request" in request.headers:
        return _panel(_run(public_id, run.ordinal))
    return redirect(url_for("sample_runs.show", public_id=public_id, ordinal=run.ordinal), 303)


@bp.get(f"/{ORDINAL}")
def show(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Show a run on a page of its own."""
    run = _run(public_id, ordinal)
    return render_template("sample_run.html", attempt=run.attempt, run=view(run))


@bp.get(f"/{ORDINAL}/panel")
def panel(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Answer a page that waits: with the run's panel, or with nothing yet (204)."""
    run = _run(public_id, ordinal)
    return ("", 204) if run.verdict is None else _panel(run)


def _run(public_id: str, ordinal: int) -> SampleRun:
    with read_session(service().engine) as session:
        run = sample_run_queries.sample_run_of(session, current_user(), public_id, ordinal)
        feedback.require_content(feedback.of(session, run.attempt, now()))
        return run


def _panel(run: SampleRun) -> str:
    return render_template("sample_run_panel.html", attempt=run.attempt, run=view(run))
