"""Where a SQLite database lies: whether its folder and its file can be used, said before SQLite says less."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from grader.errors import UserError

_RIGHT: Final = "give it the right"
_LINK: Final = "correct the link"
_AWAY: Final = "move it away"


def require_folder(database: Path) -> None:
    """Make sure that files can be made beside a database; a folder that is missing must be one that can be made.

    Raises:
        UserError: they cannot.
    """
    folder = database.parent
    for place in (*reversed(folder.parents), folder):
        kind = _kind(database, place)
        if kind is None and _may(place.parent, os.W_OK | os.X_OK):
            return
        if kind is None:
            raise _unusable(database, f"this user may not make the folder {place}", _RIGHT)
        if not stat.S_ISDIR(kind):
            raise _unusable(database, f"{place} is no folder", _AWAY)
        if not _may(place, os.X_OK):
            raise _unusable(database, f"this user may not enter the folder {place}", _RIGHT)
    if not _may(folder, os.W_OK):
        raise _unusable(database, f"this user may not write in the folder {folder}", _RIGHT)


def require_file(database: Path, rights: int = os.R_OK | os.W_OK) -> None:
    """Make sure that a database's file, where there is one, is plain and gives the rights (R_OK, W_OK).

    Raises:
        UserError: it is not, or does not.
    """
    require_folder(database)
    kind = _kind(database, database)
    if kind is None:
        return
    if not stat.S_ISREG(kind):
        raise _unusable(database, "it is no plain file", _AWAY)
    if not _may(database, rights):
        words = " and ".join(word for right, word in ((os.R_OK, "read"), (os.W_OK, "write")) if rights & right)
        raise _unusable(database, f"this user may not {words} it", _RIGHT)


def _kind(database: Path, place: Path) -> int | None:
    """Return what stands at a place, as stat tells it; None where nothing does."""
    try:
        return place.stat().st_mode
    except FileNotFoundError:
        if not place.is_symlink() or (place == database and place.resolve().parent.is_dir()):
            return None  # SQLite makes the file that a link names
        raise _unusable(database, f"{place} is a link that leads nowhere", _LINK) from None
    except OSError as error:
        raise _unusable(database, f"{place}: {error.strerror}", "make it usable") from None


def _may(place: Path, rights: int) -> bool:
    return os.access(place, rights, effective_ids=os.access in os.supports_effective_ids)


def _unusable(database: Path, trouble: str, remedy: str) -> UserError:
    return UserError(
        f"The database {database} cannot be used: {trouble}; {remedy}, or set GRADER_DATA or GRADER_DATABASE_URL to "
        "another place."
    )
