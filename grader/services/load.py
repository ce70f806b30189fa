"""How much waits to be judged, and whether more may be taken."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.store import queue

WAITING_MAX: Final = 1000  # of everybody together, half a minute on two cores; who comes later is asked to wait first
OLDEST_MAX_S: Final = 120.0  # a queue that stands still is not made longer
READY_S: Final = 60.0  # the oldest one waits no longer than this while all is well


class TooBusy(UserError):
    """So much waits to be judged that another one would not be judged soon."""

    status = 503
    retry_after_s = 10


@dataclass(frozen=True)
class Load:
    """What waits at one moment."""

    waiting: int
    oldest_s: float  # how long the oldest one has waited, 0 when nothing does

    @property
    def is_ordinary(self) -> bool:
        """Whether everything is judged soon."""
        return self.oldest_s <= READY_S


def load(session: Session, now: datetime, since: datetime) -> Load:
    """Return what waits to be judged.

    Args:
        session: reads the database.
        now: the time.
        since: when this process began to judge; what a stopped one left did not wait for it before.
    """
    waiting, oldest = queue.waiting(session)
    return Load(waiting, max(0.0, (now - max(oldest, since)).total_seconds()) if oldest else 0.0)


def require_room(session: Session, now: datetime, since: datetime) -> None:
    """Make sure that what is handed in now is judged soon.

    Raises:
        TooBusy: too much waits, or has waited too long.
    """
    found = load(session, now, since)
    if found.waiting >= WAITING_MAX or found.oldest_s > OLDEST_MAX_S:
        raise TooBusy(
            "Too many submissions wait to be graded right now, so this one was not stored; "
            "keep the text and hand it in again in a few seconds."
        )
