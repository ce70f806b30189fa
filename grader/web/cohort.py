"""An interview's candidates beside each other, and whose sources are written alike."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from grader.errors import NotFound
from grader.report.fault_map import MapRow, fault_map
from grader.services import cohort
from grader.store import interview_queries
from grader.store.interview_models import Interview, InterviewProblem
from grader.store.models import User
from grader.store.session import read_session
from grader.store.sitting_queries import require_not_sat
from grader.web import review_switches
from grader.web.pages import asked_page
from grader.web.readings import note_reading
from grader.web.reviews import current_interviewer
from grader.web.service import service

bp = Blueprint("cohort", __name__, url_prefix="/interviews/<public_id>/cohort")


@bp.get("")
def show(public_id: str) -> ResponseReturnValue:
    """Show the cohort of all problems, or of one."""
    user = current_interviewer()
    page = asked_page()
    with read_session(service().engine) as session:
        interview = interview_queries.interview_of(session, user, public_id)
        problem = _problem(interview)
        require_not_sat(session, user, [one.package for one in ([problem] if problem else interview.problems)])
        found = cohort.cohort(session, interview, problem, service().packages, page)
        names = [(one.number, review_switches.shown_name(one.label, one.number)) for one in found.candidates]
        rows = [MapRow(row.fault, row.submissions, row.people, row.cells) for row in found.faults]
        rendered = render_template(
            "cohort.html",
            interview=interview,
            problem=problem,
            cohort=found,
            names=names,
            map=fault_map(rows, names),
            bins=cohort.BINS,
            page=page,
            are_names_hidden=review_switches.are_names_hidden(),
        )
    _note_reading(user, interview)
    return rendered


@bp.get("/similar")
def similar(public_id: str) -> ResponseReturnValue:
    """Show whose last submissions on one problem are written alike."""
    user = current_interviewer()
    with read_session(service().engine) as session:
        interview = interview_queries.interview_of(session, user, public_id)
        problem = _problem(interview) or interview.problems[0]
        require_not_sat(session, user, [problem.package])
        pairs, found = cohort.similar(session, interview, problem, service().packages) or ((), None)
        rendered = render_template(
            "similar.html",
            interview=interview,
            problem=problem,
            pairs=pairs,
            found=found,
            shown_name=review_switches.shown_name,
            are_names_hidden=review_switches.are_names_hidden(),
        )
    _note_reading(user, interview)
    return rendered


def _problem(interview: Interview) -> InterviewProblem | None:
    """Return the problem that the address names by its position.

    Raises:
        NotFound: the interview has none there.
    """
    asked = request.args.get("problem", "")
    if not asked:
        return None
    for problem in interview.problems:
        if str(problem.position) == asked:
            return problem
    raise NotFound("This interview has no such problem; its cohort page lists all there are.")


def _note_reading(user: User, interview: Interview) -> None:
    has_part = interview_queries.is_member(user, interview)
    note_reading(user, interview, "interview.read-cohort", has_part=has_part)
