"""What every fault of a package returns on every case: for the kill matrix, and to recognise a submission by.

A row is a wrong source, or an alternative of a stage composed with the stages as they should be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np

from grader.grading.compare import is_right
from grader.grading.footprint import Footprint, Numbers, bound_of, footprint
from grader.grading.judge_run import Judged
from grader.problems.cases import Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.problems.schema import is_exception_name, is_kind_of
from grader.problems.stages import StageFunction
from grader.sandbox.wire import Buffer, WireError, decode, encode

_FOLDER: Final = "submissions/"
KEPT_BYTES: Final = 1 << 18  # of one case's numbers, side by side


@dataclass(frozen=True, eq=False)
class FaultRow:
    """One wrong source or alternative, and what it does on each case."""

    fault: str
    stage: str | None  # None: a contract fault, which no value tells
    origin: str  # path of the source, or name of the alternative's function
    sentence: str
    killed: tuple[bool, ...]  # for each case, whether it fails there
    footprints: tuple[Footprint, ...]

    @property
    def is_source(self) -> bool:
        """Whether it is a wrong source, not an alternative."""
        return self.origin.endswith(".py")

    @cached_property
    def parts(self) -> frozenset[str]:
        """The single faults that it has."""
        return frozenset(self.fault.split("+"))


@dataclass(frozen=True, eq=False)
class FaultTable:
    """All rows of a package, over its cases in judging order."""

    cases: tuple[Case, ...]
    rows: tuple[FaultRow, ...]

    @cached_property
    def named(self) -> tuple[FaultRow, ...]:
        """The rows that a submission can be recognised by: all but those of contract faults."""
        return tuple(row for row in self.rows if row.stage is not None)

    @cached_property
    def sentences(self) -> Mapping[str, str]:
        """What each fault does, by the first of its named rows."""
        return {row.fault: row.sentence for row in reversed(self.named)}

    @cached_property
    def by_parts(self) -> Mapping[frozenset[str], Sequence[FaultRow]]:
        """The named rows of each set of single faults."""
        found: dict[frozenset[str], list[FaultRow]] = {}
        for row in self.named:
            found.setdefault(row.parts, []).append(row)
        return found

    def column(self, position: int, key: str) -> tuple[Sequence[FaultRow], Numbers]:
        """Return the named rows whose footprint on a case has a key, and their numbers, (rows, n).

        What is small is kept: it is asked of each submission first.
        """
        if position not in self._columns:
            groups: dict[str, list[FaultRow]] = {}
            for row in self.named:
                groups.setdefault(row.footprints[position].key, []).append(row)
            self._columns[position] = {each: (rows, None) for each, rows in groups.items()}
        rows, numbers = self._columns[position].get(key, ([], None))
        if numbers is None:
            numbers = stacked(rows, position)
            if rows and numbers.nbytes <= KEPT_BYTES:
                self._columns[position][key] = (rows, numbers)
        return rows, numbers

    @cached_property
    def _columns(self) -> dict[int, dict[str, tuple[Sequence[FaultRow], Numbers | None]]]:
        return {}

    def alike(self) -> list[tuple[FaultRow, FaultRow]]:
        """Return the pairs of rows that no secret case tells apart.

        Rows of contract faults are left out: they name themselves. The cost grows with the square of the rows, but
        hardly any pair is alive after the first case.
        """
        rows = self.named
        pairs = list(combinations(range(len(rows)), 2))
        for position, case in enumerate(self.cases):
            if not case.is_sample:
                prints = [row.footprints[position] for row in rows]
                pairs = _still_alike(pairs, prints, case)
        return [(rows[first], rows[second]) for first, second in pairs]


def stacked(rows: Sequence[FaultRow], position: int) -> Numbers:
    """Return the numbers of rows of one key on a case, (rows, n)."""
    return np.stack([row.footprints[position].numbers for row in rows]) if rows else np.zeros((0, 0))


def _still_alike(pairs: list[tuple[int, int]], prints: Sequence[Footprint], case: Case) -> list[tuple[int, int]]:
    """Return the pairs whose footprints on a case are alike; those of one key are compared all at once."""
    by_key: dict[str, list[tuple[int, int]]] = {}
    for first, second in pairs:
        if prints[first].key == prints[second].key:
            by_key.setdefault(prints[first].key, []).append((first, second))
    left = []
    for same_key in by_key.values():
        firsts = np.stack([prints[first].numbers for first, _ in same_key])
        seconds = np.stack([prints[second].numbers for _, second in same_key])
        alike = np.all(np.abs(firsts - seconds) <= bound_of(firsts, case), axis=1).tolist()
        left += [pair for pair, is_alike in zip(same_key, alike, strict=True) if is_alike]
    return left


def source_row(problem: Problem, cases: Sequence[Case], path: str, judged: Judged) -> FaultRow:
    """Return the row of a wrong source that was judged."""
    spec = problem.faults.files[path.removeprefix(_FOLDER)]
    return _judged_row(spec.fault, spec.stage, path, spec.sentence, cases, judged)


def starter_row(
    problem: Problem, cases: Sequence[Case], variant: str, stages: Mapping[str, str], judged: Judged
) -> FaultRow:
    """Return the row of a variant's starter: all its planted faults at once.

    Args:
        stages: of single faults; the earliest of the planted ones is the row's.
    """
    spec = problem.spec.variants[variant]
    known = [stages[fault] for fault in spec.planted if fault in stages]
    stage = min(known, key=problem.spec.stages.index, default=None)
    sentence = "It is still the source that was given out: none of the planted faults is repaired."
    return _judged_row("+".join(spec.planted), stage, spec.starter, sentence, cases, judged)


def _judged_row(
    fault: str, stage: str | None, origin: str, sentence: str, cases: Sequence[Case], judged: Judged
) -> FaultRow:
    killed = tuple(case.failure is not None for case in judged.judgement.cases)
    return FaultRow(fault, stage, origin, sentence, killed, tuple(map(footprint, cases, judged.outcomes)))


def alternative_row(function: StageFunction, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> FaultRow:
    """Return the row of an alternative that was composed over the cases."""
    killed = tuple(not agrees(case, outcome) for case, outcome in zip(cases, outcomes, strict=True))
    prints = tuple(map(footprint, cases, outcomes))
    return FaultRow(function.fault, function.stage, function.name, function.sentence, killed, prints)


def agrees(case: Case, outcome: Outcome) -> bool:
    """Whether composed stages returned, or raised, what a case expects."""
    if isinstance(outcome, str):
        return case.raises is not None and is_exception_name(outcome) and is_kind_of(outcome, case.raises)
    return case.raises is None and len(outcome) == len(case.expected) and is_right(case, outcome)


def pack(table: FaultTable) -> bytes:
    """Return a table as bytes of one wire value, for the cache; its cases are kept apart."""
    rows = table.rows
    heads = [[row.fault, row.stage, row.origin, row.sentence, np.array(row.killed, bool)] for row in rows]
    keys = ["\n".join(each.key for each in row.footprints) for row in rows]
    sizes = [np.array([each.numbers.size for each in row.footprints], np.int64) for row in rows]
    numbers = [np.concatenate([np.zeros(0), *(each.numbers for each in row.footprints)]) for row in rows]
    return encode([heads, keys, sizes, numbers])


def unpack(data: Buffer, cases: tuple[Case, ...]) -> FaultTable:
    """Return what `pack` wrote, over its package's cases.

    Raises:
        WireError: something else is in the bytes.
    """
    try:
        columns = decode(data, copy=False)  # tens of megabytes, which stay where they are
        rows = tuple(_row(*parts) for parts in zip(*columns, strict=True))
        return FaultTable(cases, rows)
    except (TypeError, ValueError, AttributeError):
        raise WireError("no rows of faults") from None


def _row(head: list[Any], keys: str, sizes: Any, numbers: Any) -> FaultRow:
    fault, stage, origin, sentence, killed = head
    pieces = np.split(numbers, np.cumsum(sizes)[:-1])
    prints = tuple(Footprint(key, piece) for key, piece in zip(keys.split("\n"), pieces, strict=True))
    return FaultRow(fault, stage, origin, sentence, tuple(map(bool, killed)), prints)
