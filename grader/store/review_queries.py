"""Questions about attempts of interviews, as their reviewers put them. Who may review is part of every query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select
from sqlalchemy.orm import Session, aliased, joinedload, load_only, selectinload, undefer

from grader.errors import NotFound
from grader.grading.verdict import Reason, Verdict
from grader.store import interview_queries
from grader.store.held import held
from grader.store.interview_models import (
    Interview,
    InterviewMember,
    Invitation,
    Part,
    Review,
    RubricPoint,
    ScoreOverride,
)
from grader.store.models import (
    Attempt,
    CaseResult,
    GroupResult,
    Package,
    SampleRun,
    Submission,
    SubmissionFault,
    User,
)
from grader.store.sitting_queries import require_not_sat

CASES_MAX: Final = 64  # a package has no more
FAULTS_MAX: Final = 200  # that a filter offers
NO_ATTEMPT: Final = "There is no such attempt, or it is of no interview of yours; the list of reviews shows all yours."
NO_SUBMISSION: Final = "This attempt has no such submission; its review page lists all there are."


@dataclass(frozen=True)
class Reviewed:
    """An attempt with what it is part of, and what the one who asks is in its interview."""

    attempt: Attempt
    interview: Interview
    invitation: Invitation
    package: Package
    number: int  # of the candidate in the interview, from 1: the name where names are hidden
    part: Part | None  # None: an admin, who reads


@dataclass(frozen=True)
class CaseShown:
    """One case's result; of its prints the beginning."""

    name: str
    group: str
    is_sample: bool
    verdict: Verdict | None
    reason: Reason | None
    message: str
    detail: str
    prints: str
    prints_length: int


def attempt_reviewed(
    session: Session, user: User, public_id: str, *, writes: bool = False, lock: bool = False
) -> Reviewed:
    """Return an attempt of an interview that a user reviews; nobody reviews an attempt of their own.

    Args:
        session: asks the database.
        user: who asks, with the rights of this moment.
        public_id: the attempt's.
        writes: whether to be one of the interview's interviewers is needed; an admin may read without.
        lock: whether no other transaction may change the attempt until this one ends.

    Raises:
        NotFound: there is none, or they have no part in its interview.
        SatByReader: they sit its problem in another interview.
    """
    member = aliased(InterviewMember)  # its own name, for the condition asks the same table
    statement = (
        select(Attempt, Interview, Invitation, Package, candidate_number(), member.part)
        .join(Invitation, Invitation.id == Attempt.invitation_id)
        .join(Interview, Interview.id == Invitation.interview_id)
        .join(Package, Package.id == Attempt.package_id)
        .outerjoin(
            member,
            and_(member.interview_id == Interview.id, member.user_id == user.id),
        )
        .where(Attempt.public_id == public_id, is_reviewed_by(user, writes=writes))
    )
    if lock:
        held(session, Attempt, Attempt.public_id == public_id)
    found = session.execute(statement.execution_options(populate_existing=lock)).one_or_none()
    if found is None:
        raise NotFound(NO_ATTEMPT)
    attempt, interview, invitation, package, number, part = found
    require_not_sat(session, user, [package])
    return Reviewed(attempt, interview, invitation, package, number, part if user.is_interviewer else None)


def is_reviewed_by(user: User, *, writes: bool = False) -> ColumnElement[bool]:
    """Return the condition on an attempt and its interview under which a user reviews it."""
    return and_(interview_queries.may(user, Part.REVIEWER if writes else None), Attempt.candidate_id != user.id)


def candidate_number() -> ColumnElement[int]:
    """Return the expression for a candidate's number in an interview, in the order of invitations."""
    earlier = aliased(Invitation)
    return (
        select(func.count(earlier.id))
        .where(earlier.interview_id == Invitation.interview_id, earlier.id <= Invitation.id)
        .correlate(Invitation)
        .scalar_subquery()
    )


def submission_in(session: Session, attempt: Attempt, ordinal: int, *columns: Any) -> Submission:
    """Return one submission of an attempt, with deferred columns that are named.

    Raises:
        NotFound: it has none of that number.
    """
    statement = select(Submission).filter_by(attempt_id=attempt.id, ordinal=ordinal)
    found = session.scalar(statement.options(*map(undefer, columns)))
    if found is None:
        raise NotFound(NO_SUBMISSION)
    return found


def source_of(session: Session, attempt: Attempt, ordinal: int) -> bytes:
    """Return the source of one submission of an attempt.

    Raises:
        NotFound: it has none of that number.
    """
    source = session.scalar(select(Submission.source).filter_by(attempt_id=attempt.id, ordinal=ordinal))
    if source is None:
        raise NotFound(NO_SUBMISSION)
    return source


