"""What all candidates of an interview did, in a constant number of queries and with bounded work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Subquery, case, func, or_, select
from sqlalchemy.orm import Session, aliased

from grader.grading.verdict import Verdict
from grader.store.interview_models import Interview, InterviewProblem, Invitation, ScoreOverride
from grader.store.models import Attempt, CaseResult, Submission, SubmissionFault

SUBMISSIONS_MAX: Final = 250  # the newest ones, whose cases are looked at
SOURCES_MAX: Final = 200  # the newest ones that are compared with each other


@dataclass(frozen=True)
class Tried:
    """One attempt of an interview."""

    key: int
    public_id: str
    invitation: int  # key
    problem: int  # key of the interview's problem
    variant: str
    started_at: datetime
    solved_at: datetime | None
    score: float | None  # by hand where it was set, otherwise the automatic one
    submissions: int  # that were judged and are no fault of ours
    solved_with: int | None  # submissions up to the first accepted one
    ours: int  # submissions that failed through our fault
    not_looked_up: int  # submissions whose finding is made again, for known faults were not looked up yet
    never_looked_up: int  # submissions that keep a finding for which nobody looked
    is_begun: bool  # as on the page of the running interview: a draft was saved, or something handed in


@dataclass(frozen=True)
class Behaved:
    """A fault in one attempt."""

    attempt: int
    fault: str
    submissions: int  # that behave like it
    is_last: bool  # whether the last submission does


@dataclass(frozen=True)
class CaseCount:
    """How a case went in the newest submissions."""

    problem: int
    name: str
    group: str
    runs: int
    passed: int


def candidates_in(session: Session, interview: Interview) -> Sequence[tuple[int, str]]:
    """Return the keys and labels of an interview's invitations, in the order in which they were made."""
    statement = select(Invitation.id, Invitation.label).filter_by(interview_id=interview.id).order_by(Invitation.id)
    return [(key, label) for key, label in session.execute(statement)]


def _of(statement: Any, interview: Interview, problem: InterviewProblem | None) -> Any:
    """Keep the attempts of an interview, or of one of its problems."""
    own = select(Invitation.id).where(Invitation.interview_id == interview.id)
    statement = statement.where(Attempt.invitation_id.in_(own))
    return statement if problem is None else statement.where(Attempt.interview_problem_id == problem.id)


def _counted(interview: Interview, problem: InterviewProblem | None) -> Subquery:
    """Return what each attempt's submissions come to."""
    counted: Subquery = (
        _of(
            select(
                Submission.attempt_id,
                func.count(case((Submission.verdict != Verdict.JE, 1))).label("judged"),
                func.min(case((Submission.verdict == Verdict.AC, Submission.ordinal))).label("first"),
                func.count(case((Submission.verdict == Verdict.JE, 1))).label("ours"),
                func.count(Submission.is_finding_due).label("due"),
                func.count(case((Submission.is_finding_due.is_(None), Submission.is_not_looked_up))).label("never"),
                func.count(Submission.id).label("handed_in"),
            ).join(Attempt, Attempt.id == Submission.attempt_id),
            interview,
            problem,
        )
        .group_by(Submission.attempt_id)
        .subquery()
    )
    return counted


def tried_in(session: Session, interview: Interview, problem: InterviewProblem | None) -> list[Tried]:
    """Return an interview's attempts in the order of their start."""
    later = aliased(ScoreOverride)
    newest = select(func.max(later.id)).where(later.attempt_id == Attempt.id).correlate(Attempt).scalar_subquery()
    counted = _counted(interview, problem)
    columns = (
        Attempt.id,
        Attempt.public_id,
        Attempt.invitation_id,
        Attempt.interview_problem_id,
        Attempt.variant,
        Attempt.started_at,
        Attempt.solved_at,
        # by hand where it was set, otherwise the automatic one less what hints cost
        func.coalesce(ScoreOverride.score, Attempt.best_score - Attempt.hint_cost),
        func.coalesce(counted.c.judged, 0),
        counted.c.first,
        func.coalesce(counted.c.ours, 0),
        func.coalesce(counted.c.due, 0),
        func.coalesce(counted.c.never, 0),
        or_(Attempt.draft_saved_at.is_not(None), counted.c.handed_in.is_not(None)),
    )
    statement = _of(
        select(*columns)
        .outerjoin(counted, counted.c.attempt_id == Attempt.id)
        .outerjoin(ScoreOverride, ScoreOverride.id == newest),
        interview,
        problem,
    ).order_by(Attempt.id)
    return [Tried(*row) for row in session.execute(statement)]


