"""The audit log: an entry stands and falls with its change, and stays as it is."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, func, select, text
from sqlalchemy.exc import DBAPIError

from grader.services import audit
from grader.store.interview_models import AuditEntry, RepeatedReading
from grader.store.session import read_session, write_session
from tests.services.made import NOON, after, make_candidate


def rows(engine: Engine) -> list[tuple[str, str, str, str]]:
    with read_session(engine) as session:
        found = session.scalars(select(AuditEntry).order_by(AuditEntry.id))
        return [(entry.actor, entry.action, entry.subject, entry.detail) for entry in found]


def test_an_entry_says_who_did_what_to_whom(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    with write_session(engine) as session:
        audit.record(session, ada, "user.greet", ada, after(1), loudly=True, words="\ud800\0 hello" + "x" * 300)
        audit.record(session, None, "shop.open", "shop 1", after(2))
    ours = rows(engine)[-2:]
    assert ours[0][:3] == (ada.public_id, "user.greet", f"user {ada.public_id}")
    assert ours[0][3] == '{"loudly": true, "words": "?\\u2400 hello' + "x" * 192 + '"}'
    assert ours[1] == ("", "shop.open", "shop 1", "{}")


def test_what_is_asked_for_again_leaves_an_entry_an_hour_which_counts(engine: Engine) -> None:
    root, other, lena = (make_candidate(engine, name) for name in ("Root", "Other", "Lena"))
    begun = []
    for reader, subject, shelf, minutes, is_polled in (
        (root, lena, "a", 0, False),
        (root, lena, "a", 1, True),
        (root, lena, "b", 2, True),
        (root, lena, "a", 59, True),
        (root, lena, "a", 60, True),
        (other, lena, "a", 61, True),
        (root, other, "a", 62, True),
        (root, lena, "a", 119, True),
        (root, lena, "a", 119, False),
    ):
        with write_session(engine) as session:
            before = session.scalar(select(func.count(AuditEntry.id)))
            args = reader, "shelf.read", subject, after(minutes), None
            audit.record_reading(session, *args, is_polled=is_polled, shelf=shelf)
            begun.append(session.scalar(select(func.count(AuditEntry.id))) != before)
    assert begun == [True, False, True, False, True, True, True, False, True]
    with read_session(engine) as session:
        counted = session.scalars(select(RepeatedReading).order_by(RepeatedReading.entry_id)).all()
    assert [(one.times, one.last_at) for one in counted] == [
        (2, after(59)),
        (0, after(2)),
        (1, after(119)),
        (0, after(61)),
        (0, after(62)),
        (0, after(119)),
    ]


def test_an_entry_of_a_change_that_failed_is_not_there(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    before = rows(engine)

    def fail() -> None:
        with write_session(engine) as session:
            audit.record(session, ada, "user.greet", ada, NOON)
            raise RuntimeError("the change fails")

    with pytest.raises(RuntimeError):
        fail()
    assert rows(engine) == before


@pytest.mark.parametrize("statement", ["UPDATE audit_entry SET action = 'x'", "DELETE FROM audit_entry"])
def test_the_database_refuses_to_alter_entries(engine: Engine, statement: str) -> None:
    make_candidate(engine, "Ada")
    before = rows(engine)
    assert before
    with pytest.raises(DBAPIError, match="the audit log is only added to"), write_session(engine) as session:
        session.execute(text(statement))
    assert rows(engine) == before
