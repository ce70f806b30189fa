"""The queue in the database: how much waits to be judged, and which process judges a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from sqlalchemy import Engine, func, select, union_all
from sqlalchemy.orm import Session

from grader.store.base import Base, UtcDateTime
from grader.store.interview_models import PackageCheck, Rejudge, RejudgeItem
from grader.store.models import EvidenceRecord, SampleRun, Submission

# any fixed numbers, other than that of migrations: together with a row's key they name an advisory lock
_LOCKS: Final[Mapping[type[Base], int]] = {
    Submission: 0x67726A73,
    SampleRun: 0x67726A72,
    EvidenceRecord: 0x67726A65,
    PackageCheck: 0x67726A70,
    Rejudge: 0x67726A6D,
    RejudgeItem: 0x67726A69,
}


def waiting(session: Session) -> tuple[int, datetime | None]:
    """Return how many rows wait to be judged, and since when the oldest one does."""
    rows = union_all(
        *(
            select(func.count(table.id).label("number"), func.min(table.created_at).label("oldest")).where(
                table.verdict.is_(None)
            )
            for table in (Submission, SampleRun)
        )
    ).subquery()
    number, oldest = session.execute(
        select(func.sum(rows.c.number), func.min(rows.c.oldest, type_=UtcDateTime()))
    ).one()
    return int(number), oldest


def is_unjudged(session: Session, submission: int) -> bool:
    """Whether a submission has no verdict yet."""
    return session.scalar(select(Submission.id).filter_by(id=submission, verdict=None)) is not None


def first_unjudged(session: Session, limit: int) -> Sequence[int]:
    """Return the keys of the submissions that wait longest for a verdict."""
    statement = select(Submission.id).filter_by(verdict=None).order_by(Submission.id).limit(limit)
    return session.scalars(statement).all()


@contextmanager
def claimed(engine: Engine, table: type[Base], key: int) -> Iterator[bool]:
    """Tell whether this thread is the one to work on a row, while others are kept from it.

    Only PostgreSQL has several processes; there a claim is an advisory lock, which ends with its connection, so a
    process that dies holds nothing up.
    """
    if engine.dialect.name != "postgresql":
        yield True
        return
    names = _LOCKS[table], key
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        is_mine: bool = connection.execute(select(func.pg_try_advisory_lock(*names))).scalar_one()
        try:
            yield is_mine
        finally:
            if is_mine:
                connection.execute(select(func.pg_advisory_unlock(*names)))
