"""Progress of long work on stderr: a bar with rate and time left at a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Final

LINE_EVERY_S: Final = 10.0
SETTLED_S: Final = 1.0  # before a rate is told: many may come at once


def told_rate(rate: float, unit: str = "") -> str:
    """Return a rate as people read it; a slow one says how long each takes, and without any there is nothing to say."""
    if rate >= 1:
        return f"{_short(rate)}{unit}/s"
    return f"{_short(1 / rate)} s each" if rate else ""


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 9.95 else f"{number:.1f}"


class Pace:
    """How fast work goes from its first piece on: what comes before that is waiting for others, or preparing."""

    def __init__(self, already: int = 0) -> None:
        """Make it; `already` counts what earlier work has done."""
        self._already = already
        self._first: tuple[int, float] | None = None

    def rate(self, done: int, now: float) -> float:
        """Return how many are done in a second; 0 as long as that cannot be said."""
        if self._first is None and done > self._already:
            self._first = done, now
        if self._first is None or now - self._first[1] < SETTLED_S:
            return 0.0
        return (done - self._first[0]) / (now - self._first[1])


class Progress:
    """Shows how many of how many are done."""

    def __init__(self, title: str, unit: str, already: int = 0) -> None:
        """Make it; `already` counts what earlier work has done, which says nothing of this one's rate."""
        self._title, self._unit, self._pace = title, unit, Pace(already)
        self._bar: Any = None
        self._task: Any = None
        self._said = time.monotonic()

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich import progress

            from grader.report.terminal import make_console

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TextColumn("{task.fields[rate]}"),
                progress.TimeRemainingColumn(compact=True),
                console=make_console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=None, rate="")
        return self

    def update(self, done: int, total: int) -> None:
        """Show the new count."""
        rate = self._pace.rate(done, time.monotonic())
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total, rate=told_rate(rate, f" {self._unit}"))
        elif time.monotonic() - self._said >= LINE_EVERY_S:
            self._said = time.monotonic()
            speed = f", {told_rate(rate)}, {(total - done) / rate:.0f} s left" if rate else ""
            print(f"{self._title}: {done} of {total} {self._unit}{speed}", file=sys.stderr)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
