"""An interview while it runs: where each candidate is, what they reached on each problem, what waits to be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.services import own_time
from grader.services.candidate_stage import State, state_of
from grader.services.feedback import is_closed_to_all
from grader.store import interview_queries, invitation_queries, queries
from grader.store.interview_models import Interview, Invitation
from grader.store.interview_queries import Counts
from grader.store.invitation_queries import Tried
from grader.store.models import Submission

CANDIDATES_SHOWN: Final = 100  # on one page


@dataclass(frozen=True)
class Waiting:
    """A submission that is not judged yet."""

    place: int  # in the queue of all, from 1
    seconds: int


@dataclass(frozen=True)
class Line:
    """One candidate; `tried` has None for a problem that is not begun."""

    invitation: Invitation
    state: State
    seconds_left: int | None  # None unless under way
    tried: tuple[Tried | None, ...]
    waiting: tuple[Waiting | None, ...]


@dataclass(frozen=True)
class Live:
    """One page of candidates, and the numbers of all."""

    lines: tuple[Line, ...]
    counts: Counts
    page: int
    pages: int
    number: int  # of candidates, revoked ones with them
    can_change: bool  # whether anything may still happen that a page should keep asking for


def live(session: Session, interview: Interview, page: int, now: datetime) -> Live:
    """Return where an interview's candidates are; a page that does not exist is the last one."""
    number = invitation_queries.number_of_invitations(session, interview)
    pages = max(1, -(-number // CANDIDATES_SHOWN))
    page = min(max(1, page), pages)
    invitations = invitation_queries.invitations_in(session, interview, (page - 1) * CANDIDATES_SHOWN, CANDIDATES_SHOWN)
    tried = invitation_queries.tried_in(session, invitations)
    queue = {key: place for place, key in enumerate(queries.unjudged(session, Submission), start=1)}
    counts = interview_queries.counts_of(session, [interview], now)[interview.id]
    return Live(
        lines=tuple(_line(invitation, interview, tried, queue, now) for invitation in invitations),
        counts=counts,
        page=page,
        pages=pages,
        number=number,
        can_change=not is_closed_to_all(interview, now)
        or counts.under_way > 0
        or any(_is_waiting(one) for one in tried.values()),
    )


def line_of(session: Session, interview: Interview, invitation: Invitation, now: datetime) -> Line:
    """Return where one candidate is."""
    tried = invitation_queries.tried_in(session, [invitation])
    queue = {key: place for place, key in enumerate(queries.unjudged(session, Submission), start=1)}
    return _line(invitation, interview, tried, queue, now)


def _line(
    invitation: Invitation,
    interview: Interview,
    tried: Mapping[tuple[int, int], Tried],
    queue: Mapping[int, int],
    now: datetime,
) -> Line:
    found = state_of(invitation, interview, now)
    own = [tried.get((invitation.id, problem.id)) for problem in interview.problems]
    return Line(
        invitation=invitation,
        state=found,
        seconds_left=own_time.seconds_left(invitation, now) if found is State.STARTED else None,
        tried=tuple(own),
        waiting=_waiting(own, queue, now),
    )


def _waiting(own: Sequence[Tried | None], queue: Mapping[int, int], now: datetime) -> tuple[Waiting | None, ...]:
    return tuple(
        Waiting(queue.get(one.last_id or 0, 1), max(0, int((now - one.last_at).total_seconds())))
        if one is not None and one.last_at is not None and _is_waiting(one)
        else None
        for one in own
    )


def _is_waiting(tried: Tried) -> bool:
    return tried.last_id is not None and tried.verdict is None
