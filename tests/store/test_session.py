"""Engines and sessions: SQLite's rules, times, and that two writers never lose an update."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError, OperationalError, StatementError

from grader.errors import UserError
from grader.store import queries
from grader.store.base import new_public_id
from grader.store.migrate import upgrade
from grader.store.models import Attempt, Submission, User
from grader.store.session import make_engine, read_session, write_session
from tests.store.rows import NOON, make_attempt, make_candidate, make_package, make_submission


def test_sqlite_connections_follow_the_rules(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    with engine.connect() as connection:
        pragmas = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "foreign_keys", "synchronous")
        }
    engine.dispose()
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2}


def test_only_write_sessions_take_the_lock_at_once(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    begun: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *args: begun.append(args[2]))
    with read_session(engine) as session:
        session.execute(text("SELECT 1"))
    with write_session(engine) as session:
        session.execute(text("SELECT 1"))
    engine.dispose()
    assert [statement for statement in begun if statement.startswith("BEGIN")] == ["BEGIN", "BEGIN IMMEDIATE"]


def test_a_failing_write_session_leaves_nothing(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)

    def fail() -> None:
        with write_session(engine) as session:
            make_candidate(session)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with read_session(engine) as session:
        assert session.query(User).count() == 0
    engine.dispose()


def test_a_read_session_reads_one_state(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)
    with read_session(engine) as reading:
        before = reading.query(User).count()
        with write_session(engine) as writing:
            make_candidate(writing)
        assert (before, reading.query(User).count()) == (0, 0)
    with write_session(engine) as writing:  # on the connection of the one before, which reads what is there
        assert writing.query(User).count() == 1
        level = "SELECT current_setting('transaction_isolation')"
        if engine.dialect.name == "postgresql":
            assert writing.execute(text(level)).scalar_one() == "read committed"
    engine.dispose()


def test_times_come_back_in_utc_and_need_a_zone(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)
    elsewhere = datetime(2026, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    with write_session(engine) as session:
        session.add(User(name="Ada", name_key="Ada", created_at=elsewhere))
    with read_session(engine) as session:
        found = session.query(User).one().created_at
        assert (found, found.tzinfo) == (NOON, UTC)
    with pytest.raises(StatementError, match="without a zone"), write_session(engine) as session:
        session.add(User(name="Ada", name_key="Ada", created_at=datetime(2026, 3, 1)))
    engine.dispose()


def test_foreign_keys_hold(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)
    with pytest.raises(IntegrityError), write_session(engine) as session:
        session.add(Submission(attempt_id=99, ordinal=1, source=b"", created_at=NOON))
    engine.dispose()


def test_ordinals_stay_unique_when_many_threads_write(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)
    with write_session(engine) as session:
        candidate = make_candidate(session)
        attempt = make_attempt(session, candidate, make_package(session))

    def submit() -> None:
        for _ in range(5):
            with write_session(engine) as session:
                mine = queries.attempt_of(session, candidate, attempt.public_id, lock=True)
                make_submission(session, mine, queries.last_ordinal(session, mine) + 1)

    threads = [threading.Thread(target=submit) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with read_session(engine) as session:
        found = session.query(Attempt).one()
        assert [row.ordinal for row in queries.submissions_in(session, found)] == list(range(1, 31))
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nonsense", "cannot be read"),
        ("mysql://host/name", "not supported"),
        ("sqlite://", "must be a file"),
        ("sqlite:////proc/no/such/folder/x.sqlite3", "cannot be made"),
    ],
)
def test_unusable_addresses_are_one_clear_sentence(url: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        make_engine(url)


def test_public_ids_are_random_base32() -> None:
    found = {new_public_id() for _ in range(1000)}
    assert len(found) == 1000
    assert all(
        len(public_id) == 12 and set(public_id) <= set("abcdefghijklmnopqrstuvwxyz234567") for public_id in found
    )


def test_writers_of_one_process_take_turns(sqlite_url: str) -> None:
    """A writer that has to wait goes on as soon as the one before it is done, and not after a nap."""
    upgrade(sqlite_url)
    engine = make_engine(sqlite_url, busy_s=20)
    order: list[str] = []
    is_writing, may_end = threading.Event(), threading.Event()

    def write_first() -> None:
        with write_session(engine) as session:
            make_candidate(session, "first")
            is_writing.set()
            may_end.wait(20)
            order.append("first")

    def write_second() -> None:
        with write_session(engine) as session:
            order.append("second")
            make_candidate(session, "second")

    first, second = threading.Thread(target=write_first), threading.Thread(target=write_second)
    first.start()
    is_writing.wait(20)
    second.start()
    with read_session(engine) as session:
        assert session.query(User).count() == 0  # readers do not wait
    may_end.set()
    first.join()
    second.join()
    assert order == ["first", "second"]
    engine.dispose()


def test_a_writer_that_waits_too_long_is_told_by_the_database(sqlite_url: str) -> None:
    upgrade(sqlite_url)
    engine = make_engine(sqlite_url, busy_s=0.1)
    with write_session(engine) as session:
        make_candidate(session, "first")
        with pytest.raises(OperationalError, match="database is locked"), write_session(engine) as other:
            make_candidate(other, "second")
    with read_session(engine) as session:
        assert [user.name for user in session.query(User)] == ["first"]
    engine.dispose()
