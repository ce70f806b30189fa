"""Who should have handed in: a CSV table with a column `candidate`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.batch.submissions import Found, normal_name
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
    names = {normal_name(row["candidate"]) for _, row in rows_of(path, ("candidate",)) if row["candidate"]}
    if not names:
        raise UserError(f"{path} names no candidate; give each a line below the column candidate.")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return compared(names, (submission.candidate for submission in found.submissions), sha256)


def compared(candidates: Iterable[str], handed_in: Iterable[str], sha256: str) -> Roster:
    """Return the roster of some candidates beside those who have handed in."""
    names, present = set(candidates), set(handed_in)
    return Roster(tuple(sorted(names)), tuple(sorted(names - present)), tuple(sorted(present - names)), sha256)
