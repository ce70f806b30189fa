"""Recognises a submission by what it returns: the faults of its package that return the same on every secret case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.grading.fault_table import FaultRow, FaultTable
from grader.grading.footprint import NOT_REACHED, RAISED, Footprint, bound_of
from grader.problems.cases import Case


def recognised(table: FaultTable, mine: Sequence[Footprint]) -> list[FaultRow]:
    """Return the faults that a submission behaves like; several where no case tells them apart.

    Cases that it did not reach are left out. Where no fault agrees, cases in which it raises are left out as well, if
    another one shows that it is wrong.

    Args:
        mine: the submission's footprints, one for each case of the table.
    """
    reached = [
        position
        for position, case in enumerate(table.cases)
        if not case.is_sample and mine[position].key != NOT_REACHED
    ]
    found = _like(table, mine, reached)
    if not found:
        returned = [position for position in reached if not mine[position].key.startswith(RAISED)]
        found = _like(table, mine, returned) if len(returned) < len(reached) else []
    return found


def _like(table: FaultTable, mine: Sequence[Footprint], positions: Sequence[int]) -> list[FaultRow]:
    alive = list(table.named)
    # small answers first: they leave few rows for the large ones, whose numbers are the cost
    for position in sorted(positions, key=lambda position: mine[position].numbers.size):
        alive = _agreeing(alive, position, mine[position], table.cases[position])
        if not alive:
            return []
    return [row for row in alive if any(row.killed[position] for position in positions)]


def _agreeing(rows: list[FaultRow], position: int, mine: Footprint, case: Case) -> list[FaultRow]:
    """Return the rows that return the same on a case, compared all at once."""
    rows = [row for row in rows if row.footprints[position].key == mine.key]
    if not rows or not mine.numbers.size:
        return rows
    numbers = np.stack([row.footprints[position].numbers for row in rows])
    close = np.all(np.abs(numbers - mine.numbers) <= bound_of(mine.numbers, case), axis=1).tolist()
    return [row for row, is_close in zip(rows, close, strict=True) if is_close]
