"""Addresses of databases: a bad one is told in a sentence, and no command shows what is secret in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.batch.folders import ENV, RIGHT, put
from tests.cli.running import Command

CASES: Final[list[dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "addresses.yaml").read_text())
FULL: Final = "postgresql://u:SECRET@127.0.0.1:1/x?passfile=/SECRET&sslpassword=SECRET"
SHOWN: Final = "postgresql://u:***@127.0.0.1:1/x?passfile=***&sslpassword=***"
COMMANDS: Final = {
    "db upgrade": ("db", "upgrade"),
    "db downgrade": ("db", "downgrade", "base"),
    "db current": ("db", "current"),
    "db worker-role": ("db", "worker-role", "somebody"),
    "user list": ("user", "list"),
    "worker": ("worker",),
    "serve": ("serve", "--port=0"),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_address_is_shown_without_secrets_or_refused(command: Command, case: dict[str, Any]) -> None:
    ended = command.run("db", "current", env={"GRADER_DATABASE_URL": case["url"]})
    expected = case.get("refused") or f"The database {case['shown']} cannot be used ("
    assert ended.code == 2
    assert ended.line.startswith(f"grader: {expected}")
    assert "SECRET" not in ended.err


@pytest.mark.parametrize("args", COMMANDS.values(), ids=COMMANDS)
def test_no_command_shows_what_is_secret(command: Command, args: tuple[str, ...]) -> None:
    ended = command.run(*args, env={"GRADER_DATABASE_URL": FULL})
    assert (ended.code, ended.line.startswith(f"grader: The database {SHOWN} cannot be used (")) == (2, True)
    assert ended.line.endswith("; make it usable, or set GRADER_DATABASE_URL to another.")
    assert "SECRET" not in ended.err


def test_batch_shows_no_secret_and_leaves_nothing_behind(command: Command) -> None:
    put(command.folder / "in", "ann", RIGHT)
    ended = command.run("batch", "in", "--out", "out", f"--database={FULL}", env=ENV)
    assert (ended.code, ended.line.startswith(f"grader: The database {SHOWN} cannot be used (")) == (2, True)
    assert ended.line.endswith("; make it usable, or name another with --database.")
    assert "SECRET" not in ended.err
    assert not (command.folder / "out").exists()


def test_a_copy_hands_secrets_over_where_others_do_not_see_them(command: Command) -> None:
    program = command.folder / "bin/pg_dump"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho $0 $* >line\necho $PGPASSWORD $PGPASSFILE >variables\nexit 1\n")
    program.chmod(0o755)
    path = f"{program.parent}:/usr/bin:/bin"
    ended = command.run("db", "backup", "copy", env={"GRADER_DATABASE_URL": FULL, "PATH": path})
    assert (ended.code, "SECRET" in ended.err) == (2, False)
    assert "SECRET" not in (command.folder / "line").read_text()
    assert (command.folder / "variables").read_text() == "SECRET /SECRET\n"
