"""What exports of an interview read, a few attempts at a time: plain columns, so that little is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.store.interview_models import Interview, InterviewProblem, Invitation
from grader.store.models import Attempt, CaseResult, EvidenceRecord, Package, Submission, SubmissionFault
from grader.store.score_queries import scores_by_hand

Rows = Sequence[Any]  # with the columns that the query names


def attempt_keys(session: Session, interview: Interview) -> list[int]:
    """Return the keys of an interview's attempts: by candidate, then by problem."""
    statement = (
        select(Attempt.id)
        .join(Invitation, Invitation.id == Attempt.invitation_id)
        .join(InterviewProblem, InterviewProblem.id == Attempt.interview_problem_id)
        .where(Invitation.interview_id == interview.id)
        .order_by(Invitation.id, InterviewProblem.position)
    )
    return list(session.scalars(statement))


def attempts(session: Session, keys: Sequence[int]) -> Rows:
    """Return attempts with candidate and problem, in the order of `attempt_keys`."""
    statement = (
        select(
            Attempt.id,
            Attempt.public_id.label("attempt"),
            Attempt.variant,
            Attempt.started_at,
            Attempt.best_score,
            Attempt.hint_cost,
            Invitation.label.label("candidate"),
            Invitation.public_id.label("invitation"),
            Package.slug.label("problem"),
            Package.sha256.label("package_sha256"),
            InterviewProblem.position,
        )
        .join(Invitation, Invitation.id == Attempt.invitation_id)
        .join(InterviewProblem, InterviewProblem.id == Attempt.interview_problem_id)
        .join(Package, Package.id == Attempt.package_id)
        .where(Attempt.id.in_(keys))
        .order_by(Invitation.id, InterviewProblem.position)
    )
    return session.execute(statement).all()


def submissions(session: Session, keys: Sequence[int]) -> Rows:
    """Return attempts' submissions without sources."""
    statement = (
        select(
            Submission.id,
            Submission.attempt_id,
            Submission.ordinal,
            Submission.created_at,
            Submission.is_by_clock,
            Submission.verdict,
            Submission.reason,
            Submission.score,
            Submission.max_score,
            Submission.first_wrong_stage,
            Submission.is_not_looked_up,
        )
        .where(Submission.attempt_id.in_(keys))
        .order_by(Submission.attempt_id, Submission.ordinal)
    )
    return session.execute(statement).all()


def cases(session: Session, keys: Sequence[int]) -> Rows:
    """Return the results of the cases of attempts' submissions."""
    statement = (
        select(
            CaseResult.submission_id,
            CaseResult.name,
            CaseResult.group,
            CaseResult.visibility,
            CaseResult.verdict,
            CaseResult.reason,
        )
        .join(Submission, Submission.id == CaseResult.submission_id)
        .where(Submission.attempt_id.in_(keys))
        .order_by(CaseResult.submission_id, CaseResult.position)
    )
    return session.execute(statement).all()


def faults(session: Session, keys: Sequence[int]) -> Rows:
    """Return the faults of attempts' submissions."""
    statement = (
        select(SubmissionFault.submission_id, SubmissionFault.fault)
        .join(Submission, Submission.id == SubmissionFault.submission_id)
        .where(Submission.attempt_id.in_(keys))
        .order_by(SubmissionFault.submission_id, SubmissionFault.position)
    )
    return session.execute(statement).all()


def judgements(session: Session, keys: Sequence[int]) -> Rows:
    """Return the results of attempts' submissions that are judged, as JSON texts."""
    statement = (
        select(
            Submission.attempt_id,
            Submission.ordinal,
            Submission.created_at,
            Submission.is_by_clock,
            Submission.judgement,
        )
        .where(Submission.attempt_id.in_(keys), Submission.judgement.is_not(None))
        .order_by(Submission.attempt_id, Submission.ordinal)
    )
    return session.execute(statement).all()


def evidence_keys(session: Session, interview: Interview) -> list[int]:
    """Return the keys of the evidence records that were made of an interview's submissions."""
    statement = (
        select(EvidenceRecord.id)
        .join(EvidenceRecord.submission)
        .join(Attempt, Attempt.id == Submission.attempt_id)
        .join(Invitation, Invitation.id == Attempt.invitation_id)
        .where(
            Invitation.interview_id == interview.id,
            EvidenceRecord.record.is_not(None),
        )
        .order_by(Invitation.id, Attempt.id, Submission.ordinal)
    )
    return list(session.scalars(statement))


def evidence(session: Session, key: int) -> Any:
    """Return a record with where it belongs; None when it is gone. While it is made anew the old one stays."""
    statement = (
        select(
            Invitation.label.label("candidate"),
            Invitation.public_id.label("invitation"),
            Attempt.public_id.label("attempt"),
            Submission.ordinal,
            EvidenceRecord.record,
        )
        .join(Submission, Submission.id == EvidenceRecord.submission_id)
        .join(Attempt, Attempt.id == Submission.attempt_id)
        .join(Invitation, Invitation.id == Attempt.invitation_id)
        .where(EvidenceRecord.id == key, EvidenceRecord.record.is_not(None))
    )
    return session.execute(statement).one_or_none()


def invited(session: Session, interview: Interview) -> Rows:
    """Return an interview's candidates, those without an attempt as well."""
    statement = (
        select(
            Invitation.public_id,
            Invitation.label,
            Invitation.started_at,
            Invitation.ends_at,
            Invitation.ended_at,
            Invitation.revoked_at,
            Invitation.accepted_at,
        )
        .where(Invitation.interview_id == interview.id)
        .order_by(Invitation.id)
    )
    return session.execute(statement).all()


def scores(session: Session, interview: Interview) -> Rows:
    """Return what the attempts of an interview came to, by candidate and position."""
    statement = (
        select(
            Attempt.id,
            Attempt.best_score,
            Attempt.hint_cost,
            Invitation.public_id.label("invitation"),
            InterviewProblem.position,
        )
        .join(Invitation, Invitation.id == Attempt.invitation_id)
        .join(InterviewProblem, InterviewProblem.id == Attempt.interview_problem_id)
        .where(Invitation.interview_id == interview.id)
    )
    return session.execute(statement).all()


def scores_by_hand_in(session: Session, interview: Interview) -> dict[int, float]:
    """Return an interview's scores that were set by hand and not taken back, by the attempts' keys."""
    own = select(Attempt.id).join(Invitation, Invitation.id == Attempt.invitation_id)
    return scores_by_hand(session, own.where(Invitation.interview_id == interview.id))
