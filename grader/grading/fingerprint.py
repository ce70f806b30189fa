"""Recognises a submission by what it returns: the faults of its package that return the same on every secret case."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np

from grader.grading.fault_table import FaultRow, FaultTable, stacked
from grader.grading.footprint import NOT_REACHED, RAISED, Footprint, Numbers, are_like, bound_of
from grader.problems.cases import Case

ALIKE_MAX: Final = 4  # different faults that a submission may behave like at once
FEW: Final = 5  # rows that are compared on all other cases one by one


def recognised(table: FaultTable, mine: Sequence[Footprint], failed: Sequence[bool]) -> list[FaultRow]:
    """Return the faults that a submission behaves like; several where no case tells them apart.

    Cases that it did not reach are left out. Where no fault agrees, cases in which it raises are left out as well, if
    another one shows that it is wrong.

    Args:
        mine: the submission's footprints, one for each case of the table.
        failed: on which of them it is wrong: few faults are wrong there in the same way, so these are compared first.
    """
    reached = [
        position
        for position, case in enumerate(table.cases)
        if not case.is_sample and mine[position].key != NOT_REACHED
    ]
    reached.sort(key=lambda position: (not failed[position], mine[position].numbers.size))  # small answers first
    found = _like(table, mine, reached)
    if not found:
        returned = [position for position in reached if not mine[position].key.startswith(RAISED)]
        found = _like(table, mine, returned) if len(returned) < len(reached) else []
    return found


def tell_nothing(rows: Sequence[FaultRow]) -> bool:
    """Whether so many different faults return the same that none of them is told: NaN everywhere, for instance."""
    kinds = {row.parts for row in rows}
    return len(kinds) > ALIKE_MAX and not frozenset.intersection(*kinds)


def _like(table: FaultTable, mine: Sequence[Footprint], positions: Sequence[int]) -> list[FaultRow]:
    left = deque(positions)
    if not left:
        return []
    position = left.popleft()
    alive = _close(*table.column(position, mine[position].key), mine[position], table.cases[position])
    while left and len(alive) > FEW:
        position = left.popleft()
        same_kind = [row for row in alive if row.footprints[position].key == mine[position].key]
        alive = _close(same_kind, stacked(same_kind, position), mine[position], table.cases[position])
    alive = [row for row in alive if any(row.killed[position] for position in positions)]
    own, cases = [mine[position] for position in left], [table.cases[position] for position in left]
    return [row for row in alive if are_like(own, [row.footprints[position] for position in left], cases)]


def _close(rows: Sequence[FaultRow], numbers: Numbers, mine: Footprint, case: Case) -> Sequence[FaultRow]:
    """Return those of some rows of a submission's key that return the same numbers on a case, compared all at once."""
    if not rows or not mine.numbers.size:
        return rows
    with np.errstate(over="ignore"):
        close = np.all(np.abs(numbers - mine.numbers) <= bound_of(mine.numbers, case), axis=1).tolist()
    return [row for row, is_close in zip(rows, close, strict=True) if is_close]
