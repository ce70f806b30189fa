"""What the interface for programs takes of interviewers and tells them, beside `schemas`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from grader.grading.verdict import Verdict
from grader.services.candidate_stage import State
from grader.services.exports import Kind
from grader.store.interview_models import Part, Shown
from grader.store.interview_queries import Phase
from grader.web.api.operations import Input, Reply
from grader.web.api.schemas import Page


class InterviewPage(Page):
    """Which interviews are asked for."""

    state: Phase = Phase.RUNNING


class ExportBody(Input):
    """What is taken along: tables (long, wide), results (JSON lines) or evidence records (JSON lines)."""

    kind: Annotated[Kind, Field(strict=False)]


class Counts(Reply):
    """How many candidates are where; revoked invitations count as none."""

    invited: int
    accepted: int
    under_way: int
    ended: int


class InterviewLine(Reply):
    """An interview in a list."""

    id: str
    title: str
    created_at: datetime
    opens_at: datetime | None
    closes_at: datetime | None
    released_at: datetime | None
    archived_at: datetime | None
    counts: Counts


class InterviewList(Reply):
    """A page of the interviews that the caller has a part in, newest first."""

    interviews: list[InterviewLine]
    next_page: int | None


class InterviewProblem(Reply):
    """A problem of an interview; variant null: each candidate is given one by lot."""

    position: int
    slug: str
    title: str
    package_sha256: str
    variant: str | None


class Member(Reply):
    """An interviewer of an interview."""

    name: str
    part: Part


class InterviewView(InterviewLine):
    """An interview as it is set up."""

    minutes: int
    submissions_max: int
    hint_level: int
    verdicts: Shown
    points: Shown
    answers: Shown
    locks_practice: bool
    problems: list[InterviewProblem]
    members: list[Member]


class Tried(Reply):
    """What a candidate did on one problem; null fields: nothing yet."""

    position: int
    attempt: str | None
    submissions: int
    last_at: datetime | None
    last_verdict: Verdict | None  # null: nothing yet, or not judged yet
    verdict: Verdict | None  # of the submission with the best score
    score: float | None  # the best automatic one
    score_by_hand: float | None  # set by a reviewer beside it; then it counts


class Candidate(Reply):
    """A candidate's place in an interview."""

    invitation: str
    label: str
    state: State
    accepted_at: datetime | None
    started_at: datetime | None
    ends_at: datetime | None
    ended_at: datetime | None
    problems: list[Tried]


class CandidateList(Reply):
    """A page of an interview's candidates, in the order of invitations."""

    candidates: list[Candidate]
    next_page: int | None
