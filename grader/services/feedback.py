"""What a candidate sees of an attempt at one moment; pages, the programs' interface and exports all ask here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.services import own_time, practice_lock
from grader.services.hints import FAULT, level_of
from grader.store.interview_models import Interview, Invitation, Shown
from grader.store.models import Attempt

WHEN: Final[Mapping[Shown, str]] = {
    Shown.AT_ONCE: "at once",
    Shown.AFTER_END: "when your time is over",
    Shown.WHEN_RELEASED: "when the interviewers release the results",
    Shown.NEVER: "not here",
}  # of verdicts and points; answers open later than that, see `visible`


class ContentClosed(UserError):
    """The candidate's time is over, and others still meet the problem."""

    status = 409


@dataclass(frozen=True)
class Feedback:
    """What is open: in practice always the same, in an interview as it was set up."""

    verdict: bool  # with its message, prints of the samples, and the finding as far as `hint_level` goes
    points: bool  # and groups, which tell them
    by_hand: bool  # scores that reviewers set beside automatic ones: not before the results are released
    answers: bool  # expected answers, each after the own one; corrected source; what was planted
    hint_level: int
    questions: bool  # follow-up questions, once something was handed in
    content: bool  # statement, starter, samples
    is_open: bool  # whether sources and drafts are still taken
    is_over: bool  # practice: solved or given up; interview: the own time is over
    is_practice: bool
    is_closed_meanwhile: bool = False  # another interview, which they are taking, has the problem: nothing is shown


def of(session: Session, attempt: Attempt, now: datetime) -> Feedback:
    """Return what an attempt's candidate sees of it now.

    Raises:
        ClosedMeanwhile: another interview, which they are taking, closes its problem.
    """
    practice_lock.require_readable(session, attempt, now)
    if attempt.invitation is None:
        return visible(attempt, None, None, now)
    return visible(attempt, attempt.invitation.interview, attempt.invitation, now)


def require_content(shown: Feedback) -> None:
    """Make sure that statement, starter and samples may be read.

    Raises:
        ContentClosed: the candidate's time is over, and others still meet the problem.
    """
    if not shown.content:
        raise ContentClosed(
            "Your time is over, and the problem stays closed until nobody else can start this interview; "
            "what you handed in is kept."
        )


def visible(
    attempt: Attempt,
    interview: Interview | None,
    invitation: Invitation | None,
    now: datetime,
    closed: frozenset[str] = frozenset(),
) -> Feedback:
    """Return what a candidate sees of an attempt now; whether practice is closed is asked elsewhere.

    Answers never open before the candidate's own time is over, and they and the statement stay closed after it until
    nobody else can start any more: who comes later meets the same problems.

    Args:
        closed: the problems that an interview closes which the candidate is taking.
    """
    if interview is None or invitation is None:
        return _practice(attempt)
    if closed and own_time.is_over(invitation, now) and attempt.package.slug in closed:
        return _CLOSED
    return _in_interview(interview, invitation, now)


def _in_interview(interview: Interview, invitation: Invitation, now: datetime) -> Feedback:
    is_over = own_time.is_over(invitation, now)
    is_released = is_over and interview.released_at is not None and interview.released_at <= now
    opened = {
        Shown.AT_ONCE: True,
        Shown.AFTER_END: is_over,
        Shown.WHEN_RELEASED: is_released,
        Shown.NEVER: False,
    }
    is_running = invitation.started_at is not None and not is_over
    verdict = opened[interview.verdicts]
    is_closed = is_closed_to_all(interview, now)
    answers = is_over and opened[interview.answers] and is_closed
    level = FAULT if answers else interview.hint_level
    return Feedback(
        verdict=verdict,
        points=opened[interview.points],
        by_hand=opened[interview.points] and is_released,
        answers=answers,
        hint_level=level if verdict else 0,
        questions=is_over,
        content=is_running or (is_over and is_closed),
        is_open=is_running,
        is_over=is_over,
        is_practice=False,
    )


_CLOSED: Final = Feedback(
    verdict=False,
    points=False,
    by_hand=False,
    answers=False,
    hint_level=0,
    questions=False,
    content=False,
    is_open=False,
    is_over=True,
    is_practice=False,
    is_closed_meanwhile=True,
)


def is_closed_to_all(interview: Interview, now: datetime) -> bool:
    """Tell whether nobody can start an interview any more: past its window, archived or released.

    Who asked before a release and waited for it comes after it.
    """
    is_past = interview.closes_at is not None and interview.closes_at <= now
    return is_past or interview.released_at is not None or interview.archived_at is not None


def are_answers_out(interview: Interview, now: datetime) -> bool:
    """Tell whether candidates whose time is over can read answers before a release; then nothing opens again."""
    return interview.answers in (Shown.AT_ONCE, Shown.AFTER_END) and is_closed_to_all(interview, now)


def told_at_the_end(interview: Interview) -> str:
    """Return what candidates read once their own time is over and not before."""
    parts = [("verdicts", interview.verdicts), ("points", interview.points)]
    *others, last = [word for word, shown in parts if shown is Shown.AFTER_END] + ["follow-up questions"]
    return f"{', '.join(others)} and {last}" if others else last


def _practice(attempt: Attempt) -> Feedback:
    is_over = attempt.is_over
    return Feedback(
        verdict=True,
        points=True,
        by_hand=False,
        answers=is_over,
        hint_level=level_of(attempt),
        questions=is_over,
        content=True,
        is_open=attempt.given_up_at is None,
        is_over=is_over,
        is_practice=True,
    )
