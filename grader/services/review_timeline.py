"""What happened in an attempt of an interview, in order: for who reviews it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Literal

from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.services.time_changes import TimeChange, all_changes
from grader.store import review_queries as queries
from grader.store.models import FollowUpAnswer, Submission
from grader.store.review_queries import Reviewed
from grader.wording import counted

Kind = Literal["ok", "bad", "ours", "none", "info"]


@dataclass(frozen=True)
class Event:
    """One thing that happened; `submission` is its number where it is one."""

    at: datetime
    kind: Kind
    word: str
    text: str = ""
    submission: int | None = None


def timeline(
    session: Session, reviewed: Reviewed, submissions: Sequence[Submission], answers: Mapping[str, FollowUpAnswer]
) -> tuple[Event, ...]:
    """Return everything that is known of an attempt's course, earliest first."""
    changes = all_changes(session, reviewed.invitation)
    events = [
        *_course(reviewed, changes),
        *(_time_change(change) for change in changes),
        *(
            Event(at, "none", "ran the samples", "" if verdict is None else f"They came to {verdict.value}.")
            for at, verdict in queries.runs_in(session, reviewed.attempt)
        ),
        *(_handed_in(submission) for submission in submissions),
        *(Event(answer.created_at, "info", "answered a follow-up question") for answer in answers.values()),
    ]
    # requests that overlap are numbered in another order than they came in; the numbers are what people know
    numbered = accumulate((submission.created_at for submission in submissions), max)
    place: dict[int | None, datetime] = dict(zip((one.ordinal for one in submissions), numbered, strict=True))
    return tuple(sorted(events, key=lambda event: place.get(event.submission, event.at)))


def _course(reviewed: Reviewed, changes: Sequence[TimeChange]) -> Iterator[Event]:
    attempt, invitation = reviewed.attempt, reviewed.invitation
    if invitation.accepted_at is not None:
        yield Event(invitation.accepted_at, "none", "accepted the invitation")
    if invitation.started_at is not None:
        yield Event(invitation.started_at, "info", "started the interview")
    if invitation.started_at != attempt.started_at:
        yield Event(attempt.started_at, "none", "opened this problem")
    if attempt.diagnosed_at is not None:
        yield Event(attempt.diagnosed_at, "info", "named a stage", attempt.diagnosed_stage or "")
    if attempt.draft_saved_at is not None:
        yield Event(attempt.draft_saved_at, "none", "last change in the editor")
    if invitation.ended_at is not None and all(change.at != invitation.ended_at for change in changes):
        yield Event(invitation.ended_at, "none", "the time was over")


def _time_change(change: TimeChange) -> Event:
    if change.is_own:
        return Event(change.at, "none", "ended the interview", "The candidate did, before the time was over.")
    word = "time ended early" if change.minutes is None else f"{counted(change.minutes, 'minute')} more"
    told = " (The candidate reads this reason.)" if change.is_told else ""
    return Event(change.at, "info", word, f"By {change.by}: {change.reason}{told}")


def _handed_in(submission: Submission) -> Event:
    verdict = submission.verdict
    kind: Kind = "info" if verdict is None else "ok" if verdict is Verdict.AC else "bad"
    word = "not judged yet" if verdict is None else verdict.value
    text = submission.message or ""
    if verdict is Verdict.JE:
        kind = "ours"
    by = ", the draft at the end of the time" if submission.is_by_clock else ""
    return Event(submission.created_at, kind, f"{word}{by}", text, submission.ordinal)
