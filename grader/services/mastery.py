"""What was learned from attempts: faults made and mastered, and what to practise next. Plain values, no database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from grader.attention.changes import Changes
from grader.attention.fault_changes import FAULT_CHANGES
from grader.services.attempts import Status


@dataclass(frozen=True)
class Made:
    """How often an attempt's submissions behaved like a fault, and when the last of them was handed in."""

    times: int
    last_at: datetime


@dataclass(frozen=True)
class Practised:
    """An attempt, with the faults that its user may know of."""

    public_id: str
    slug: str
    title: str
    variant: str
    status: Status
    started_at: datetime
    solved_at: datetime | None
    ended_at: datetime | None  # solved or given up
    points: float | None
    submissions: int
    planted: frozenset[str] = frozenset()
    made: Mapping[str, Made] = field(default_factory=dict)

    @property
    def minutes(self) -> float | None:
        """How long it took, by the clock on the wall; None while it is under way."""
        return None if self.ended_at is None else (self.ended_at - self.started_at).total_seconds() / 60


@dataclass(frozen=True)
class FaultMade:
    """A fault that submissions behaved like; mastered: what came afterwards was solved without it."""

    fault: str
    times: int
    titles: tuple[str, ...]  # of the problems
    last_at: datetime
    mastered_at: datetime | None

    @property
    def lesson(self) -> Changes | None:
        """The changes of the lesson that show it."""
        return FAULT_CHANGES.get(self.fault)


@dataclass(frozen=True)
class Suggestion:
    """What to do next: a problem, and why."""

    kind: Literal["fault", "next", "follow_ups"]
    slug: str


def suggest(
    offered: Sequence[tuple[str, Set[str]]], solved: Set[str], open_faults: Set[str], unanswered: Sequence[str]
) -> Suggestion | None:
    """Return what to practise next: a problem where a fault not mastered is planted, the easiest, or open questions.

    Args:
        offered: slugs and planted faults, easiest first.
        solved: slugs.
        open_faults: faults that were made and not mastered.
        unanswered: slugs whose follow-up questions are open and not all answered.
    """
    unsolved = [(slug, planted) for slug, planted in offered if slug not in solved]
    for slug, planted in unsolved:
        if not open_faults.isdisjoint(planted):
            return Suggestion("fault", slug)
    if unsolved:
        return Suggestion("next", unsolved[0][0])
    return Suggestion("follow_ups", unanswered[0]) if unanswered else None


def faults_made(attempts: Sequence[Practised]) -> tuple[FaultMade, ...]:
    """Return the faults that were made, those not mastered first, the latest before earlier ones.

    A fault is mastered once, after it was made for the last time, the problem on which that happened was solved, or a
    problem that has it among its planted faults was solved in an attempt that never made it.
    """
    found = [_fault(fault, attempts) for fault in {fault for attempt in attempts for fault in attempt.made}]
    return tuple(sorted(found, key=lambda one: (one.mastered_at is not None, -one.last_at.timestamp(), one.fault)))


def _fault(fault: str, attempts: Sequence[Practised]) -> FaultMade:
    making = sorted((attempt for attempt in attempts if fault in attempt.made), key=lambda a: a.made[fault].last_at)
    last, last_at = making[-1], making[-1].made[fault].last_at
    mastered = [
        attempt.solved_at
        for attempt in attempts
        if attempt.solved_at is not None
        and attempt.solved_at > last_at
        and (attempt.slug == last.slug or (fault in attempt.planted and fault not in attempt.made))
    ]
    return FaultMade(
        fault=fault,
        times=sum(attempt.made[fault].times for attempt in making),
        titles=tuple(dict.fromkeys(attempt.title for attempt in making)),
        last_at=last_at,
        mastered_at=min(mastered, default=None),
    )
