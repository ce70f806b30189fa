"""Queries of batches that workers judge."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, joinedload, undefer

from grader.store.batch_models import BatchRun, BatchSource


def clock(session: Session) -> datetime:
    """Return the database's time: the clocks of commands and workers may differ."""
    return session.execute(select(func.now())).scalar_one().astimezone(UTC)


def may_store(session: Session) -> bool:
    """Return whether the database takes a batch from its user: a worker's role may not, a copy takes nothing."""
    asked = text(
        "SELECT current_setting('transaction_read_only') = 'off' AND has_table_privilege('batch_run', 'INSERT') "
        "AND has_table_privilege('batch_source', 'INSERT')"
    )
    return bool(session.execute(asked).scalar_one())


def missing(session: Session, run: int, ordinals: Collection[int]) -> set[int]:
    """Return which of several sources are not stored."""
    known = session.scalars(
        select(BatchSource.ordinal).where(BatchSource.batch_run_id == run, BatchSource.ordinal.in_(ordinals))
    )
    return set(ordinals) - set(known)


def add_sources(session: Session, sources: Sequence[BatchSource]) -> list[int]:
    """Store sources; return their keys."""
    session.add_all(sources)
    session.flush()
    return [source.id for source in sources]


def free_run(session: Session) -> int:
    """Return a key that no run has and none will get by itself."""
    return int(session.execute(text("SELECT nextval(pg_get_serial_sequence('batch_run', 'id'))")).scalar_one())


def add_run(session: Session, key: int, finding: str, has_evidence: bool) -> None:
    """Store a run under its key unless it is stored."""
    now = clock(session)
    values = {"id": key, "created_at": now, "seen_at": now, "finding": finding, "has_evidence": has_evidence}
    session.execute(insert(BatchRun).values(**values).on_conflict_do_nothing())


def see(session: Session, run: int, now: datetime) -> bool:
    """Note that a batch's command lives; return whether the batch is still known."""
    seen = session.execute(update(BatchRun).where(BatchRun.id == run).values(seen_at=now).returning(BatchRun.id))
    return seen.first() is not None


def to_judge(session: Session, keys: Collection[int], seen_since: datetime) -> list[BatchSource]:
    """Return which of several sources still need a result, with their bytes, packages and runs, in their order."""
    statement = (
        select(BatchSource)
        .join(BatchSource.run)
        .where(BatchSource.id.in_(keys), BatchSource.judged_at.is_(None), BatchRun.seen_at >= seen_since)
        .options(undefer(BatchSource.source), joinedload(BatchSource.package), joinedload(BatchSource.run))
        .order_by(BatchSource.id)
    )
    return list(session.scalars(statement))


def unjudged(session: Session, seen_since: datetime) -> list[tuple[int, int]]:
    """Return run and key of every source that needs a result."""
    statement = (
        select(BatchSource.batch_run_id, BatchSource.id)
        .join(BatchSource.run)
        .where(BatchSource.judged_at.is_(None), BatchRun.seen_at >= seen_since)
        .order_by(BatchSource.id)
    )
    return [(run, key) for run, key in session.execute(statement)]


def set_result(
    session: Session, key: int, *, result: str, evidence: str | None, trouble: str, judged_at: datetime
) -> bool:
    """Write a source's result unless it has one; return whether it was written."""
    written = session.execute(
        update(BatchSource)
        .where(BatchSource.id == key, BatchSource.judged_at.is_(None))
        .values(result=result, evidence=evidence, trouble=trouble, judged_at=judged_at)
        .returning(BatchSource.id)
    )
    return written.first() is not None


def judged(session: Session, run: int, number: int) -> list[BatchSource]:
    """Return up to so many sources of a run that have results."""
    statement = (
        select(BatchSource)
        .where(BatchSource.batch_run_id == run, BatchSource.judged_at.is_not(None))
        .options(undefer(BatchSource.result), undefer(BatchSource.evidence))
        .limit(number)
    )
    return list(session.scalars(statement))


def remove_sources(session: Session, keys: Collection[int]) -> None:
    """Forget sources."""
    session.execute(delete(BatchSource).where(BatchSource.id.in_(keys)))


def remove_run(session: Session, run: int) -> None:
    """Forget a run and whatever is left of it."""
    session.execute(delete(BatchSource).where(BatchSource.batch_run_id == run))
    session.execute(delete(BatchRun).where(BatchRun.id == run))


def unseen(session: Session, since: datetime) -> Sequence[int]:
    """Return the runs whose command has shown no sign of life since then."""
    return session.scalars(select(BatchRun.id).where(BatchRun.seen_at < since)).all()
