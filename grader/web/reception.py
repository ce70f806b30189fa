"""When a request was there as a whole: what counts at a deadline, however long the request then waits for its turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Final

_stamp: Final[ContextVar[datetime | None]] = ContextVar("received_at", default=None)


@contextmanager
def stamped(moment: datetime | None) -> Iterator[None]:
    """Answer a request in this block that was there as a whole at a moment; None: nobody looked."""
    token = _stamp.set(moment)
    try:
        yield
    finally:
        _stamp.reset(token)


def stamp() -> datetime | None:
    """Return when the request that is answered here was there as a whole; None: nobody looked."""
    return _stamp.get()
