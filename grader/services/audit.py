"""The audit log: who changed what, and when. An entry stands in the transaction of its change, so neither is alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from grader.store import admin_queries
from grader.store.base import storable
from grader.store.interview_models import AuditEntry, Interview, Invitation, Rejudge, RepeatedReading
from grader.store.models import Attempt, User

Fact = str | int | float | bool | None
Subject = User | Attempt | Interview | Invitation | Rejudge
VALUE_MAX: Final = 200  # characters of one fact
POLLED_AGAIN: Final = timedelta(hours=1)  # what asks every few seconds leaves an entry as often as that
KINDS: Final = {"user_account": "user"}  # where a table is called otherwise than what it holds


def record(
    session: Session,
    actor: User | None,
    action: str,
    subject: Subject | str,
    now: datetime,
    interview: Interview | None = None,
    **detail: Fact,
) -> AuditEntry:
    """Write one entry and return it; the database refuses to alter it afterwards.

    Args:
        session: the change's own; the entry is stored with it or not at all.
        actor: who changes something; None: the service itself, or who runs it at its machine.
        action: what is changed and how, such as "attempt.start".
        subject: what is changed; a text is a kind and what it is known by.
        now: the time.
        interview: of which it is part, so that its interviewers can read the entry.
        detail: facts that tell entries apart; never secrets, sources or answers.
    """
    session.flush()  # what was only just made gets its ids
    entry = AuditEntry(
        at=now,
        actor=actor.public_id if actor else "",
        action=action,
        subject=subject if isinstance(subject, str) else _named(subject),
        interview_id=interview.id if interview else None,
        detail=_told(detail),
    )
    session.add(entry)
    session.flush()
    return entry


def _told(detail: Mapping[str, Fact]) -> str:
    facts = {name: storable(value[:VALUE_MAX]) if isinstance(value, str) else value for name, value in detail.items()}
    return json.dumps(facts, sort_keys=True)


def record_reading(
    session: Session,
    actor: User,
    action: str,
    subject: Subject,
    now: datetime,
    interview: Interview | None,
    *,
    is_polled: bool,
    **detail: Fact,
) -> None:
    """Write one entry for a reading.

    What a page or a program asks for again and again leaves one for as long as `POLLED_AGAIN`, which counts the others:
    of the same reader, action and subject, with the same facts.
    """
    since = now - POLLED_AGAIN
    if is_polled and admin_queries.count_reading(session, actor, action, _named(subject), _told(detail), since, now):
        return
    entry = record(session, actor, action, subject, now, interview, **detail)
    session.add(RepeatedReading(entry_id=entry.id, times=0, last_at=now))


def _named(subject: Subject) -> str:
    table = subject.__tablename__
    return f"{KINDS.get(table, table)} {subject.public_id}"
