"""The queue of attempts to review: rows, neighbours, what filters offer, each in a constant number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session, aliased, selectinload

from grader.grading.verdict import Verdict
from grader.store.interview_models import Interview, Invitation, Review
from grader.store.interview_queries import is_member
from grader.store.models import Attempt, Package, Submission, SubmissionFault, User
from grader.store.review_queries import FAULTS_MAX, candidate_number, has_submission, is_reviewed_by
from grader.store.score_queries import scores_by_hand
from grader.store.sitting_queries import is_sat_by
from grader.store.under_way import is_over

INTERVIEWS_MAX: Final = 200  # that a filter offers, newest first
FAULTS_LOOKED: Final = 2000  # the newest ones, among which a filter's are looked for


class Wanted(StrEnum):
    """Which attempts a queue holds."""

    WAITING = "waiting"  # over, handed in, claimed by nobody else, and nobody has finished a review of it
    MINE = "mine"  # claimed by the one who asks, whose review is not finished
    FINISHED = "finished"  # by the one who asks
    ALL = "all"


@dataclass(frozen=True)
class Filters:
    """What narrows a queue down."""

    wanted: Wanted = Wanted.WAITING
    interview: str = ""  # public id
    verdict: Verdict | None = None  # of the last submission; JE: of any
    fault: str = ""  # that any submission behaves like

    def words(self) -> dict[str, Any]:
        """Return them as an address holds them, without those that are off."""
        words = {
            "interview": self.interview,
            "verdict": self.verdict.value if self.verdict else "",
            "fault": self.fault,
        }
        return {"show": self.wanted.value} | {name: word for name, word in words.items() if word}


@dataclass(frozen=True)
class Row:
    """An attempt in the queue."""

    public_id: str
    interview: str  # title
    interview_id: str
    label: str
    number: int  # of the candidate, for hidden names
    problem: str
    variant: str
    is_over: bool
    submissions: int
    verdict: Verdict | None  # of the last submission
    last_at: datetime | None
    score: float | None  # the automatic one
    by_hand: float | None  # set by a reviewer beside it; then it counts
    faults: tuple[str, ...]
    claimed_by: str | None  # a name
    is_mine: bool
    own_finished_at: datetime | None
    finished: int  # reviews, by anybody


@dataclass(frozen=True)
class Neighbours:
    """Where an attempt stands in a queue."""

    before: str | None
    after: str | None
    position: int  # from 1; 0: it is not in the queue (any more)
    total: int


@dataclass(frozen=True)
class Offered:
    """What the filters offer."""

    interviews: Sequence[tuple[str, str]] = ()  # public id and title
    faults: Sequence[str] = field(default_factory=tuple)


def _joined(statement: Any, user: User, filters: Filters, now: datetime) -> Any:
    """Join an attempt with interview and package, and keep those that a queue holds, but for problems that one sits."""
    return (
        statement.select_from(Attempt)
        .join(Invitation, Invitation.id == Attempt.invitation_id)
        .join(Interview, Interview.id == Invitation.interview_id)
        .join(Package, Package.id == Attempt.package_id)
        .where(is_reviewed_by(user), ~is_sat_by(user), *_conditions(user, filters, now))
    )


def _conditions(user: User, filters: Filters, now: datetime) -> list[ColumnElement[bool]]:
    reviews = select(Review.id).where(Review.attempt_id == Attempt.id, Review.finished_at.is_not(None))
    finished, own_finished = reviews.exists(), reviews.where(Review.user_id == user.id).exists()
    unclaimed = or_(Attempt.claimed_by_id.is_(None), Attempt.claimed_by_id == user.id)
    by_state: dict[Wanted, list[ColumnElement[bool]]] = {
        Wanted.WAITING: [Interview.archived_at.is_(None), is_over(now), has_submission(), ~finished, unclaimed],
        Wanted.MINE: [Attempt.claimed_by_id == user.id, ~own_finished],
        Wanted.FINISHED: [own_finished],
        Wanted.ALL: [],
    }
    conditions = by_state[filters.wanted]
    if filters.interview:
        conditions.append(Interview.public_id == filters.interview)
    if filters.verdict is Verdict.JE:
        failed = select(Submission.id).where(Submission.attempt_id == Attempt.id, Submission.verdict == Verdict.JE)
        conditions.append(failed.exists())
    elif filters.verdict is not None:
        conditions.append(_last(Submission.verdict) == filters.verdict)
    if filters.fault:
        behaved = select(Submission.attempt_id).join(SubmissionFault, SubmissionFault.submission_id == Submission.id)
        conditions.append(Attempt.id.in_(behaved.where(SubmissionFault.fault == filters.fault)))
    return conditions


def _last(column: Any) -> ColumnElement[Any]:
    """Return the expression for a column of an attempt's last submission."""
    return (
        select(column)
        .where(Submission.attempt_id == Attempt.id)
        .order_by(Submission.ordinal.desc())
        .limit(1)
        .correlate(Attempt)
        .scalar_subquery()
    )


def number_in(session: Session, user: User, filters: Filters, now: datetime) -> int:
    """Return how many attempts a queue holds."""
    return session.scalar(_joined(select(func.count(Attempt.id)), user, filters, now)) or 0


