"""Who should have handed in: a CSV table with a column `candidate`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from grader.batch.submissions import Found
from grader.batch.table import rows_of
from grader.errors import UserError


@dataclass(frozen=True)
class Roster:
    """The candidates of a roster, as it names them, and how the batch differs from it."""

    candidates: tuple[str, ...]
    missing: tuple[str, ...]  # without any submission
    extra: tuple[str, ...]  # with a submission, and not on the roster
    sha256: str


def read_roster(path: Path, found: Found) -> Roster:
    """Read a roster and compare it with what was found.

    Raises:
        UserError: it cannot be read, has no column `candidate`, or names nobody.
    """
    names = dict.fromkeys(row["candidate"] for _, row in rows_of(path, ("candidate",)) if row["candidate"])
    if not names:
        raise UserError(f"{path} names no candidate; give each a line below the column candidate.")
    handed_in = dict.fromkeys(submission.candidate for submission in found.submissions)
    return Roster(
        candidates=tuple(sorted(names)),
        missing=tuple(sorted(name for name in names if name not in handed_in)),
        extra=tuple(sorted(name for name in handed_in if name not in names)),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )
