"""The `grader` command: thin Click commands, each loaded when it is called.

Exit codes: 0 done or AC, 1 judged and not AC, 2 usage or unreadable input, 3 invalid package, 4 our fault,
130 interrupted. Results go to stdout or files, everything else to stderr; an error is one line without traceback.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from grader import __version__
from grader.errors import GraderError

# our own arithmetic is small: threads of the linear algebra library would only spin beside the sandbox
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

COMMANDS = {
    "problems": "grader.cli.problems",
    "show": "grader.cli.problems",
    "grade": "grader.cli.grade",
    "check": "grader.cli.check",
    "batch": "grader.cli.batch",
    "serve": "grader.cli.serve",
    "db": "grader.cli.db",
    "doctor": "grader.cli.doctor",
}


class LazyGroup(click.Group):
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


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="grader")
def cli() -> None:
    """Judge repairs of buggy attention code against hidden value cases."""


def main() -> None:
    """Run the command line; the only place where an error becomes a line and an exit code."""
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        code = _say("Interrupted.", 130)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except GraderError as error:
        code = _say(error.message, error.exit_code)
    except BrokenPipeError:
        # the reader of our output has gone; keep the interpreter from complaining when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except OSError as error:
        code = _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.", 4)
    except Exception as error:
        if os.environ.get("GRADER_TRACEBACK"):
            raise
        code = _say(f"The grader failed, which is our fault ({type(error).__name__}: {error}).", 4)
    sys.exit(code if isinstance(code, int) else 0)


def _say(message: str, code: int) -> int:
    from grader.report.visible import visible

    click.echo(f"grader: {visible(message, keep='')}", err=True)
    return code