def cases_in(session: Session, submission: Submission, prints_max: int) -> list[CaseShown]:
    """Return a submission's case results in judging order, of each print the first characters."""
    statement = (
        select(
            CaseResult.name,
            CaseResult.group,
            CaseResult.visibility,
            CaseResult.verdict,
            CaseResult.reason,
            CaseResult.message,
            CaseResult.detail,
            func.substr(CaseResult.prints, 1, prints_max),
            func.length(CaseResult.prints),
        )
        .where(CaseResult.submission_id == submission.id)
        .order_by(CaseResult.position)
        .limit(CASES_MAX)
    )
    return [
        CaseShown(name, group, visibility == "sample", verdict, reason, message or "", detail or "", prints, length)
        for name, group, visibility, verdict, reason, message, detail, prints, length in session.execute(statement)
    ]


def groups_in(session: Session, submission: Submission) -> Sequence[GroupResult]:
    """Return a submission's groups in order."""
    statement = select(GroupResult).filter_by(submission_id=submission.id).order_by(GroupResult.position)
    return session.scalars(statement).all()


def fault_sentences(session: Session, submission: Submission) -> dict[str, str]:
    """Return the faults that a submission behaves like, each with what it does as the package says it."""
    statement = (
        select(SubmissionFault.fault, SubmissionFault.sentence)
        .filter_by(submission_id=submission.id)
        .order_by(SubmissionFault.position)
    )
    return {fault: sentence for fault, sentence in session.execute(statement).all()}  # noqa: C416 - rows are no pairs


def runs_in(session: Session, attempt: Attempt) -> Sequence[tuple[datetime, Verdict | None]]:
    """Return when an attempt's kept sample runs were asked for, oldest first, and what they came to."""
    statement = select(SampleRun.created_at, SampleRun.verdict).filter_by(attempt_id=attempt.id)
    return [(at, verdict) for at, verdict in session.execute(statement.order_by(SampleRun.ordinal))]


def own_review(session: Session, user: User, attempt: Attempt) -> Review | None:
    """Return a user's review of an attempt, with the rubric's points."""
    statement = select(Review).filter_by(attempt_id=attempt.id, user_id=user.id).options(selectinload(Review.points))
    return session.scalar(statement)


def finished_reviews(session: Session, user: User, attempt: Attempt) -> Sequence[Review]:
    """Return others' reviews of an attempt that are finished, with names and points."""
    statement = (
        select(Review)
        .where(Review.attempt_id == attempt.id, Review.user_id != user.id, Review.finished_at.is_not(None))
        .options(selectinload(Review.points), joinedload(Review.user).options(load_only(User.name)))
        .order_by(Review.finished_at, Review.id)
    )
    return session.scalars(statement).all()


def number_finished(session: Session, user: User, attempt: Attempt) -> int:
    """Return how many others have finished their review of an attempt."""
    statement = select(func.count(Review.id)).where(
        Review.attempt_id == attempt.id, Review.user_id != user.id, Review.finished_at.is_not(None)
    )
    return session.scalar(statement) or 0


def is_reviewed(session: Session, invitation: Invitation) -> bool:
    """Return whether a review of any of an invitation's attempts is finished, or a score of theirs set by hand."""
    reviewed = exists().where(Review.attempt_id == Attempt.id, Review.finished_at.is_not(None))
    later = aliased(ScoreOverride)
    is_newest = ~exists().where(later.attempt_id == ScoreOverride.attempt_id, later.id > ScoreOverride.id)
    by_hand = exists().where(ScoreOverride.attempt_id == Attempt.id, ScoreOverride.score.is_not(None), is_newest)
    statement = select(Attempt.id).where(Attempt.invitation_id == invitation.id, or_(reviewed, by_hand)).limit(1)
    return session.scalar(statement) is not None


def replace_points(session: Session, review: Review, points: Sequence[tuple[str, int]]) -> None:
    """Write which points of the rubric a reviewer found."""
    session.execute(delete(RubricPoint).where(RubricPoint.review_id == review.id))
    session.add_all(RubricPoint(review_id=review.id, question_id=key, position=position) for key, position in points)
    session.flush()
    session.expire(review, ["points"])


def overrides_of(session: Session, attempt: Attempt) -> Sequence[ScoreOverride]:
    """Return the scores that were set by hand, newest first, with who set them."""
    statement = (
        select(ScoreOverride)
        .filter_by(attempt_id=attempt.id)
        .options(joinedload(ScoreOverride.user).options(load_only(User.name)))
        .order_by(ScoreOverride.id.desc())
    )
    return session.scalars(statement).all()


def name_of(session: Session, key: int | None) -> str | None:
    """Return a user's name."""
    return None if key is None else session.scalar(select(User.name).filter_by(id=key))


def has_submission() -> ColumnElement[bool]:
    """Return the condition that something was handed in."""
    return select(Submission.id).where(Submission.attempt_id == Attempt.id).exists()  # the index alone is read
