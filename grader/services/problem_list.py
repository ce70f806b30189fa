"""The problem list: what is asked for, which problems that leaves, and how many each further choice would leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from grader.problems.loader import Problem
from grader.problems.sets import SetSpec
from grader.services.attempts import Progress, Status

CHOSEN_MAX: Final = 20  # values of one filter; a form sends no more
TEXT_MAX: Final = 100  # characters of one value
STATUSES: Final[tuple[Status, ...]] = ("new", "in progress", "solved", "given up")
LEVELS: Final[Mapping[str, str]] = {"L2": "Mid", "L3": "Senior", "L4": "Staff", "L5": "Principal"}
FACETS: Final = ("status", "level", "role", "tag")
ORDERS: Final = ("level", "minutes", "points")
Facet = Literal["status", "level", "role", "tag"]


@dataclass(frozen=True)
class Filters:
    """What is asked for; nothing of a kind means any. A value that no problem has leaves none."""

    status: tuple[str, ...] = ()
    level: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    set: str = ""
    q: str = ""
    order: str = ""  # one of ORDERS; otherwise a set's own, or by level

    @classmethod
    def of(cls, asked: Iterable[tuple[str, str]]) -> Filters:
        """Return what an address asks for; keys that are no filter say nothing."""
        values: dict[str, list[str]] = {}
        for key, value in asked:
            text = " ".join(value.split())[:TEXT_MAX]
            if text and text not in values.setdefault(key, []):
                values[key].append(text)
        several = {facet: tuple(values.get(facet, ())[:CHOSEN_MAX]) for facet in FACETS}
        one = {key: values.get(key, [""])[0] for key in ("set", "q", "order")}
        return cls(**several, **one)  # type: ignore[arg-type]

    @property
    def is_empty(self) -> bool:
        """Whether every problem is asked for."""
        return not (self.status or self.level or self.role or self.tag or self.set or self.q)

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return what is asked for as an address has it."""
        several = [(facet, value) for facet in FACETS for value in getattr(self, facet)]
        return (*several, *((key, value) for key in ("set", "q", "order") if (value := getattr(self, key))))

    def chosen(self) -> tuple[tuple[str, str], ...]:
        """Return each filter that is on."""
        return tuple(pair for pair in self.pairs() if pair[0] != "order")

    def by(self, order: str) -> Filters:
        """Return the same in another order."""
        return replace(self, order=order)

    def without(self, key: str, value: str) -> Filters:
        """Return the same without one filter."""
        if key in FACETS:
            return replace(self, **{key: tuple(one for one in getattr(self, key) if one != value)})  # type: ignore[arg-type]
        return replace(self, **{key: ""})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Row:
    """One problem, and what was reached on it."""

    problem: Problem
    progress: Progress

    def has(self, facet: Facet) -> Sequence[str]:
        """Return a problem's values of a kind."""
        spec = self.problem.spec
        return {"status": (self.progress.status,), "level": (spec.level,), "role": spec.roles, "tag": spec.tags}[facet]


@dataclass(frozen=True)
class Choice:
    """A value that can be asked for; `count` problems would be left with it and the filters of other kinds."""

    value: str
    count: int
    is_chosen: bool


@dataclass(frozen=True)
class ProblemList:
    """The rows that are left, in order, and what can be chosen."""

    filters: Filters
    rows: tuple[Row, ...]
    total: int
    solved: int  # of all problems
    points: float
    max_points: float
    choices: Mapping[str, tuple[Choice, ...]]
    sets: Mapping[str, SetSpec]

    @property
    def order(self) -> str:
        """What the rows are in order of: one of ORDERS, or "set"."""
        if self.filters.order in ORDERS:
            return self.filters.order
        return "set" if self.filters.set in self.sets else ORDERS[0]


def problem_list(
    problems: Sequence[Problem], progress: Mapping[str, Progress], sets: Mapping[str, SetSpec], filters: Filters
) -> ProblemList:
    """Return the list for what is asked for.

    Args:
        problems: all that are offered, easiest first.
        progress: what was reached, by slug.
    """
    rows = [Row(problem, progress.get(problem.slug, Progress())) for problem in problems]
    left = _left(rows, filters, sets)
    return ProblemList(
        filters=filters,
        rows=tuple(_ordered(left, filters, sets)),
        total=len(rows),
        solved=sum(row.progress.status == "solved" for row in rows),
        points=sum(row.progress.points or 0.0 for row in rows),
        max_points=sum(row.problem.max_score for row in rows),
        choices={facet: _choices(rows, facet, filters, sets) for facet in FACETS},
        sets=sets,
    )


def _left(rows: Sequence[Row], filters: Filters, sets: Mapping[str, SetSpec], apart: str = "") -> list[Row]:
    """Return the rows that every filter leaves, the one of a kind set apart."""
    facets = [facet for facet in FACETS if facet != apart and getattr(filters, facet)]
    words = filters.q.casefold().split()
    members = sets[filters.set].problems if filters.set in sets else [] if filters.set else None
    return [
        row
        for row in rows
        if (members is None or row.problem.slug in members)
        and all(set(getattr(filters, facet)).intersection(row.has(facet)) for facet in facets)  # type: ignore[arg-type]
        and all(word in _text(row.problem) for word in words)
    ]


def _text(problem: Problem) -> str:
    spec = problem.spec
    return " ".join([spec.title, problem.slug, spec.level, *spec.tags, *spec.roles]).casefold()


def _ordered(rows: list[Row], filters: Filters, sets: Mapping[str, SetSpec]) -> list[Row]:
    """Return rows in the order asked for; rows that are equal in it stay easiest first."""
    if filters.order == "minutes":
        return sorted(rows, key=lambda row: row.problem.spec.minutes)
    if filters.order == "points":
        return sorted(rows, key=lambda row: -(row.progress.points or 0.0))
    if filters.set in sets and filters.order != "level":
        place = {slug: number for number, slug in enumerate(sets[filters.set].problems)}
        return sorted(rows, key=lambda row: place[row.problem.slug])
    return rows


def _choices(rows: Sequence[Row], facet: Facet, filters: Filters, sets: Mapping[str, SetSpec]) -> tuple[Choice, ...]:
    known = {value for row in rows for value in row.has(facet)}
    values = STATUSES if facet == "status" else sorted(known, key=str.casefold)
    left = _left(rows, filters, sets, facet)
    chosen = getattr(filters, facet)
    return tuple(Choice(value, sum(value in row.has(facet) for row in left), value in chosen) for value in values)
