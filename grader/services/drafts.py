"""What the editor holds: the draft that it saved, or what was handed in last, or the starter."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.problems.loader import Problem
from grader.services import deadline
from grader.services.attempts import require_taken
from grader.services.packages import Packages
from grader.store import queries, taking_queries
from grader.store.models import Attempt, Submission, User

BYTES_MAX: Final = 1 << 20  # of a draft, and of a source that the editor begins with


class DraftTooLarge(UserError):
    """No source of that size would be judged either."""

    status = 413


@dataclass(frozen=True)
class Saved:
    """What came of a draft that was taken."""

    at: datetime  # as it is stored; where a later one was saved first, when it came
    is_unseen: bool = False  # it took the place of a draft that nobody there saw
    late: Submission | None = None  # which it is, for it was saved after the end; to be judged


def save(
    session: Session,
    candidate: User,
    public_id: str,
    text: bytes,
    seen: datetime | None,
    packages: Packages,
    now: datetime,
) -> Saved:
    """Keep what an editor holds; the newest wins.

    What came in time and waited until the end was over counts as if it had been there at the end.

    Args:
        seen: when the draft was saved that this editor knows of.
        now: when the whole request was there.

    Raises:
        NotFound: there is no such attempt of this candidate.
        AttemptClosed: it has been given up, or its time is over.
        ClosedMeanwhile: an interview that the candidate is taking closes the problem in practice.
        DraftTooLarge: it is larger than a source may be.
    """
    if len(text) > BYTES_MAX:
        raise DraftTooLarge("The draft is larger than 1 MiB and is not kept; shorten it.")
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    if _is_closed(attempt):
        taking_queries.by_clock_locked(session, attempt)
    require_taken(session, attempt, now, "go on")
    is_closed = _is_closed(attempt)  # more time may have been given before that lock; nothing ends behind the attempt's
    if _is_overtaken(attempt, seen, now):
        return Saved(now)
    is_unseen = _is_unseen(attempt, seen, text)
    before = attempt.draft_saved_at
    at = now if before is None else max(now, before + datetime.resolution)
    attempt.draft, attempt.draft_saved_at = text, at
    return Saved(at, is_unseen, deadline.hand_in_late(session, attempt, packages, now) if is_closed else None)


def _is_overtaken(attempt: Attempt, seen: datetime | None, now: datetime) -> bool:
    """Whether a draft that came later was saved first.

    Not where the editor knew of the other: machines' clocks differ, and what was typed on top of it is newer.
    """
    return attempt.draft_saved_at is not None and now < attempt.draft_saved_at != seen


def _is_closed(attempt: Attempt) -> bool:
    return attempt.invitation is not None and attempt.invitation.ended_at is not None


def unseen_draft(attempt: Attempt, seen: datetime | None, text: bytes) -> str | None:
    """Return the draft that `text` would take the place of unseen, as an editor can hold it; None when there is none.

    Args:
        seen: when the draft was saved that the text's editor knows of.
    """
    return _text(attempt.draft) if attempt.draft is not None and _is_unseen(attempt, seen, text) else None


def _is_unseen(attempt: Attempt, seen: datetime | None, text: bytes) -> bool:
    return attempt.draft_saved_at is not None and attempt.draft_saved_at != seen and attempt.draft != text


def editable_source(session: Session, attempt: Attempt, problem: Problem) -> str:
    """Return what the editor begins with: the newer one of draft and last submission, as far as they are text."""
    submission = queries.newest_submission(session, attempt)
    found = [] if submission is None else [submission.source]
    if attempt.draft is not None and attempt.draft_saved_at is not None:
        found.append(attempt.draft)
        if deadline.is_newer_than_own(session, attempt, attempt.draft_saved_at):
            found.reverse()
    for source in found:
        if (text := _text(source)) is not None:
            return text
    return problem.starter(attempt.variant)


def _text(source: bytes) -> str | None:
    """Return a source as an editor can hold it; None when it is none, or so large that it slows a browser down."""
    if len(source) > BYTES_MAX or b"\0" in source:
        return None
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
