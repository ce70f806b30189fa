"""How counts and times stand in sentences, wherever they are said: one way for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Final

_MORE_THAN_ONE: Final = {  # words that agree with a count, as they stand with one and with others
    "is": "are",
    "was": "were",
    "has": "have",
    "it": "they",
    "its": "their",
    "this": "these",
    "agrees": "agree",
    "belongs": "belong",
    "changes": "change",
    "names": "name",
    "opens": "open",
    "prints": "print",
    "returns": "return",
    "stays": "stay",
    "sums": "sum",
    "waits": "wait",
}


def counted(number: float | str, noun: str) -> str:
    """Return a number with what it counts: 1 minute, 2 minutes, 0 minutes.

    Args:
        number: a text is one that is formatted already, such as points.
        noun: for one; of several words the last one takes the plural, or the one before an "of".
    """
    return f"{number:g} {plural(number, noun)}" if isinstance(number, float) else f"{number} {plural(number, noun)}"


def part_of(part: int, whole: int, verb: str, noun: str = "") -> str:
    """Return how many of some things do something, up to the verb: 1 of 3 rows sums, 2 of 3 rows sum, 0 of 1 row sums.

    Args:
        verb: for one; it goes with the part, but where there is only one thing with that.
        noun: for one; without it the things are not named.
    """
    things = counted(whole, noun) if noun else str(whole)
    return f"{part} of {things} {plural(1 if whole == 1 else part, verb)}"


def all_of(number: int, noun: str) -> str:
    """Return all things as the subject of a sentence: the sample, all 3 samples."""
    return f"the {noun}" if number == 1 else f"all {counted(number, noun)}"


def plural(number: float | str, noun: str) -> str:
    """Return a word as it stands with a number: a noun, or one of the words that agree with it."""
    if number in (1, "1"):
        return noun
    first, of, more = noun.partition(" of ")
    return f"{_MORE_THAN_ONE.get(first) or f'{first}s'}{of}{more}"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: queries, keys and scores."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def nearest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return the end of a sentence on an unknown name: which known one may have been meant.

    Args:
        otherwise: the end where no known name is near.
    """
    near = get_close_matches(name, list(known), n=1, cutoff=0.4)
    return f"did you mean {near[0]}?" if near else otherwise


def told_time(moment: datetime, *, exact: bool = False) -> str:
    """Return a time as people read it, with year and zone; exact ones have seconds."""
    return moment.astimezone(UTC).strftime(f"%d %b %Y %H:%M{':%S' if exact else ''} UTC")


def iso_time(moment: datetime) -> str:
    """Return a time as programs read it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
