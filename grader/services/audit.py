"""The audit log: who changed what, and when. An entry stands in the transaction of its change, so neither is alone."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from grader.store import admin_queries
from grader.store.base import storable
from grader.store.interview_models import AuditEntry, Interview, Invitation, Rejudge
from grader.store.models import Attempt, User

Fact = str | int | float | bool | None
Subject = User | Attempt | Interview | Invitation | Rejudge
VALUE_MAX: Final = 200  # characters of one fact
POLLED_AGAIN: Final = timedelta(hours=1)  # an open page that asks every few seconds leaves an entry as often as that
KINDS: Final = {"user_account": "user"}  # where a table is called otherwise than what it holds


def record(
    session: Session,
    actor: User | None,
    action: str,
    subject: Subject | str,
    now: datetime,
    interview: Interview | None = None,
    **detail: Fact,
) -> None:
    """Write one entry; the database refuses to alter it afterwards.

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
    facts = {name: storable(value[:VALUE_MAX]) if isinstance(value, str) else value for name, value in detail.items()}
    session.add(
        AuditEntry(
            at=now,
            actor=actor.public_id if actor else "",
            action=action,
            subject=subject if isinstance(subject, str) else _named(subject),
            interview_id=interview.id if interview else None,
            detail=json.dumps(facts, sort_keys=True),
        )
    )
    session.flush()


def record_reading(
    session: Session,
    actor: User,
    action: str,
    subject: Subject,
    now: datetime,
    interview: Interview | None,
    *,
    is_polled: bool,
) -> None:
    """Write one entry for a reading; of a page that asks again on its own only when the last one is a while ago."""
    if is_polled and admin_queries.has_entry(session, actor, action, _named(subject), now - POLLED_AGAIN):
        return
    record(session, actor, action, subject, now, interview)


def _named(subject: Subject) -> str:
    table = subject.__tablename__
    return f"{KINDS.get(table, table)} {subject.public_id}"