def rows_in(session: Session, user: User, filters: Filters, now: datetime, offset: int, limit: int) -> list[Row]:
    """Return a page of a queue, the attempts that were begun first at its head."""
    reviewer, own = aliased(User), aliased(Review)
    finished = select(func.count(Review.id)).where(Review.attempt_id == Attempt.id, Review.finished_at.is_not(None))
    number = select(func.count(Submission.id)).where(Submission.attempt_id == Attempt.id).correlate(Attempt)
    statement = (
        _joined(
            select(
                Attempt,
                Interview.title,
                Interview.public_id,
                Invitation.label,
                candidate_number(),
                Package.title,
                is_over(now),
                number.scalar_subquery(),
                _last(Submission.verdict),
                _last(Submission.created_at),
                reviewer.name,
                own.finished_at,
                finished.correlate(Attempt).scalar_subquery(),
            ),
            user,
            filters,
            now,
        )
        .outerjoin(reviewer, reviewer.id == Attempt.claimed_by_id)
        .outerjoin(own, and_(own.attempt_id == Attempt.id, own.user_id == user.id))
        .order_by(Attempt.id)
        .offset(offset)
        .limit(limit)
    )
    found = session.execute(statement).all()
    keys = [row[0].id for row in found]
    faults, by_hand = _last_faults(session, keys), scores_by_hand(session, keys)
    return [_row(user, tuple(row), faults, by_hand) for row in found]


def _row(user: User, row: tuple[Any, ...], faults: dict[int, tuple[str, ...]], by_hand: dict[int, float]) -> Row:
    attempt, interview, interview_id, label, number, problem, over, submissions, verdict, at, name, own, finished = row
    return Row(
        public_id=attempt.public_id,
        interview=interview,
        interview_id=interview_id,
        label=label,
        number=number,
        problem=problem,
        variant=attempt.variant,
        is_over=bool(over),
        submissions=submissions,
        verdict=verdict,
        last_at=at,
        score=attempt.points,
        by_hand=by_hand.get(attempt.id),
        faults=faults.get(attempt.id, ()),
        claimed_by=name,
        is_mine=attempt.claimed_by_id == user.id,
        own_finished_at=own,
        finished=finished,
    )


def _last_faults(session: Session, attempts: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the faults that the last submissions of attempts behave like."""
    later = aliased(Submission)
    after = select(later.id).where(later.attempt_id == Submission.attempt_id, later.ordinal > Submission.ordinal)
    statement = (
        select(Submission.attempt_id, SubmissionFault.fault)
        .join(SubmissionFault, SubmissionFault.submission_id == Submission.id)
        .where(Submission.attempt_id.in_(attempts), ~after.exists())
        .order_by(Submission.attempt_id, SubmissionFault.position)
    )
    found: dict[int, tuple[str, ...]] = {}
    for attempt, fault in session.execute(statement):
        found[attempt] = (*found.get(attempt, ()), fault)
    return found


def without_part(session: Session, user: User, rows: Sequence[Row]) -> list[Interview]:
    """Return the interviews of a queue's rows in which a user has no part, as admins read them."""
    keys = {row.interview_id for row in rows}
    if not user.is_admin or not keys:
        return []
    statement = select(Interview).where(Interview.public_id.in_(keys)).options(selectinload(Interview.members))
    return [found for found in session.scalars(statement.order_by(Interview.id)) if not is_member(user, found)]


def neighbours_of(session: Session, user: User, filters: Filters, attempt: Attempt, now: datetime) -> Neighbours:
    """Return what comes before and after an attempt in a queue, and its place in it."""

    def one(condition: ColumnElement[bool], order: Any) -> Any:
        return _joined(select(Attempt.public_id), user, filters, now).where(condition).order_by(order).limit(1)

    def count(*conditions: ColumnElement[bool]) -> Any:
        return _joined(select(func.count(Attempt.id)), user, filters, now).where(*conditions).scalar_subquery()

    before, after, position, is_in, total = session.execute(
        select(
            one(Attempt.id < attempt.id, Attempt.id.desc()).scalar_subquery(),
            one(Attempt.id > attempt.id, Attempt.id).scalar_subquery(),
            count(Attempt.id <= attempt.id),
            count(Attempt.id == attempt.id),
            count(),
        )
    ).one()
    return Neighbours(before, after, position if is_in else 0, total)


def offered(session: Session, user: User, now: datetime) -> Offered:
    """Return the interviews and faults that a user's queue can be narrowed down to."""
    everything = Filters(Wanted.ALL)
    interviews = (
        _joined(select(Interview.id, Interview.public_id, Interview.title), user, everything, now)
        .distinct()
        .order_by(Interview.id.desc())
        .limit(INTERVIEWS_MAX)
    )
    newest = (
        _joined(select(SubmissionFault.fault), user, everything, now)
        .join(Submission, Submission.attempt_id == Attempt.id)
        .join(SubmissionFault, SubmissionFault.submission_id == Submission.id)
        .order_by(SubmissionFault.id.desc())
        .limit(FAULTS_LOOKED)
        .subquery()
    )
    faults = select(newest.c.fault).distinct().order_by(newest.c.fault).limit(FAULTS_MAX)
    found = [(public_id, title) for _, public_id, title in session.execute(interviews)]
    return Offered(found, session.scalars(faults).all())
