"""Batches judged again after a package was corrected: shown first, taken over on request, and taken back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from grader.batch.manifest import read_manifest
from grader.errors import UserError
from grader.problems.files import read_folder
from tests.batch.folders import BATCH, RIGHT, WRONG, copy_judged, lines, put, table
from tests.cli.running import Command, Ended
from tests.packages import TINY, edited

pytestmark = pytest.mark.sandbox
ENV: Final[dict[str, str | None]] = {"GRADER_PROBLEMS": "bank"}
BROKEN: Final = b"def attend(:\n"
NOTHING: Final = "Nothing to judge again: the results in out are of these packages and this grader\n"
DAMAGED: Final = "is damaged; write it anew with grader batch --resume."
POINTS: Final = "name: mask, points: "
REFUSED: Final = (2, "grader: out holds no earlier results; there is nothing to undo.")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Path:
    """A batch of two problems, with a right, a wrong and a broken source of each; judged once for all tests."""
    command = Command(tmp_path_factory.mktemp("judged"), cache_folder)
    for slug in ("first", "second"):
        shutil.copytree(TINY, command.folder / "bank" / slug)
        for name, source in (("ann", RIGHT), ("bob", WRONG), ("eve", BROKEN)):
            put(command.folder / "in", name, source, slug)
    ended = command.run(*BATCH, "--format", "csv,html,junit", env=ENV)
    assert (ended.code, ended.err.splitlines()[-1]) == (0, "6 results: 2 AC, 2 CE, 2 WA; in out")
    return command.folder


@pytest.fixture
def judged(command: Command, template: Path) -> Command:
    """The command beside a copy of that batch."""
    copy_judged(template, command.folder)
    return command


def rejudge(command: Command, *args: str, **more: Any) -> Ended:
    """Judge the batch again."""
    return command.run("rejudge", "out", "--jobs", "1", *args, env=ENV, **more)


def correct(command: Command, slug: str, points: int) -> None:
    """Give a group of a package other points."""
    text = edited("problem.yaml", f"{POINTS}30", f"{POINTS}{points}")
    (command.folder / "bank" / slug / "problem.yaml").write_text(text)


def contents(command: Command) -> dict[str, bytes]:
    """Return every file of a batch's folder, apart from what is judged again and not taken over."""
    out = command.folder / "out"
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    files.pop("rejudged.jsonl", None)
    return files


def scores(command: Command) -> dict[str, str]:
    """Return the points in results.csv."""
    cells = [row.split(",") for row in table(command.folder / "out")]
    return {f"{candidate} {problem}": score for candidate, problem, _, _, score, *_ in cells}


def test_nothing_is_judged_where_nothing_has_changed(judged: Command) -> None:
    ended = rejudge(judged)
    assert (ended.code, ended.out, ended.err) == (0, "", NOTHING)


def test_changes_are_shown_and_nothing_is_changed(judged: Command) -> None:
    before = contents(judged)
    correct(judged, "second", 20)
    ended = rejudge(judged)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "candidate  problem  before    after",
        "ann        second   ✓ AC 100  ✓ AC 90",
        "bob        second   ✗ WA 40   ✗ WA 30",
    ]
    assert ended.err.splitlines()[-2:] == [
        "3 results judged again, 2 of them change",
        "Nothing is changed yet; --apply takes the new results over",
    ]
    assert contents(judged) == before


def test_new_results_are_taken_over_and_taken_back(judged: Command) -> None:
    before = contents(judged)
    correct(judged, "second", 20)
    shown = rejudge(judged)
    times = {line["candidate"]: line["timing"] for line in map(json.loads, rejudged(judged))}
    ended = rejudge(judged, "--apply")
    assert (ended.code, ended.out) == (0, shown.out)
    assert not (judged.folder / "out/rejudged.jsonl").exists()
    assert ended.err.splitlines()[-1] == "3 results taken over; the old ones are in out/results.1.jsonl"
    after = contents(judged)
    assert after.keys() - before.keys() == {"results.1.jsonl", "rejudged.1.jsonl"}
    assert after["results.1.jsonl"] == before["results.jsonl"]
    assert scores(judged)["ann second"] == "90"
    changed = {line["candidate"]: line for line in lines(judged.folder / "out") if line["problem"] == "second"}
    assert {name: line["timing"] for name, line in changed.items()} == times  # not judged twice
    assert b">90<" in after["html/ann.html"]
    package = json.loads(after["manifest.json"])["packages"]["second"]
    assert package == read_folder(judged.folder / "bank/second").sha256
    assert rejudge(judged).err == NOTHING
    ended = rejudge(judged, "--undo")
    assert (ended.code, ended.err) == (0, "The results of results.1.jsonl are back in out\n")
    assert contents(judged) == before
    ended = rejudge(judged, "--undo")
    assert (ended.code, ended.line) == REFUSED