def faults_in(session: Session, interview: Interview, problem: InterviewProblem | None) -> list[tuple[str, int, int]]:
    """Return the faults that an interview's submissions behave like, those that most people met first.

    Each with the number of submissions and of candidates.
    """
    statement = _of(
        select(SubmissionFault.fault, func.count(SubmissionFault.id), func.count(Attempt.invitation_id.distinct()))
        .join(Submission, Submission.id == SubmissionFault.submission_id)
        .join(Attempt, Attempt.id == Submission.attempt_id),
        interview,
        problem,
    ).group_by(SubmissionFault.fault)
    found = [(fault, submissions, people) for fault, submissions, people in session.execute(statement)]
    return sorted(found, key=lambda row: (-row[2], -row[1], row[0]))


def behaved_in(session: Session, attempts: Sequence[int]) -> list[Behaved]:
    """Return which faults the submissions of a few attempts behave like."""
    last = (
        select(Submission.attempt_id, func.max(Submission.ordinal).label("ordinal"))
        .where(Submission.attempt_id.in_(attempts))
        .group_by(Submission.attempt_id)
        .subquery()
    )
    statement = (
        select(
            Submission.attempt_id,
            SubmissionFault.fault,
            func.count(SubmissionFault.id),
            func.max(Submission.ordinal) == func.max(last.c.ordinal),
        )
        .join(Submission, Submission.id == SubmissionFault.submission_id)
        .join(last, last.c.attempt_id == Submission.attempt_id)
        .group_by(Submission.attempt_id, SubmissionFault.fault)
    )
    return [Behaved(key, fault, number, bool(is_last)) for key, fault, number, is_last in session.execute(statement)]


def cases_in(session: Session, interview: Interview, problem: InterviewProblem | None) -> tuple[list[CaseCount], int]:
    """Return how each case went in the newest judged submissions, and in how many that was looked at."""
    statement = _of(
        select(Submission.id, Attempt.interview_problem_id).join(Attempt, Attempt.id == Submission.attempt_id),
        interview,
        problem,
    )
    newest = (
        statement.where(Submission.verdict.is_not(None), Submission.verdict != Verdict.JE)
        .order_by(Submission.id.desc())
        .limit(SUBMISSIONS_MAX)
        .cte("newest")
    )
    counts = (
        select(
            newest.c.interview_problem_id,
            CaseResult.name,
            CaseResult.group,
            func.count(CaseResult.id),
            func.count(case((CaseResult.verdict == Verdict.AC, 1))),
        )
        .join(CaseResult, CaseResult.submission_id == newest.c.id)
        .where(CaseResult.verdict.is_not(None))
        .group_by(newest.c.interview_problem_id, CaseResult.name, CaseResult.group)
        .order_by(newest.c.interview_problem_id, func.min(CaseResult.position))
    )
    found = [CaseCount(*row) for row in session.execute(counts)]
    return found, session.scalar(select(func.count()).select_from(newest)) or 0


def newest_sources(
    session: Session, interview: Interview, problem: InterviewProblem
) -> list[tuple[int, int, bytes, datetime]]:
    """Return the last submission of each attempt on a problem: attempt, number, source and time; the newest ones."""
    later = aliased(Submission)
    last = select(func.max(later.ordinal)).where(later.attempt_id == Attempt.id).correlate(Attempt).scalar_subquery()
    statement = (
        _of(
            select(Attempt.id, Submission.ordinal, Submission.source, Submission.created_at).join(
                Submission, Submission.attempt_id == Attempt.id
            ),
            interview,
            problem,
        )
        .where(Submission.ordinal == last)
        .order_by(Attempt.id.desc())
        .limit(SOURCES_MAX)
    )
    return [(key, ordinal, source, at) for key, ordinal, source, at in session.execute(statement)]
