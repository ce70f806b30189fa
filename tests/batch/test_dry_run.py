"""`--dry-run`: it says what the run itself would do, refuses what that refuses, and writes nothing."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

import pytest

from tests.batch.folders import BATCH, ENV, RIGHT, SLUG, WRONG, put, put_many
from tests.cli.running import Command, as_a_user

pytestmark = pytest.mark.sandbox
USED: Final = "out holds results already; add --resume to go on, or name another folder."
NO_FILE: Final = "out/results.jsonl is no regular file; remove it, or name another folder."
PERMISSION: Final = "locked cannot be written (Permission denied); name another folder."


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Return every file with its size and the time of its last change."""
    found = {path: path.lstat() for path in folder.rglob("*") if "home" not in path.parts}
    return {str(path): (seen.st_size, seen.st_mtime_ns) for path, seen in found.items()}


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("--out", "used"), USED.replace("out", "used", 1)),
        (("--out", "odd", "--resume"), NO_FILE.replace("out", "odd", 1)),
        (("--out", "file"), "file cannot be written (File exists); name another folder."),
        (("--out", "file/out"), "file/out cannot be written (Not a directory); name another folder."),
        (("--out", "locked"), PERMISSION),
        (("--out", "locked/a/b"), PERMISSION.replace("locked", "locked/a/b")),
        (("--out", "busy"), "Another batch writes to busy; wait for it, or name another folder."),
        (
            ("--out", "new", "--database", "postgresql://x", "--jobs", "2"),
            "With --database the workers say how many are judged at a time; leave --jobs out.",
        ),
    ],
)
def test_it_refuses_what_the_run_refuses(command: Command, args: tuple[str, ...], line: str) -> None:
    put(command.folder / "in", "ann", RIGHT)
    (command.folder / "file").touch()
    for name, mode in {"used": 0o700, "odd": 0o700, "busy": 0o700, "locked": 0o500}.items():
        (command.folder / name).mkdir(mode)
    (command.folder / "used/manifest.json").touch()
    os.mkfifo(command.folder / "odd/results.jsonl")
    busy = os.open(command.folder / "busy", os.O_RDONLY)
    fcntl.flock(busy, fcntl.LOCK_EX)
    before = state(command.folder)
    try:
        for more in (("--dry-run",), ()):
            ended = command.run("batch", "in", *args, *more, env=ENV, preexec=as_a_user)
            assert (ended.code, ended.out, ended.line) == (2, "", f"grader: {line}"), more
            assert state(command.folder) == before
    finally:
        os.close(busy)


def test_it_lists_what_would_be_judged_and_writes_nothing(command: Command) -> None:
    names = put_many(command.folder / "in", 3)
    put(command.folder / "in", "c\n4", WRONG)
    put(command.folder / "in", "c5", WRONG)
    ended = command.run("batch", "in", "--out", "out", "--dry-run", env=ENV)
    assert (ended.code, ended.err) == (0, "5 submissions would be judged, 4 distinct sources\n")
    assert ended.out.splitlines() == [
        f"c\\n4\t{SLUG}\tin/c\\n4/{SLUG}.py",
        *(f"{name}\t{SLUG}\tin/{name}/{SLUG}.py" for name in (*names, "c5")),
    ]
    assert not (command.folder / "out").exists()


def test_it_lists_names_alike_in_every_locale(command: Command) -> None:
    for name in ("\u202eevil", "zo\u00eb", b"\xff"):
        put(command.folder / "in", name, RIGHT)
    told = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    lists = [command.run("batch", "in", "--out", "out", "--dry-run", env={**ENV, **more}).out for more in ({}, told)]
    rows = [f"{name}\t{SLUG}\tin/{name}/{SLUG}.py" for name in ("\\xff", "zo\u00eb", "\\u202eevil")]
    assert [sorted(text.splitlines()) for text in lists] == [sorted(rows)] * 2


def test_it_counts_what_is_put_aside_and_records_that_are_missing(command: Command) -> None:
    for name, source in (("ann", RIGHT), ("bob", WRONG), ("eve", WRONG), ("zoe", WRONG)):
        put(command.folder / "in", name, source)
    assert command.run(*BATCH, "--evidence", env=ENV).code == 0
    (command.folder / f"out/evidence/bob/{SLUG}.json").unlink()
    put(command.folder / "in", "eve", RIGHT)
    before = state(command.folder)
    dry = command.run("batch", "in", "--out", "out", "--resume", "--dry-run", env=ENV)
    assert (dry.code, [row.split("\t")[0] for row in dry.out.splitlines()]) == (0, ["bob", "eve"])
    assert dry.err == "2 submissions would be judged, 2 distinct sources, 2 results kept, 1 result put aside\n"
    assert state(command.folder) == before
    ended = command.run(*BATCH, "--resume", env=ENV)
    assert ended.err.splitlines() == [
        "grader: 1 result is put aside in out/dropped.1.jsonl: "
        "of another source, package or grader than now, or of a file that is gone.",
        "4 results (2 of them from before): 2 AC, 2 WA; in out",
    ]


def test_records_that_are_asked_for_now_are_counted(command: Command) -> None:
    put(command.folder / "in", "bob", WRONG)
    assert command.run(*BATCH, env=ENV).code == 0
    dry = command.run("batch", "in", "--out", "out", "--resume", "--evidence", "--dry-run", env=ENV)
    assert dry.err == "1 submission would be judged, 1 distinct source\n"
