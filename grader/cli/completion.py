"""What the shell completes: the slugs of problems, the names of sets. A broken setting or file completes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from grader.errors import GraderError


def complete_problem(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the slugs that begin as the word does; a word with '/' is a path, which the shell knows better."""
    if "/" in begun:
        return [CompletionItem(begun, type="dir")]
    from grader.problems.loader import slugs

    return _beginning(begun, slugs)


def complete_set(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the names of the sets that begin as the word does."""
    from grader.problems.sets import load_sets

    return _beginning(begun, load_sets)


def _beginning(begun: str, names_in: Callable[[Path], Iterable[str]]) -> list[CompletionItem]:
    from grader.config import read_settings

    with suppress(GraderError, OSError):
        return [CompletionItem(name) for name in names_in(read_settings().problems) if name.startswith(begun)]
    return []
