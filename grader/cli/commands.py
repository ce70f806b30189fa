"""The table of commands, and the group that loads each one when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

from grader import __version__

COMMANDS: Final = {
    "problems": "grader.cli.problems",
    "show": "grader.cli.problems",
    "grade": "grader.cli.grade",
    "replay": "grader.cli.replay",
    "quiz": "grader.cli.quiz",
    "lesson": "grader.cli.lesson",
    "check": "grader.cli.check",
    "new": "grader.cli.new",
    "batch": "grader.cli.batch",
    "rejudge": "grader.cli.rejudge",
    "serve": "grader.cli.serve",
    "worker": "grader.cli.worker",
    "submit": "grader.cli.submit",
    "status": "grader.cli.submit",
    "pull": "grader.cli.submit",
    "db": "grader.cli.db",
    "user": "grader.cli.user",
    "doctor": "grader.cli.doctor",
    "bench": "grader.cli.bench",
}


class Group(click.Group):
    """A group that answers a call without a command by its help, on stderr for it is a usage error all the same."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Take the words of the command line."""
        if not args:
            click.echo(context.get_help(), err=True)
            context.exit(2)
        return super().parse_args(context, args)


class LazyGroup(Group):
    """Imports a command's module when it is called, so that no command pays for another's libraries."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names in the order of the table above."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command, or None for an unknown one."""
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[name]), f"{name}_command")
        return command


SETTINGS: Final = """\b
Settings come from the environment:
  GRADER_PROBLEMS            folder of problem packages; the shipped ones without it
  GRADER_CACHE               folder of generated cases; may be deleted at any time
  GRADER_DATA                folder of the database and the secret key
  GRADER_DATABASE_URL        another database: sqlite:///FILE or postgresql://HOST/NAME
  GRADER_PUBLIC_URL          the address that people use, when it is not this machine's
  GRADER_SIGNUP              1 lets anybody make an account, 0 nobody; by default this machine alone
  GRADER_PROXIES             how many proxies in front add the address that they were called from
  GRADER_ALLOW_WEAK_SANDBOX  1 judges without Landlock where there is none; pages and results say so
  GRADER_JUDGING             workers leaves judging to grader worker, embedded keeps it in the web process
  GRADER_TOKEN               what submit, status and pull show to a server in place of a password
  GRADER_TRACEBACK           1 shows where a failure of ours came from
"""


@click.group(
    cls=LazyGroup, epilog=SETTINGS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="grader")
def cli() -> None:
    """Judge repairs of buggy attention code against hidden value cases."""
