"""`--resume`: nothing that was judged is lost because a batch is asked otherwise than before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.batch.folders import RIGHT, WRONG, put, verdicts
from tests.cli.running import Command
from tests.packages import TINY

pytestmark = pytest.mark.sandbox
CASES: Final[list[dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "continued.yaml").read_text())
ENV: Final[dict[str, str | None]] = {"GRADER_PROBLEMS": "bank"}
SETS: Final = """\
schema: 1
sets:
  one: {title: One, problems: [first], minutes: 30}
  both: {title: Both, problems: [first, second], minutes: 60}
"""
TOLD: Final = "of another source, package or grader than now, or of a file that is gone."


@pytest.fixture
def folder(command: Command) -> Command:
    """The command beside a bank of two problems with two sets, and two folders of submissions."""
    for slug in ("first", "second"):
        shutil.copytree(TINY, command.folder / "bank" / slug)
        put(command.folder / "in", "ann", RIGHT, slug)
        put(command.folder / "in", "bob", RIGHT, slug)
    put(command.folder / "other", "ann", WRONG, "first")
    (command.folder / "bank/sets.yaml").write_text(SETS)
    return command


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.parametrize("more", [(), ("--dry-run",)], ids=["", "dry"])
def test_what_is_asked_otherwise_is_refused(folder: Command, case: dict[str, Any], more: tuple[str, ...]) -> None:
    assert folder.run("batch", *case["first"], "--out", "out", env=ENV).code == 0
    before = contents(folder.folder / "out")
    ended = folder.run("batch", *case["second"], "--out", "out", "--resume", *more, env=ENV)
    line = case["line"].replace("{folder}", str(folder.folder))
    assert (ended.code, ended.err.splitlines()[-1]) == (2, f"grader: {line}")
    assert contents(folder.folder / "out") == before


def test_the_same_folder_by_another_name_goes_on(folder: Command) -> None:
    assert folder.run("batch", "in", "--out", "out", env=ENV).code == 0
    (folder.folder / "link").symlink_to("in")
    ended = folder.run("batch", "link", "--out", "out", "--resume", env=ENV)
    assert (ended.code, ended.err) == (0, "4 results (4 of them from before): 4 AC; in out\n")


def test_results_of_a_package_that_is_gone_are_put_aside(folder: Command) -> None:
    assert folder.run("batch", "in", "--out", "out", env=ENV).code == 0
    shutil.move(folder.folder / "bank/second", folder.folder / "second")
    (folder.folder / "bank/sets.yaml").unlink()
    ended = folder.run("batch", "in", "--out", "out", "--resume", env=ENV)
    assert ended.code == 0
    assert ended.err.splitlines()[-2:] == [
        f"grader: 2 results are put aside in out/dropped.1.jsonl: {TOLD}",
        "2 results (2 of them from before): 2 AC; in out",
    ]
    kept = [json.loads(line) for line in (folder.folder / "out/dropped.1.jsonl").read_text().splitlines()]
    assert sorted((line["candidate"], line["problem"]) for line in kept) == [("ann", "second"), ("bob", "second")]


def test_a_roster_is_carried_on_and_may_be_another(folder: Command) -> None:
    roster = folder.folder / "roster.csv"
    roster.write_text("candidate\nann\nzoe\n")
    args = ("batch", "other", "--out", "out")
    assert folder.run(*args, "--roster", "roster.csv", env=ENV).code == 0
    put(folder.folder / "other", "bob", WRONG, "first")
    tables = []
    assert folder.run(*args, "--resume", env=ENV).code == 0
    tables.append((folder.folder / "out/roster.csv").read_text())
    roster.write_text("candidate\nann\nbob\n")
    assert folder.run(*args, "--resume", "--roster", "roster.csv", env=ENV).code == 0
    tables.append((folder.folder / "out/roster.csv").read_text())
    assert [table.split()[1:] for table in tables] == [
        ["ann,handed_in,,", "bob,extra,,", "zoe,missing,first,"],
        ["ann,handed_in,,", "bob,handed_in,,"],
    ]
    assert verdicts(folder.folder / "out") == {"ann": "WA", "bob": "WA"}
