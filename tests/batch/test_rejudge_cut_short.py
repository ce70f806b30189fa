"""Taking over and putting back, killed before each of their steps: records stay with their results, none is lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from grader import __version__
from grader.batch.outputs import EVIDENCE, Places
from grader.batch.rejudge import ASIDE, clear, forget, put_back, settle, take_over
from grader.errors import UserError
from tests.batch.folders import BATCH, WRONG, put
from tests.cli.running import Command
from tests.packages import TINY, edited

PROBLEM: Final = "first"
# the verdict of each candidate under three versions of the package
VERDICTS: Final = {
    "ann": ("WA", "WA", "WA"),
    "bob": ("WA", "AC", "WA"),
    "eve": ("AC", "WA", "AC"),
    "zoe": ("WA", "WA", "AC"),
}


class Killed(BaseException):
    """Stands for the end of the process."""


def line(candidate: str, package: int) -> dict[str, Any]:
    """Return a result."""
    return {
        "candidate": candidate,
        "problem": PROBLEM,
        "verdict": VERDICTS[candidate][package],
        "score": float(package),
        "source_sha256": candidate,
        "package_sha256": f"package {package}",
        "versions": {"grader": __version__},
    }


def record(value: dict[str, Any]) -> str:
    """Return the record of a result."""
    return json.dumps(
        {
            "package": {"sha256": value["package_sha256"]},
            "source": {"sha256": value["source_sha256"]},
            "judgement": {"verdict": value["verdict"]},
            "versions": value["versions"],
        }
    )


def write(folder: Path, name: str, package: int) -> None:
    """Write the lines of a package, and their records below the folder of the lines or of what is aside."""
    place = folder / ASIDE if name == "rejudged.jsonl" else folder
    values = [line(candidate, package) for candidate in VERDICTS]
    (folder / name).write_text("".join(json.dumps(value) + "\n" for value in values))
    for value in values:
        path = place / EVIDENCE / value["candidate"] / f"{PROBLEM}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if value["verdict"] != "AC":
            path.write_text(record(value))


def lines_of(folder: Path, name: str = "results.jsonl") -> list[dict[str, Any]]:
    """Return the results of a file."""
    return [json.loads(text) for text in (folder / name).read_text().splitlines()]


def apply(package: int) -> Callable[[Path], None]:
    """Return what `grader rejudge --apply` does under a package."""

    def act(folder: Path) -> None:
        places = Places.of(folder, list(VERDICTS))
        settle(places)
        if any(value["package_sha256"] != f"package {package}" for value in lines_of(folder)):
            write(folder, "rejudged.jsonl", package)
            take_over(places, {(candidate, PROBLEM) for candidate in VERDICTS})
        clear(folder)

    return act


def undo(folder: Path) -> None:
    """Do what `grader rejudge --undo` does."""
    put_back(Places.of(folder, list(VERDICTS)))
    forget(folder)


def resume(folder: Path) -> None:
    """Do what `grader batch --resume` does before it judges."""
    settle(Places.of(folder, list(VERDICTS)))


def records(folder: Path) -> dict[str, str]:
    """Return the records below a folder, by candidate."""
    return {path.parent.name: path.read_text() for path in sorted(folder.glob(f"*/{PROBLEM}.json"))}


def wanted(values: list[dict[str, Any]]) -> dict[str, str]:
    """Return the records that results should have."""
    return {value["candidate"]: record(value) for value in values if value["verdict"] != "AC"}


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A batch's folder."""
    folder = tmp_path / "begun"
    folder.mkdir()
    write(folder, "results.jsonl", 0)
    return folder


