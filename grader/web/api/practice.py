"""Operations on problems and attempts."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from flask import url_for

from grader.problems.loader import Problem
from grader.services import attempts, candidate_view, deadline, feedback, own_time, practice_lock
from grader.services.attempts import Progress
from grader.services.contract_table import contract_table
from grader.store import api_queries, queries
from grader.store.interview_models import Invitation
from grader.store.models import Attempt
from grader.store.session import read_session, write_session
from grader.web.api import schemas
from grader.web.api.operations import Call
from grader.web.api.v1 import operations
from grader.web.service import service

ATTEMPTS_SHOWN: Final = 50  # on one page
SUBMISSIONS_SHOWN: Final = 100


@operations.add("GET", "/me", schemas.Me, scope=None)
def me(call: Call) -> schemas.Me:
    """Tell whose token this is and what it opens."""
    user = call.caller.user
    return schemas.Me(
        name=user.name,
        is_interviewer=user.is_interviewer,
        is_admin=user.is_admin,
        scopes=list(call.caller.scopes),
        expires_at=call.caller.expires_at,
    )


@operations.add("GET", "/problems", schemas.ProblemList)
def list_problems(call: Call) -> schemas.ProblemList:
    """List the problems for practice."""
    with read_session(service().engine) as session:
        progress = attempts.progress(session, call.caller.user)
        closed = practice_lock.closed_slugs(session, call.caller.user, call.received_at)
    lines = [_problem_line(problem, progress, closed) for problem in service().packages.offered()]
    return schemas.ProblemList(problems=[schemas.ProblemLine(**line) for line in lines])


@operations.add("GET", "/problems/<slug>", schemas.ProblemView, refusals=(404,))
def show_problem(call: Call, slug: str) -> schemas.ProblemView:
    """Show what a problem is about; its statement opens with an attempt."""
    problem = service().packages.named(slug)
    with read_session(service().engine) as session:
        progress = attempts.progress(session, call.caller.user)
        closed = practice_lock.closed_slugs(session, call.caller.user, call.received_at)
        own = progress.get(slug, Progress()).attempts[:ATTEMPTS_SHOWN]
        lines = [attempt_line(attempt, call.received_at, closed) for attempt in own]
    return schemas.ProblemView(
        **_problem_line(problem, progress, closed),
        about=problem.statement.strip().split("\n\n", 1)[0],
        attempts=lines,
    )


@operations.add("POST", "/problems/<slug>/attempts", schemas.AttemptView, refusals=(404, 409))
def start_attempt(call: Call, slug: str, body: schemas.StartBody) -> schemas.AttemptView:
    """Begin an attempt in practice, or go on with the running one."""
    problem = service().packages.named(slug)
    variant = body.variant or problem.first_variant
    with write_session(service().engine) as session:
        packages = service().packages
        attempt = attempts.start(session, call.caller.user, problem, variant, packages, call.received_at)
    return _attempt_view(call, attempt.public_id)


@operations.add("GET", "/attempts", schemas.AttemptList)
def list_attempts(call: Call, query: schemas.Page) -> schemas.AttemptList:
    """List the own attempts, newest first."""
    offset = (query.page - 1) * ATTEMPTS_SHOWN
    with read_session(service().engine) as session:
        found = api_queries.attempts_page(session, call.caller.user, offset, ATTEMPTS_SHOWN + 1)
        closed = practice_lock.closed_slugs(session, call.caller.user, call.received_at)
    return schemas.AttemptList(
        attempts=[attempt_line(attempt, call.received_at, closed) for attempt in found[:ATTEMPTS_SHOWN]],
        next_page=query.page + 1 if len(found) > ATTEMPTS_SHOWN else None,
    )


@operations.add("GET", "/attempts/<public_id>", schemas.AttemptView, refusals=(404, 409))
def show_attempt(call: Call, public_id: str) -> schemas.AttemptView:
    """Show an attempt: statement, contract, starter and submissions."""
    return _attempt_view(call, public_id)


def _attempt_view(call: Call, public_id: str) -> schemas.AttemptView:
    settle(call, public_id)
    with read_session(service().engine) as session:
        attempt = queries.attempt_of(session, call.caller.user, public_id)
        shown = feedback.of(session, attempt, call.received_at)
        problem = service().packages.pinned(session, attempt.package)
        submissions = api_queries.newest_submissions(session, attempt, SUBMISSIONS_SHOWN)
    contract = schemas.Contract.model_validate(_lists(asdict(contract_table(problem))))
    return schemas.AttemptView(
        **attempt_line(attempt, call.received_at, frozenset()).model_dump(),
        statement=problem.statement if shown.content else None,
        contract=contract if shown.content else None,
        starter=problem.starter(attempt.variant) if shown.content else None,
        ends_at=own_time.end_of(attempt.invitation) if attempt.invitation else None,
        submissions=[
            schemas.SubmissionLine(
                number=row.ordinal,
                created_at=row.created_at,
                is_by_clock=row.is_by_clock,
                verdict=row.verdict,
                score=row.score,
            )
            for row in candidate_view.handed_in(submissions, shown)
        ],
    )


def settle(call: Call, public_id: str) -> None:
    """Close an attempt whose time in an interview is over, as every page does that shows it."""
    parts = service()
    deadline.settle(parts.engine, call.caller.user, public_id, parts.packages, parts.dispatch, call.received_at)


def attempt_line(attempt: Attempt, now: datetime, closed: frozenset[str]) -> schemas.AttemptLine:
    """Return an attempt as lists tell it; of one in an interview no more than its candidate may see.

    Args:
        closed: the problems that an interview closes which the candidate is taking.
    """
    invitation = attempt.invitation if attempt.invitation_id else None  # lists of practice are not read with it
    shown = feedback.visible(attempt, invitation.interview if invitation else None, invitation, now, closed)
    in_interview = "ended" if shown.is_over else "in progress"
    place = attempt.interview_problem if invitation else None
    return schemas.AttemptLine(
        id=attempt.public_id,
        interview=_own_interview(invitation) if invitation else None,
        problem=str(place.position) if place else attempt.package.slug,
        title=attempt.package.title,
        variant=None if place else attempt.variant,
        mode=attempt.mode,
        status=attempts.status(attempt) if shown.is_practice else in_interview,
        started_at=attempt.started_at,
        points=attempt.points if shown.points else None,
    )


def _own_interview(invitation: Invitation) -> schemas.OwnInterview:
    return schemas.OwnInterview(invitation=invitation.public_id, title=invitation.interview.title)


def submission_url(attempt: str, number: int) -> str:
    """Return where a submission's result is asked for."""
    return url_for("api.show_submission", public_id=attempt, ordinal=number)


def _problem_line(problem: Problem, progress: dict[str, Progress], closed: frozenset[str]) -> dict[str, Any]:
    reached, spec = progress.get(problem.slug, Progress()), problem.spec
    return {
        "slug": problem.slug,
        "title": spec.title,
        "level": spec.level,
        "minutes": spec.minutes,
        "tags": list(spec.tags),
        "roles": list(spec.roles),
        "variants": list(spec.variants),
        "status": reached.status,
        "points": reached.points,
        "max_points": problem.max_score,
        "is_closed": problem.slug in closed,
    }


def _lists(value: object) -> object:
    """Return a value with lists where it had tuples: the schemas are those of JSON."""
    if isinstance(value, dict):
        return {name: _lists(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_lists(each) for each in value]
    return value
