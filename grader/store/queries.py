"""Every question that is put to the database. Whose row it is, is part of the query: another's is simply not found."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload, selectinload, undefer

from grader.errors import NotFound
from grader.grading.verdict import Verdict
from grader.store.base import Base, Mode
from grader.store.held import held
from grader.store.interview_models import Invitation
from grader.store.models import Attempt, FollowUpAnswer, Package, SampleRun, Submission, SubmissionFault, User

WITH_INTERVIEW: Final = joinedload(Attempt.invitation).joinedload(Invitation.interview)
_NO_SUBMISSION: Final = "There is no such submission, or it is not yours; the problem list shows your own."


def package_of(session: Session, sha256: str) -> Package | None:
    """Return the package with a hash."""
    return session.scalar(select(Package).filter_by(sha256=sha256))


def add_package(session: Session, package: Package) -> Package:
    """Insert a package; when another transaction has just done so, return that row."""
    try:
        with session.begin_nested():
            session.add(package)
    except IntegrityError:
        return session.scalars(select(Package).filter_by(sha256=package.sha256)).one()
    return package


def archive_of(session: Session, sha256: str) -> bytes | None:
    """Return the archive of the package with a hash."""
    return session.scalar(select(Package.archive).filter_by(sha256=sha256))


def attempts_of(session: Session, candidate: User) -> Sequence[tuple[Attempt, int]]:
    """Return a candidate's attempts in practice, newest first, each with its number of submissions."""
    count = select(func.count(Submission.id)).where(Submission.attempt_id == Attempt.id).scalar_subquery()
    statement = (
        select(Attempt, count)
        .where(Attempt.candidate_id == candidate.id, Attempt.mode == Mode.PRACTICE)
        .options(joinedload(Attempt.package))
        .order_by(Attempt.id.desc())
    )
    return [(attempt, number) for attempt, number in session.execute(statement)]


def attempt_of(session: Session, candidate: User, public_id: str, *, lock: bool = False) -> Attempt:
    """Return a candidate's attempt, of either kind; with `lock` no other transaction changes it until this one ends.

    Raises:
        NotFound: there is none, or it is another candidate's.
    """
    statement = (
        select(Attempt)
        .filter_by(public_id=public_id, candidate_id=candidate.id)
        .options(joinedload(Attempt.package), joinedload(Attempt.interview_problem), WITH_INTERVIEW)
    )
    if lock:
        held(session, Attempt, Attempt.public_id == public_id, Attempt.candidate_id == candidate.id)
    attempt = session.scalar(statement.execution_options(populate_existing=lock))
    if attempt is None:
        raise NotFound("There is no such attempt, or it is not yours; the problem list shows your own.")
    return attempt


def running_attempt(session: Session, candidate: User, package: Package, variant: str) -> Attempt | None:
    """Return the newest attempt in practice on a variant that is neither solved nor given up."""
    statement = (
        select(Attempt)
        .filter_by(candidate_id=candidate.id, package_id=package.id, variant=variant, mode=Mode.PRACTICE)
        .filter_by(solved_at=None, given_up_at=None)
        .order_by(Attempt.id.desc())
        .limit(1)
    )
    return session.scalar(statement)


def opened_attempt(session: Session, candidate: User, slug: str) -> Attempt | None:
    """Return a candidate's newest attempt in practice on a problem that is solved or given up."""
    statement = (
        select(Attempt)
        .join(Attempt.package)
        .where(
            Attempt.candidate_id == candidate.id,
            Attempt.mode == Mode.PRACTICE,
            Package.slug == slug,
            or_(Attempt.solved_at.is_not(None), Attempt.given_up_at.is_not(None)),
        )
        .order_by(Attempt.id.desc())
        .limit(1)
    )
    return session.scalar(statement)


def submission_of(session: Session, candidate: User, attempt_id: str, ordinal: int) -> Submission:
    """Return a submission of a candidate's attempt, with its results.

    Raises:
        NotFound: there is none, or it is another candidate's.
    """
    statement = (
        select(Submission)
        .join(Submission.attempt)
        .where(Attempt.public_id == attempt_id, Attempt.candidate_id == candidate.id, Submission.ordinal == ordinal)
        .options(
            joinedload(Submission.attempt).options(joinedload(Attempt.package), WITH_INTERVIEW),
            selectinload(Submission.cases),
            selectinload(Submission.groups),
        )
    )
    submission = session.scalar(statement)
    if submission is None:
        raise NotFound(_NO_SUBMISSION)
    return submission


def judged_before(session: Session, submission: Submission) -> str | None:
    """Return the judgement (JSON) of the newest submission before this one in its attempt that got a real verdict."""
    statement = (
        select(Submission.judgement)
        .filter_by(attempt_id=submission.attempt_id)
        .where(Submission.ordinal < submission.ordinal, Submission.verdict != Verdict.JE)
        .order_by(Submission.ordinal.desc())
        .limit(1)
    )
    return session.scalar(statement)