class Steps:
    """Counts what changes a folder, and ends before one of them."""

    def __init__(self, last: int) -> None:
        self.left = last

    def ending(self, act: Callable[..., Any]) -> Callable[..., Any]:
        """Return an act that a killed process does not come to."""

        def step(*args: Any, **more: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise Killed
            return act(*args, **more)

        return step


def cut_short(monkeypatch: pytest.MonkeyPatch, begun: Path, act: Callable[[Path], None]) -> Iterator[Path]:
    """Yield a copy of a folder for each step of an act, in which the act was killed before it."""
    for number in count(1):
        folder = begun.with_name(f"killed before {number}")
        shutil.copytree(begun, folder)
        steps = Steps(number)
        with monkeypatch.context() as patch:
            for module, name in ((os, "replace"), (os, "unlink"), (os, "rmdir"), (Path, "unlink")):
                patch.setattr(module, name, steps.ending(getattr(module, name)))
            try:
                act(folder)
            except Killed:
                pass
            else:
                assert number > 5  # there was something to kill
                return
        yield folder


def every_record_is_kept(folder: Path) -> bool:
    """Whether the first results' records are all somewhere."""
    found = [path.read_text() for path in folder.glob(f"{EVIDENCE}*/*/{PROBLEM}.json")]
    return all(text in found for text in wanted([line(candidate, 0) for candidate in VERDICTS]).values())


NEXT: Final = {"undo": undo, "the same": apply(1), "another package": apply(2), "resume": resume}


@pytest.mark.parametrize("then", NEXT)
def test_a_killed_taking_over_leaves_each_result_its_record(
    monkeypatch: pytest.MonkeyPatch, begun: Path, then: str
) -> None:
    for folder in cut_short(monkeypatch, begun, apply(1)):
        assert every_record_is_kept(folder), folder.name
        try:
            NEXT[then](folder)
        except UserError:
            assert then == "undo"
            assert not (folder / "results.1.jsonl").exists()
        assert records(folder / EVIDENCE) == wanted(lines_of(folder)), folder.name
        assert every_record_is_kept(folder), folder.name


@pytest.mark.parametrize("then", NEXT)
def test_a_killed_putting_back_leaves_each_result_its_record(
    monkeypatch: pytest.MonkeyPatch, begun: Path, then: str
) -> None:
    apply(1)(begun)
    for folder in cut_short(monkeypatch, begun, undo):
        assert every_record_is_kept(folder), folder.name
        NEXT[then](folder)
        assert records(folder / EVIDENCE) == wanted(lines_of(folder)), folder.name
        assert every_record_is_kept(folder), folder.name


@pytest.mark.parametrize("then", NEXT)
def test_all_of_it_can_be_undone_in_the_end(monkeypatch: pytest.MonkeyPatch, begun: Path, then: str) -> None:
    first = {**records(begun / EVIDENCE), "": (begun / "results.jsonl").read_text()}
    for folder in cut_short(monkeypatch, begun, apply(1)):
        with suppress(UserError):  # there is nothing to undo any more
            NEXT[then](folder)
            while True:
                undo(folder)
        values = "".join(json.dumps(value) + "\n" for value in lines_of(folder))
        assert {**records(folder / EVIDENCE), "": values} == first, folder.name
        kept = ("results.*.jsonl", "rejudged.*.jsonl", f"{EVIDENCE}.*")
        assert not [path for pattern in kept for path in folder.glob(pattern)], folder.name


@pytest.mark.sandbox
def test_a_batch_that_goes_on_finishes_what_was_cut_short(command: Command) -> None:
    env = {"GRADER_PROBLEMS": "bank"}
    shutil.copytree(TINY, command.folder / "bank/first")
    put(command.folder / "in", "ann", WRONG, PROBLEM)
    assert command.run(*BATCH, "--evidence", env=env).code == 0
    out = command.folder / "out"
    (old,) = records(out / EVIDENCE).values()
    changed = edited("problem.yaml", "name: mask, points: 30", "name: mask, points: 20")
    (command.folder / "bank/first/problem.yaml").write_text(changed)
    assert command.run("rejudge", "out", "--apply", env=env).code == 0
    (new,) = records(out / EVIDENCE).values()
    (out / "evidence/ann/first.json").write_text(old)  # as if it had been killed before the records
    shutil.rmtree(out / "evidence.1")
    ended = command.run(*BATCH, "--resume", env=env)
    assert (ended.code, ended.err) == (0, "1 result: 1 WA; in out\n")
    (again,) = records(out / EVIDENCE).values()
    assert json.loads(again)["package"] == json.loads(new)["package"] != json.loads(old)["package"]
    assert records(out / "evidence.1") == {"ann": old}
