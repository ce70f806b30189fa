"""The list of problems, and one problem's page from which an attempt starts."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.services import attempts
from grader.services.attempts import Progress
from grader.store.session import read_session, write_session
from grader.web.service import current_user, now, service

bp = Blueprint("problems", __name__)


@bp.get("/")
def index() -> ResponseReturnValue:
    """List the problems with what the candidate has reached on each."""
    with read_session(service().engine) as session:
        progress = attempts.progress(session, current_user())
    rows = [(problem, progress.get(problem.slug, Progress())) for problem in service().packages.offered()]
    return render_template("problems.html", rows=rows)


@bp.get("/problems/<slug>")
def show(slug: str) -> ResponseReturnValue:
    """Show what a problem is about and the own attempts on it; the statement opens with an attempt."""
    problem = service().packages.named(slug)
    with read_session(service().engine) as session:
        progress = attempts.progress(session, current_user()).get(problem.slug, Progress())
    return render_template("problem.html", problem=problem, progress=progress, status=attempts.status)


@bp.post("/problems/<slug>/attempts")
def start(slug: str) -> ResponseReturnValue:
    """Begin an attempt, or go on with the running one."""
    problem = service().packages.named(slug)
    variant = request.form.get("variant") or problem.first_variant
    with write_session(service().engine) as session:
        attempt = attempts.start(session, current_user(), problem, variant, service().packages, now())
    return redirect(url_for("attempts.show", public_id=attempt.public_id), 303)
