"""What a user's practice has left behind, summed up by attempt: one query for each kind of row."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from grader.store.base import Mode
from grader.store.models import Attempt, FollowUpAnswer, Submission, SubmissionFault, User

FaultRow = tuple[int, str, int, datetime]  # attempt, fault, number of submissions, when the last was handed in
StageRow = tuple[int, str, int]  # attempt, stage, number of submissions in which it was the first wrong one
AnswerRow = tuple[int, str, int | None, str | None]  # attempt, question, rating, what a choice that was taken says
# what is tried out once the problem is solved is no fault of anybody
_BEFORE_SOLVING = or_(Attempt.solved_at.is_(None), Submission.created_at <= Attempt.solved_at)


def faults_of(session: Session, user: User) -> list[FaultRow]:
    """Return the faults that a user's submissions behave like, for each attempt."""
    statement = (
        select(Submission.attempt_id, SubmissionFault.fault, func.count(), func.max(Submission.created_at))
        .join(SubmissionFault, SubmissionFault.submission_id == Submission.id)
        .join(Attempt, Attempt.id == Submission.attempt_id)
        .where(Attempt.candidate_id == user.id, Attempt.mode == Mode.PRACTICE, _BEFORE_SOLVING)
        .group_by(Submission.attempt_id, SubmissionFault.fault)
    )
    return [(attempt, fault, times, last) for attempt, fault, times, last in session.execute(statement)]


def first_wrong_stages_of(session: Session, user: User) -> list[StageRow]:
    """Return the stages that were first to be wrong in a user's submissions, for each attempt."""
    statement = (
        select(Submission.attempt_id, Submission.first_wrong_stage, func.count())
        .join(Attempt, Attempt.id == Submission.attempt_id)
        .where(
            Attempt.candidate_id == user.id,
            Attempt.mode == Mode.PRACTICE,
            Submission.first_wrong_stage.is_not(None),
            _BEFORE_SOLVING,
        )
        .group_by(Submission.attempt_id, Submission.first_wrong_stage)
    )
    return [(attempt, stage, count) for attempt, stage, count in session.execute(statement) if stage is not None]


def answers_of(session: Session, user: User) -> list[AnswerRow]:
    """Return a user's answers to follow-up questions, oldest first, without own words."""
    statement = (
        select(
            FollowUpAnswer.attempt_id,
            FollowUpAnswer.question_id,
            FollowUpAnswer.rating,
            FollowUpAnswer.choice,
        )
        .join(Attempt, Attempt.id == FollowUpAnswer.attempt_id)
        .where(Attempt.candidate_id == user.id, Attempt.mode == Mode.PRACTICE)
        .order_by(FollowUpAnswer.id)
    )
    return [(attempt, question, rating, choice) for attempt, question, rating, choice in session.execute(statement)]
