"""What an interviewer decides about an interview: problems, time, limits and what candidates see when."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from grader.errors import UserError
from grader.report.visible import visible
from grader.services.names import has_loose_marks
from grader.store.interview_models import Interview, Shown
from grader.wording import counted, listed, told_time

MINUTES_MAX: Final = 24 * 60
SUBMISSIONS_MAX: Final = 100  # for each problem
HINT_LEVEL_MAX: Final = 3
PROBLEMS_MAX: Final = 20
# from the strictest on: what candidates were told may be loosened later, never tightened
LOOSER: Final = (Shown.NEVER, Shown.WHEN_RELEASED, Shown.AFTER_END, Shown.AT_ONCE)


class UnusableSettings(UserError):
    """What was asked for cannot be an interview; `field` is where."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class FixedByStart(UserError):
    """Somebody has started, so this stays as it is."""

    status = 409


@dataclass(frozen=True)
class Chosen:
    """A problem of an interview: the hash of its package, and a variant; None: each candidate is given one by lot."""

    sha256: str
    variant: str | None = None


@dataclass(frozen=True)
class Settings:
    """An interview as it is set up."""

    title: str
    problems: tuple[Chosen, ...]
    minutes: int = 60
    submissions_max: int = 10
    hint_level: int = 0
    verdicts: Shown = Shown.AT_ONCE
    points: Shown = Shown.AFTER_END
    answers: Shown = Shown.NEVER
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    locks_practice: bool = True


def settings_of(interview: Interview) -> Settings:
    """Return what is stored."""
    return Settings(
        title=interview.title,
        problems=tuple(Chosen(problem.package.sha256, problem.variant) for problem in interview.problems),
        minutes=interview.minutes,
        submissions_max=interview.submissions_max,
        hint_level=interview.hint_level,
        verdicts=interview.verdicts,
        points=interview.points,
        answers=interview.answers,
        opens_at=interview.opens_at,
        closes_at=interview.closes_at,
        locks_practice=interview.locks_practice,
    )


def tidy_line(text: str, what: str, length: int, field: str) -> str:
    """Return a text of one line as it is stored.

    Args:
        text: as it was typed.
        what: a word for it, such as "title".
        length: how many characters it may have.
        field: where it was typed.

    Raises:
        UnusableSettings: it is empty, too long, has characters that do not show or marks that are piled up.
    """
    text = unicodedata.normalize("NFC", " ".join(text[: 10 * length].split()))
    if not text:
        raise UnusableSettings(f"Enter a {what}.", field)
    if len(text) > length:
        raise UnusableSettings(f"The {what} has more than {counted(length, 'character')}; shorten it.", field)
    if visible(text, keep="") != text:
        raise UnusableSettings(f"The {what} has characters that do not show; type it again without them.", field)
    if has_loose_marks(text):
        raise UnusableSettings(
            f"The {what} has marks that are piled up or stand on no letter; type it again without them.", field
        )
    return text


def whole_number(text: str, what: str, least: int, most: int, field: str) -> int:
    """Return a number that was typed.

    Raises:
        UnusableSettings: it is none, or out of its range.
    """
    text = text.strip()
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else least - 1
    if not least <= number <= most:
        raise UnusableSettings(f"The {what} must be a whole number from {least} to {most}.", field)
    return number


def utc_time(text: str, what: str, field: str) -> datetime | None:
    """Return a time that a form sent, as a whole minute, in UTC unless it names another zone; None where it is empty.

    Raises:
        UnusableSettings: it is none.
    """
    text = text.strip()
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
        return whole_minute(time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC))
    except (ValueError, OverflowError):
        raise UnusableSettings(
            f"The time at which it {what} cannot be read; write it like 2026-11-23T18:00.", field
        ) from None


def whole_minute(time: datetime) -> datetime:
    """Return the minute that a time is in: windows are typed and shown in minutes."""
    return time.replace(second=0, microsecond=0)


def with_kept_window(wanted: Settings, before: Settings) -> Settings:
    """Return settings in which a time of the window that a form could only show in minutes stays as it is stored.

    Args:
        wanted: what a form asks for.
        before: what is stored.
    """
    return replace(
        wanted,
        opens_at=_kept_time(wanted.opens_at, before.opens_at),
        closes_at=_kept_time(wanted.closes_at, before.closes_at),
    )


def _kept_time(wanted: datetime | None, stored: datetime | None) -> datetime | None:
    return stored if wanted and stored and wanted == whole_minute(stored) else wanted


def check_window(opens_at: datetime | None, closes_at: datetime | None, kept: datetime | None, now: datetime) -> None:
    """Make sure that an interview can be taken at all.

    Args:
        opens_at: when it is to open.
        closes_at: when it is to close.
        kept: when it closes as stored, which may be past; None: it has no end yet.
        now: the time.

    Raises:
        UnusableSettings: it closes before it opens, or is to close at a time that is past.
    """
    if opens_at is not None and closes_at is not None and closes_at <= opens_at:
        raise UnusableSettings("The interview must close after it opens; change one of the two times.", "closes_at")
    if closes_at is not None and closes_at <= now and closes_at != kept:
        raise UnusableSettings(
            f"It would close at {told_time(closes_at)}, which is past, so nobody could take it; choose a later time.",
            "closes_at",
        )


class WindowWarning(StrEnum):
    """What about a window may be a slip, and is stored all the same."""

    OPENS_PAST = "opens past"
    SHORT = "short"  # shorter than the time that candidates have


def window_warnings(settings: Settings, now: datetime) -> tuple[WindowWarning, ...]:
    """Return what about a window may be a slip."""
    found = []
    if settings.opens_at is not None and settings.opens_at < now:
        found.append(WindowWarning.OPENS_PAST)
    begin = now if settings.opens_at is None else max(now, settings.opens_at)
    if settings.closes_at is not None and begin < settings.closes_at < begin + timedelta(minutes=settings.minutes):
        found.append(WindowWarning.SHORT)
    return tuple(found)


def check_kept(before: Settings, wanted: Settings) -> None:
    """Make sure that settings are only loosened: candidates who have started were told the ones before.

    Raises:
        FixedByStart: something else is changed; the sentence names all of it.
    """
    refused = [
        ("the problems", wanted.problems != before.problems),
        ("the minutes (give more time to each candidate instead)", wanted.minutes != before.minutes),
        ("fewer submissions", wanted.submissions_max < before.submissions_max),
        ("a lower hint level", wanted.hint_level < before.hint_level),
        ("verdicts later than promised", _is_tighter(before.verdicts, wanted.verdicts)),
        ("points later than promised", _is_tighter(before.points, wanted.points)),
        ("answers later than promised", _is_tighter(before.answers, wanted.answers)),
        ("the practice lock", wanted.locks_practice and not before.locks_practice),
    ]
    names = [name for name, is_refused in refused if is_refused]
    if names:
        raise FixedByStart(f"Somebody has started, so this cannot be changed any more: {listed(names)}.")


def _is_tighter(before: Shown, wanted: Shown) -> bool:
    return LOOSER.index(wanted) < LOOSER.index(before)
