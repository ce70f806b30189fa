"""The end of a candidate's time: what the editors hold is handed in, once, and the invitation is closed.

A thread watches for it, and a page that is asked for looks first, so that it never shows the state from before.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.grading.case_run import is_empty
from grader.services import audit, own_time
from grader.services.judging import Dispatch
from grader.services.packages import Packages
from grader.store import queries, taking_queries
from grader.store.models import Attempt, Submission, User
from grader.store.session import read_session, write_session
from grader.store.time_models import EarlyEnd
from grader.store.time_queries import is_ended_early

EVERY_S: Final = 1.0
log = logging.getLogger(__name__)


def close(
    session: Session, invitation: int, packages: Packages, now: datetime, ended_by: User | None = None
) -> Sequence[Submission]:
    """Close an invitation whose time is over, or that its candidate ends; return the drafts that were handed in.

    Whoever comes second changes nothing.

    Args:
        session: stores the change, and has the returned submissions judged.
        invitation: its key.
        packages: where the starters are.
        now: the time.
        ended_by: the candidate, before the time is over; None: the clock.
    """
    attempts = taking_queries.attempts_locked(session, invitation)
    found = taking_queries.invitation_locked(session, invitation)
    if found.ended_at is not None or found.ends_at is None:
        return ()
    if own_time.is_over(found, now) or is_ended_early(session, found):
        ended_by = None  # the clock, or an interviewer, was faster
    elif ended_by is None:  # more time was given meanwhile
        return ()
    found.ended_at = min(now, found.ends_at)
    made = [
        submission
        for attempt in attempts
        if (submission := _hand_in(session, attempt, found.interview.submissions_max, packages, found.ended_at))
    ]
    if ended_by is not None:
        ended = EarlyEnd(
            invitation_id=found.id, user_id=ended_by.id, reason="", is_told=False, created_at=found.ended_at
        )
        session.add(ended)
    action = "invitation.end" if ended_by else "invitation.close"
    audit.record(session, ended_by, action, found, now, found.interview, drafts=len(made))
    return made


def hand_in_late(session: Session, attempt: Attempt, packages: Packages, now: datetime) -> Submission | None:
    """Hand in a draft that was received before the end and is saved after it, as the end would have done.

    It takes the place of what the end handed in when that is not judged yet, and stands beside it otherwise.

    Args:
        session: stores it, and has the returned submission judged.
        attempt: held, with the submissions that are the clock's and with its invitation, which is closed.
        packages: where the starters are.
        now: when the draft was received.
    """
    place = attempt.invitation
    assert place is not None
    assert place.ended_at is not None
    submission = _hand_in(session, attempt, place.interview.submissions_max, packages, place.ended_at)
    if submission is not None:
        facts = {"number": submission.ordinal, "bytes": len(submission.source)}
        audit.record(session, None, "attempt.late-draft", attempt, now, place.interview, **facts)
    return submission


def _hand_in(
    session: Session, attempt: Attempt, submissions_max: int, packages: Packages, end: datetime
) -> Submission | None:
    """Hand in a draft that is newer than the last submission and says something new, while one may be handed in."""
    draft, saved_at = attempt.draft, attempt.draft_saved_at
    if draft is None or saved_at is None or is_empty(draft) or draft == _starter(session, attempt, packages):
        return None
    last = taking_queries.newest_but_at_the_end(session, attempt, end)
    if (last is not None and last.source == draft) or not is_newer_than_own(session, attempt, saved_at):
        return None
    older = taking_queries.handed_in_at_the_end(session, attempt, end)
    if older is None:
        if taking_queries.numbers_handed_in(session, [attempt]).get(attempt.id, 0) >= submissions_max:
            return None
    elif older.source == draft:
        return None
    elif older.verdict is None:
        older.source = draft  # who is judging the older source finds out when the result is written
        return older
    ordinal = queries.last_ordinal(session, attempt) + 1
    submission = Submission(attempt=attempt, ordinal=ordinal, source=draft, created_at=end, is_by_clock=True)
    session.add(submission)
    return submission


def is_newer_than_own(session: Session, attempt: Attempt, saved_at: datetime) -> bool:
    """Return whether a draft is newer than what the candidate handed in.

    What an end handed in says nothing here: it was the draft of that time, whose place only a newer one takes, while
    its own time is the end's. A draft of before may be stored after it, once the time goes on.
    """
    last = queries.last_handed_in_at(session, attempt)
    return last is None or last < saved_at


def _starter(session: Session, attempt: Attempt, packages: Packages) -> bytes | None:
    try:
        return packages.pinned(session, attempt.package).starter(attempt.variant).encode()
    except InvalidPackage as error:
        log.error("the starter of attempt %s cannot be read: %s", attempt.public_id, error.message)
        return None


def close_one(engine: Engine, invitation: int, packages: Packages, dispatch: Dispatch, now: datetime) -> None:
    """Close an invitation that is due, and have its drafts judged."""
    with write_session(engine) as session:
        for submission in close(session, invitation, packages, now):
            dispatch(session, submission)


def close_due(engine: Engine, packages: Packages, dispatch: Dispatch, now: datetime) -> int:
    """Close every invitation that is due; return how many there were. One that fails does not stop the others."""
    with read_session(engine) as session:
        due = taking_queries.due_invitations(session, now)
    for invitation in due:
        try:
            close_one(engine, invitation, packages, dispatch, now)
        except Exception:
            log.exception("invitation %d could not be closed; it is tried again", invitation)
    return len(due)


def settle(
    engine: Engine, candidate: User, attempt_id: str, packages: Packages, dispatch: Dispatch, now: datetime
) -> None:
    """Close what a candidate's attempt is part of, when it is due, before the attempt is looked at."""
    with read_session(engine) as session:
        due = taking_queries.due_invitation_of(session, candidate, attempt_id, now)
    if due is not None:
        close_one(engine, due, packages, dispatch, now)


class Watch:
    """A thread that closes what is due."""

    def __init__(self, engine: Engine, packages: Packages, dispatch: Dispatch, clock: Callable[[], datetime]) -> None:
        self._engine, self._packages, self._dispatch, self._clock = engine, packages, dispatch, clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="deadlines", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop; what is due is closed by the next process."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(2 * EVERY_S)

    def _watch(self) -> None:
        while not self._stopping.wait(EVERY_S):
            try:
                close_due(self._engine, self._packages, self._dispatch, self._clock())
            except Exception:
                log.exception("what is due could not be looked up; it is tried again")
