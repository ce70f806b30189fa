"""The list of problems, and one problem's page from which an attempt starts."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.errors import UserError
from grader.problems.loader import Problem
from grader.services import accounts, attempts
from grader.services.attempts import Progress
from grader.store.session import read_session, write_session
from grader.web.service import candidate, enter, now, service

bp = Blueprint("problems", __name__)


@bp.get("/")
def index() -> ResponseReturnValue:
    """List the problems with what the candidate has reached on each."""
    with read_session(service().engine) as session:
        progress = attempts.progress(session, candidate())
    rows = [(problem, progress.get(problem.slug, Progress())) for problem in service().packages.offered()]
    return render_template("problems.html", rows=rows)


@bp.get("/problems/<slug>")
def show(slug: str) -> ResponseReturnValue:
    """Show what a problem is about and the own attempts on it; the statement opens with an attempt."""
    return _page(service().packages.named(slug))


@bp.post("/problems/<slug>/attempts")
def start(slug: str) -> ResponseReturnValue:
    """Begin an attempt, or go on with the running one; who has no cookie yet gives a name."""
    problem = service().packages.named(slug)
    variant = request.form.get("variant") or problem.first_variant
    entering = None
    with write_session(service().engine) as session:
        current = candidate()
        if current is None:
            try:
                current = entering = accounts.register(session, request.form.get("name", ""), now())
            except UserError as error:
                return _page(problem, error.message), error.status
        attempt = attempts.start(session, current, problem, variant, service().packages, now())
    if entering is not None:
        enter(entering)
    return redirect(url_for("attempts.show", public_id=attempt.public_id), 303)


def _page(problem: Problem, error: str | None = None) -> str:
    with read_session(service().engine) as session:
        progress = attempts.progress(session, candidate()).get(problem.slug, Progress())
    return render_template(
        "problem.html",
        problem=problem,
        progress=progress,
        status=attempts.status,
        error=error,
        name=request.form.get("name", ""),
        chosen=request.form.get("variant", problem.first_variant),
    )
