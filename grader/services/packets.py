"""A candidate's packet: all that an interview has of them, for people who decide; without anybody's private notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from grader.services import audit, own_time
from grader.services.packages import Packages
from grader.services.review_page import ReviewPage, SubmissionShown, review_page, submission_shown
from grader.services.time_changes import TimeChange, all_changes
from grader.store import interview_queries, invitation_queries, review_queries, taking_queries
from grader.store.interview_models import Interview, Invitation, Review
from grader.store.models import User
from grader.store.sitting_queries import require_none_sat


@dataclass(frozen=True)
class AttemptPacket:
    """One problem: the attempt, every submission, what reviewers say."""

    page: ReviewPage
    submissions: Sequence[SubmissionShown]
    reviews: Sequence[tuple[str, Review]]  # finished ones that the reader may see, each with its reviewer's name
    is_begun: bool


@dataclass(frozen=True)
class Packet:
    """Everything of one candidate."""

    interview: Interview
    invitation: Invitation
    changes: Sequence[TimeChange]  # of the candidate's time
    attempts: Sequence[AttemptPacket]
    made_at: datetime
    made_by: str

    @property
    def begun(self) -> int:
        """How many of the problems the candidate began."""
        return sum(part.is_begun for part in self.attempts)

    @property
    def ends_at(self) -> datetime | None:
        """When the candidate's time ends or ended; None: they never started."""
        return own_time.end_of(self.invitation)

    @property
    def is_over(self) -> bool:
        """Whether the candidate's time was over when the packet was made."""
        return own_time.is_over(self.invitation, self.made_at)


def note(session: Session, user: User, public_id: str, invitation_id: str, now: datetime) -> None:
    """Have the audit log say that somebody takes a packet along, before it is made.

    Raises:
        NotFound: as for `packet`.
    """
    interview, invitation = _found(session, user, public_id, invitation_id)
    audit.record(session, user, "export.packet", invitation, now, interview)


def packet(
    session: Session, user: User, public_id: str, invitation_id: str, packages: Packages, now: datetime
) -> Packet:
    """Return what an interview has of a candidate.

    Raises:
        NotFound: there is no such interview for this user, or no such candidate in it.
        SatByReader: the user sits one of its problems in another interview.
    """
    interview, invitation = _found(session, user, public_id, invitation_id)
    tried = invitation_queries.tried_in(session, [invitation]).values()
    begun = {one.attempt.id for one in tried if one.is_begun}
    found = [
        _attempt(session, user, attempt.public_id, packages, is_begun=attempt.id in begun)
        for attempt in taking_queries.attempts_in(session, invitation)
    ]
    return Packet(interview, invitation, all_changes(session, invitation), found, now, user.name)


def _found(session: Session, user: User, public_id: str, invitation_id: str) -> tuple[Interview, Invitation]:
    interview = interview_queries.interview_of(session, user, public_id)
    invitation = invitation_queries.invitation_in(session, interview, invitation_id)
    require_none_sat(session, user, interview)
    return interview, invitation


def _attempt(session: Session, user: User, public_id: str, packages: Packages, *, is_begun: bool) -> AttemptPacket:
    reviewed = review_queries.attempt_reviewed(session, user, public_id)
    page = review_page(session, user, reviewed, packages, None)
    reviews = [(other.name, other.review) for other in page.colleagues]
    if page.own is not None and page.own.finished_at is not None:
        reviews.insert(0, (user.name, page.own))
    shown = [submission_shown(session, reviewed, row.ordinal) for row in page.submissions]
    return AttemptPacket(page, shown, reviews, is_begun)
