"""Operations of interviewers: their interviews, where candidates are, and what is taken along."""

from __future__ import annotations

from typing import Final

from flask import Response

from grader.services import exports, live
from grader.services.live import Line
from grader.store import interview_queries as queries
from grader.store.interview_models import Interview
from grader.store.interview_queries import Counts
from grader.store.session import read_session
from grader.web.api import interview_schemas, schemas
from grader.web.api.operations import Call
from grader.web.api.v1 import operations
from grader.web.readings import note_reading
from grader.web.service import service

SHOWN: Final = 50  # interviews on one page


@operations.add("GET", "/interviews", interview_schemas.InterviewList, scope="review")
def list_interviews(call: Call, query: interview_schemas.InterviewPage) -> interview_schemas.InterviewList:
    """List the interviews that the caller has a part in, of those that stand as asked."""
    offset = (query.page - 1) * SHOWN
    with read_session(service().engine) as session:
        found = queries.interviews_of(session, call.caller.user, query.state, call.received_at, offset, SHOWN + 1)
        counts = queries.counts_of(session, found, call.received_at)
        lines = [_line(interview, counts[interview.id]) for interview in found[:SHOWN]]
    return interview_schemas.InterviewList(interviews=lines, next_page=query.page + 1 if len(found) > SHOWN else None)


@operations.add("GET", "/interviews/<public_id>", interview_schemas.InterviewView, scope="review", refusals=(404,))
def show_interview(call: Call, public_id: str) -> interview_schemas.InterviewView:
    """Show an interview as it is set up."""
    with read_session(service().engine) as session:
        interview = queries.interview_of(session, call.caller.user, public_id)
        counts = queries.counts_of(session, [interview], call.received_at)[interview.id]
        view = interview_schemas.InterviewView(
            **_line(interview, counts).model_dump(),
            minutes=interview.minutes,
            submissions_max=interview.submissions_max,
            hint_level=interview.hint_level,
            verdicts=interview.verdicts,
            points=interview.points,
            answers=interview.answers,
            locks_practice=interview.locks_practice,
            problems=[
                interview_schemas.InterviewProblem(
                    position=row.position,
                    slug=row.package.slug,
                    title=row.package.title,
                    package_sha256=row.package.sha256,
                    variant=row.variant,
                )
                for row in interview.problems
            ],
            members=[interview_schemas.Member(name=member.user.name, part=member.part) for member in interview.members],
        )
    _note(call, interview, "interview")
    return view


@operations.add(
    "GET", "/interviews/<public_id>/candidates", interview_schemas.CandidateList, scope="review", refusals=(404,)
)
def list_candidates(call: Call, public_id: str, query: schemas.Page) -> interview_schemas.CandidateList:
    """List an interview's candidates: where each one is, and what came of each problem."""
    with read_session(service().engine) as session:
        interview = queries.interview_of(session, call.caller.user, public_id)
        found = live.live(session, interview, query.page, call.received_at)
        lines = [] if query.page > found.pages else [_candidate(interview, line) for line in found.lines]
    _note(call, interview, "candidates")
    return interview_schemas.CandidateList(
        candidates=lines, next_page=query.page + 1 if query.page < found.pages else None
    )


@operations.add(
    "POST",
    "/interviews/<public_id>/exports",
    None,
    files=("text/csv", "application/jsonl"),
    scope="review",
    refusals=(404,),
)
def export(call: Call, public_id: str, body: interview_schemas.ExportBody) -> Response:
    """Take tables, results or evidence records along; the audit log says so."""
    found = exports.export(service().engine, call.caller.user, public_id, body.kind.value, call.received_at)
    headers = {"Content-Disposition": f'attachment; filename="{found.file_name}"'}
    return Response(found.pieces, content_type=found.content_type, headers=headers)


def _note(call: Call, interview: Interview, listed: str) -> None:
    reader = call.caller.user
    has_part = queries.is_member(reader, interview)
    note_reading(reader, interview, has_part=has_part, is_polled=True, by="program", list=listed)


def _line(interview: Interview, counts: Counts) -> interview_schemas.InterviewLine:
    return interview_schemas.InterviewLine(
        id=interview.public_id,
        title=interview.title,
        created_at=interview.created_at,
        opens_at=interview.opens_at,
        closes_at=interview.closes_at,
        released_at=interview.released_at,
        archived_at=interview.archived_at,
        counts=interview_schemas.Counts(
            invited=counts.invited, accepted=counts.accepted, under_way=counts.under_way, ended=counts.ended
        ),
    )


def _candidate(interview: Interview, line: Line) -> interview_schemas.Candidate:
    invitation = line.invitation
    tried = []
    for row, one in zip(interview.problems, line.tried, strict=True):
        tried.append(
            interview_schemas.Tried(
                position=row.position,
                attempt=one.attempt.public_id if one else None,
                submissions=one.submissions if one else 0,
                last_at=one.last_at if one else None,
                verdict=one.best if one else None,
                last_verdict=one.verdict if one else None,
                score=one.attempt.best_score if one else None,
                score_by_hand=one.by_hand if one else None,
            )
        )
    return interview_schemas.Candidate(
        invitation=invitation.public_id,
        label=invitation.label,
        state=line.state,
        accepted_at=invitation.accepted_at,
        started_at=invitation.started_at,
        ends_at=invitation.ends_at,
        ended_at=invitation.ended_at,
        problems=tried,
    )
