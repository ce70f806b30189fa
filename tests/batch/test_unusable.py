"""What was handed in and cannot be judged: told apart from what was not handed in, everywhere and with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.batch.folders import ENV, RIGHT, SLUG, WRONG, put, put_many, verdicts
from tests.cli.running import Command, Ended
from tests.processes import wait_until
from tests.report.test_cohort import words
from tests.report.test_report import Page

pytestmark = pytest.mark.sandbox
ARGS: Final = ("batch", "in", "--out", "out", "--jobs", "1", "--format", "csv,html,gradescope,junit")
SLOW: Final = b"import time\ntime.sleep(0.2)\n" + RIGHT
LOST: Final = "cannot be read (No such file or directory)"


def hand_in(command: Command) -> None:
    """Hand in what is right, and what nobody can judge."""
    put(command.folder / "in", "ann", RIGHT)
    with put(command.folder / "in", "big", b"").open("r+b") as file:
        file.truncate((64 << 20) + 1)
    (command.folder / "in/eve").symlink_to("ann")
    put(command.folder / "in", "mal", WRONG, "tiny-atention")
    (command.folder / "in/zoe").mkdir()
    (command.folder / "roster.csv").write_text("candidate\nann\nbig\neve\nmal\nzoe\n")


def text_of(command: Command, name: str) -> str:
    """Return the words of a page."""
    return words(Page((command.folder / "out" / name).read_text()))


def object_of(command: Command, name: str) -> Any:
    """Return what stands in a file of JSON."""
    return json.loads((command.folder / "out" / name).read_text())


def test_it_is_told_everywhere_with_the_reason(command: Command) -> None:
    hand_in(command)
    ended = command.run(*ARGS, "--roster", "roster.csv", env=ENV)
    named = "has mal/tiny-atention.py, which is named after no problem"
    assert (ended.code, ended.err.splitlines()) == (
        2,
        [
            "grader: mal/tiny-atention.py is no <candidate>/<problem>.py of a known problem; it is not judged.",
            "grader: eve is a link; nothing in it is judged.",
            f"grader: in/big/{SLUG}.py is larger than 64 MiB; it has no result.",
            "grader: 1 on the roster without a submission: zoe.",
            "grader: 3 on the roster with nothing that can be judged: "
            f"big ({SLUG} is larger than 64 MiB), eve (is a link), mal ({named}).",
            "1 result: 1 AC; in out",
        ],
    )
    manifest = object_of(command, "manifest.json")
    assert (manifest["roster"]["missing"], manifest["roster"]["unusable"]) == (["zoe"], ["big", "eve", "mal"])
    assert [tuple(each.values()) for each in manifest["unusable"]] == [
        ("eve", "", "is a link"), ("mal", "", named), ("big", SLUG, "is larger than 64 MiB"),
    ]  # fmt: skip
    assert (command.folder / "out/gradebook.csv").read_text().splitlines()[1:] == [
        "ann,100,100", "big,unusable,0", "eve,unusable,0", "mal,unusable,0", "zoe,,0",
    ]  # fmt: skip
    assert [row.split(",", 3)[1] for row in (command.folder / "out/roster.csv").read_text().splitlines()[1:]] == [
        "handed_in", "unusable", "unusable", "unusable", "missing",
    ]  # fmt: skip


def test_pages_and_other_formats_tell_it(command: Command) -> None:
    hand_in(command)
    assert command.run(*ARGS, "--roster", "roster.csv", env=ENV).code == 2
    told = "It cannot be judged: it is larger than 64 MiB."
    report = text_of(command, "report.html")
    assert f"Handed in, and not judged Candidate Problem Why big {SLUG} {told} eve A submission It" in report
    assert "Without a submission zoe Candidates" in report
    assert f"{SLUG}: Not judged {told}" in text_of(command, "html/big.html")
    gradescope = object_of(command, "gradescope/big/results.json")
    assert (gradescope["output"], "score" in gradescope) == (f"{SLUG}: {told}", False)
    assert [(test["name"], test["status"], "score" in test) for test in gradescope["tests"]] == [
        (SLUG, "failed", False)
    ]
    junit = (command.folder / "out/junit.xml").read_text()
    assert f'name="big">\n      <error type="unusable" message="{told}"/>' in junit


def lose(command: Command, act: Callable[[Path], object], name: str) -> Ended:
    """Have something of the input vanish after the batch has begun and before its turn."""
    put_many(command.folder / "in", 8, SLOW)
    process = command.start(*ARGS, env=ENV)
    with process:  # which writes its manifest after it has read all and before it judges anything
        assert wait_until((command.folder / "out/manifest.json").exists, 60), process.poll()
        act(command.folder / name)
        _, err = process.communicate()
    return Ended(process.returncode, "", err.decode())


def lose_one(command: Command) -> Ended:
    """Have one file vanish."""
    return lose(command, Path.unlink, f"in/c007/{SLUG}.py")


def test_a_whole_folder_that_vanishes_meanwhile_is_told_once(command: Command) -> None:
    ended = lose(command, lambda path: path.rename(path.with_name("elsewhere")), "in")
    first, last = ended.err.splitlines()
    assert (ended.code, first) == (2, "grader: in is not there; what it should hold has no result.")
    assert last.endswith("in out")
    assert {each["why"] for each in object_of(command, "manifest.json")["unusable"]} == {LOST}


def test_what_vanishes_meanwhile_is_told_in_every_file(command: Command) -> None:
    ended = lose_one(command)
    assert (ended.code, ended.err.splitlines()) == (
        2,
        [f"grader: in/c007/{SLUG}.py {LOST}; it has no result.", "7 results: 7 AC; in out"],
    )
    manifest = object_of(command, "manifest.json")
    assert manifest["unusable"] == [{"candidate": "c007", "problem": SLUG, "why": LOST}]
    assert manifest["submissions"][-1]["source_sha256"] is None
    assert (command.folder / "out/gradebook.csv").read_text().splitlines()[-1] == "c007,unusable,0"
    assert f"c007 {SLUG} It cannot be judged: it {LOST}." in text_of(command, "report.html")


def test_what_has_vanished_is_tried_again(command: Command) -> None:
    lose_one(command)
    put(command.folder / "in", "c007", WRONG)
    ended = command.run(*ARGS, "--resume", env=ENV)
    assert (ended.code, ended.err) == (0, "8 results (7 of them from before): 7 AC, 1 WA; in out\n")
    assert verdicts(command.folder / "out")["c007"] == "WA"
    assert object_of(command, "manifest.json")["unusable"] == []
