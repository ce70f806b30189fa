"""A candidate's own time in an interview: when it ends, and whether something came in before.

What counts is when a request was there as a whole, before it waited for anything; the end itself is still in time.
"""

from __future__ import annotations

import math
from datetime import datetime

from grader.store.interview_models import Invitation


def end_of(invitation: Invitation) -> datetime | None:
    """Return when a candidate's time ends or ended; None before they start."""
    if invitation.started_at is None or invitation.ends_at is None:
        return None
    return min(invitation.ends_at, invitation.ended_at or invitation.ends_at)


def is_running(invitation: Invitation, received_at: datetime) -> bool:
    """Whether what came in at a time came in between start and end."""
    end = end_of(invitation)
    return end is not None and received_at <= end


def is_over(invitation: Invitation, now: datetime) -> bool:
    """Whether a candidate has started and has no time left."""
    end = end_of(invitation)
    return end is not None and (now > end or invitation.ended_at is not None)


def seconds_left(invitation: Invitation, now: datetime) -> int:
    """Return the seconds until the end, a begun one as a whole: 0 only when there are none."""
    end = end_of(invitation)
    return 0 if end is None else max(0, math.ceil((end - now).total_seconds()))
