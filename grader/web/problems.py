"""The list of problems, and one problem's page from which an attempt starts."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from grader.services import attempts, practice_lock
from grader.services.attempts import Progress
from grader.services.problem_list import LEVELS, ORDERS, Filters, problem_list
from grader.store import under_way
from grader.store.session import read_session, write_session
from grader.web.lesson import PRACTICE
from grader.web.service import current_user, now, service

bp = Blueprint("problems", __name__)


@bp.get("/")
def index() -> ResponseReturnValue:
    """List the problems that the address asks for, with what the candidate has reached on each."""
    with read_session(service().engine) as session:
        progress = attempts.progress(session, current_user())
        has_interview = under_way.has_open_invitation(session, current_user(), now())
        closed = practice_lock.closed_slugs(session, current_user(), now())
    packages, filters = service().packages, Filters.of(request.args.items(multi=True))
    return render_template(
        "problems.html",
        has_interview=has_interview,
        closed=closed,
        list=problem_list(packages.offered(), progress, packages.sets(), filters),
        address=address,
        levels=LEVELS,
        orders=ORDERS,
    )


def address(filters: Filters) -> str:
    """Return the address of the list for what is asked for."""
    return url_for("problems.index", **MultiDict(filters.pairs()).to_dict(flat=False))  # type: ignore[arg-type]


@bp.get("/problems/<slug>")
def show(slug: str) -> ResponseReturnValue:
    """Show what a problem is about and the own attempts on it; the whole statement opens with an attempt."""
    problem = service().packages.named(slug)
    with read_session(service().engine) as session:
        progress = attempts.progress(session, current_user()).get(problem.slug, Progress())
        is_closed = slug in practice_lock.closed_slugs(session, current_user(), now())
    sets = {name: chosen for name, chosen in service().packages.sets().items() if slug in chosen.problems}
    return render_template(
        "problem.html",
        problem=problem,
        about=problem.statement.strip().split("\n\n", 1)[0],
        progress=progress,
        is_closed=is_closed,
        status=attempts.status,
        variants={name: attempts.variant_status(progress, name) for name in problem.spec.variants},
        levels=LEVELS,
        sets=sets,
        has_lesson=slug in PRACTICE,
    )


@bp.post("/problems/<slug>/attempts")
def start(slug: str) -> ResponseReturnValue:
    """Begin an attempt, or go on with the running one."""
    problem = service().packages.named(slug)
    variant = request.form.get("variant") or problem.first_variant
    with write_session(service().engine) as session:
        attempt = attempts.start(session, current_user(), problem, variant, service().packages, now())
    return redirect(url_for("attempts.show", public_id=attempt.public_id), 303)
