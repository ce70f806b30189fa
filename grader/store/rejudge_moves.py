"""Questions of the work that rejudging makes: items to judge, attempts to move to another package and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import and_, delete, func, insert, or_, select, update
from sqlalchemy.orm import Session, aliased, joinedload, selectinload, undefer

from grader.store.held import held
from grader.store.interview_models import InterviewProblem, Invitation, Rejudge, RejudgedAttempt, RejudgeItem
from grader.store.models import Attempt, CaseResult, GroupResult, Package, Submission, SubmissionFault
from grader.store.rejudge_queries import scope


def items_to_judge(session: Session, limit: int) -> Sequence[int]:
    """Return the keys of items that wait, oldest first."""
    statement = select(RejudgeItem.id).where(RejudgeItem.verdict.is_(None)).order_by(RejudgeItem.id).limit(limit)
    return session.scalars(statement).all()


def item_to_judge(session: Session, key: int) -> tuple[RejudgeItem, Rejudge, bytes] | None:
    """Return an item that waits with its rejudge and the source; None when it is judged or gone."""
    statement = (
        select(RejudgeItem, Rejudge, Submission.source)
        .join(Rejudge, Rejudge.id == RejudgeItem.rejudge_id)
        .join(Submission, Submission.id == RejudgeItem.submission_id)
        .where(RejudgeItem.id == key, RejudgeItem.verdict.is_(None))
        .options(joinedload(Rejudge.to_package))
    )
    found = session.execute(statement).one_or_none()
    if found is None:
        return None
    item, rejudge, source = found
    return item, rejudge, source


def set_item(session: Session, key: int, **values: Any) -> bool:
    """Write a result into an item that has none, beside what is the submission's now; return whether it was written."""
    submission = Submission.id == RejudgeItem.submission_id
    values["old_verdict"] = select(Submission.verdict).where(submission).scalar_subquery()
    values["old_score"] = select(Submission.score).where(submission).scalar_subquery()
    statement = update(RejudgeItem).where(RejudgeItem.id == key, RejudgeItem.verdict.is_(None)).values(values)
    changed: int = session.connection().execute(statement).rowcount
    return changed == 1


def rejudge_locked(session: Session, key: int) -> Rejudge | None:
    """Return a rejudge that no other transaction changes until this one ends."""
    return next(iter(held(session, Rejudge, Rejudge.id == key)), None)


_IS_MOVING: Final = or_(
    and_(Rejudge.apply_asked_at.is_not(None), Rejudge.applied_at.is_(None)),
    and_(Rejudge.undo_asked_at.is_not(None), Rejudge.undone_at.is_(None)),
)


def rejudges_to_move(session: Session) -> Sequence[int]:
    """Return the keys of rejudges that are being applied or undone."""
    return session.scalars(select(Rejudge.id).where(_IS_MOVING).order_by(Rejudge.id)).all()


def lock_versions(session: Session, rejudge: Rejudge) -> None:
    """Let no rejudge that shares a version with this one be applied or undone until this transaction ends.

    The interviews that both would lock are not always there to be locked: who is second may find them moved already, or
    both have attempts from practice alone. Attempts can still be started: they only refer to a package.
    """
    keys = (rejudge.from_package_id, rejudge.to_package_id)
    held(session, Package, Package.id.in_(keys))


def moving_beside(session: Session, rejudge: Rejudge) -> Rejudge | None:
    """Return another rejudge that is being applied or undone and may have attempts in common with this one."""
    versions = (rejudge.from_package_id, rejudge.to_package_id)
    statement = (
        select(Rejudge)
        .where(_IS_MOVING, Rejudge.id != rejudge.id)
        .where(or_(Rejudge.from_package_id.in_(versions), Rejudge.to_package_id.in_(versions)))
        .options(joinedload(Rejudge.from_package), joinedload(Rejudge.to_package))
        .order_by(Rejudge.id)
        .limit(1)
    )
    if rejudge.interview_id is not None:
        is_here = or_(Rejudge.interview_id.is_(None), Rejudge.interview_id == rejudge.interview_id)
        statement = statement.where(is_here)
    return session.scalar(statement)


def attempts_to_move(session: Session, rejudge: Rejudge, limit: int) -> list[int]:
    """Return the keys of attempts that are still to be moved."""
    return list(session.scalars(select(Attempt.id).where(scope(rejudge)).order_by(Attempt.id).limit(limit)))


