"""Questions about sample runs; whose they are is part of the query."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session, joinedload

from grader.errors import NotFound
from grader.store.models import Attempt, SampleRun, User
from grader.store.queries import WITH_INTERVIEW


def sample_run_of(session: Session, candidate: User, attempt_id: str, ordinal: int) -> SampleRun:
    """Return a sample run of a candidate's attempt.

    Raises:
        NotFound: there is none any more, or it is another candidate's.
    """
    statement = (
        select(SampleRun)
        .join(SampleRun.attempt)
        .where(Attempt.public_id == attempt_id, Attempt.candidate_id == candidate.id, SampleRun.ordinal == ordinal)
        .options(joinedload(SampleRun.attempt).options(joinedload(Attempt.package), WITH_INTERVIEW))
    )
    run = session.scalar(statement)
    if run is None:
        raise NotFound("There is no such sample run, or it is not yours; an attempt keeps its last few.")
    return run


def newest_sample_run(session: Session, attempt: Attempt) -> SampleRun | None:
    """Return the sample run that an attempt had last."""
    return session.scalar(
        select(SampleRun).filter_by(attempt_id=attempt.id).order_by(SampleRun.ordinal.desc()).limit(1)
    )


def number_of_runs_waiting(session: Session, candidate: User) -> int:
    """Return how many sample runs of a candidate are not judged yet."""
    statement = (
        select(func.count(SampleRun.id))
        .join(SampleRun.attempt)
        .where(Attempt.candidate_id == candidate.id, SampleRun.verdict.is_(None))
    )
    return session.scalar(statement) or 0


def forget_sample_runs(session: Session, attempt: Attempt, up_to: int) -> None:
    """Delete an attempt's sample runs up to a number."""
    session.execute(delete(SampleRun).where(SampleRun.attempt_id == attempt.id, SampleRun.ordinal <= up_to))


def sample_run_to_judge(session: Session, key: int) -> SampleRun | None:
    """Return a sample run with its attempt and package; None when it is gone or judged."""
    statement = (
        select(SampleRun)
        .filter_by(id=key, verdict=None)
        .options(joinedload(SampleRun.attempt).joinedload(Attempt.package))
    )
    return session.scalar(statement)


def set_sample_run_result(session: Session, key: int, values: Mapping[str, object]) -> bool:
    """Write a result into a sample run that has none; return whether it was written."""
    statement = update(SampleRun).where(SampleRun.id == key, SampleRun.verdict.is_(None)).values(values)
    changed: int = session.connection().execute(statement).rowcount
    return changed == 1
