"""Finds the submissions of a batch folder: `<candidate>/<problem>.py`; nothing that leaves the folder is followed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.errors import UserError

BYTES_MAX: Final = 64 << 20


class Unreadable(Exception):
    """A submission's file cannot be read; the text says why."""


@dataclass(frozen=True, order=True)
class Submission:
    """One file to judge. Names come from the file system and are not trusted."""

    candidate: str
    problem: str
    path: Path

    @property
    def key(self) -> tuple[str, str]:
        """What names a result."""
        return (self.candidate, self.problem)


@dataclass(frozen=True)
class Found:
    """A folder's submissions, sorted; the files that are none; the folders that may hold some but cannot be read."""

    submissions: tuple[Submission, ...]
    ignored: tuple[str, ...]
    unreadable: tuple[str, ...]  # sentences without their full stop
    candidates: tuple[str, ...]  # whose folder could be read, whether or not it holds a submission

    def missing(self, problems: Sequence[str]) -> dict[str, list[str]]:
        """Return, by candidate, those of the problems that there is no submission for; who lacks none is left out."""
        handed_in = {submission.key for submission in self.submissions}
        lacking = {who: [slug for slug in problems if (who, slug) not in handed_in] for who in self.candidates}
        return {who: slugs for who, slugs in lacking.items() if slugs}


def find_submissions(folder: Path, problems: Iterable[str]) -> Found:
    """Return the submissions below a folder.

    Raises:
        UserError: it is no folder, cannot be read, or holds no submission.
    """
    known = set(problems)
    found: list[Submission] = []
    ignored: list[str] = []
    unreadable: list[str] = []
    readable: list[str] = []
    try:
        candidates = _entries(folder)
    except OSError as error:
        raise UserError(
            f"{folder} cannot be read ({error.strerror}); name a folder of <candidate>/<problem>.py."
        ) from None
    for candidate in candidates:
        if not os.path.isdir(candidate.path):
            ignored.append(candidate.name)
            continue
        try:
            files = _files_of(candidate)
        except Unreadable as error:
            unreadable.append(f"{_text(candidate.name)} {error}")
            continue
        readable.append(_text(candidate.name))
        for file in files:
            slug = file.name.removesuffix(".py")
            if file.name.endswith(".py") and slug in known:
                found.append(Submission(_text(candidate.name), slug, Path(file.path)))
            else:
                ignored.append(f"{candidate.name}/{file.name}")
    if not found:
        raise UserError(
            f"{folder} holds no submission; expected <candidate>/<problem>.py, problems: {', '.join(sorted(known))}."
        )
    return Found(tuple(sorted(found)), tuple(map(_text, ignored)), tuple(unreadable), tuple(readable))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda entry: entry.name)


def _files_of(candidate: os.DirEntry[str]) -> list[os.DirEntry[str]]:
    if candidate.is_symlink():
        raise Unreadable("is a link")
    try:
        return [file for file in _entries(Path(candidate.path)) if file.name != "__pycache__"]
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None


def _text(name: str) -> str:
    """Return a file name as text that any encoding carries; different names give different texts."""
    return os.fsencode(name).replace(b"\\", rb"\\").decode("utf-8", "backslashreplace")


def read_submission(path: Path) -> bytes:
    """Return a submission's bytes; a link, a folder or a device is not read.

    Raises:
        Unreadable: with the reason.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Unreadable("is no regular file")
            with open(descriptor, "rb", closefd=False) as file:
                data = file.read(BYTES_MAX + 1)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise Unreadable("is no regular file") from None
        raise Unreadable("is a link" if path.is_symlink() else f"cannot be read ({error.strerror})") from None
    if len(data) > BYTES_MAX:
        raise Unreadable(f"is larger than {BYTES_MAX >> 20} MiB")
    return data
