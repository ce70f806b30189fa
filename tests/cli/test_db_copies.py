"""grader db backup while the server runs, grader db restore while it does not."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest

from grader.store import lock
from tests.cli.running import Command, end_of
from tests.packages import TINY
from tests.processes import wait_until

TINY_BANK: Final = {"GRADER_PROBLEMS": str(TINY.parent)}  # one package, prepared in a moment


@contextmanager
def serving(command: Command) -> Iterator[str]:
    """Run the server until the block ends; give its address."""
    process: subprocess.Popen[bytes] = command.start("serve", "--port", "0", "--threads", "2", env=TINY_BANK)
    assert process.stderr
    address = process.stderr.readline().decode().split()[4]
    try:
        assert wait_until(lambda: answers(address), 30)
        yield address
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        end_of(process)


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}readyz", timeout=5) as reply:
            return bool(reply.read() == b"ready")
    except OSError:
        return False


def users(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        found: int = connection.execute("SELECT count(*) FROM user_account").fetchone()[0]
        return found


def add_user(database: Path, name: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(
            "INSERT INTO user_account (public_id, name, name_key, is_interviewer, is_admin, epoch, created_at) "
            "VALUES (?, ?, ?, 0, 0, 1, '2026-03-01 12:00:00')",
            (name, name, name),
        )
        connection.commit()


@pytest.mark.sandbox
def test_a_copy_is_made_while_the_server_runs_and_put_back_when_it_does_not(command: Command) -> None:
    database = command.folder / "home/.local/share/grader/grader.sqlite3"
    copy = command.folder / "copy"
    with serving(command):
        made = command.run("db", "backup", str(copy))
        assert (made.code, made.out) == (0, "")
        assert made.err == f"The database is copied to {copy}; it holds what people wrote, so keep it private.\n"
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        again = command.run("db", "backup", str(copy))
        assert again.code == 2
        assert again.line.endswith("exists already; choose another name, or replace the file with --force.")
        assert command.run("db", "backup", str(copy), "--force").code == 0
        refused = command.run("db", "restore", str(copy))
        assert (refused.code, refused.line) == (2, f"grader: A server uses the database {database}; stop it first.")
    add_user(database, "eve")
    restored = command.run("db", "restore", str(copy))
    assert restored.code == 0
    kept = f"{database}.before-restore"
    said = f"The database is the one of {copy} now; everybody signs in anew, and programs need new tokens. "
    assert restored.err == f"{said}The one that was there is {kept}.\n"
    assert (users(database), users(Path(kept))) == (0, 1)
    with serving(command) as address:
        assert answers(address)


def test_what_is_no_copy_is_told_in_one_line(command: Command) -> None:
    (command.folder / "text").write_text("nothing of the kind\n")
    assert command.run("db", "upgrade").code == 0
    ended = command.run("db", "restore", "text")
    assert ended.code == 2
    assert ended.line.startswith("grader: text cannot be read as a database of the grader (")
    assert command.run("db", "restore", "nowhere").code == 2


@pytest.mark.long
@pytest.mark.sandbox
def test_one_server_has_a_database(command: Command) -> None:
    database = command.folder / "home/.local/share/grader/grader.sqlite3"
    with serving(command):
        second = command.run("serve", "--port", "0")
    assert second.code == 2
    assert second.line == f"grader: A server uses the database {database}; stop it first."


def damaged(database: Path) -> None:
    """Break the schema, so that SQLite's words for it quote bytes that are no UTF-8."""
    content = bytearray(database.read_bytes())
    at = content.index(b"tableuser_accountuser_account")
    content[at + 5 : at + 45] = b"\xff\xfe\x92\x80" * 10  # its name, and the statement that made it
    database.write_bytes(content)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["db", "current"], "The database sqlite:///{file} cannot be used ("),
        (["db", "upgrade"], "The database sqlite:///{file} cannot be used ("),
        (["user", "list"], "The database sqlite:///{file} cannot be used ("),
        (["serve", "--port", "0"], "The database sqlite:///{file} cannot be used ("),
        (["db", "backup", "copy"], "The database {file} could not be copied ("),
        (["db", "restore", "damaged"], "damaged cannot be read as a database of the grader ("),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_damaged_database_is_told_as_such(command: Command, arguments: list[str], said: str) -> None:
    database = command.folder / "home/.local/share/grader/grader.sqlite3"
    command.run("db", "upgrade")
    damaged(database)
    (command.folder / "damaged").write_bytes(database.read_bytes())
    before = database.read_bytes()
    ended = command.run(*arguments, env=TINY_BANK)
    assert ended.code == 2
    assert ended.line.startswith(f"grader: {said.format(file=database)}"), ended.line
    assert ("put a copy back with grader db restore FILE" in ended.line) == ("restore" not in arguments)
    assert database.read_bytes() == before
    assert not (command.folder / "copy").exists()


def test_the_schema_of_a_database_in_use_does_not_go_down(command: Command) -> None:
    database = command.folder / "home/.local/share/grader/grader.sqlite3"
    command.run("db", "upgrade")
    add_user(database, "Ada")
    held = lock.hold(f"sqlite:///{database}")
    assert held is not None
    ended = command.run("db", "downgrade", "base")
    held.let_go()
    assert (ended.code, ended.line) == (2, f"grader: A server uses the database {database}; stop it first.")
    assert users(database) == 1


@pytest.mark.parametrize("arguments", [["db", "upgrade"], ["user", "list"], ["serve", "--port", "0"]], ids=" ".join)
def test_another_programs_file_is_left_alone(command: Command, arguments: list[str]) -> None:
    database = command.folder / "home/.local/share/grader/grader.sqlite3"
    database.parent.mkdir(parents=True)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE moz_places (url)")
    ended = command.run(*arguments, env=TINY_BANK)
    told = f"grader: The database {database} holds another program's tables; name a file of its own."
    assert (ended.code, ended.line) == (2, told)
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("moz_places",)]


def test_a_database_that_is_not_there_is_not_made_by_looking(command: Command) -> None:
    assert command.run("db", "current").out == "none\n"
    assert not (command.folder / "home/.local").exists()


@pytest.mark.parametrize("rows", [["0001", "0002"], [b"\xff\x00"]], ids=["two", "bytes"])
def test_what_is_no_revision_is_told(command: Command, rows: list[str | bytes]) -> None:
    database = command.folder / "home/.local/share/grader/grader.sqlite3"
    command.run("db", "upgrade")
    command.run("db", "backup", "copy")
    for file in (database, command.folder / "copy"):
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("DELETE FROM alembic_version")
            connection.executemany("INSERT INTO alembic_version VALUES (?)", [(row,) for row in rows])
            connection.commit()
    told = "grader: The database names no single revision, as every release leaves one; restore a backup."
    for arguments in (["db", "current"], ["db", "upgrade"], ["user", "list"]):
        ended = command.run(*arguments)
        assert (ended.code, ended.line) == (2, told)
    ended = command.run("db", "restore", "copy")
    assert ended.code == 2
    assert ended.line.endswith("copy is no database of the grader; name a copy that grader db backup made.")


def test_a_copy_needs_more_than_a_revision(command: Command) -> None:
    command.run("db", "upgrade")
    with closing(sqlite3.connect(command.folder / "copy")) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num)")
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")
        connection.commit()
    ended = command.run("db", "restore", "copy")
    assert ended.code == 2
    assert ended.line.endswith("copy is no database of the grader; name a copy that grader db backup made.")
