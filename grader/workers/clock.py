"""The database's time: the queue goes by it, and a worker's own clock may be hours off."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from grader.store import batch_queries
from grader.store.session import read_session


class DatabaseClock:
    """Tells the database's time from how far it is ahead of ours, so that telling it waits for nobody."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._ahead = timedelta()

    def look(self) -> None:
        """Compare the two; while the database is away the last comparison stands."""
        with contextlib.suppress(DBAPIError), read_session(self._engine) as session:
            self._ahead = batch_queries.clock(session) - datetime.now(UTC)

    def now(self) -> datetime:
        """Return the database's time."""
        return datetime.now(UTC) + self._ahead