def rejudged(command: Command) -> list[str]:
    """Return the lines of what was judged again."""
    return (command.folder / "out/rejudged.jsonl").read_text().splitlines()


def test_a_taking_over_that_was_cut_short_is_finished_by_the_same_command(judged: Command) -> None:
    out = judged.folder / "out"
    before = contents(judged)
    correct(judged, "second", 20)
    assert rejudge(judged).code == 0
    new = (out / "rejudged.jsonl").read_bytes()
    assert rejudge(judged, "--apply").code == 0
    whole = contents(judged)
    for name in ("results.csv", "gradebook.csv", "junit.xml", "report.html", "html/ann.html", "manifest.json"):
        (out / name).write_bytes(before[name])  # as if it had been killed before the tables
    (out / "rejudged.jsonl").write_bytes(new)
    ended = rejudge(judged, "--apply")
    assert (ended.code, ended.err) == (0, NOTHING)
    assert contents(judged) == whole
    assert not (out / "rejudged.jsonl").exists()
    (out / "results.jsonl").write_bytes(before["results.jsonl"])  # as if it had been killed before the lines
    (out / "rejudged.jsonl").write_bytes(new)
    assert rejudge(judged, "--apply").code == 0
    assert contents(judged) == whole


def test_what_was_judged_since_is_not_undone(judged: Command) -> None:
    correct(judged, "first", 20)
    assert rejudge(judged, "--apply").code == 0
    put(judged.folder / "in", "ann", WRONG, "first")
    put(judged.folder / "in", "zoe", RIGHT, "first")
    assert judged.run(*BATCH, "--resume", env=ENV).code == 0
    before = scores(judged)
    assert rejudge(judged, "--undo").code == 0
    assert (before["ann first"], before["bob first"], before["zoe first"]) == ("30", "30", "90")
    assert scores(judged) == {**before, "bob first": "40"}


def test_evidence_follows_its_result(judged: Command) -> None:
    out = judged.folder / "out"
    assert judged.run(*BATCH, "--resume", "--evidence", env=ENV).code == 0
    records = {path: path.read_bytes() for path in sorted(out.glob("evidence/*/*.json"))}
    before = contents(judged)
    correct(judged, "first", 20)
    assert rejudge(judged).code == 0
    assert {path: path.read_bytes() for path in sorted(out.glob("evidence/*/*.json"))} == records
    assert rejudge(judged, "--apply").code == 0
    hashes = {line["problem"]: line["package_sha256"] for line in lines(out)}
    for path in records:
        assert json.loads(path.read_bytes())["package"]["sha256"] == hashes[path.stem]
    assert judged.run("replay", next(path for path in records if path.stem == "first"), env=ENV).code == 0
    assert not (out / "rejudged").exists()
    assert rejudge(judged, "--undo").code == 0
    assert contents(judged) == before


def test_a_full_disk_is_told_with_the_command_that_goes_on(judged: Command) -> None:
    before = contents(judged)
    correct(judged, "second", 20)
    size = len(before["results.jsonl"]) - 1
    ended = rejudge(judged, "--apply", file_size=size)
    assert ended.code == 4
    assert ended.err.splitlines()[-1] == (
        "grader: out/results.1.jsonl cannot be written (File too large); make room, then run the same command again: "
        "what is judged is kept."
    )
    assert contents(judged) == before


def test_each_taking_over_can_be_undone(judged: Command) -> None:
    for points in (20, 10):
        correct(judged, "first", points)
        assert rejudge(judged, "--apply").code == 0
    seen = [scores(judged)["ann first"]]
    for _ in range(2):
        assert rejudge(judged, "--undo").code == 0
        seen.append(scores(judged)["ann first"])
    assert seen == ["80", "90", "100"]


