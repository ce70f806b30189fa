"""Copies of the database: made at any time, put back only while nobody uses it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grader.errors import UserError
from grader.store import lock, sqlite_file
from grader.store.conninfo import public_conninfo
from grader.store.migrate import revisions
from grader.store.sqlite_place import require_file

PAGES_AT_ONCE: Final = 2000
_SIDE_FILES: Final = ("", "-wal", "-shm")
_OF_ALL_REVISIONS: Final = frozenset({"package", "attempt", "submission"})  # tables


def backup(url: str, target: Path, *, force: bool = False) -> None:
    """Write a copy of the database as it is at this moment, readable for its owner alone; it may be in use.

    Raises:
        UserError: the target exists already or cannot be written, or pg_dump is missing or fails.
    """
    _require_free(target, force)
    database = lock.file_of(url)
    if database is None:
        with _new_file(target) as written:
            _dump_postgres(url, written)
        return
    require_file(database, os.R_OK)
    if not database.exists():
        raise UserError(f"There is no database at {database} yet; GRADER_DATA names the folder that holds it.")
    if target.exists() and target.samefile(database):
        raise UserError(f"{target} is the database itself; choose another name.")
    with _new_file(target) as written:
        _copy(database, written)


def restore(url: str, source: Path) -> Path | None:
    """Put a copy in the database's place; everybody signs in anew, and programs need new tokens.

    Returns:
        Where the database that was there is now, None when there was none.

    Raises:
        UserError: a server uses the database, or the copy is damaged, none of ours, or of a newer release.
    """
    database = lock.file_of(url)
    if database is None:
        raise UserError(
            "Only a SQLite database is put back here; for PostgreSQL use pg_restore, with every server stopped."
        )
    require_file(database, os.F_OK)
    held = lock.hold(url)
    try:
        if database.exists() and source.exists() and source.samefile(database):
            raise UserError(f"{source} is the database itself; name a copy that grader db backup made.")
        _require_ours(source)
        with _new_file(database) as written:
            _copy(source, written)
            _end_sessions(written)
            kept = _set_aside(database)
        return kept
    finally:
        if held is not None:
            held.let_go()


def _require_free(target: Path, force: bool) -> None:
    try:
        is_taken = target.is_dir() or (target.exists() and not force)
    except OSError as error:
        raise _unwritable(target, error) from None
    if is_taken:
        raise UserError(f"{target} exists already; choose another name, or replace the file with --force.")


def _unwritable(target: Path, error: OSError) -> UserError:
    return UserError(f"{target} cannot be written ({error.strerror}); choose another place.")


@contextlib.contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """Give a private file that takes the target's place, whole or not at all."""
    try:
        descriptor, name = tempfile.mkstemp(prefix=".new-", dir=target.absolute().parent)  # 0600
        os.close(descriptor)
        try:
            yield Path(name)
            with open(name, "rb") as file:
                os.fsync(file.fileno())
            os.replace(name, target)
        finally:
            for ending in _SIDE_FILES:
                Path(f"{name}{ending}").unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(target, error) from None


def _copy(source: Path, target: Path) -> None:
    """Copy a database page by page, as it is at one moment; others may go on writing to it."""
    try:
        with _opened(source, "ro") as reading, _opened(target, "rw") as writing:
            reading.execute("BEGIN")
            reading.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on the copy sees this moment
            reading.backup(writing, pages=PAGES_AT_ONCE, sleep=0)
            reading.execute("ROLLBACK")
            writing.execute("PRAGMA journal_mode = DELETE")  # one file, which is read without making others beside it
            _require_whole(writing, source)
    except sqlite3.Error as error:
        if sqlite_file.is_unwritable(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None  # of the file that is written
        remedy = sqlite_file.remedy_of(error) or "check the disk that holds it"
        raise UserError(f"The database {source} could not be copied ({error}); {remedy}.") from None


def _require_ours(source: Path) -> None:
    try:
        with _opened(source, "ro") as copy:
            _require_whole(copy, source)
            found = copy.execute("SELECT version_num FROM alembic_version").fetchall()
            tables = {name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise UserError(
            f"{source} cannot be read as a database of the grader ({error}); name a copy that grader db backup made."
        ) from None
    if len(found) != 1 or not isinstance(found[0][0], str) or not tables >= _OF_ALL_REVISIONS:
        raise UserError(f"{source} is no database of the grader; name a copy that grader db backup made.")
    if found[0][0] not in revisions():
        raise UserError(
            f"{source} is of a revision that this release does not know ({found[0][0]}); "
            "put it back with the newest release."
        )


def _require_whole(connection: sqlite3.Connection, file: Path) -> None:
    trouble = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if trouble != "ok":
        raise UserError(
            f"{file} is damaged ({trouble.splitlines()[-1]}); put an older copy back with grader db restore FILE."
        )


def _end_sessions(database: Path) -> None:
    """Take sessions, links and tokens out: what was ended after the copy was made must not come back with it."""
    with _opened(database, "rw") as connection:
        there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table in ("web_session", "sign_in_link", "api_token"):
            if table in there:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - one of the names above


def _set_aside(database: Path) -> Path | None:
    """Keep the database that is about to be replaced, with what of it may still be in its side files."""
    if not database.exists():
        return None
    with contextlib.suppress(sqlite3.Error), _opened(database, "rw") as connection:  # it may be damaged
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    number, kept = 1, database.with_name(f"{database.name}.before-restore")
    while kept.exists():
        number += 1
        kept = database.with_name(f"{database.name}.before-restore-{number}")
    for ending in _SIDE_FILES[1:]:
        with contextlib.suppress(FileNotFoundError):
            os.rename(f"{database}{ending}", f"{kept}{ending}")
    os.link(database, kept)  # the new one takes the name at once, so that there always is a database
    return kept


@contextlib.contextmanager
def _opened(file: Path, mode: str) -> Iterator[sqlite3.Connection]:
    address = f"{file.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, factory=sqlite_file.Connection)
    connection.text_factory = _legible
    try:
        yield connection
    finally:
        connection.close()


def _legible(text: bytes) -> str:
    """Read any text: what SQLite tells of a damaged file quotes its bytes."""
    return text.decode(errors="replace")


def _dump_postgres(url: str, target: Path) -> None:
    program = shutil.which("pg_dump")
    if program is None:
        raise UserError(
            "A PostgreSQL database is copied by pg_dump, which is not installed here; "
            "install PostgreSQL's client programs (Debian: apt-get install postgresql-client)."
        )
    database, variables = public_conninfo(url)
    environment = {**os.environ, **variables}
    command = [program, "--format=custom", f"--file={target}", f"--dbname={database}", "--no-password"]
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise UserError(f"pg_dump could not copy the database ({reason}).")
