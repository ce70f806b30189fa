"""Questions about findings that were made before what known faults return was there; most are made again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session, joinedload, undefer

from grader.store import queries
from grader.store.held import held
from grader.store.models import Attempt, Package, Submission, SubmissionFault

_IS_DUE: Final = Submission.is_finding_due.is_not(None)


def packages_due(session: Session, besides: Collection[int] = ()) -> Sequence[Package]:
    """Return the packages with submissions whose findings are made again, without those of some keys."""
    own = select(Attempt.package_id).join(Submission, Submission.attempt_id == Attempt.id).where(_IS_DUE)
    statement = select(Package).where(Package.id.in_(own), Package.id.not_in(besides)).order_by(Package.id)
    return session.scalars(statement).all()


def findings_due(session: Session, packages: Collection[int], limit: int) -> Sequence[int]:
    """Return the keys of submissions of some packages whose findings are made again, oldest first."""
    statement = (
        select(Submission.id)
        .join(Attempt, Attempt.id == Submission.attempt_id)
        .where(_IS_DUE, Attempt.package_id.in_(packages))
        .order_by(Submission.id)
        .limit(limit)
    )
    return session.scalars(statement).all()


def submission_due(session: Session, key: int) -> Submission | None:
    """Return a submission whose finding is made again, with source, judgement and package; None when it is not."""
    statement = (
        select(Submission)
        .where(Submission.id == key, _IS_DUE)
        .options(
            undefer(Submission.source),
            undefer(Submission.judgement),
            joinedload(Submission.attempt).joinedload(Attempt.package),
        )
    )
    return session.scalar(statement)


def set_finding(session: Session, key: int, judged_at: datetime, values: Mapping[str, object]) -> bool:
    """Write a finding into a submission whose result is still the one of a time; return whether it was written."""
    statement = update(Submission).where(Submission.id == key, _IS_DUE, Submission.judged_at == judged_at)
    changed: int = session.connection().execute(statement.values(is_finding_due=None, **values)).rowcount
    return changed == 1


def leave_findings(session: Session, package: int) -> None:
    """Let the findings of a package's submissions stay as they are, none of them due any more."""
    own = select(Attempt.id).filter_by(package_id=package)
    for submission in held(session, Submission, _IS_DUE, Submission.attempt_id.in_(own)):
        submission.is_finding_due = None


def replace_faults(session: Session, key: int, faults: Sequence[Mapping[str, object]]) -> None:
    """Write which faults a submission behaves like."""
    session.execute(delete(SubmissionFault).where(SubmissionFault.submission_id == key))
    queries.add_rows(session, SubmissionFault, [{"submission_id": key, **fault} for fault in faults])
