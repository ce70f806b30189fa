"""README.md and --help name every command and setting that there is, and none that there is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import click
import pytest

from grader.cli.commands import COMMANDS, cli
from grader.cli.whole_number import WholeNumber
from tests.cli.running import ROOT

SETTING: Final = re.compile(r"\bGRADER_[A-Z][A-Z_]*\b")
CALL: Final = re.compile(r"(?:\./dev run|\bgrader) ([a-z]+)([^\n`|]*)")
OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]*|(?<![\w-])-[a-z]\b")
CUT_OFF: Final = re.compile(r"\.\.\.$", re.MULTILINE)
README: Final = (ROOT / "README.md").read_text()


def commands(group: click.Group = cli, name: str = "grader") -> Iterator[tuple[str, click.Command]]:
    """Yield every command by its full name, those of groups as well."""
    context = click.Context(group, info_name=name)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None
        yield f"{name} {word}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {word}")


ALL: Final = dict(commands())


def help_of(name: str, command: click.Command) -> str:
    """Return what --help prints."""
    return command.get_help(click.Context(command, info_name=name, max_content_width=100))


def options_of(command: click.Command) -> set[str]:
    """Return the options that a command takes, in every spelling."""
    return {
        "--help",
        "-h",
        *(name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)),
    }


def code_in(markdown: str) -> str:
    """Return the passages set as code: between backticks, and lines that are indented."""
    spans = re.findall(r"`([^`\n]+)`", markdown)
    blocks = re.findall(r"^    (.*)$", markdown, re.MULTILINE)
    return "\n".join([*spans, *blocks])


def settings_read() -> set[str]:
    """Return the variables that the code names, apart from the text of --help."""
    sources = [path.read_text() for path in (ROOT / "grader").rglob("*.py") if path.name != "commands.py"]
    return {name for source in sources for name in SETTING.findall(source)}


def test_every_setting_is_told_and_no_other() -> None:
    told = README + help_of("grader", cli) + "".join(help_of(*item) for item in ALL.items())
    assert set(SETTING.findall(told)) == settings_read()


def test_documents_name_no_setting_that_is_not_read() -> None:
    documents = "".join(path.read_text() for path in (ROOT / "grader").rglob("*.md"))
    assert set(SETTING.findall(documents)) <= settings_read()


def test_every_command_is_in_the_readme_and_no_other() -> None:
    called = {word for word, _ in CALL.findall(code_in(README))}
    assert called == set(COMMANDS)
    database = {name.split()[2] for name in ALL if name.startswith("grader db ")}
    (row,) = (line for line in README.splitlines() if line.startswith("| `grader db "))
    assert set(re.findall(r"`(?:grader db )?([a-z-]+)[^`]*`", row.split("|")[1])) == database


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_a_sentence_and_describes_its_options(name: str) -> None:
    command = ALL[name]
    assert command.help
    assert command.help.strip().endswith((".", ")"))
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts
            assert parameter.help.endswith(".")
    assert not CUT_OFF.search(help_of(name, command).partition("\n")[2])


def test_every_option_that_is_a_number_is_refused_in_one_way() -> None:
    types = [parameter.type for command in ALL.values() for parameter in command.params]
    numbers = [each for each in types if isinstance(each, click.types.IntParamType | click.types.FloatParamType)]
    assert len(numbers) >= 7
    assert {type(each) for each in numbers} == {WholeNumber}


def test_the_list_of_commands_cuts_no_sentence_off() -> None:
    lines = help_of("grader", cli).splitlines()
    assert all(any(line.startswith(f"  {name} ") for line in lines) for name in COMMANDS)
    assert not CUT_OFF.search(help_of("grader", cli).partition("\n")[2])


def test_options_in_the_readme_exist() -> None:
    calls = [(word, rest) for word, rest in CALL.findall(code_in(README)) if word in COMMANDS]
    named = [(word, option) for word, rest in calls for option in OPTION.findall(rest)]
    assert len(named) > 5
    assert [(word, option) for word, option in named if option not in options_of(ALL[f"grader {word}"])] == []
