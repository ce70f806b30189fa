"""Sets on the command line: `problems --set`, what --json tells of them, and what the shell completes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.cli.running import ESCAPE, Command, terminal
from tests.packages import TINY

SETS: Final = """\
schema: 1
sets:
  backwards: {title: "\u202eThree, backwards", minutes: 12, problems: [third, second, first]}
  one: {title: Only one, minutes: 7, problems: [second]}
"""
ROW: Final = "L2       5  interview  A tiny attention"


@pytest.fixture
def bank(command: Command) -> Path:
    """A folder of three problems and two sets."""
    folder = command.folder / "bank"
    for slug in ("first", "second", "third"):
        shutil.copytree(TINY, folder / slug)
    (folder / "sets.yaml").write_text(SETS)
    return folder


def env_of(bank: Path) -> dict[str, str | None]:
    """Return the setting that names the folder."""
    return {"GRADER_PROBLEMS": str(bank)}


def test_the_list_ends_with_the_sets(command: Command, bank: Path) -> None:
    ended = command.run("problems", env=env_of(bank))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "problem  level  min  variants   title\n"
        f"first    {ROW}\nsecond   {ROW}\nthird    {ROW}\n\n"
        "Sets (--set NAME): backwards, one\n"
    )


def test_a_set_is_listed_in_its_order_under_its_title(command: Command, bank: Path) -> None:
    ended = command.run("problems", "--set", "backwards", env=env_of(bank))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "\\u202eThree, backwards · 3 problems · 12 min in all\n\n"
        "problem  level  min  variants   title\n"
        f"third    {ROW}\nsecond   {ROW}\nfirst    {ROW}\n"
    )
    one = command.run("problems", "--set", "one", env=env_of(bank))
    assert one.out.startswith("Only one · 1 problem · 7 min in all\n\n")


@pytest.mark.parametrize(
    ("args", "sets"),
    [
        ((), {"first": ["backwards"], "second": ["backwards", "one"], "third": ["backwards"]}),
        (("--set", "backwards"), {"third": ["backwards"], "second": ["backwards", "one"], "first": ["backwards"]}),
        (("--set", "one"), {"second": ["backwards", "one"]}),
    ],
    ids=["all", "backwards", "one"],
)
def test_json_tells_each_problems_sets(
    command: Command, bank: Path, args: tuple[str, ...], sets: dict[str, list[str]]
) -> None:
    ended = command.run("problems", "--json", *args, env=env_of(bank))
    assert (ended.code, ended.err) == (0, "")
    told = {problem["slug"]: problem["sets"] for problem in json.loads(ended.out)}
    assert list(told.items()) == list(sets.items())


def test_without_sets_nothing_is_said_of_them(command: Command, bank: Path) -> None:
    (bank / "sets.yaml").unlink()
    assert "Sets" not in command.run("problems", env=env_of(bank)).out
    listed = json.loads(command.run("problems", "--json", env=env_of(bank)).out)
    assert [problem["sets"] for problem in listed] == [[], [], []]


def test_broken_sets_hide_no_problem(command: Command, bank: Path) -> None:
    (bank / "sets.yaml").write_text(SETS.replace("second", "secnd"))
    told = [
        f"grader: bank/sets.yaml: sets.{key}: there is no problem secnd; did you mean second?"
        for key in ("backwards.problems.1", "one.problems.0")
    ]
    listed = command.run("problems", env=env_of(bank))
    assert (listed.code, listed.err.splitlines()) == (0, told)
    assert [line.split()[0] for line in listed.out.splitlines()] == ["problem", "first", "second", "third"]
    chosen = command.run("problems", "--set", "one", env=env_of(bank))
    assert (chosen.code, chosen.out) == (3, "")
    assert chosen.line == f"{told[0]} (1 more: grader problems lists them all)"
    assert command.run("problems", "--json", env=env_of(bank)).err == listed.err


def test_a_broken_problem_of_a_set_hides_no_other(command: Command, bank: Path) -> None:
    (bank / "second/statement.md").unlink()
    ended = command.run("problems", "--set", "backwards", "--json", env=env_of(bank))
    assert [problem["slug"] for problem in json.loads(ended.out)] == ["third", "first"]
    assert ended.line == "grader: second/statement.md: the file is missing; add it."


def test_a_set_keeps_to_a_narrow_terminal(command: Command, bank: Path) -> None:
    shown = ESCAPE.sub("", terminal(command, 40, "problems", "--set", "one", env=env_of(bank)))
    assert max(map(len, shown.splitlines())) <= 40
    assert shown.startswith("Only one · 1 problem · 7 min in all\n")


def completed(command: Command, words: str, env: dict[str, str | None]) -> list[str]:
    """Return what bash would offer for the last of some words."""
    count = str(len(words.split(" ")) - 1)
    asked: dict[str, str | None] = {"_GRADER_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": count}
    return command.run(env={**env, **asked}).out.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("grader quiz ", ["plain,first", "plain,second", "plain,third"]),
        ("grader show s", ["plain,second"]),
        ("grader show ./x", ["dir,./x"]),
        ("grader problems --set ", ["plain,backwards", "plain,one"]),
        ("grader batch in --set o", ["plain,one"]),
    ],
)
def test_the_shell_completes_problems_and_sets(command: Command, bank: Path, words: str, offered: list[str]) -> None:
    assert completed(command, words, env_of(bank)) == offered


def test_what_is_broken_completes_nothing(command: Command, bank: Path) -> None:
    (bank / "sets.yaml").write_text("sets: [")
    assert completed(command, "grader problems --set ", env_of(bank)) == []
    assert completed(command, "grader quiz ", {"GRADER_PROBLEMS": "/nowhere"}) == []