def test_only_the_named_problems_are_judged_again(judged: Command) -> None:
    for slug in ("first", "second"):
        correct(judged, slug, 20)
    ended = rejudge(judged, "--problems", "first", "--apply")
    assert ended.code == 0
    assert (scores(judged)["ann first"], scores(judged)["ann second"]) == ("90", "100")
    ended = rejudge(judged, "--problems", "frist")
    assert (ended.code, ended.line) == (2, "grader: There is no problem 'frist'; did you mean first?")


def test_results_of_another_grader_are_judged_again(judged: Command) -> None:
    path = judged.folder / "out/results.jsonl"
    mine, *others = path.read_text().splitlines(keepends=True)
    value = json.loads(mine)
    value["versions"]["grader"] = "0.0.1"
    path.write_text("".join([json.dumps(value) + "\n", *others]))
    ended = rejudge(judged)
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.splitlines()[0] == "1 result judged again, 0 of them change"


def test_what_is_not_there_any_more_as_it_was_keeps_its_result(judged: Command) -> None:
    correct(judged, "second", 20)
    put(judged.folder / "in", "ann", WRONG, "second")
    Path(judged.folder / "in/bob/second.py").unlink()
    ended = rejudge(judged, "--apply")
    assert ended.code == 2
    assert ended.err.splitlines()[:2] == [
        "grader: second of ann is not there any more as it was judged; its result stays.",
        "grader: second of bob is not there any more as it was judged; its result stays.",
    ]
    assert (scores(judged)["ann second"], scores(judged)["bob second"]) == ("100", scores(judged)["bob first"])


def test_lines_that_are_no_results_are_passed_over(judged: Command) -> None:
    before = scores(judged).keys()
    with (judged.folder / "out/results.jsonl").open("a") as file:
        file.write('{"a": 1}\n{"candidate": "ann", "problem": "second"}\n[]\n')
    correct(judged, "second", 20)
    ended = rejudge(judged, "--apply")
    assert ended.code == 0, ended.err
    assert scores(judged).keys() == before


def test_a_package_that_cannot_be_read_changes_nothing(judged: Command) -> None:
    before = contents(judged)
    (judged.folder / "bank/second/notes.md").symlink_to("/etc/hostname")
    ended = rejudge(judged, "--apply")
    assert ended.code == 0
    assert ended.err == (
        "grader: The package second cannot be read; its results stay (grader check says why).\n" + NOTHING
    )
    assert contents(judged) == before


def test_our_own_failure_takes_nothing_over(judged: Command) -> None:
    before = contents(judged)
    (judged.folder / "bank/second/problem.yaml").write_text("schema: 1\n")
    ended = rejudge(judged, "--apply")
    assert (ended.code, ended.out) == (4, "")
    assert "is JE, which is not its fault: second/problem.yaml: " in ended.err
    assert contents(judged) == before


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (
            ("in",),
            "in/manifest.json cannot be read (No such file or directory); name a folder that grader batch wrote.",
        ),
        (("out", "--apply", "--undo"), "--apply and --undo exclude each other; leave one out."),
    ],
)
def test_what_cannot_be_done(judged: Command, args: tuple[str, ...], line: str) -> None:
    ended = judged.run("rejudge", *args, env=ENV)
    assert (ended.code, ended.line) == (2, f"grader: {line}")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"schema": 2}', "[" * 100_000, '{"schema": 1, "input": {"kind": "x"}}']
)
def test_a_damaged_manifest_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UserError) as error:
        read_manifest(tmp_path)
    assert error.value.message == f"{tmp_path}/manifest.json {DAMAGED}"


def test_a_batch_whose_manifest_is_damaged_is_not_judged_again(judged: Command) -> None:
    before = (judged.folder / "out/results.jsonl").read_bytes()
    (judged.folder / "out/manifest.json").write_text("{}")
    ended = rejudge(judged)
    assert (ended.code, ended.line) == (2, f"grader: out/manifest.json {DAMAGED}")
    assert (judged.folder / "out/results.jsonl").read_bytes() == before
