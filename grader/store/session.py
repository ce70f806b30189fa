"""Engines and sessions: SQLite with its rules, or PostgreSQL."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Dialect, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.store import sqlite_file
from grader.store.address import noticing, read_address
from grader.store.sqlite_place import require_file

BUSY_S: Final = 30.0  # how long a SQLite connection waits for another one's write
# errors tell no parameters, which may be sources and hashes; threads are as many as their server allows
_SHARED: Final[dict[str, Any]] = {"hide_parameters": True, "max_overflow": -1}
# of sessions that read, by database; it costs no statement, for the driver says so when it begins a transaction
_READS: Final[dict[str, dict[str, Any]]] = {"postgresql": {"isolation_level": "REPEATABLE READ"}}
# by each SQLite engine's dialect, which its variants share: whose turn it is to write, and how long others wait for it
_TURNS: Final[WeakKeyDictionary[Dialect, tuple[threading.Lock, float]]] = WeakKeyDictionary()


def make_engine(url: str, busy_s: float = BUSY_S) -> Engine:
    """Return an engine for a database address; a SQLite file's folder is made when it is missing.

    Args:
        url: the address.
        busy_s: how long a connection to SQLite waits for another one's write.

    Raises:
        UserError: the address names no database that the service works with.
    """
    address = read_address(url)
    if address.get_backend_name() == "sqlite":
        return _sqlite(address, busy_s)
    try:
        return create_engine(noticing(address), pool_pre_ping=True, **_SHARED)
    except ModuleNotFoundError:
        raise UserError("PostgreSQL needs psycopg; install it with: pip install 'grader[postgres]'") from None


def _sqlite(url: URL, busy_s: float) -> Engine:
    if not url.database or url.database == ":memory:":
        raise UserError("The database must be a file, because several threads share it; write sqlite:///FILE.")
    file = Path(url.database).absolute()
    require_file(file)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite gives its side files the same mode; what candidates wrote is nobody else's to read
        os.close(os.open(url.database, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise UserError(
            f"The database {url.database} cannot be made or opened ({error.strerror}); choose another place."
        ) from None
    connect = {"factory": sqlite_file.Connection, "isolation_level": None, "timeout": busy_s}
    engine = create_engine(url, connect_args=connect, **_SHARED)
    _TURNS[engine.dialect] = threading.Lock(), busy_s
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: Any, record: object) -> None:
    for pragma in ("journal_mode = WAL", "foreign_keys = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # a writer takes the lock at once: one that starts as a reader could not become a writer after another's commit
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def read_session(engine: Engine) -> Iterator[Session]:
    """Give a session that reads one state of the database and changes nothing; it takes no locks either.

    SQLite reads one state in any transaction; PostgreSQL would read a newer one with each statement.
    """
    with Session(engine.execution_options(**_READS.get(engine.dialect.name, {}))) as session:
        yield session


@contextmanager
def _turn(engine: Engine) -> Iterator[None]:
    turns = _TURNS.get(engine.dialect)
    if turns is None:
        yield
        return
    lock, longest_s = turns
    is_mine = lock.acquire(timeout=longest_s)  # whoever waits too long is told by the database
    try:
        yield
    finally:
        if is_mine:
            lock.release()


@contextmanager
def write_session(engine: Engine) -> Iterator[Session]:
    """Give a session that is committed at the end, or rolled back when an error leaves the block.

    On SQLite it holds the only write lock from its first statement on. The threads of this process take turns before
    they ask for it: SQLite itself would have them sleep, longer each time, and would let the luckiest have it.
    """
    with (
        _turn(engine),
        Session(engine.execution_options(writes=True), expire_on_commit=False) as session,
        session.begin(),
    ):
        yield session
