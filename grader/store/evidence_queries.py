"""Questions about evidence records of submissions: which are asked for, made, and made anew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, literal, select, update
from sqlalchemy.orm import Session, joinedload, undefer

from grader.store.models import Attempt, EvidenceRecord, Submission


def record_of(session: Session, submission: Submission) -> EvidenceRecord | None:
    """Return a submission's evidence record as far as it is made, None where nobody has asked for it."""
    statement = select(EvidenceRecord).filter_by(submission_id=submission.id).options(undefer(EvidenceRecord.pictures))
    return session.scalar(statement)


def to_make(session: Session, key: int) -> EvidenceRecord | None:
    """Return a record that was asked for, with submission, source and package; None when it is made or gone."""
    statement = (
        select(EvidenceRecord)
        .filter_by(id=key, made_at=None)
        .options(
            joinedload(EvidenceRecord.submission).options(
                undefer(Submission.source), joinedload(Submission.attempt).joinedload(Attempt.package)
            )
        )
    )
    return session.scalar(statement)


def unmade(session: Session) -> Sequence[int]:
    """Return the keys of records that were asked for and are not made, oldest first."""
    statement = select(EvidenceRecord.id).where(EvidenceRecord.made_at.is_(None)).order_by(EvidenceRecord.id)
    return session.scalars(statement).all()


def set_record(
    session: Session, key: int, package_sha256: str, record: bytes, pictures: str | None, now: datetime
) -> None:
    """Write a record unless it is made already."""
    made = {"package_sha256": package_sha256, "record": record, "pictures": pictures, "made_at": now}
    _end_making(session, key, **made, made_before_at=None)


def keep_record(session: Session, key: int, now: datetime) -> None:
    """Write that a record could not be made, unless it is made already; the one before stays, with its time."""
    _end_making(
        session, key, made_at=func.coalesce(EvidenceRecord.made_before_at, literal(now, EvidenceRecord.made_at.type))
    )


def _end_making(session: Session, key: int, **values: Any) -> None:
    statement = update(EvidenceRecord).where(EvidenceRecord.id == key, EvidenceRecord.made_at.is_(None))
    session.execute(statement.values(values), execution_options={"synchronize_session": False})
