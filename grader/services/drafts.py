"""What the editor holds: the draft that it saved, or what was handed in last, or the starter."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.problems.loader import Problem
from grader.services.attempts import require_taken
from grader.store import queries
from grader.store.models import Attempt, User

BYTES_MAX: Final = 1 << 20  # of a draft, and of a source that the editor begins with


class DraftTooLarge(UserError):
    """No source of that size would be judged either."""

    status = 413


def save(session: Session, candidate: User, public_id: str, text: bytes, seen: datetime | None, now: datetime) -> bool:
    """Keep what an editor holds; the newest wins. Return whether it took the place of a draft that nobody there saw.

    Args:
        seen: when the draft was saved that this editor knows of.

    Raises:
        NotFound: there is no such attempt of this candidate.
        AttemptClosed: it has been given up, or its time is over.
        ClosedMeanwhile: an interview that the candidate is taking closes the problem in practice.
        DraftTooLarge: it is larger than a source may be.
    """
    if len(text) > BYTES_MAX:
        raise DraftTooLarge("The draft is larger than 1 MiB and is not kept; shorten it.")
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    require_taken(session, attempt, now, "go on")
    is_unseen = _is_unseen(attempt, seen, text)
    attempt.draft, attempt.draft_saved_at = text, now
    return is_unseen


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
    found: list[tuple[datetime, bytes]] = []
    if submission is not None:
        found.append((submission.created_at, submission.source))
    if attempt.draft is not None and attempt.draft_saved_at is not None:
        found.append((attempt.draft_saved_at, attempt.draft))
    for _, source in sorted(found, key=lambda item: item[0], reverse=True):
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
