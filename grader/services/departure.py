"""What is under way when an account is deleted, or loses its rights, and what becomes of it."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.report.visible import visible
from grader.services import audit, own_time
from grader.store import departure_queries as queries
from grader.store import taking_queries
from grader.store.departure_queries import OpenInterview
from grader.store.models import User
from grader.store.time_models import EarlyEnd
from grader.store.time_queries import is_ended_early
from grader.wording import counted, plural

DELETED: Final = "The account was deleted."


def left_behind(session: Session, user: User, now: datetime) -> tuple[str, ...]:
    """Return a sentence for each thing that the end of an account would leave unfinished, the urgent ones first."""
    taken = [
        f"{_quoted(title)} is being taken under this account. Its time ends then; what its editors hold is handed in, "
        "and all of it stays with the interviewers."
        for title in queries.taken(session, user, now)
    ]
    accepted = [
        f"{_quoted(title)} is accepted and not started. Nobody can start it under this account any more; the "
        "interviewers would have to send another invitation."
        for title in queries.accepted(session, user, now)
    ]
    return (*taken, *accepted, *interviews_left(session, user, now))


def end_taken(session: Session, user: User, actor: User | None, now: datetime) -> None:
    """End the time of what a user is taking whose account `actor` deletes; who watches the clock hands drafts in."""
    for place in taking_queries.invitations_locked(session, user.id):
        if own_time.is_running(place, now) and place.ended_at is None and not is_ended_early(session, place):
            place.ends_at = now
            session.add(
                EarlyEnd(invitation_id=place.id, user_id=user.id, reason=DELETED, is_told=False, created_at=now)
            )
            audit.record(session, actor, "invitation.end", place, now, place.interview, reason=DELETED)


def interviews_left(session: Session, user: User, now: datetime) -> tuple[str, ...]:
    """Return a sentence for each open interview that would lose its interviewer."""
    if not user.is_interviewer:
        return ()
    return tuple(_left(interview) for interview in queries.interviewed(session, user, now))


def _left(interview: OpenInterview) -> str:
    running = f", with {counted(interview.under_way, 'candidate')} under way" if interview.under_way else ""
    title = f"{_quoted(interview.title)} is open{running}"
    other, nobody = ("other ", "nobody else") if interview.is_led else ("", "nobody")
    if interview.other_leads:
        return (
            f"{title}. It goes on with its {other}{plural(interview.other_leads, 'lead')}; reviews that are not "
            "finished are read by nobody, and a lead can release what is claimed."
        )
    return (
        f"{title}, and {nobody} leads it. Candidates can go on, but nobody invites, gives time or releases results "
        "before an admin makes somebody a lead; better make somebody one first."
    )


def _quoted(title: str) -> str:
    return f"“{visible(title, keep='')}”"
