"""How counts and times stand in sentences, wherever they are said: one way for all of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

_MORE_THAN_ONE: Final = {"is": "are", "was": "were", "has": "have", "it": "they", "this": "these"}


def counted(number: float | str, noun: str) -> str:
    """Return a number with what it counts: 1 minute, 2 minutes, 0 minutes.

    Args:
        number: a text is one that is formatted already, such as points.
        noun: for one; of several words the last one takes the plural.
    """
    return f"{number:g} {plural(number, noun)}" if isinstance(number, float) else f"{number} {plural(number, noun)}"


def plural(number: float | str, noun: str) -> str:
    """Return a word as it stands with a number: a noun, or one of the words that agree with it."""
    if number in (1, "1"):
        return noun
    return _MORE_THAN_ONE.get(noun) or f"{noun}s"


def told_time(moment: datetime, *, exact: bool = False) -> str:
    """Return a time as people read it, with year and zone; exact ones have seconds."""
    return moment.astimezone(UTC).strftime(f"%d %b %Y %H:%M{':%S' if exact else ''} UTC")


def iso_time(moment: datetime) -> str:
    """Return a time as programs read it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
