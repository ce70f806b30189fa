"""A candidate's attempts: start, hand a source in, give up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.problems.loader import Problem
from grader.services import audit
from grader.services.packages import Packages
from grader.store import queries
from grader.store.base import Mode
from grader.store.models import Attempt, Submission, User

WAITING_MAX: Final = 5  # submissions of one candidate that wait at a time, so that nobody fills the queue
Status = Literal["new", "in progress", "given up", "solved"]


class AttemptClosed(UserError):
    """The attempt does not take this any more, or not yet."""

    status = 409


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
    """Return the candidate's running attempt on a variant, begun now when there is none.

    Raises:
        NotFound: the problem has no such variant.
    """
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

    Raises:
        NotFound: there is no such attempt of this candidate.
        AttemptClosed: it has been given up.
        TooManyWaiting: several earlier submissions wait to be judged.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    if attempt.given_up_at is not None:
        raise AttemptClosed("You gave this attempt up; start the problem again to hand in another source.")
    if queries.number_waiting(session, candidate) >= WAITING_MAX:
        raise TooManyWaiting(f"{WAITING_MAX} of your submissions are still being graded; wait for one of them.")
    ordinal = queries.last_ordinal(session, attempt) + 1
    submission = Submission(attempt=attempt, ordinal=ordinal, source=source, created_at=now)
    session.add(submission)
    audit.record(session, candidate, "attempt.submit", attempt, now, number=ordinal, bytes=len(source))
    return submission


def give_up(session: Session, candidate: User, public_id: str, now: datetime) -> Attempt:
    """End an attempt without a solution, which opens its follow-ups and answers; a solved one stays as it is.

    Raises:
        NotFound: there is no such attempt of this candidate.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    if not attempt.is_over:
        attempt.given_up_at = now
        audit.record(session, candidate, "attempt.give-up", attempt, now)
    return attempt


def progress(session: Session, candidate: User) -> dict[str, Progress]:
    """Return what a candidate has reached, by the problems' slugs."""
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
