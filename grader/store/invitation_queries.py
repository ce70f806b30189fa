"""Questions about an interview's invitations, and what candidates did, as interviewers put them.

Whether the user has a part in the interview was asked before (`interview_queries`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session, joinedload

from grader.errors import NotFound
from grader.grading.verdict import Verdict
from grader.store.held import held
from grader.store.interview_models import Interview, Invitation
from grader.store.models import Attempt, Submission
from grader.store.score_queries import scores_by_hand

_NO_INVITATION: Final = "There is no such candidate in this interview; its page shows all there are."


@dataclass(frozen=True)
class Tried:
    """What a candidate did on one problem of an interview."""

    attempt: Attempt
    submissions: int
    last_id: int | None  # of the newest submission
    last_at: datetime | None
    verdict: Verdict | None  # the newest one's; None while it is not judged
    best: Verdict | None  # of the newest with the best score, which is what counts; None: nothing is judged
    by_hand: float | None  # the score that a reviewer has set beside the automatic one

    @property
    def is_begun(self) -> bool:
        """Whether the candidate worked on it: every problem is given at the start, whether or not they look at it."""
        return self.submissions > 0 or self.attempt.draft_saved_at is not None


def invitations_in(session: Session, interview: Interview, offset: int, limit: int) -> Sequence[Invitation]:
    """Return an interview's invitations in the order in which they were made, with who accepted them."""
    statement = (
        select(Invitation)
        .filter_by(interview_id=interview.id)
        .options(joinedload(Invitation.user))
        .order_by(Invitation.revoked_at.is_not(None), Invitation.id)
        .offset(offset)
        .limit(limit)
    )
    return session.scalars(statement).all()


def number_of_invitations(session: Session, interview: Interview) -> int:
    """Return how many invitations an interview has, revoked ones with them."""
    statement = select(func.count(Invitation.id)).where(Invitation.interview_id == interview.id)
    return session.scalar(statement) or 0


def labels_in(session: Session, interview: Interview) -> Sequence[str]:
    """Return the names under which candidates of an interview are invited, revoked ones with them."""
    return session.scalars(select(Invitation.label).filter_by(interview_id=interview.id)).all()


def invitation_in(session: Session, interview: Interview, public_id: str, *, lock: bool = False) -> Invitation:
    """Return one invitation of an interview; with `lock` no other transaction changes it until this one ends.

    Raises:
        NotFound: the interview has no such invitation.
    """
    statement = (
        select(Invitation)
        .filter_by(interview_id=interview.id, public_id=public_id)
        .options(joinedload(Invitation.user))
        .execution_options(populate_existing=True)
    )
    if lock:
        held(session, Invitation, Invitation.interview_id == interview.id, Invitation.public_id == public_id)
    invitation = session.scalar(statement)
    if invitation is None:
        raise NotFound(_NO_INVITATION)
    return invitation


def invitations_with(session: Session, interview: Interview, hashes: Sequence[str]) -> Mapping[str, Invitation]:
    """Return an interview's invitations whose links have these tokens, by the tokens' hashes."""
    statement = select(Invitation).where(
        Invitation.interview_id == interview.id, Invitation.revoked_at.is_(None), Invitation.token_sha256.in_(hashes)
    )
    return {invitation.token_sha256: invitation for invitation in session.scalars(statement)}


def tried_in(session: Session, invitations: Sequence[Invitation]) -> dict[tuple[int, int], Tried]:
    """Return what candidates did, by the keys of invitation and interview problem."""
    keys = [invitation.id for invitation in invitations]
    own = select(Attempt.id).where(Attempt.invitation_id.in_(keys))
    counted = (
        select(
            Submission.attempt_id, func.count(Submission.id).label("number"), func.max(Submission.ordinal).label("last")
        )
        .where(Submission.attempt_id.in_(own))
        .group_by(Submission.attempt_id)
        .subquery()
    )
    order = Submission.score.desc(), Submission.ordinal.desc()
    ranked = (
        select(
            Submission.attempt_id,
            Submission.verdict,
            func.row_number().over(partition_by=Submission.attempt_id, order_by=order).label("place"),
        )
        .where(Submission.attempt_id.in_(own), Submission.score.is_not(None))
        .subquery()
    )
    statement = (
        select(Attempt, counted.c.number, Submission.id, Submission.created_at, Submission.verdict, ranked.c.verdict)
        .outerjoin(counted, counted.c.attempt_id == Attempt.id)
        .outerjoin(ranked, and_(ranked.c.attempt_id == Attempt.id, ranked.c.place == 1))
        .outerjoin(Submission, and_(Submission.attempt_id == Attempt.id, Submission.ordinal == counted.c.last))
        .where(Attempt.invitation_id.in_(keys))
    )
    found = session.execute(statement).all()
    by_hand = scores_by_hand(session, [row[0].id for row in found])
    return {
        (attempt.invitation_id, attempt.interview_problem_id): Tried(
            attempt, number or 0, key, at, verdict, best, by_hand.get(attempt.id)
        )
        for attempt, number, key, at, verdict, best in found
    }
