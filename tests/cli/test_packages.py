"""Broken packages: exit 3 with file, key and remedy, and no other package suffers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.cli.running import SLUG, Command
from tests.packages import TINY, edited

ATTEND: Final = TINY / "submissions/accepted/reference.py"
# what is edited, and the line that says so
BROKEN: Final = [
    (
        "minutes: 5",
        "minuets: 5",
        "problem.yaml: the key minutes is missing; add it. (1 more: grader check lists them all)",
    ),
    ("level: L2", "level: L9", "problem.yaml: level must be 'L2', 'L3', 'L4' or 'L5', not 'L9'; correct it."),
    ("schema: 1", "schema: [1", "problem.yaml line 2: did not find expected ',' or ']'; correct it."),
]


def tiny_copy(folder: Path, path: str = "", old: str = "", new: str = "") -> Path:
    """Copy the small package into a folder, with one passage edited."""
    package = folder / TINY.name
    shutil.copytree(TINY, package)
    if path:
        (package / path).write_text(edited(path, old, new))
    return package


@pytest.mark.parametrize(("old", "new", "line"), BROKEN, ids=[new for _, new, _ in BROKEN])
def test_a_package_that_breaks_its_format_is_exit_3(command: Command, old: str, new: str, line: str) -> None:
    package = tiny_copy(command.folder, "problem.yaml", old, new)
    for args in (("grade", f"./{package.name}", ATTEND), ("show", f"./{package.name}")):
        ended = command.run(*args)
        assert (ended.code, ended.out, ended.line) == (3, "", f"grader: {package.name}/{line}")


@pytest.mark.sandbox
def test_a_generator_that_raises_is_exit_3(command: Command) -> None:
    old = "x = np.array([[1.0, 0.0, 2.0]"
    tiny_copy(command.folder, "cases.py", old, f"raise LookupError('\\x1b no x')\n    {old}")
    ended = command.run("grade", f"./{TINY.name}", ATTEND)
    assert (ended.code, ended.out) == (3, "")
    assert ended.line.startswith(f"grader: {TINY.name}/cases.py: ")
    assert "LookupError" in ended.line


@pytest.mark.sandbox
def test_check_lists_every_finding_and_goes_on(command: Command) -> None:
    tiny_copy(command.folder, "problem.yaml", "minutes: 5", "minuets: 5")
    other = command.folder / "other" / TINY.name
    tiny_copy(other.parent)
    shutil.copy(other / "submissions/wrong_answer/mask_missing.py", other / "submissions/accepted/corrected.py")
    ended = command.run("check", f"./{TINY.name}", other)
    assert (ended.code, ended.err) == (3, "")
    assert f"{TINY.name}/problem.yaml: the key minutes is missing; add it." in ended.out
    assert f"{TINY.name}/problem.yaml: the key minuets is not known" in ended.out
    assert f"{TINY.name}/submissions/accepted/corrected.py: gets WA (wrong_values)" in ended.out
    assert f"{TINY.name}: 2 findings; 0 sources: not judged\n" in ended.out
    assert f"{TINY.name}: 1 finding; 5 sources: 1 AC, 4 WA; 3 alternatives; 7 secret cases; 31 rules\n" in ended.out


@pytest.mark.sandbox
def test_a_bank_with_a_broken_package_shows_the_others(command: Command) -> None:
    bank = command.folder / "bank"
    shutil.copytree(TINY, bank / "whole")
    broken = bank / "broken"
    shutil.copytree(TINY, broken)
    (broken / "problem.yaml").write_text("title: \x1b")
    ended = command.run("problems", "--json", env={"GRADER_PROBLEMS": "bank"})
    assert [problem["slug"] for problem in json.loads(ended.out)] == ["whole"]
    assert ended.code == 0
    assert ended.line.startswith("grader: broken/problem.yaml: is not YAML")
    assert command.run("grade", "whole", ATTEND, env={"GRADER_PROBLEMS": "bank"}).code == 0


def test_a_package_with_a_link_is_refused(command: Command) -> None:
    package = tiny_copy(command.folder)
    (package / "statement.md").unlink()
    (package / "statement.md").symlink_to("/etc/hostname")
    ended = command.run("show", f"./{package.name}")
    assert (ended.code, ended.line) == (3, f"grader: {package.name}/statement.md: is a link; replace it by the file.")


def test_the_shipped_problems_are_not_hidden_by_a_folder_of_their_name(command: Command) -> None:
    (command.folder / SLUG).mkdir()
    assert command.run("show", SLUG).code == 0
