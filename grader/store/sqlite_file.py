"""Connections to SQLite files that may be damaged."""

from __future__ import annotations

import sqlite3
from typing import Any, Final, Self

# by how SQLite's name for an error begins
_REMEDIES: Final = (
    ("SQLITE_CORRUPT", "put a copy back with grader db restore FILE"),
    ("SQLITE_NOTADB", "put a copy back with grader db restore FILE"),
    ("SQLITE_FULL", "make room on its disk"),
    ("SQLITE_IOERR", "see that its disk has room and works"),
)


def remedy_of(error: BaseException | None) -> str | None:
    """Say what helps against an error of SQLite's; None where nothing of it is known."""
    name = str(getattr(error, "sqlite_errorname", ""))
    return next((remedy for begins, remedy in _REMEDIES if name.startswith(begins)), None)


def is_unwritable(error: sqlite3.Error) -> bool:
    """Whether the disk did not take what was written."""
    return getattr(error, "sqlite_errorname", "") in ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_TRUNCATE")


class _Cursor(sqlite3.Cursor):
    """One whose errors are sqlite3's: text that quotes a damaged file's bytes has Python fail at reading it."""

    def execute(self, *statement: Any) -> Self:
        try:
            return super().execute(*statement)
        except UnicodeDecodeError:
            raise _malformed() from None

    def executemany(self, *statement: Any) -> Self:
        try:
            return super().executemany(*statement)
        except UnicodeDecodeError:
            raise _malformed() from None


class Connection(sqlite3.Connection):
    """A connection whose errors are sqlite3's, whatever bytes the file holds."""

    def cursor(self, factory: type[sqlite3.Cursor] = _Cursor) -> sqlite3.Cursor:  # type: ignore[override]
        """Return a cursor; see sqlite3."""
        return super().cursor(factory)

    def execute(self, *statement: Any) -> sqlite3.Cursor:
        """Execute one statement with a cursor of its own; see sqlite3."""
        return self.cursor().execute(*statement)


def _malformed() -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorname = "SQLITE_CORRUPT"
    return error