def submission_state(
    session: Session, candidate: User, attempt_id: str, ordinal: int
) -> tuple[int, Verdict | None, datetime, bool]:
    """Return a submission's key, verdict and time, and whether it is practice, for pages that ask again and again.

    Raises:
        NotFound: there is none, or it is another candidate's.
    """
    statement = (
        select(Submission.id, Submission.verdict, Submission.created_at, Attempt.invitation_id.is_(None))
        .join(Submission.attempt)
        .where(Attempt.public_id == attempt_id, Attempt.candidate_id == candidate.id, Submission.ordinal == ordinal)
    )
    found = session.execute(statement).one_or_none()
    if found is None:
        raise NotFound(_NO_SUBMISSION)
    key, verdict, created_at, is_practice = found
    return key, verdict, created_at, bool(is_practice)


def submissions_in(session: Session, attempt: Attempt) -> Sequence[Submission]:
    """Return an attempt's submissions in order, without their sources."""
    return session.scalars(select(Submission).filter_by(attempt_id=attempt.id).order_by(Submission.ordinal)).all()


def newest_submission(session: Session, attempt: Attempt) -> Submission | None:
    """Return what was handed in last, with its source."""
    statement = select(Submission).filter_by(attempt_id=attempt.id).order_by(Submission.ordinal.desc()).limit(1)
    return session.scalar(statement.options(undefer(Submission.source)))


def last_ordinal(session: Session, attempt: Attempt) -> int:
    """Return the number of the last submission, 0 before the first."""
    return session.scalar(select(func.max(Submission.ordinal)).filter_by(attempt_id=attempt.id)) or 0


def last_handed_in_at(session: Session, attempt: Attempt) -> datetime | None:
    """Return when the newest of what the candidate handed in came, the clock's not among it; None before the first."""
    own = (Submission.attempt_id == attempt.id, Submission.is_by_clock.is_(False))
    return session.scalar(select(func.max(Submission.created_at)).where(*own))


def number_waiting(session: Session, candidate: User) -> int:
    """Return how many submissions of a candidate are not judged yet."""
    statement = (
        select(func.count(Submission.id))
        .join(Submission.attempt)
        .where(Attempt.candidate_id == candidate.id, Submission.verdict.is_(None))
    )
    return session.scalar(statement) or 0


def faults_in(session: Session, attempt: Attempt) -> list[tuple[int, str]]:
    """Return the faults that an attempt's submissions behave like, each with the submission's number, oldest first."""
    statement = (
        select(Submission.ordinal, SubmissionFault.fault)
        .join(SubmissionFault, SubmissionFault.submission_id == Submission.id)
        .where(Submission.attempt_id == attempt.id)
        .order_by(Submission.ordinal, SubmissionFault.position)
    )
    return [(ordinal, fault) for ordinal, fault in session.execute(statement)]


def unjudged(session: Session, table: type[Submission] | type[SampleRun]) -> Sequence[int]:
    """Return the keys of all submissions or sample runs without a verdict, oldest first."""
    return session.scalars(select(table.id).where(table.verdict.is_(None)).order_by(table.id)).all()


def submission_to_judge(session: Session, key: int) -> Submission | None:
    """Return a submission with its source, attempt and package; None when it is gone or judged."""
    statement = (
        select(Submission)
        .filter_by(id=key, verdict=None)
        .options(joinedload(Submission.attempt).joinedload(Attempt.package))
    )
    return session.scalar(statement)


def add_rows(session: Session, table: type[Base], rows: Sequence[Mapping[str, object]]) -> None:
    """Insert many rows at once, whose keys nobody asks for."""
    if rows:
        session.connection().execute(insert(table), rows)


def set_verdict(session: Session, key: int, values: Mapping[str, object]) -> bool:
    """Write a result into a submission that has none; return whether it was written."""
    statement = update(Submission).where(Submission.id == key, Submission.verdict.is_(None)).values(values)
    changed: int = session.connection().execute(statement).rowcount
    return changed == 1


def attempt_of_submission(session: Session, key: int) -> tuple[Attempt, datetime] | None:
    """Return a submission's attempt, held until the transaction ends, and when the source was handed in.

    None when the submission is gone.
    """
    statement = select(Submission.attempt_id, Submission.created_at).where(Submission.id == key)
    if (found := session.execute(statement).one_or_none()) is None:
        return None
    attempts = held(session, Attempt, Attempt.id == found.attempt_id)
    return (attempts[0], found.created_at) if attempts else None


def has_other_draft(session: Session, key: int, source_sha256: str) -> bool:
    """Return whether a submission is the clock's and has another source; a candidate's own never changes."""
    source = session.scalar(select(Submission.source).filter_by(id=key, is_by_clock=True))
    return source is not None and hashlib.sha256(source).hexdigest() != source_sha256


def answers_in(session: Session, attempt: Attempt) -> dict[str, FollowUpAnswer]:
    """Return the candidate's answers in an attempt by question."""
    answers = session.scalars(select(FollowUpAnswer).filter_by(attempt_id=attempt.id))
    return {answer.question_id: answer for answer in answers}
