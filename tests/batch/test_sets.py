"""Batches of a set: only its problems are judged, and who lacks one of them is named."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Final

import pytest

from tests.batch.folders import RIGHT, WRONG, lines, put
from tests.cli.running import Command
from tests.packages import TINY

pytestmark = pytest.mark.sandbox
SETS: Final = "schema: 1\nsets:\n  pair: {title: A pair, minutes: 9, problems: [second, first]}\n"
ENV: Final[Mapping[str, str | None]] = {"GRADER_PROBLEMS": "bank"}
ARGS: Final = ("batch", "in", "--out", "out", "--jobs", "1", "--set", "pair")


@pytest.fixture
def bank(command: Command) -> Command:
    """The command beside three problems, two of which are a set."""
    for slug in ("first", "second", "third"):
        shutil.copytree(TINY, command.folder / "bank" / slug)
    (command.folder / "bank/sets.yaml").write_text(SETS)
    return command


def results(command: Command) -> dict[tuple[str, str], str]:
    """Return the verdicts by candidate and problem."""
    return {(line["candidate"], line["problem"]): line["verdict"] for line in lines(command.folder / "out")}


def test_only_the_sets_problems_are_judged_and_who_lacks_one_is_named(bank: Command) -> None:
    folder = bank.folder / "in"
    for slug in ("first", "second", "third"):
        put(folder, "ann", RIGHT, slug)
    put(folder, "bob\n", WRONG, "first")
    put(folder, "cem", RIGHT, "third")
    (folder / "dee").mkdir()
    ended = bank.run(*ARGS, env=ENV)
    assert ended.code == 0
    assert ended.err.splitlines() == [
        "grader: ann/third.py is no <candidate>/<problem>.py of a problem of the set pair; it is not judged.",
        "grader: cem/third.py is no <candidate>/<problem>.py of a problem of the set pair; it is not judged.",
        "grader: bob\\n has no second.py (set pair).",
        "grader: cem has no second.py, no first.py (set pair).",
        "grader: dee has no second.py, no first.py (set pair).",
        "3 results: 2 AC, 1 WA; in out",
    ]
    assert results(bank) == {("ann", "first"): "AC", ("ann", "second"): "AC", ("bob\n", "first"): "WA"}


def test_who_handed_in_what_cannot_be_judged_lacks_nothing_of_it(bank: Command) -> None:
    folder = bank.folder / "in"
    put(folder, "ann", RIGHT, "first")
    (folder / "ann/second.py").symlink_to("first.py")
    put(folder, "bob", RIGHT, "frist")
    (folder / "eve").symlink_to("ann")
    ended = bank.run(*ARGS, env=ENV)
    assert (ended.code, ended.err.splitlines()) == (
        2,
        [
            "grader: bob/frist.py is no <candidate>/<problem>.py of a problem of the set pair; it is not judged.",
            "grader: eve is a link; nothing in it is judged.",
            "grader: in/ann/second.py is a link; it has no result.",
            "1 result: 1 AC; in out",
        ],
    )


def test_of_many_who_lack_one_twenty_are_named(bank: Command) -> None:
    put(bank.folder / "in", "zoe", RIGHT, "first")
    for number in range(22):
        (bank.folder / "in" / f"c{number:02}").mkdir()
    said = bank.run(*ARGS, env=ENV).err.splitlines()
    assert said[:20] == [f"grader: c{number:02} has no second.py, no first.py (set pair)." for number in range(20)]
    assert said[20:] == ["grader: and 3 more, each without some problem of the set.", "1 result: 1 AC; in out"]


def test_without_a_set_nobody_lacks_anything(bank: Command) -> None:
    put(bank.folder / "in", "ann", RIGHT, "first")
    (bank.folder / "in/dee").mkdir()
    assert bank.run(*ARGS[:-2], env=ENV).err == "1 result: 1 AC; in out\n"


def test_a_broken_file_of_sets_is_told_before_anything_is_judged(bank: Command) -> None:
    put(bank.folder / "in", "ann", RIGHT, "first")
    (bank.folder / "bank/sets.yaml").write_text(SETS.replace("first", "frist"))
    ended = bank.run(*ARGS, env=ENV)
    assert (ended.code, ended.out) == (3, "")
    assert ended.line == "grader: bank/sets.yaml: sets.pair.problems.1: there is no problem frist; did you mean first?"
    assert not (bank.folder / "out").exists()
