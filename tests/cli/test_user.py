"""grader user: accounts made, listed, changed and deleted, each with one clear line."""

from __future__ import annotations

import json
import re

import pytest

from grader.store.migrate import current, upgrade
from tests.cli.running import Command, terminal

LINK = re.compile(r"http://127\.0\.0\.1:8000/links/[\w-]{43}\n")


def listed(command: Command) -> dict[str, dict[str, object]]:
    """Return what the list says of each user, without the time."""
    users = json.loads(command.run("user", "list", "--json").out)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", user.pop("created_at")) for user in users)
    return {user.pop("name"): user for user in users}


def test_an_account_is_made_with_a_link(command: Command) -> None:
    added = command.run("user", "add", " Ines   Okafor ", "--interviewer")
    assert added.code == 0
    assert LINK.fullmatch(added.out)
    assert added.err.startswith("Give this link to Ines Okafor; it works once, within 7 days.\n")
    assert "set GRADER_PUBLIC_URL" in added.err
    assert listed(command) == {"Ines Okafor": {"is_interviewer": True, "is_admin": False, "has_password": False}}


@pytest.mark.parametrize("args", [["list"], ["add", "Ines"], ["reset", "Ines"], ["role", "Ines", "--admin"]])
def test_a_database_of_an_older_revision_is_not_brought_up_to_date(command: Command, args: list[str]) -> None:
    url = f"sqlite:///{command.folder / 'older.sqlite3'}"
    upgrade(url, "0010")
    told = command.run("user", *args, env={"GRADER_DATABASE_URL": url})
    assert (told.code, told.out) == (2, "")
    assert re.fullmatch(
        r"grader: The database is at revision 0010, this release needs \d{4}; run: grader db upgrade", told.line
    )
    assert current(url) == "0010"


def test_a_link_names_the_address_that_people_use(command: Command) -> None:
    environment = {"GRADER_PUBLIC_URL": "https://grader.example/"}
    added = command.run("user", "add", "Ines", env=environment)
    assert re.fullmatch(r"https://grader\.example/links/[\w-]{43}\n", added.out)
    assert added.err.count("\n") == 1
    reset = command.run("user", "reset", "INES", env=environment)
    assert reset.out != added.out
    assert reset.line == "Give this link to Ines; it works once, within 24 hours."


def test_rights_are_given_and_taken_and_one_admin_stays(command: Command) -> None:
    command.run("user", "add", "Root", "--admin")
    command.run("user", "add", "Ines")
    given = command.run("user", "role", "ines", "--interviewer", "--admin")
    assert (given.code, given.line) == (0, "Ines is admin and interviewer now, and signed out everywhere.")
    taken = command.run("user", "role", "Root", "--no-admin")
    assert taken.line == "Root is neither admin nor interviewer now, and signed out everywhere."
    last = command.run("user", "role", "Ines", "--no-admin")
    assert (last.code, last.out) == (2, "")
    assert last.line.startswith("grader: Ines is the only admin; make somebody else one first")
    assert listed(command)["Ines"] == {"is_interviewer": True, "is_admin": True, "has_password": False}


def test_an_account_is_deleted_when_that_is_meant(command: Command) -> None:
    command.run("user", "add", "Ines")
    asked = command.run("user", "remove", "Ines")
    assert asked.code == 2
    assert "say --yes" in asked.line
    assert list(listed(command)) == ["Ines"]
    assert command.run("user", "remove", "ines", "--yes").line == "Ines is deleted."
    assert listed(command) == {}


@pytest.mark.parametrize(
    ("args", "code", "line"),
    [
        (["add", "a\u200bb"], 2, "grader: The name has characters that do not show; type it again without them."),
        (["add", "x" * 61], 2, "grader: The name has more than 60 characters; shorten it."),
        (["add", ""], 2, "grader: Enter a name; you sign in with it"),
        (["reset", "Nobody\u202e"], 2, "grader: There is no user Nobody\\u202e; grader user list shows them all."),
        (["role", "Nobody", "--admin"], 2, "grader: There is no user Nobody"),
        (["role", "Nobody"], 2, "grader: Say which right to give or to take. See grader user role --help."),
        (["remove", "Nobody", "--yes"], 2, "grader: There is no user Nobody"),
    ],
)
def test_what_cannot_be_done_is_one_line(command: Command, args: list[str], code: int, line: str) -> None:
    ended = command.run("user", *args)
    assert (ended.code, ended.out) == (code, "")
    assert ended.line.startswith(line)


def test_a_taken_name_is_told(command: Command) -> None:
    command.run("user", "add", "Ines")
    again = command.run("user", "add", "INES")
    assert (again.code, again.line) == (
        2,
        "grader: The name INES, or one that looks like it, is taken; choose another one.",
    )


def test_the_list_is_a_table_or_says_how_to_begin(command: Command) -> None:
    assert command.run("user", "list").line.startswith("There is no account yet; grader user add makes one")
    command.run("user", "add", "[red]Ines", "--admin")
    assert re.fullmatch(
        r"name +rights +password +since\n\[red\]Ines +admin +none yet +\d{4}-\d\d-\d\d\n",
        re.sub(r" +\n", "\n", command.run("user", "list").out),
    )
    assert "[red]Ines" in terminal(command, 80, "user", "list")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"GRADER_SIGNUP": "yes"}, "GRADER_SIGNUP is 'yes'; write 1 to allow it, 0 to refuse it, or leave it out."),
        ({"GRADER_PROXIES": "-1"}, "GRADER_PROXIES is '-1'; write how many proxies stand in front, 0 to 9."),
        ({"GRADER_PROXIES": "10"}, "GRADER_PROXIES is '10'; write how many proxies stand in front, 0 to 9."),
        ({"GRADER_PROXIES": "٣"}, "GRADER_PROXIES is '\\u0663'; write how many proxies stand in front, 0 to 9."),
    ],
)
def test_unusable_settings_are_one_sentence(command: Command, settings: dict[str, str], sentence: str) -> None:
    ended = command.run("user", "list", env=settings)
    assert (ended.code, ended.line) == (2, f"grader: {sentence}")
