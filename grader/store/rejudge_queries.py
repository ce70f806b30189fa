"""Questions about rejudging: its submissions and attempts, what it would change, what of it waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Integer, and_, case, delete, func, insert, literal, or_, select, update
from sqlalchemy.orm import Session, joinedload

from grader.errors import NotFound
from grader.grading.verdict import Verdict
from grader.store import interview_queries
from grader.store.held import held
from grader.store.interview_models import (
    Interview,
    InterviewProblem,
    Invitation,
    Part,
    Rejudge,
    RejudgeItem,
)
from grader.store.models import Attempt, FollowUpAnswer, Submission, User
from grader.store.sitting_queries import has_place, require_no_place, require_not_sat

_NO_REJUDGE: Final = "There is no such rejudging, or it is not yours; the page of the interview lists its own."
SHOWN: Final = 100


@dataclass(frozen=True)
class Counts:
    """How far judging anew is, and what it changes."""

    submissions: int
    judged: int
    ours: int  # JE: could not be judged
    verdicts: int  # that differ
    scores: int  # that differ
    attempts: int  # with a submission
    better: int  # attempts whose best score rises
    worse: int  # attempts whose best score falls


@dataclass(frozen=True)
class Changed:
    """A submission that judging anew changes."""

    attempt: Attempt
    candidate: str
    ordinal: int
    item: RejudgeItem


def rejudge_of(session: Session, user: User, public_id: str, *, lock: bool = False) -> Rejudge:
    """Return a rejudge of an interview that a user leads; admins have all.

    Raises:
        NotFound: there is none, or none for this user.
        SatByReader: they sit its problem in an interview.
        PlaceOfReader: it is of everybody's attempts, and they have a place in an interview with the problem.
    """
    statement = (
        select(Rejudge)
        .outerjoin(Interview, Interview.id == Rejudge.interview_id)
        .where(Rejudge.public_id == public_id, _may(user))
        .options(
            joinedload(Rejudge.from_package),
            joinedload(Rejudge.to_package),
            joinedload(Rejudge.interview),
            joinedload(Rejudge.user),
        )
    )
    if lock:
        held(session, Rejudge, Rejudge.public_id == public_id)
    found = session.scalar(statement.execution_options(populate_existing=lock))
    if found is None:
        raise NotFound(_NO_REJUDGE)
    require_not_sat(session, user, [found.from_package, found.to_package])
    if found.interview_id is None:
        require_no_place(session, user, found.from_package)
    return found


def _may(user: User) -> ColumnElement[bool]:
    if user.is_admin:
        return ~has_place(user)
    return and_(Rejudge.interview_id.is_not(None), interview_queries.may(user, Part.LEAD))


def rejudges_of(session: Session, interview: Interview | None) -> Sequence[Rejudge]:
    """Return the newest rejudges of an interview, or those of all attempts of a package."""
    statement = (
        select(Rejudge)
        .where(Rejudge.interview_id == interview.id if interview else Rejudge.interview_id.is_(None))
        .options(joinedload(Rejudge.from_package), joinedload(Rejudge.to_package), joinedload(Rejudge.user))
        .order_by(Rejudge.id.desc())
        .limit(SHOWN)
    )
    return session.scalars(statement).all()


def scope(rejudge: Rejudge) -> ColumnElement[bool]:
    """Return the condition on attempts that are still to be moved."""
    own = Attempt.package_id == rejudge.from_package_id
    if rejudge.interview_id is None:
        return own
    problems = select(InterviewProblem.id).where(InterviewProblem.interview_id == rejudge.interview_id)
    return and_(own, Attempt.interview_problem_id.in_(problems))


def variants_in(session: Session, rejudge: Rejudge) -> set[str]:
    """Return the variants of the attempts that would be moved, and those that later attempts are given."""
    given = set(session.scalars(select(Attempt.variant).where(scope(rejudge)).distinct()))
    return given | {problem.variant for problem in problems_with(session, rejudge) if problem.variant is not None}


def number_moved_away(session: Session, rejudge: Rejudge) -> int:
    """Return how many attempts of a rejudge have another version of the package than it was made from."""
    statement = (
        select(func.count(func.distinct(Attempt.id)))
        .join(Submission, Submission.attempt_id == Attempt.id)
        .join(RejudgeItem, RejudgeItem.submission_id == Submission.id)
        .where(RejudgeItem.rejudge_id == rejudge.id, Attempt.package_id != rejudge.from_package_id)
    )
    return session.scalar(statement) or 0


def add_items(session: Session, rejudge: Rejudge) -> int:
    """Insert an item for each submission there is; return how many."""
    submissions = (
        select(literal(rejudge.id, Integer), Submission.id, Submission.verdict, Submission.score)
        .join(Attempt, Attempt.id == Submission.attempt_id)
        .where(scope(rejudge))
        .order_by(Submission.id)
    )
    columns = ["rejudge_id", "submission_id", "old_verdict", "old_score"]
    added: int = session.connection().execute(insert(RejudgeItem).from_select(columns, submissions)).rowcount
    return added


def delete_rejudge(session: Session, rejudge: Rejudge) -> None:
    """Remove a rejudge that was not applied, with its items."""
    session.execute(delete(RejudgeItem).where(RejudgeItem.rejudge_id == rejudge.id))
    session.execute(delete(Rejudge).where(Rejudge.id == rejudge.id))


def forget_ours(session: Session, rejudge: Rejudge) -> int:
    """Let what could not be judged wait once more; return how many there are."""
    statement = (
        update(RejudgeItem)
        .where(RejudgeItem.rejudge_id == rejudge.id, RejudgeItem.verdict == Verdict.JE)
        .values(verdict=None, reason=None, score=None, new_rows=None)
    )
    changed: int = session.connection().execute(statement).rowcount
    return changed


_IS_COMPARED: Final = and_(RejudgeItem.verdict.is_not(None), RejudgeItem.old_verdict.is_not(None))
_HAS_OTHER_VERDICT: Final = and_(_IS_COMPARED, RejudgeItem.verdict != RejudgeItem.old_verdict)
_HAS_OTHER_SCORE: Final = and_(_IS_COMPARED, RejudgeItem.score.is_distinct_from(RejudgeItem.old_score))


def counts(session: Session, rejudge: Rejudge) -> Counts:
    """Return how far it is and what it changes."""
    own = RejudgeItem.rejudge_id == rejudge.id
    items = select(
        func.count(RejudgeItem.id),
        func.count(RejudgeItem.verdict),
        _number(RejudgeItem.verdict == Verdict.JE),
        _number(_HAS_OTHER_VERDICT),
        _number(_HAS_OTHER_SCORE),
    ).where(own)
    by_attempt = (
        select(func.max(RejudgeItem.old_score).label("old"), func.max(RejudgeItem.score).label("new"))
        .join(Submission, Submission.id == RejudgeItem.submission_id)
        .where(own)
        .group_by(Submission.attempt_id)
        .subquery()
    )
    old, new = func.coalesce(by_attempt.c.old, 0.0), func.coalesce(by_attempt.c.new, 0.0)
    attempts = select(func.count(), _number(new > old), _number(new < old)).select_from(by_attempt)
    return Counts(*session.execute(items).one(), *session.execute(attempts).one())


def _number(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count().filter(condition)


def changed(session: Session, rejudge: Rejudge, offset: int, limit: int) -> list[Changed]:
    """Return submissions whose verdict or score is another one, by candidate and time."""
    statement = (
        select(RejudgeItem, Attempt, Submission.ordinal, Invitation.label, User.name)
        .join(Submission, Submission.id == RejudgeItem.submission_id)
        .join(Attempt, Attempt.id == Submission.attempt_id)
        .join(User, User.id == Attempt.candidate_id)
        .outerjoin(Invitation, Invitation.id == Attempt.invitation_id)
        .where(RejudgeItem.rejudge_id == rejudge.id, or_(_HAS_OTHER_VERDICT, _HAS_OTHER_SCORE))
        .order_by(Attempt.id, Submission.ordinal)
        .offset(offset)
        .limit(limit)
    )
    return [
        Changed(attempt, label or name, ordinal, item)
        for item, attempt, ordinal, label, name in session.execute(statement)
    ]


@dataclass(frozen=True)
class Answered:
    """A question that attempts have answered alike, as far as it matters to which words."""

    question_id: str
    question: str | None  # as it was put; None: an earlier release stored the answers
    number: str | None  # of a choice; None: own words
    choice: str | None  # what it says; None: own words, or stored by an earlier release
    answers: int


def answered_in(session: Session, rejudge: Rejudge) -> list[Answered]:
    """Return what attempts that would be moved have answered."""
    number = case((func.length(FollowUpAnswer.text) == 1, FollowUpAnswer.text)).label("number")
    columns = FollowUpAnswer.question_id, FollowUpAnswer.question, number, FollowUpAnswer.choice
    every = select(*columns).join(Attempt, Attempt.id == FollowUpAnswer.attempt_id).where(scope(rejudge)).subquery()
    statement = select(*every.c, func.count().label("answers")).group_by(*every.c)
    return [
        Answered(row.question_id, row.question, row.number, row.choice, row.answers)
        for row in session.execute(statement)
    ]


def number_changed(session: Session, rejudge: Rejudge) -> int:
    """Return how many submissions `changed` has."""
    statement = select(func.count(RejudgeItem.id)).where(
        RejudgeItem.rejudge_id == rejudge.id, or_(_HAS_OTHER_VERDICT, _HAS_OTHER_SCORE)
    )
    return session.scalar(statement) or 0


def problems_with(session: Session, rejudge: Rejudge) -> Sequence[InterviewProblem]:
    """Return the problems of interviews that still have the old version, which later attempts would start with."""
    statement = select(InterviewProblem).where(InterviewProblem.package_id == rejudge.from_package_id)
    if rejudge.interview_id is not None:
        statement = statement.where(InterviewProblem.interview_id == rejudge.interview_id)
    statement = statement.order_by(InterviewProblem.id).execution_options(populate_existing=True)
    return session.scalars(statement).all()
