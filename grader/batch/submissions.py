"""The submissions of a batch: whose they are, where their bytes are, and how they are read."""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.batch.archive import DamagedMember, read_member

BYTES_MAX: Final = 64 << 20


class Unreadable(Exception):
    """A submission's file cannot be read; the text says why."""


@dataclass(frozen=True, order=True)
class Submission:
    """One source to judge. Names come from file systems, archives and tables, and are not trusted."""

    candidate: str
    problem: str
    path: Path
    member: str = ""  # its name within the archive that `path` is; "" where `path` is the source itself

    @property
    def key(self) -> tuple[str, str]:
        """What names a result."""
        return (self.candidate, self.problem)

    @property
    def place(self) -> str:
        """Where it stands, for a person: the same whatever the locale reads file names as."""
        place = f"{self.path}/{self.member}" if self.member else str(self.path)
        return place.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


@dataclass(frozen=True, order=True)
class Unusable:
    """What a candidate has handed in and nobody can judge."""

    candidate: str
    problem: str  # "" where that is not known, or it is all of them
    why: str  # the end of a sentence


@dataclass(frozen=True)
class Found:
    """The submissions of a batch, sorted, and whatever else stood there."""

    submissions: tuple[Submission, ...]
    ignored: tuple[str, ...]  # names of files that are no submission
    unreadable: tuple[str, ...]  # sentences on what is none although somebody meant it to be one
    candidates: tuple[str, ...]  # who has a place here, whether or not it holds a submission
    remarks: tuple[str, ...] = ()  # sentences on what is judged and looks like a mistake
    unusable: tuple[Unusable, ...] = ()  # whose of `unreadable` is known

    def missing(self, problems: Sequence[str]) -> dict[str, list[str]]:
        """Return, by candidate, those of the problems that nothing was handed in for; who lacks none is left out."""
        handed_in = {submission.key for submission in self.submissions}
        handed_in |= {(each.candidate, slug) for each in self.unusable for slug in _meant(each.problem, problems)}
        names = dict.fromkeys((*self.candidates, *(each.candidate for each in self.unusable)))
        lacking = {who: [slug for slug in problems if (who, slug) not in handed_in] for who in names}
        return {who: slugs for who, slugs in lacking.items() if slugs}


def _meant(problem: str, problems: Sequence[str]) -> Sequence[str]:
    return [problem] if problem else problems


def text_of_name(name: str) -> str:
    """Return a file name as text that any encoding carries; different names give different texts."""
    return os.fsencode(name).replace(b"\\", rb"\\").decode("utf-8", "backslashreplace")


def normal_name(name: str) -> str:
    """Return a candidate's name in the one form that all are compared in; file systems and tables spell é in two."""
    return unicodedata.normalize("NFC", name)


def read_submission(submission: Submission) -> bytes:
    """Return a submission's bytes; a link, a folder or a device is not read.

    Raises:
        Unreadable: with the reason.
    """
    if not submission.member:
        return _read_file(submission.path)
    try:
        data = read_member(submission.path, submission.member, BYTES_MAX + 1)
    except DamagedMember as error:
        raise Unreadable(str(error)) from None
    return _bounded(data)


def _read_file(path: Path) -> bytes:
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
        raise Unreadable("is a link" if os.path.islink(path) else f"cannot be read ({error.strerror})") from None
    return _bounded(data)


def _bounded(data: bytes) -> bytes:
    if len(data) > BYTES_MAX:
        raise Unreadable(f"is larger than {BYTES_MAX >> 20} MiB")
    return data
