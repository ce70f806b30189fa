"""A candidate's attempts: start one in practice, hand a source in, give up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.grading.case_run import SOURCE_BYTES_MAX, is_empty
from grader.problems.loader import Problem
from grader.services import audit, own_time, practice_lock
from grader.services.packages import Packages
from grader.store import queries, taking_queries
from grader.store.base import Mode
from grader.store.held import keep_user
from grader.store.models import Attempt, Submission, User

WAITING_MAX: Final = 5  # submissions of one candidate that wait at a time, so that nobody fills the queue
Status = Literal["new", "in progress", "given up", "solved"]


class AttemptClosed(UserError):
    """The attempt does not take this any more, or not yet."""

    status = 409


class NothingHandedIn(UserError):
    """A source of nothing but white space: a slip, which no submission is used for."""


class SourceTooLarge(UserError):
    """No source of that size is judged, so it is not taken either."""

    status = 413


class TooManyWaiting(UserError):
    """The candidate's earlier submissions are not judged yet."""

    status = 429
    retry_after_s = 3


@dataclass(frozen=True)
class Progress:
    """What a candidate has reached on one problem, over all attempts."""

    status: Status = "new"
    submissions: int = 0
    points: float | None = None  # the best, less what hints cost
    attempts: Sequence[Attempt] = ()  # newest first


def start(
    session: Session, candidate: User, problem: Problem, variant: str, packages: Packages, now: datetime
) -> Attempt:
    """Return the candidate's running attempt in practice on a variant, begun now when there is none.

    However many ask at once, one attempt is begun: work in another one would be out of its candidate's sight.

    Raises:
        NotFound: the problem has no such variant, or the candidate's account is gone.
        ClosedMeanwhile: an interview that the candidate is taking has the problem.
    """
    keep_user(session, candidate.id, alone=True)
    practice_lock.require_open(session, candidate, problem.slug, now)
    if variant not in problem.spec.variants:
        raise NotFound(f"{problem.spec.title} has no such variant; choose one from its page.")
    package = packages.remember(session, problem, now)
    if running := queries.running_attempt(session, candidate, package, variant):
        return running
    attempt = Attempt(
        candidate_id=candidate.id, package_id=package.id, variant=variant, mode=Mode.PRACTICE, started_at=now
    )
    session.add(attempt)
    audit.record(session, candidate, "attempt.start", attempt, now, problem=package.slug, variant=variant)
    return attempt


def submit(session: Session, candidate: User, public_id: str, source: bytes, now: datetime) -> Submission:
    """Store a source as it is; it has no verdict until it is judged.

    Args:
        session: stores it.
        candidate: whose attempt it is.
        public_id: the attempt's.
        source: the bytes.
        now: when the whole request was there. What came in time is taken, however long it then waited for a lock.

    Raises:
        NotFound: there is no such attempt of this candidate.
        NothingHandedIn: it is empty.
        SourceTooLarge: it has more bytes than are judged.
        AttemptClosed: it has been given up, or its time is over, or its last submission is used.
        TooManyWaiting: several earlier submissions wait to be judged.
        ClosedMeanwhile: an interview that the candidate is taking closes the problem in practice.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    if is_empty(source):
        raise NothingHandedIn("The source is empty, so nothing was counted: write or choose the whole repaired file.")
    if len(source) > SOURCE_BYTES_MAX:
        raise SourceTooLarge(
            "The source is larger than 1 MiB, so nothing was counted: hand in the repaired file alone."
        )
    require_taken(session, attempt, now, "hand in another source")
    if attempt.interview is not None:
        if submissions_left(session, attempt) <= 0:
            raise AttemptClosed("Every submission that the interview allows for this problem is used.")
    elif queries.number_waiting(session, candidate) >= WAITING_MAX:
        raise TooManyWaiting(f"{WAITING_MAX} of your submissions are still being graded; wait for one of them.")
    ordinal = queries.last_ordinal(session, attempt) + 1
    submission = Submission(attempt=attempt, ordinal=ordinal, source=source, created_at=now)
    session.add(submission)
    interview, size = attempt.interview, len(source)
    audit.record(session, candidate, "attempt.submit", attempt, now, interview, number=ordinal, bytes=size)
    return submission


def require_taken(session: Session, attempt: Attempt, received_at: datetime, what: str) -> None:
    """Make sure that a locked attempt takes what came in at a time.

    Raises:
        AttemptClosed: it has been given up, or the candidate's time in the interview was over.
        ClosedMeanwhile: an interview that the candidate is taking closes the problem in practice.
    """
    if attempt.invitation_id is None:
        practice_lock.require_readable(session, attempt, received_at)
        if attempt.given_up_at is not None:
            raise AttemptClosed(f"You gave this attempt up; start the problem again to {what}.")
    elif not own_time.is_running(taking_queries.invitation_locked(session, attempt.invitation_id), received_at):
        raise AttemptClosed("Your time in this interview is over; what you handed in before is kept.")


def submissions_left(session: Session, attempt: Attempt) -> int:
    """Return how many submissions an interview still allows in an attempt; our own faults cost none."""
    assert attempt.interview is not None
    used = taking_queries.numbers_handed_in(session, [attempt]).get(attempt.id, 0)
    return max(0, attempt.interview.submissions_max - used)


def give_up(session: Session, candidate: User, public_id: str, now: datetime) -> Attempt:
    """End an attempt without a solution, which opens its follow-ups and answers; a solved one stays as it is.

    Raises:
        NotFound: there is no such attempt of this candidate.
        AttemptClosed: it is part of an interview.
        ClosedMeanwhile: an interview that the candidate is taking has its problem.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    if attempt.invitation_id is not None:
        raise AttemptClosed(
            "An attempt in an interview is not given up; go on with another problem, or end the interview."
        )
    practice_lock.require_readable(session, attempt, now)
    if not attempt.is_over:
        attempt.given_up_at = now
        audit.record(session, candidate, "attempt.give-up", attempt, now)
    return attempt


def progress(session: Session, candidate: User) -> dict[str, Progress]:
    """Return what a candidate has reached in practice, by the problems' slugs."""
    found: dict[str, Progress] = {}
    for attempt, number in reversed(queries.attempts_of(session, candidate)):
        before = found.get(attempt.package.slug, Progress())
        points = [number for number in (before.points, attempt.points) if number is not None]
        found[attempt.package.slug] = Progress(
            status="solved" if before.status == "solved" else status(attempt),
            submissions=before.submissions + number,
            points=max(points, default=None),
            attempts=(attempt, *before.attempts),
        )
    return found


def status(attempt: Attempt) -> Status:
    """Return an attempt's state in a word."""
    if attempt.solved_at is not None:
        return "solved"
    return "given up" if attempt.given_up_at is not None else "in progress"


def variant_status(progress: Progress, variant: str) -> Status:
    """Return the state of the newest attempt on one variant."""
    return next((status(attempt) for attempt in progress.attempts if attempt.variant == variant), "new")
