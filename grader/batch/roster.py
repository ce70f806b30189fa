"""Who should have handed in: a CSV table with a column `candidate`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from grader.batch.submissions import normal_name
from grader.batch.table import rows_of
from grader.errors import UserError


@dataclass(frozen=True)
class Roster:
    """The candidates of a roster, as it names them, and how a batch differs from it."""

    candidates: tuple[str, ...]
    sha256: str
    missing: tuple[str, ...] = ()  # have handed in nothing
    extra: tuple[str, ...] = ()  # have handed in, and are not on the roster
    unusable: tuple[str, ...] = ()  # have handed in, and nothing of it can be judged

    def beside(self, handed_in: Iterable[str], unusable: Iterable[str]) -> Roster:
        """Return the roster beside those with a submission that can be judged, and with one that cannot."""
        names, present = set(self.candidates), set(handed_in)
        alone = set(unusable) - present
        return replace(
            self,
            missing=tuple(sorted(names - present - alone)),
            extra=tuple(sorted((present | alone) - names)),
            unusable=tuple(sorted(alone & names)),
        )


def read_roster(path: Path) -> Roster:
    """Read a roster.

    Raises:
        UserError: it cannot be read, has no column `candidate`, or names nobody.
    """
    names = {normal_name(row["candidate"]) for _, row in rows_of(path, ("candidate",)) if row["candidate"]}
    if not names:
        raise UserError(f"{path} names no candidate; give each a line below the column candidate.")
    return Roster(tuple(sorted(names)), hashlib.sha256(path.read_bytes()).hexdigest())
