"""grader new."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from grader.cli.completion import complete_problem
from grader.config import Settings, read_settings, shipped
from grader.problems.loader import problem_folder
from grader.problems.new_package import new_package
from grader.report.visible import visible
from grader.wording import counted

# what an author edits, in this order; a name that ends with '/' is a folder
_ORDER: Final = (
    ("problem.yaml", "title, signature, sizes, variants, groups of cases"),
    ("starters/", "the buggy files that are given out"),
    ("submissions/accepted/", "reference.py, the repaired starter, other right sources"),
    ("statement.md", "the contract in full, and what is graded"),
    ("cases.py", "the inputs; the expected outputs come from reference.py"),
    ("stages.py", "the reference in steps, and wrong versions of each step"),
    ("submissions/wrong_answer/", "incomplete repairs, and one file for each other fault"),
    ("faults.yaml", "what each wrong source does, and its hints"),
    ("interview.yaml", "answers, follow-up questions, multiple choice"),
)


@click.command("new", short_help="Start a problem package of your own.")
@click.argument("slug")
@click.option(
    "--from", "source", metavar="PROBLEM", shell_complete=complete_problem, help="Copy this package, not the template."
)
def new_command(slug: str, source: str | None) -> None:
    """Make a new problem package named SLUG: lower-case words joined by '-'.

    It is a copy of a small template, which passes `grader check` as it stands and whose comments say what to replace.
    With --from it is a copy of another problem, whose title is marked "(copy)".

    \b
      grader new attn-x                          in the folder of problems
      grader new attn-x --from heads-never-mix   from a problem that is close
      grader new ../interviews/attn-x            a path, for it contains '/'

    The folder of problems is GRADER_PROBLEMS, otherwise the checkout's; without either it is the current folder.
    Nothing is overwritten, and nothing half-written stays. What to edit and what to run is printed at the end;
    problems/README.md tells the rest.
    """
    settings = read_settings()
    place, name = _place(slug, settings)
    written = new_package(place, name, problem_folder(source, settings.problems) if source is not None else None)
    click.echo(_told(place / name, _called(place / name, settings), written))


def _place(slug: str, settings: Settings) -> tuple[Path, str]:
    """Return the folder that the package is made in, and its name."""
    if "/" in slug:
        return Path(slug).parent, Path(slug).name
    return (settings.problems if _holds_own_packages(settings) else Path()), slug


def _holds_own_packages(settings: Settings) -> bool:
    """Whether the folder of problems is a checkout's or a chosen one, and not within an installation."""
    return settings.problems != shipped("problems") or shipped("problems").parent.name != "_shipped"


def _called(folder: Path, settings: Settings) -> str:
    """Return what the other commands call a package: its slug, or a path with a '/'."""
    if folder.parent == settings.problems:
        return folder.name
    return shlex.quote(str(folder) if "/" in str(folder) else f"./{folder}")


def _told(folder: Path, name: str, written: Sequence[str]) -> str:
    """Return where the package is, what to edit in order, and what to run next."""
    here = os.path.relpath(folder) if folder.absolute().is_relative_to(Path.cwd()) else str(folder)
    known = [(path, what) for path, what in _ORDER if any(file == path or file.startswith(path) for file in written)]
    width = max(len(path) for path, _ in known)
    edits = [f"  {path.ljust(width)}  {what}" for path, what in known]
    commands = (f"grader check {name}", f"grader show {name}", f"grader grade {name} FILE")
    lines = [
        f"Wrote {visible(here, keep='')} ({counted(len(written), 'file')}). Edit, in this order:",
        *edits,
        "Then run:",
        *(f"  {visible(command, keep='')}" for command in commands),
    ]
    return "\n".join(lines)
