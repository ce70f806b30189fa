"""Operations on submissions: handing a source in, once for each key, and its result."""

from __future__ import annotations

from flask import request
from sqlalchemy.orm import Session

from grader.services import attempts, candidate_view, feedback, load, replies
from grader.services.candidate_view import SubmissionView
from grader.services.replies import Asked
from grader.store import queries
from grader.store.session import read_session, write_session
from grader.web.api import schemas
from grader.web.api.operations import Call, json_of
from grader.web.api.practice import settle, submission_url
from grader.web.api.v1 import operations
from grader.web.service import service

ORDINAL = "<int(max=1000000):ordinal>"


@operations.add(
    "POST",
    "/attempts/<public_id>/submissions",
    schemas.SubmissionMade,
    status=202,
    refusals=(404, 409, 413),
)
def submit(call: Call, public_id: str, source: bytes) -> schemas.SubmissionMade | bytes:
    """Hand a source in. With an Idempotency-Key the same request gets the same answer, also when it is too late."""
    route, key = f"POST /attempts/{public_id}/submissions", request.headers.get("Idempotency-Key")
    asked = None if key is None else Asked.of(call.caller.user, route, key, call.data)
    with write_session(service().engine) as session:
        if asked is None:
            return _made(session, call, public_id, source)
        _, made = replies.once(
            session, asked, call.received_at, lambda: (202, json_of(_made(session, call, public_id, source)))
        )
        return made


def _made(session: Session, call: Call, public_id: str, source: bytes) -> schemas.SubmissionMade:
    load.require_room(session, call.received_at, service().started_at)
    submission = attempts.submit(session, call.caller.user, public_id, source, call.received_at)
    service().dispatch(session, submission)
    number = submission.ordinal
    return schemas.SubmissionMade(
        attempt=public_id, number=number, received_at=call.received_at, url=submission_url(public_id, number)
    )


@operations.add("GET", f"/attempts/<public_id>/submissions/{ORDINAL}", schemas.SubmissionResult, refusals=(404, 409))
def show_submission(call: Call, public_id: str, ordinal: int) -> schemas.SubmissionResult:
    """Show a submission's result, as far as its candidate may see it."""
    settle(call, public_id)
    with read_session(service().engine) as session:
        submission = queries.submission_of(session, call.caller.user, public_id, ordinal)
        problem = service().packages.pinned(session, submission.attempt.package)
        shown = feedback.of(session, submission.attempt, call.received_at)
        view = candidate_view.view(submission, problem, shown, queries.judged_before(session, submission))
        is_judged = submission.judged_at is not None and (view.is_told or shown.points)
    return _result(public_id, view, is_judged)


def _result(public_id: str, view: SubmissionView, is_judged: bool) -> schemas.SubmissionResult:
    return schemas.SubmissionResult(
        attempt=public_id,
        number=view.ordinal,
        created_at=view.created_at,
        is_by_clock=view.is_by_clock,
        is_told=view.is_told,
        is_judged=is_judged,
        verdict=view.verdict,
        reason=view.reason,
        message=view.message,
        score=view.score,
        max_score=view.max_score,
        groups=[
            schemas.Group(
                name=group.name,
                points=group.points,
                max_points=group.max_points,
                cases=[schemas.Case(label=case.label, verdict=case.verdict) for case in group.cases],
            )
            for group in view.groups
        ],
        sentences=[sentence for _, sentence in view.sentences],
        prints=[schemas.Prints(label=prints.label, text=prints.text) for prints in view.prints],
        finding=schemas.Finding(
            stage=view.finding.stage,
            stages=[schemas.Stage(name=name, status=status) for name, status in view.finding.stages],
            why_no_stages=view.finding.why_no_stages,
            symptoms=list(view.finding.symptoms),
            faults=list(view.finding.faults),
            fault_texts=list(view.finding.fault_texts),
            is_looked_up=view.finding.is_looked_up,
            is_due=view.finding.is_due,
        ),
        hints=[schemas.Rung(level=rung.level, state=rung.state, cost=rung.cost) for rung in view.hints],
    )
