"""Writes what a command was asked to write to a file."""

from __future__ import annotations

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
