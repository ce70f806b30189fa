"""Writes what a command was asked to write to a file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from grader.errors import UserError


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, over what was there.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}); name another file.") from None


def write_new(path: Path, text: str) -> None:
    """Write a text as UTF-8 to a file that is not there yet.

    Raises:
        UserError: it is there, or cannot be written.
    """
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"{path} is there already; name another file, or remove it first.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}); name another file.") from None


def require_apart(paths: Iterable[Path | None]) -> None:
    """Make sure that no file would be written over another one that the same command names.

    Raises:
        UserError: two of them are the same file.
    """
    seen = set()
    for path in paths:
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in seen:
            raise UserError(f"{path} is named twice; name another file to write to.")
        seen.add(place)
