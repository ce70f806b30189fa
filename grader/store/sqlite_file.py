"""Connections to SQLite files that may be damaged."""

from __future__ import annotations

import sqlite3
from typing import Any, Self


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
    return sqlite3.DatabaseError("database disk image is malformed")
