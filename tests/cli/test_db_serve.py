"""grader db and grader serve."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import urllib.request
from pathlib import Path

import pytest

from tests.cli.running import Command
from tests.processes import children_of, wait_until

REVISION = re.compile(r"The database is at (\d{4})\.\n")


def tables(path: Path) -> set[str]:
    """Return the tables of a database."""
    connection = sqlite3.connect(path)
    try:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    finally:
        connection.close()


def test_a_schema_goes_up_and_down(command: Command) -> None:
    database = command.folder / "home/.local/share/grader/grader.sqlite3"
    up = command.run("db", "upgrade")
    assert (up.code, up.out) == (0, "")
    revision = REVISION.fullmatch(up.err)
    assert revision
    assert "submission" in tables(database)
    assert database.parent.stat().st_mode & 0o077 == 0
    assert command.run("db", "current").out == f"{revision[1]}\n"
    assert command.run("db", "upgrade").err == up.err
    down = command.run("db", "downgrade", "base")
    assert (down.code, down.err) == (0, "The database is at no revision.\n")
    assert "submission" not in tables(database)
    assert command.run("db", "current").out == "none\n"


def test_a_server_that_is_not_there_is_one_line_without_the_password(command: Command) -> None:
    pytest.importorskip("psycopg")
    url = "postgresql://someone:secret@127.0.0.1:1/grader"
    ended = command.run("db", "upgrade", env={"GRADER_DATABASE_URL": url})
    assert ended.code == 2
    assert ended.line.startswith("grader: The database postgresql://someone:***@127.0.0.1:1/grader cannot be used (")
    assert "secret" not in ended.line


def test_a_taken_port_is_told(command: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = command.run("serve", "--port", str(port))
    assert ended.code == 2
    said = f"grader: Port {port} at 127.0.0.1 cannot be had (Address already in use); name another with --port."
    assert ended.line == said
    assert not (command.folder / "home/.local").exists()  # nothing was made


@pytest.mark.sandbox
def test_the_service_starts_and_ctrl_c_ends_it(command: Command) -> None:
    process = command.start("serve", "--port", "0", "--threads", "2")
    try:
        assert process.stderr
        line = process.stderr.readline().decode()
        said = re.fullmatch(
            r"The grader is at (http://127\.0\.0\.1:\d+/) \(Ctrl-C stops it\); its data is in (.*)\.\n", line
        )
        assert said, line
        assert said[2] == f"{command.folder}/home/.local/share/grader"
        offered = rf"There is no admin yet\. This link makes one, once, within 7 days: {said[1]}links/[\w-]{{43}}\n"
        assert re.fullmatch(offered, process.stderr.readline().decode())
        assert wait_until(lambda: answers(f"{said[1]}healthz"), 30)
        below = children_of(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr.read() == b""
        assert wait_until(lambda: not any(Path("/proc", str(pid), "exe").exists() for pid in below))
    finally:
        process.kill()
        process.communicate()


def answers(address: str) -> bool:
    """Whether the service answers."""
    try:
        with urllib.request.urlopen(address, timeout=5) as reply:
            return bool(reply.read() == b"ok")
    except OSError:
        return False
