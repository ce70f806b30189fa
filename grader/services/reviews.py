"""What reviewers write: claims, notes with rubric points and a decision, scores set by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.report.visible import visible
from grader.services import audit, own_time
from grader.services.earlier_package import rubric_of
from grader.services.packages import Packages
from grader.services.refusals import NotNow, Outdated
from grader.store import review_queries as queries
from grader.store import taking_queries
from grader.store.base import storable
from grader.store.held import keep_user
from grader.store.interview_models import Decision, Part, Review, ScoreOverride
from grader.store.models import User
from grader.store.review_queries import Reviewed

NOTE_MAX: Final = 20_000  # characters
REASON_MIN: Final = 10
REASON_MAX: Final = 2_000
_POINT: Final = re.compile(r"([a-z0-9_-]{1,80}):(\d{1,3})")


@dataclass(frozen=True)
class Draft:
    """A review as its form sends it."""

    private_note: str
    shared_note: str
    decision: Decision | None
    points: tuple[tuple[str, int], ...]  # question and position in its rubric
    package: str = ""  # the hash of the package whose rubric that is; empty: the one of now


def read_draft(private_note: str, shared_note: str, decision: str, points: Sequence[str], package: str = "") -> Draft:
    """Return what a form sends.

    Raises:
        UserError: a note is too long, or something in it is none of the form's choices.
    """
    private_note, shared_note = (storable(note.replace("\r\n", "\n")) for note in (private_note, shared_note))
    if max(len(private_note), len(shared_note)) > NOTE_MAX:
        raise UserError(f"A note may have {NOTE_MAX} characters; shorten it.")
    if decision and decision not in set(Decision):
        raise UserError("Choose one of the decisions that the form offers.")
    found = [_POINT.fullmatch(point) for point in points]
    if not all(found):
        raise UserError("One of the rubric's points cannot be read; reload the page.")
    chosen = dict.fromkeys((match[1], int(match[2])) for match in found if match)
    return Draft(private_note, shared_note, Decision(decision) if decision else None, tuple(chosen), package)


def _locked(session: Session, user: User, public_id: str) -> Reviewed:
    keep_user(session, user.id)
    return queries.attempt_reviewed(session, user, public_id, writes=True, lock=True)


def claim(session: Session, user: User, public_id: str, now: datetime) -> None:
    """Tell colleagues that one reviews an attempt.

    Raises:
        NotFound: the user reviews no such attempt.
        NotNow: a colleague has claimed it.
    """
    reviewed = _locked(session, user, public_id)
    attempt = reviewed.attempt
    if attempt.claimed_by_id == user.id:
        return
    if name := queries.name_of(session, attempt.claimed_by_id):
        raise NotNow(f"{visible(name, keep='')} has claimed this attempt; who leads the interview can release it.")
    attempt.claimed_by_id, attempt.claimed_at = user.id, now
    audit.record(session, user, "review.claim", attempt, now, reviewed.interview)


def release(session: Session, user: User, public_id: str, now: datetime) -> None:
    """Take a claim back: the own one, or as a lead anybody's.

    Raises:
        NotFound: the user reviews no such attempt.
        NotNow: the claim is a colleague's.
    """
    reviewed = _locked(session, user, public_id)
    attempt = reviewed.attempt
    if attempt.claimed_by_id is None:
        return
    if attempt.claimed_by_id != user.id and reviewed.part is not Part.LEAD:
        raise NotNow("A colleague has claimed this attempt; they or who leads the interview can release it.")
    attempt.claimed_by_id = attempt.claimed_at = None
    audit.record(session, user, "review.release", attempt, now, reviewed.interview)


def save(
    session: Session, user: User, public_id: str, draft: Draft, version: int, packages: Packages, now: datetime
) -> int:
    """Store a draft, which its writer alone sees; return its version.

    It is saved every few seconds while somebody types, and leaves no entry in the audit log.

    Args:
        session: stores it.
        user: the reviewer.
        public_id: the attempt's.
        draft: all of it.
        version: what the form was made from; 0 before the first time.
        packages: knows the rubric.
        now: the time.

    Raises:
        NotFound: the user reviews no such attempt.
        NotNow: the review is finished.
        Outdated: something newer is stored.
    """
    reviewed = _locked(session, user, public_id)
    return _stored(session, user, reviewed, draft, version, packages, now).version


def finish(
    session: Session, user: User, public_id: str, draft: Draft, version: int, packages: Packages, now: datetime
) -> None:
    """Store a review for good, which opens it to colleagues who have finished theirs, and theirs to its writer.

    Raises:
        UserError: there is no decision in it.
        NotNow: the candidate is not done yet.
    As `save` otherwise.
    """
    reviewed = _locked(session, user, public_id)
    _require_over(session, reviewed, now)
    review = _stored(session, user, reviewed, draft, version, packages, now)
    if draft.decision is None:
        raise UserError("Choose a decision first; a review that is finished stays as it is.")
    review.finished_at = now
    audit.record(
        session,
        user,
        "review.finish",
        reviewed.attempt,
        now,
        reviewed.interview,
        decision=draft.decision.value,
        points=len(draft.points),
    )


def _require_over(session: Session, reviewed: Reviewed, now: datetime) -> None:
    """Make sure that nothing is handed in any more, and that nobody gives more time until this transaction ends."""
    if not own_time.is_over(taking_queries.invitation_locked(session, reviewed.invitation.id), now):
        raise NotNow(
            "The candidate's time is not over yet; keep the draft, and finish when nothing can change any more."
        )


def _stored(
    session: Session,
    user: User,
    reviewed: Reviewed,
    draft: Draft,
    version: int,
    packages: Packages,
    now: datetime,
) -> Review:
    review = queries.own_review(session, user, reviewed.attempt)
    if review is not None and review.finished_at is not None:
        raise NotNow("Your review of this attempt is finished, and stays as it is.")
    if version != (review.version if review else 0):
        raise Outdated(
            "A newer version of your review is stored, perhaps from another window. Look at what it has beside what "
            "you typed, then save again."
        )
    if draft.package not in ("", reviewed.package.sha256):
        raise Outdated(
            "This attempt was judged again with another version of its package, whose rubric may be another one. Look "
            "at the points that are ticked, then save again."
        )
    if not set(draft.points) <= rubric_of(packages.pinned(session, reviewed.package)).keys():
        raise UserError("The rubric has no such point; reload the page.")
    if review is None:
        review = Review(attempt_id=reviewed.attempt.id, user_id=user.id, version=0, updated_at=now)
        session.add(review)
    review.private_note, review.shared_note, review.decision = draft.private_note, draft.shared_note, draft.decision
    review.updated_at = now
    review.version += 1
    session.flush()
    queries.replace_points(session, review, draft.points)
    return review


def read_score(text: str, max_score: float) -> float | None:
    """Return the score that a form sends; None for an empty field, which takes an override back.

    Raises:
        UserError: it is none.
    """
    if not text.strip():
        return None
    try:
        score = float(text.strip().replace(",", "."))
    except ValueError:
        score = math.nan
    if not 0 <= score <= max_score:
        raise UserError(
            f"The score is a number from 0 to {max_score:g}; leave it empty to go back to the automatic one."
        )
    return score


def override(
    session: Session, user: User, public_id: str, score: float | None, reason: str, seen: int, now: datetime
) -> None:
    """Set an attempt's score by hand; the automatic one stays beside it, and so do all earlier ones.

    Args:
        session: stores it.
        user: who has just shown the password again.
        public_id: the attempt's.
        score: None: the automatic one counts again.
        reason: why; it stays in the history.
        seen: how many overrides the form was made after.
        now: the time.

    Raises:
        NotFound: the user neither reviews such an attempt nor is an admin, or their account is gone.
        UserError: there is no reason, or a very long one.
        NotNow: the candidate is not done yet.
        Outdated: somebody else has set the score meanwhile.
    """
    reason = storable(reason.replace("\r\n", "\n").strip())
    if not REASON_MIN <= len(reason) <= REASON_MAX:
        raise UserError(f"Say why, in {REASON_MIN} to {REASON_MAX} characters; the reason stays in the history.")
    keep_user(session, user.id)
    reviewed = queries.attempt_reviewed(session, user, public_id, writes=not user.is_admin, lock=True)
    _require_over(session, reviewed, now)
    history = queries.overrides_of(session, reviewed.attempt)
    if seen != len(history):
        raise Outdated("Somebody else has set this score meanwhile. Reload the page and look at the history first.")
    before = history[0].score if history else None
    if score == before:
        raise UserError("That is the score that counts already; enter another one.")
    session.add(
        ScoreOverride(attempt_id=reviewed.attempt.id, user_id=user.id, score=score, reason=reason, created_at=now)
    )
    audit.record(
        session, user, "review.override", reviewed.attempt, now, reviewed.interview, score=score, before=before
    )
