"""`grader grade --evidence`, `--html` and `grader replay` as people run them: same, and each way of being another."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import NoneType
from typing import Any, Final

import pytest

from grader.grading.evidence_file import digest
from tests.cli.running import Command, Ended
from tests.cli.shapes import deviations
from tests.packages import TINY

SLUG: Final = TINY.name
WRONG: Final = TINY / "submissions/wrong_answer/mask_missing.py"
REPLAY: Final[dict[str, Any]] = {
    "schema": {1},
    "problem": str,
    "same": bool,
    "differs": [str],
    "not_compared": [str],
    "parts": [{"name": str, "same": bool, "difference": (str, NoneType)}],
}

pytestmark = pytest.mark.sandbox


@pytest.fixture
def bank(command: Command) -> Path:
    """A folder of problems in the command's own folder."""
    shutil.copytree(TINY, command.folder / "bank" / SLUG)
    return command.folder / "bank"


@pytest.fixture
def graded(command: Command, bank: Path) -> dict[str, Any]:
    """The record of a wrong submission, at evidence.json in the command's folder."""
    ended = command.run("grade", SLUG, WRONG, "--evidence", "evidence.json", env={"GRADER_PROBLEMS": str(bank)})
    assert (ended.code, ended.err) == (1, "")
    kept: dict[str, Any] = json.loads((command.folder / "evidence.json").read_text())
    return kept


def replay(command: Command, *more: str) -> Ended:
    return command.run("replay", "evidence.json", *more, env={"GRADER_PROBLEMS": str(command.folder / "bank")})


def write(command: Command, kept: dict[str, Any]) -> None:
    (command.folder / "evidence.json").write_text(json.dumps(kept))


@pytest.mark.usefixtures("graded")
def test_the_same_is_0_and_says_so(command: Command) -> None:
    ended = replay(command)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[-1] == "The same judgement comes out of the same source."
    assert ended.out.count("as recorded") == 11


@pytest.mark.usefixtures("graded")
def test_json_is_one_object_of_schema_1(command: Command) -> None:
    ended = replay(command, "--json", "--evidence", "again.json")
    assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
    found = json.loads(ended.out)
    assert deviations(found, REPLAY) == []
    assert (found["problem"], found["same"], found["differs"]) == (SLUG, True, [])
    again, first = (json.loads((command.folder / name).read_text()) for name in ("again.json", "evidence.json"))
    assert {key for key in first if first[key] != again[key]} <= {"timing", "record_sha256"}


def _other_source(kept: dict[str, Any], bank: Path) -> None:
    kept["source"]["text"] = (TINY / "submissions/accepted/reference.py").read_text()
    kept["record_sha256"] = digest(kept)


def _other_package(kept: dict[str, Any], bank: Path) -> None:
    with (bank / SLUG / "statement.md").open("a") as file:
        file.write("One sentence more.\n")


def _other_record(kept: dict[str, Any], bank: Path) -> None:
    kept["judgement"]["score"] = 100.0


def _forged_record(kept: dict[str, Any], bank: Path) -> None:
    kept["judgement"]["score"] = 100.0
    kept["record_sha256"] = digest(kept)


def _other_version(kept: dict[str, Any], bank: Path) -> None:
    kept["versions"]["grader"] = "0.0.9"
    kept["record_sha256"] = digest(kept)


