"""`--resume`: nothing that was judged is lost because a batch is asked otherwise than before."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.batch.packages import broken_packages
from grader.problems.cache import CaseCache
from tests.batch.folders import BATCH, RIGHT, WRONG, copy_judged, put, verdicts
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


@pytest.fixture
def folder(command: Command) -> Command:
    """The command beside a bank of two problems with two sets, and two folders of submissions."""
    fill(command.folder)
    return command


def fill(folder: Path) -> None:
    """Write the bank and the submissions."""
    for slug in ("first", "second"):
        shutil.copytree(TINY, folder / "bank" / slug)
        put(folder / "in", "ann", RIGHT, slug)
        put(folder / "in", "bob", RIGHT, slug)
    put(folder / "other", "ann", WRONG, "first")
    (folder / "bank/sets.yaml").write_text(SETS)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Callable[..., Path]:
    """Gives a folder in which a batch of some options has been judged, once for all tests."""

    @cache
    def begin(*options: str) -> Path:
        command = Command(tmp_path_factory.mktemp("begun"), cache_folder)
        fill(command.folder)
        ended = command.run("batch", *options, "--out", "out", "--jobs", "1", env=ENV)
        assert ended.code == 0, ended.err
        return command.folder

    return begin


@pytest.fixture
def judged(command: Command, begun: Callable[..., Path]) -> Command:
    """The command beside such a batch of the folder of two problems."""
    copy_judged(begun("in"), command.folder)
    return command


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("case", "more"),
    [*(pytest.param(case, (), id=case["id"]) for case in CASES), pytest.param(CASES[0], ("--dry-run",), id="dry run")],
)
def test_what_is_asked_otherwise_is_refused(
    command: Command, begun: Callable[..., Path], case: dict[str, Any], more: tuple[str, ...]
) -> None:
    folder = command
    copy_judged(begun(*case["first"]), folder.folder)
    before = contents(folder.folder / "out")
    ended = folder.run("batch", *case["second"], "--out", "out", "--resume", *more, env=ENV)
    line = case["line"].replace("{folder}", str(folder.folder))
    assert (ended.code, ended.err.splitlines()[-1]) == (2, f"grader: {line}")
    assert contents(folder.folder / "out") == before


def test_the_same_folder_by_another_name_goes_on(judged: Command) -> None:
    (judged.folder / "link").symlink_to("in")
    ended = judged.run("batch", "link", "--out", "out", "--jobs", "1", "--resume", env=ENV)
    assert (ended.code, ended.err) == (0, "4 results (4 of them from before): 4 AC; in out\n")


def test_results_of_a_package_that_is_gone_stay(judged: Command) -> None:
    before = contents(judged.folder / "out")
    shutil.move(judged.folder / "bank/second", judged.folder / "second")
    (judged.folder / "bank/sets.yaml").unlink()
    said = "its 2 results stay as they were (GRADER_PROBLEMS names the folder of problems)."
    ended = judged.run(*BATCH, "--resume", env=ENV)
    assert (ended.code, ended.err.splitlines()) == (
        0,
        [f"grader: The problem second is not in bank; {said}", "4 results (4 of them from before): 4 AC; in out"],
    )
    assert contents(judged.folder / "out") == before


def test_results_stay_where_another_folder_of_problems_is_named(judged: Command) -> None:
    before = contents(judged.folder / "out")
    shutil.copytree(TINY, judged.folder / "elsewhere/third")
    ended = judged.run(*BATCH, "--resume", env={"GRADER_PROBLEMS": "elsewhere"})
    assert (ended.code, ended.err.splitlines()[-1]) == (0, "4 results (4 of them from before): 4 AC; in out")
    assert contents(judged.folder / "out") == before


def test_results_of_a_problem_that_is_gone_from_its_set_too_stay(command: Command, begun: Callable[..., Path]) -> None:
    copy_judged(begun("in", "--set", "both"), command.folder)
    (command.folder / "in/bob/first.py").unlink()  # who has handed in nothing else
    args = (*BATCH, "--set", "both", "--resume")
    assert command.run(*args, env=ENV).code == 0
    before = contents(command.folder / "out")
    shutil.move(command.folder / "bank/second", command.folder / "second")
    (command.folder / "bank/sets.yaml").write_text(SETS.replace("[first, second]", "[first]"))
    ended = command.run(*args, env=ENV)
    said = "its 2 results stay as they were (GRADER_PROBLEMS names the folder of problems)."
    assert (ended.code, ended.err.splitlines()) == (
        0,
        [
            "grader: bob has no first.py (set both).",
            f"grader: The problem second is not in bank; {said}",
            "3 results (3 of them from before): 3 AC; in out",
        ],
    )
    assert contents(command.folder / "out") == before


def test_results_of_a_problem_that_its_set_names_no_more_are_put_aside(
    command: Command, begun: Callable[..., Path]
) -> None:
    copy_judged(begun("in", "--set", "both"), command.folder)
    (command.folder / "bank/sets.yaml").write_text(SETS.replace("[first, second]", "[first]"))
    ended = command.run(*BATCH, "--set", "both", "--resume", env=ENV)
    assert ended.code == 0
    assert ended.err.splitlines()[-2:] == [
        "grader: 2 results are put aside in out/dropped.1.jsonl: of another source, package or grader than now, "
        "or of a file that is gone, or of a problem that the set both does not name any more.",
        "2 results (2 of them from before): 2 AC; in out",
    ]


BROKEN: Final = {
    "loaded": ("problem.yaml", "schema: 1\n"),
    "made": ("cases.py", "raise ValueError\n"),
    "read": ("statement.md", None),
}


def damage(command: Command, how: str) -> None:
    """Break a package in one of several ways."""
    name, text = BROKEN[how]
    path = command.folder / "bank/second" / name
    path.unlink()
    if text is None:
        path.symlink_to("/etc/hostname")
    else:
        path.write_text(text)


@pytest.mark.parametrize("how", BROKEN)
def test_results_of_a_package_that_is_broken_meanwhile_stay(folder: Command, how: str) -> None:
    put(folder.folder / "in", "bob", WRONG, "second")
    assert folder.run(*BATCH, env=ENV).code == 0
    before = contents(folder.folder / "out")
    damage(folder, how)
    said = (
        "grader: The package second cannot be used now; its 2 results stay as they were "
        "(grader check second says why; mend it, then go on with --resume)."
    )
    dry = folder.run("batch", "in", "--out", "out", "--only", "WA", "--dry-run", env=ENV)
    assert (dry.code, dry.err.splitlines()) == (
        0,
        [said, "0 submissions would be judged, 0 distinct sources, 4 results kept"],
    )
    ended = folder.run(*BATCH, "--only", "WA", env=ENV)
    assert (ended.code, ended.err.splitlines()) == (
        0,
        [said, "4 results (4 of them from before): 3 AC, 1 WA; in out"],
    )
    assert contents(folder.folder / "out") == before


@pytest.mark.parametrize(("others_judge", "broken"), [(False, {"first", "second"}), (True, {"second"})])
def test_a_package_that_nobody_can_try_here_counts_as_broken_unless_others_try_it(
    folder: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, others_judge: bool, broken: set[str]
) -> None:
    damage(folder, "loaded")
    monkeypatch.setattr("sys.executable", "/bin/false")  # no sandbox starts
    cache = CaseCache(tmp_path / "no cases yet")
    found = broken_packages(folder.folder / "bank", {"first", "second"}, cache, others_judge=others_judge)
    assert found == broken


def test_what_is_new_for_a_broken_package_is_our_failure_beside_what_stays(judged: Command) -> None:
    damage(judged, "loaded")
    put(judged.folder / "in", "zoe", RIGHT, "second")
    ended = judged.run(*BATCH, "--resume", env=ENV)
    assert (ended.code, ended.err.splitlines()[-1]) == (
        4,
        "5 results (4 of them from before): 4 AC, 1 JE; in out",
    )


def test_a_roster_is_carried_on_and_may_be_another(folder: Command) -> None:
    roster = folder.folder / "roster.csv"
    roster.write_text("candidate\nann\nzoe\n")
    args = ("batch", "other", "--out", "out", "--jobs", "1")
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
