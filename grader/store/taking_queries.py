"""Questions about interviews as candidates put them: an invitation is found by its token or by who accepted it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, exists, func, not_, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload, undefer

from grader.errors import NotFound
from grader.grading.verdict import Verdict
from grader.store.held import held
from grader.store.interview_models import Interview, InterviewMember, InterviewProblem, Invitation
from grader.store.models import Attempt, Package, Submission, User
from grader.store.under_way import is_under_way

_NO_INVITATION = "There is no such interview, or it is not yours; your interviews are listed on one page."


def invitation_with(session: Session, token_sha256: str) -> Invitation | None:
    """Return the invitation that a token opens, unless it was taken back."""
    statement = (
        select(Invitation)
        .where(Invitation.token_sha256 == token_sha256, Invitation.revoked_at.is_(None))
        .options(joinedload(Invitation.interview))
    )
    return session.scalar(statement)


def invitation_of(session: Session, candidate: User, public_id: str) -> Invitation:
    """Return an invitation that a candidate accepted, with its interview.

    Raises:
        NotFound: there is none, or it is another candidate's, or it was taken back.
    """
    statement = (
        select(Invitation)
        .filter_by(public_id=public_id, user_id=candidate.id, revoked_at=None)
        .options(joinedload(Invitation.interview))
    )
    found = session.scalar(statement)
    if found is None:
        raise NotFound(_NO_INVITATION)
    return found


def invitation_of_attempt(session: Session, candidate: User, attempt_id: str) -> Invitation | None:
    """Return the invitation that a candidate's attempt is part of; None: no such attempt, or one in practice."""
    statement = (
        select(Invitation)
        .join(Attempt, Attempt.invitation_id == Invitation.id)
        .where(Attempt.public_id == attempt_id, Attempt.candidate_id == candidate.id)
    )
    return session.scalar(statement)


def invitations_of(session: Session, candidate: User, limit: int) -> Sequence[Invitation]:
    """Return the invitations that a candidate accepted, newest first, each with its interview."""
    statement = (
        select(Invitation)
        .filter_by(user_id=candidate.id, revoked_at=None)
        .options(joinedload(Invitation.interview))
        .order_by(Invitation.accepted_at.desc(), Invitation.id.desc())
        .limit(limit)
    )
    return session.scalars(statement).all()


def accept_invitation(session: Session, found: Invitation, candidate: User, now: datetime) -> bool | None:
    """Bind an invitation to who accepts it by the link that found it.

    Returns:
        whether nobody was faster, a lead with a new link neither; None when they are in the interview already.
    """
    statement = (
        update(Invitation)
        .where(
            Invitation.id == found.id,
            Invitation.token_sha256 == found.token_sha256,
            Invitation.user_id.is_(None),
            Invitation.revoked_at.is_(None),
        )
        .values(user_id=candidate.id, accepted_at=now)
    )
    try:
        with session.begin_nested():
            changed: int = session.connection().execute(statement).rowcount
    except IntegrityError:
        return None
    return changed == 1


def let_go_of_revoked(session: Session, found: Invitation, candidate: User) -> str | None:
    """Let a place go that was taken back from a candidate in an invitation's interview; return its id, if any."""
    revoked = and_(
        Invitation.interview_id == found.interview_id,
        Invitation.user_id == candidate.id,
        Invitation.revoked_at.is_not(None),
        Invitation.started_at.is_(None),
    )
    for place in held(session, Invitation, or_(Invitation.id == found.id, revoked)):  # both, for they have one order
        if place.id != found.id:
            place.user_id = place.accepted_at = None
            session.flush()
            return place.public_id
    return None


def is_member(session: Session, user: User, interview: Interview) -> bool:
    """Return whether a user interviews there."""
    statement = select(InterviewMember.id).filter_by(interview_id=interview.id, user_id=user.id)
    return session.scalar(statement) is not None


def number_of_problems(session: Session, interview: Interview) -> int:
    """Return how many problems an interview has, which is all that is told of them before the start."""
    return session.scalar(select(func.count(InterviewProblem.id)).filter_by(interview_id=interview.id)) or 0


def interview_locked(session: Session, key: int) -> Interview:
    """Return an interview that no other transaction changes until this one ends; entries may refer to it meanwhile."""
    (interview,) = held(session, Interview, Interview.id == key)
    return interview


def interviews_locked(session: Session, keys: Sequence[int]) -> Sequence[Interview]:
    """Return interviews in which nobody starts until this transaction ends."""
    return held(session, Interview, Interview.id.in_(keys))


def invitation_locked(session: Session, key: int) -> Invitation:
    """Return an invitation as it is now; no other transaction changes it until this one ends.

    Whatever starts, ends or extends a candidate's time, or settles what they did in it, holds this row. Who needs other
    rows as well locks them in the order that grader.store.held tells.
    """
    (invitation,) = held(session, Invitation, Invitation.id == key)
    return invitation


def invitations_locked(session: Session, candidate: int) -> Sequence[Invitation]:
    """Return a candidate's places in interviews as they are now, each locked as by `invitation_locked`.

    Who lets a candidate's time run takes all of them: of two such transactions the second sees what the first began.
    """
    return held(session, Invitation, Invitation.user_id == candidate)


