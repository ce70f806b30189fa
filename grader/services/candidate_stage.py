"""Where a candidate is in an interview: one answer, in the words of interviewers and in those for the candidate."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from grader.services import feedback, own_time
from grader.store.interview_models import Interview, Invitation


class Stage(StrEnum):
    """Where a candidate is in an interview that they accepted, as they read it."""

    TOO_EARLY = "opens later"
    READY = "ready"
    MISSED = "closed"  # before they started
    RUNNING = "under way"
    OVER = "ended"


class State(StrEnum):
    """Where a candidate is, as interviewers read it."""

    REVOKED = "revoked"
    NOT_ACCEPTED = "not opened"
    ACCEPTED = "accepted"
    STARTED = "under way"
    ENDED = "ended"
    MISSED = "ran out"  # nobody can start any more, and they have not


_STATES: Final = {Stage.MISSED: State.MISSED, Stage.RUNNING: State.STARTED, Stage.OVER: State.ENDED}


def stage_of(invitation: Invitation, interview: Interview, now: datetime) -> Stage:
    """Return where a candidate is, for themselves."""
    if invitation.started_at is not None:
        return Stage.OVER if own_time.is_over(invitation, now) else Stage.RUNNING
    if feedback.is_closed_to_all(interview, now):
        return Stage.MISSED
    return Stage.TOO_EARLY if interview.opens_at is not None and now < interview.opens_at else Stage.READY


def state_of(invitation: Invitation, interview: Interview, now: datetime) -> State:
    """Return where a candidate is, for interviewers."""
    if invitation.revoked_at is not None:
        return State.REVOKED
    before_start = State.NOT_ACCEPTED if invitation.accepted_at is None else State.ACCEPTED
    return _STATES.get(stage_of(invitation, interview, now), before_start)
