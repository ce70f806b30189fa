"""Reading the audit log: an interview's part, and what an admin asks for, page by page or as one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.report.result import csv_line
from grader.report.visible import visible
from grader.store import admin_queries as queries
from grader.store.admin_queries import Wanted
from grader.store.interview_models import AuditEntry, Interview, RepeatedReading
from grader.store.models import User
from grader.store.session import read_session
from grader.wording import iso_time

SHOWN: Final = 100  # on one page
STRETCH: Final = 500  # entries that are held at a time while all are read
TEXT_MAX: Final = 100
FIELDS: Final = ("actor", "action", "subject", "interview", "since", "until")
COLUMNS: Final = ("at", "actor", "actor_name", "action", "subject", "interview", "detail", "read_again", "last_read_at")


@dataclass(frozen=True)
class Line:
    """An entry as it is shown."""

    key: int
    at: datetime
    actor: str  # empty: the service itself, or who runs it at its machine
    name: str | None  # the actor's; None for a deleted user and for the service
    action: str
    subject: str
    interview: str | None
    detail: str
    read_again: int  # how often what a reading's entry tells was asked for again on its own, without another entry
    last_read_at: datetime | None


def wanted(asked: Mapping[str, str]) -> Wanted:
    """Return what an address asks for.

    Raises:
        UserError: a day is none.
    """
    texts = {name: asked.get(name, "").strip()[:TEXT_MAX] for name in FIELDS}
    until = _day(texts["until"])
    return Wanted(
        actor=texts["actor"],
        action=texts["action"],
        subject=texts["subject"],
        interview=texts["interview"],
        since=_day(texts["since"]),
        until=until + timedelta(days=1) if until else None,  # the day that is named belongs to it
    )


def page(session: Session, reader: User, asked: Wanted, before: int | None) -> tuple[Sequence[Line], int | None]:
    """Return a page of the log, the newest first, and the key before which the next one begins.

    What happens in interviews where the reader is a candidate is left out.
    """
    found = queries.newest_entries(session, reader, asked, before, SHOWN + 1)
    names = queries.names_of(session, {entry.actor for entry, *_ in found})
    lines = [_line(names.get(entry.actor), entry, interview, again) for entry, interview, again in found[:SHOWN]]
    return lines, lines[-1].key if len(found) > SHOWN else None


def interview_page(
    session: Session, reader: User, interview: Interview, before: int | None
) -> tuple[Sequence[Line], int | None]:
    """As `page`, of one interview that the reader may read; when colleagues finish reviews is left out."""
    return page(session, reader, Wanted(interview=interview.public_id, is_without_others_reviews=True), before)


def _line(name: str | None, entry: AuditEntry, interview: str | None, again: RepeatedReading | None) -> Line:
    told = entry.id, entry.at, entry.actor, name, entry.action, entry.subject, interview, entry.detail
    return Line(*told, *((again.times, again.last_at) if again and again.times else (0, None)))


def table(engine: Engine, reader: User, asked: Wanted) -> Iterator[str]:
    """Give the log as CSV, the oldest first, piece by piece: a slow reader holds no connection.

    What happens in interviews where the reader is a candidate is left out.
    """
    yield csv_line(COLUMNS)
    names: dict[str, str] = {}
    last, is_more = 0, True
    while is_more:
        with read_session(engine) as session:
            found = queries.entries_after(session, reader, asked, last, STRETCH)
            names |= queries.names_of(session, {entry.actor for entry, *_ in found} - names.keys())
        for entry, interview, again in found:
            line = _line(names.get(entry.actor), entry, interview, again)
            told = line.actor, line.name or "", line.action, line.subject, line.interview or "", line.detail
            last_read_at = iso_time(line.last_read_at) if line.last_read_at else ""
            yield csv_line((iso_time(line.at), *told, str(line.read_again or ""), last_read_at))
            last = entry.id
        is_more = len(found) == STRETCH


def _day(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise UserError(f"{visible(text, keep='')} is no day; write it as 2026-03-01.") from None