def running_beside(session: Session, invitation: Invitation, now: datetime) -> Invitation | None:
    """Return what an invitation's candidate is taking elsewhere with one of its problems, in any version."""
    own = (
        select(Package.slug)
        .join(InterviewProblem, InterviewProblem.package_id == Package.id)
        .where(InterviewProblem.interview_id == invitation.interview_id)
    )
    statement = (
        select(Invitation)
        .join(InterviewProblem, InterviewProblem.interview_id == Invitation.interview_id)
        .join(Package, Package.id == InterviewProblem.package_id)
        .where(
            Invitation.user_id == invitation.user_id,
            Invitation.id != invitation.id,
            is_under_way(now),
            Package.slug.in_(own),
        )
        .options(joinedload(Invitation.interview))
        .order_by(Invitation.ends_at.desc())
        .limit(1)
    )
    return session.scalar(statement)


def attempts_in(session: Session, invitation: Invitation) -> Sequence[Attempt]:
    """Return a candidate's attempts in the order of the interview's problems."""
    statement = (
        select(Attempt)
        .join(InterviewProblem, InterviewProblem.id == Attempt.interview_problem_id)
        .where(Attempt.invitation_id == invitation.id)
        .options(joinedload(Attempt.package))
        .order_by(InterviewProblem.position)
    )
    return session.scalars(statement).all()


def attempts_locked(session: Session, invitation: int) -> Sequence[Attempt]:
    """Return the attempts of an invitation with their drafts; no other transaction changes them until this one ends."""
    held(session, Attempt, Attempt.invitation_id == invitation)
    statement = (
        select(Attempt)
        .where(Attempt.invitation_id == invitation)
        .options(joinedload(Attempt.package), undefer(Attempt.draft))
        .order_by(Attempt.id)
        .execution_options(populate_existing=True)
    )
    return session.scalars(statement).all()


def due_invitations(session: Session, now: datetime) -> Sequence[int]:
    """Return the keys of invitations whose time is over and who are not closed yet, the longest over first."""
    statement = (
        select(Invitation.id)
        .where(Invitation.ends_at < now, Invitation.ended_at.is_(None))
        .order_by(Invitation.ends_at)
    )
    return session.scalars(statement).all()


def due_invitation_of(session: Session, candidate: User, attempt_id: str, now: datetime) -> int | None:
    """Return the key of the invitation that a candidate's attempt is part of, when it is due to be closed."""
    statement = (
        select(Invitation.id)
        .join(Attempt, Attempt.invitation_id == Invitation.id)
        .where(
            Attempt.public_id == attempt_id,
            Attempt.candidate_id == candidate.id,
            Invitation.ends_at < now,
            Invitation.ended_at.is_(None),
        )
    )
    return session.scalar(statement)


def numbers_handed_in(session: Session, attempts: Sequence[Attempt]) -> dict[int, int]:
    """Return how many submissions count against the limit, by attempt: our faults and the clock's do not."""
    statement = (
        select(Submission.attempt_id, func.count())
        .where(
            Submission.attempt_id.in_([attempt.id for attempt in attempts]),
            Submission.is_by_clock.is_(False),
            or_(Submission.verdict.is_(None), Submission.verdict != Verdict.JE),
        )
        .group_by(Submission.attempt_id)
    )
    return {row[0]: row[1] for row in session.execute(statement)}


def by_clock_locked(session: Session, attempt: Attempt) -> None:
    """Hold what the clock handed in of a locked attempt."""
    held(session, Submission, Submission.attempt_id == attempt.id, Submission.is_by_clock.is_(True))


def handed_in_at_the_end(session: Session, attempt: Attempt, end: datetime) -> Submission | None:
    """Return the newest draft that an end handed in, with its source."""
    return _newest(session, attempt, _at_the_end(end))


def newest_but_at_the_end(session: Session, attempt: Attempt, end: datetime) -> Submission | None:
    """Return what was handed in last but for the drafts that an end handed in, with its source."""
    return _newest(session, attempt, not_(_at_the_end(end)))


def _at_the_end(end: datetime) -> ColumnElement[bool]:
    return and_(Submission.is_by_clock.is_(True), Submission.created_at == end)


def _newest(session: Session, attempt: Attempt, condition: ColumnElement[bool]) -> Submission | None:
    statement = select(Submission).where(Submission.attempt_id == attempt.id, condition)
    return session.scalar(statement.order_by(Submission.ordinal.desc()).limit(1).options(undefer(Submission.source)))


def submissions_of(session: Session, attempts: Sequence[Attempt]) -> dict[int, list[Submission]]:
    """Return the submissions of some attempts in order, by attempt, without their sources."""
    statement = (
        select(Submission)
        .where(Submission.attempt_id.in_([attempt.id for attempt in attempts]))
        .order_by(Submission.attempt_id, Submission.ordinal)
    )
    found: dict[int, list[Submission]] = {attempt.id: [] for attempt in attempts}
    for submission in session.scalars(statement):
        found[submission.attempt_id].append(submission)
    return found


def locked_slugs(session: Session, candidate: int, now: datetime) -> frozenset[str]:
    """Return the slugs of the problems that a running interview closes for a candidate in practice."""
    statement = (
        select(Package.slug)
        .join(InterviewProblem, InterviewProblem.package_id == Package.id)
        .join(Interview, Interview.id == InterviewProblem.interview_id)
        .where(
            Interview.locks_practice,
            exists().where(
                Invitation.interview_id == Interview.id,
                Invitation.user_id == candidate,
                is_under_way(now),
            ),
        )
    )
    return frozenset(session.scalars(statement))