def attempts_to_restore(session: Session, rejudge: Rejudge, limit: int) -> list[int]:
    """Return the keys of attempts that were moved, not restored yet, and not moved on by another rejudge."""
    statement = (
        select(RejudgedAttempt.attempt_id)
        .join(Attempt, Attempt.id == RejudgedAttempt.attempt_id)
        .where(RejudgedAttempt.rejudge_id == rejudge.id, Attempt.package_id == rejudge.to_package_id)
    )
    return list(session.scalars(statement.order_by(RejudgedAttempt.attempt_id).limit(limit)))


def number_moved_on(session: Session, rejudge: Rejudge) -> int:
    """Return how many attempts that it moved have yet another version of the package by now."""
    statement = (
        select(func.count(RejudgedAttempt.id))
        .join(Attempt, Attempt.id == RejudgedAttempt.attempt_id)
        .where(RejudgedAttempt.rejudge_id == rejudge.id, Attempt.package_id != rejudge.to_package_id)
    )
    return session.scalar(statement) or 0


def attempts_locked(session: Session, keys: Sequence[int], package_id: int) -> list[int]:
    """Return those attempts that still have a package; nothing of them is judged or handed in until this one ends.

    While the attempts are held nothing is handed in, so their submissions are all there. Whoever held them before may
    have moved an attempt since it was picked.
    """
    still = [one.id for one in held(session, Attempt, Attempt.id.in_(keys), Attempt.package_id == package_id)]
    held(session, Submission, Submission.attempt_id.in_(still))
    return still


def submissions_of(session: Session, attempts: Sequence[int]) -> Sequence[Submission]:
    """Return the submissions of attempts that this transaction has locked, with all of their results."""
    statement = (
        select(Submission)
        .where(Submission.attempt_id.in_(attempts))
        .options(
            undefer(Submission.judgement),
            undefer(Submission.sample_outputs),
            joinedload(Submission.attempt),
            selectinload(Submission.groups),
            selectinload(Submission.cases),
            selectinload(Submission.faults),
        )
        .order_by(Submission.attempt_id, Submission.ordinal)
        .execution_options(populate_existing=True)
    )
    return session.scalars(statement).all()


def attempts_with(session: Session, keys: Sequence[int]) -> Sequence[Attempt]:
    """Return attempts by their keys, as they are now."""
    statement = select(Attempt).where(Attempt.id.in_(keys)).order_by(Attempt.id)
    return session.scalars(statement.execution_options(populate_existing=True)).all()


def items_of(session: Session, rejudge: Rejudge, submissions: Sequence[Submission]) -> dict[int, RejudgeItem]:
    """Return a rejudge's items with their rows, by the submissions' keys."""
    statement = (
        select(RejudgeItem)
        .where(RejudgeItem.rejudge_id == rejudge.id, RejudgeItem.submission_id.in_([row.id for row in submissions]))
        .options(undefer(RejudgeItem.new_rows), undefer(RejudgeItem.old_rows))
    )
    return {item.submission_id: item for item in session.scalars(statement)}


def delete_beside(session: Session, submissions: Sequence[int]) -> None:
    """Remove what judging stored beside submissions."""
    for table in (CaseResult, GroupResult, SubmissionFault):
        session.execute(delete(table).where(table.submission_id.in_(submissions)))


def set_moved(session: Session, rejudge: Rejudge, attempts: Sequence[int], *, is_moved: bool) -> None:
    """Note which attempts a rejudge has moved."""
    if is_moved:
        session.execute(insert(RejudgedAttempt), [{"rejudge_id": rejudge.id, "attempt_id": key} for key in attempts])
        return
    own = RejudgedAttempt.rejudge_id == rejudge.id
    session.execute(delete(RejudgedAttempt).where(own, RejudgedAttempt.attempt_id.in_(attempts)))


def moved_by(session: Session, attempt: Attempt) -> Sequence[Rejudge]:
    """Return the applied rejudges that may have given an attempt another version, undone ones with them.

    Which attempts one has moved is forgotten when it is undone, so they are found by what they were for.
    """
    interview = select(Invitation.interview_id).where(Invitation.id == attempt.invitation_id).scalar_subquery()
    before = aliased(Package)
    statement = (
        select(Rejudge)
        .join(before, before.id == Rejudge.from_package_id)
        .where(before.slug == attempt.package.slug, Rejudge.applied_at.is_not(None))
        .where(or_(Rejudge.interview_id.is_(None), Rejudge.interview_id == interview))
        .options(joinedload(Rejudge.from_package), joinedload(Rejudge.to_package))
        .order_by(Rejudge.id)
    )
    return session.scalars(statement).all()


def problems_by(session: Session, keys: Sequence[int]) -> Sequence[InterviewProblem]:
    """Return problems of interviews by their keys."""
    statement = select(InterviewProblem).where(InterviewProblem.id.in_(keys))
    return session.scalars(statement.execution_options(populate_existing=True)).all()
