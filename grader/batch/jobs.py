"""What a batch asks of the queue of the workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy.orm import Session


class Jobs(Protocol):
    """The queue of the workers; every method works within a session's transaction."""

    def chunks(self, session: Session, run: int, chunks: Sequence[Sequence[int]]) -> None:
        """Store a job for each of several chunks of keys."""

    def drop_chunks(self, session: Session, run: int) -> None:
        """Remove the jobs of a run that are not begun."""

    def chunks_under_way(self, session: Session, run: int | None = None) -> int:
        """Return how many jobs of a run, or of all, are under way."""

    def workers(self, session: Session) -> int:
        """Return how many workers live."""

    def tried(self, session: Session, run: int) -> tuple[int, int]:
        """Return how many jobs of a run a worker has looked at, and how many of these it has left for another."""