CHANGES: Final[dict[str, tuple[Callable[[dict[str, Any], Path], None], list[str], str]]] = {
    "source": (
        _other_source,
        ["source", "verdict", "cases", "texts", "finding", "observations"],
        "Another judgement comes out; what went in differs in: source.",
    ),
    "package": (
        _other_package,
        ["package"],
        "The same judgement comes out, although what went in differs in: package.",
    ),
    "record": (
        _other_record,
        ["record", "verdict"],
        "Another judgement comes out; what went in differs in: record.",
    ),
    "forged": (
        _forged_record,
        ["verdict"],
        "Another judgement comes out, although the same went in: do not rely on the record.",
    ),
    "version": (
        _other_version,
        ["versions"],
        "The same judgement comes out, although what went in differs in: versions.",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_is_named(name: str, command: Command, graded: dict[str, Any], bank: Path) -> None:
    change, differs, sentence = CHANGES[name]
    change(graded, bank)
    write(command, graded)
    ended = replay(command, "--json")
    assert (ended.code, json.loads(ended.out)["differs"]) == (1, differs)
    assert replay(command).out.splitlines()[-1] == sentence


def test_what_an_earlier_schema_does_not_hold_is_said(command: Command, graded: dict[str, Any]) -> None:
    old = {key: value for key, value in graded.items() if key not in ("depth", "change", "extra_runs")} | {"schema": 1}
    write(command, old | {"record_sha256": digest(old)})
    ended = replay(command)
    assert ended.code == 0
    wanted = "Not compared, for a record of schema 1 does not hold it: change, extra runs, depth."
    assert wanted in " ".join(ended.out.split())
    assert json.loads(replay(command, "--json").out)["not_compared"] == ["change", "extra_runs", "depth"]


@pytest.mark.usefixtures("graded")
def test_a_package_that_is_not_here_is_3(command: Command, bank: Path) -> None:
    shutil.move(bank / SLUG, command.folder / "elsewhere")
    ended = replay(command)
    assert ended.code == 3
    assert ended.line == (
        f"grader: {SLUG}: there is no such problem here; set GRADER_PROBLEMS to the folder that holds it, or name its "
        "folder with --problem."
    )
    (command.folder / "there").mkdir()
    shutil.move(command.folder / "elsewhere", command.folder / "there" / SLUG)
    assert replay(command, "--problem", f"./there/{SLUG}").code == 0


@pytest.mark.usefixtures("graded")
def test_a_package_that_was_renamed_is_found_by_its_hash_and_told(command: Command, bank: Path) -> None:
    (bank / SLUG).rename(bank / "renamed")
    ended = replay(command)
    assert ended.code == 1
    assert f"name {SLUG} recorded, renamed now" in " ".join(ended.out.split())
    assert ended.out.splitlines()[-1] == "The same judgement comes out, although what went in differs in: package."


@pytest.mark.usefixtures("graded")
def test_a_package_that_broke_is_3(command: Command, bank: Path) -> None:
    (bank / SLUG / "problem.yaml").write_text("schema: 1\n")
    assert replay(command).code == 3


def test_a_huge_file_is_not_read(command: Command) -> None:
    with (command.folder / "evidence.json").open("wb") as file:
        file.truncate((32 << 20) + 1)
    ended = replay(command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.line == ("grader: evidence.json is larger than 32 MiB; name a record of grader grade --evidence.")


@pytest.mark.usefixtures("graded")
def test_a_record_comes_through_a_pipe(command: Command, bank: Path) -> None:
    data = (command.folder / "evidence.json").read_bytes()
    assert command.run("replay", "-", stdin=data, env={"GRADER_PROBLEMS": str(bank)}).code == 0
    ended = command.run("replay", "-", stdin=data[:1000], env={"GRADER_PROBLEMS": str(bank)})
    assert ended.code == 2
    assert ended.line.startswith("grader: Standard input is no evidence record (no JSON: ")


@pytest.mark.parametrize(("source", "code"), [("accepted/reference.py", 0), ("wrong_answer/mask_missing.py", 1)])
def test_report_and_record_leave_output_and_exit_code_alone(
    command: Command, bank: Path, source: str, code: int
) -> None:
    args = ("grade", SLUG, TINY / "submissions" / source)
    env = {"GRADER_PROBLEMS": str(bank)}
    plain = command.run(*args, env=env)
    written = command.run(*args, "--html", "out.html", "--evidence", "out.json", env=env)
    assert (plain.code, plain.out, plain.err) == (written.code, written.out, written.err)
    assert plain.code == code
    assert (command.folder / "out.html").read_text().startswith("<!doctype html>")
    assert "Perturbation and stability" in (command.folder / "out.html").read_text()
    assert (
        json.loads((command.folder / "out.json").read_text())["extra_runs"]["perturbation"]["case"] == "secret_values"
    )
    assert json.loads((command.folder / "out.json").read_text())["package"]["slug"] == SLUG


def test_a_submission_whose_answers_grow_gets_verdict_report_and_record(command: Command, bank: Path) -> None:
    growing = b"""
KEPT = []
def attend(x, w):
    KEPT.append(x)
    y = np.ones((len(x), w.shape[1]))
    return y if len(KEPT) <= 2 else np.vstack([y, y]), x @ x.T
"""
    (command.folder / "fix.py").write_bytes(b"import numpy as np\n" + growing)
    files = ("--html", "out.html", "--evidence", "evidence.json")
    ended = command.run("grade", SLUG, "fix.py", *files, env={"GRADER_PROBLEMS": str(bank)})
    assert (ended.code, ended.err) == (1, "")
    assert "Wrong answer" in ended.out
    assert replay(command).code == 0


FAILING: Final = """
from grader.grading import extra_runs

def failing(*arguments):
    raise ValueError("no such rows")

extra_runs.extra_runs = failing

from grader.cli import main

main()
"""


def test_a_fault_of_ours_costs_the_report_and_not_the_verdict(command: Command, bank: Path) -> None:
    args = [sys.executable, "-c", FAILING, "grade", SLUG, str(WRONG), "--html", "out.html"]
    env = command.environment({"GRADER_PROBLEMS": str(bank)})
    ended = subprocess.run(args, cwd=command.folder, env=env, capture_output=True, text=True, check=False)
    plain = command.run("grade", SLUG, WRONG, env={"GRADER_PROBLEMS": str(bank)})
    assert (ended.returncode, ended.stdout) == (4, plain.out)
    assert ended.stderr == "grader: The grader failed, which is our fault (ValueError: no such rows).\n"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--html", "fix.py"], "fix.py is named twice; name another file to write to."),
        (["--html", "out", "--evidence", "./out"], "out is named twice; name another file to write to."),
        (["--html", "no/out"], "no/out cannot be written (No such file or directory); name another file."),
        (["--evidence", "bank"], "bank cannot be written (Is a directory); name another file."),
    ],
)
def test_nothing_is_written_over_the_submission(command: Command, bank: Path, options: list[str], line: str) -> None:
    (command.folder / "fix.py").write_bytes(WRONG.read_bytes())
    ended = command.run("grade", SLUG, "fix.py", *options, env={"GRADER_PROBLEMS": str(bank)})
    assert (ended.code, ended.out, ended.line) == (2, "", f"grader: {line}")
    assert (command.folder / "fix.py").read_bytes() == WRONG.read_bytes()
