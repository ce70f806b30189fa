"""Which case kills which fault, and whether each secret case earns its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.fault_table import FaultRow, FaultTable
from grader.grading.footprint import bound_of
from grader.grading.lint import RuleResult
from grader.problems.cases import Case

Flags = npt.NDArray[np.bool_]
_WEIGHTS: Final = 3  # weighted sums of an outcome's numbers that stand for it where pairs are counted


@dataclass(frozen=True)
class KillRow:
    """A fault's row: the cases that kill it."""

    fault: str
    stage: str | None
    origin: str
    kills: tuple[bool, ...]


@dataclass(frozen=True)
class KillMatrix:
    """Faults by cases, in judging order."""

    cases: tuple[str, ...]
    rows: tuple[KillRow, ...]

    @classmethod
    def of(cls, table: FaultTable) -> KillMatrix:
        """Return a table's matrix, in the order of its rows."""
        rows = tuple(KillRow(row.fault, row.stage, row.origin, row.killed) for row in table.rows)
        return cls(tuple(case.name for case in table.cases), rows)


def idle_cases(table: FaultTable, results: Sequence[RuleResult]) -> list[str]:
    """Return the secret cases that could all be removed at once without a loss.

    A case that must raise is its own reason. Any other is needed when it alone kills some fault, alone tells two
    faults apart, or is one of a rule's minimum. Later cases go first, for the simple ones usually come first.
    """
    cases = table.cases
    results = [result for result in results if result.is_satisfied and result.rule.minimum is not None]
    needs = [_rule_flags(result, cases) for result in results]
    # of a rule about pairs of cases every case is needed: which of them are partners is not known here
    minima = [len(result.cases) if result.rule.peer else result.rule.minimum for result in results]
    kills = np.array([row.killed for row in table.rows], bool).reshape(-1, len(cases))
    pairs = _told_apart(table)
    flags = np.vstack([np.array(needs, bool).reshape(-1, len(cases)), kills, pairs])
    counts = flags.sum(axis=1)
    wanted = np.minimum(counts, np.array(minima + [1] * (len(kills) + len(pairs)), int))
    idle = []
    for position in range(len(cases) - 1, -1, -1):
        touched = flags[:, position]
        if cases[position].is_sample or cases[position].raises or (counts[touched] <= wanted[touched]).any():
            continue
        counts[touched] -= 1
        idle.append(cases[position].name)
    return idle[::-1]


def _rule_flags(result: RuleResult, cases: Sequence[Case]) -> list[bool]:
    return [case.name in result.cases for case in cases]


def _told_apart(table: FaultTable) -> Flags:
    """Return for each pair of faults that differ which secret cases tell them apart: (pairs, cases).

    Numbers are compared by weighted sums: what differs by more than the summed bounds is told apart for certain.
    """
    rows = [row for row in table.rows if row.stage is not None]
    pairs = [(a, b) for a, b in combinations(range(len(rows)), 2) if rows[a].parts != rows[b].parts]
    if not pairs:
        return np.zeros((0, len(table.cases)), bool)
    first, second = np.array(pairs).T
    columns = [
        np.zeros(len(pairs), bool) if case.is_sample else _differ(rows, position, case, first, second)
        for position, case in enumerate(table.cases)
    ]
    return np.stack(columns, axis=1)


def _differ(rows: Sequence[FaultRow], position: int, case: Case, first: Any, second: Any) -> Flags:
    prints = [row.footprints[position] for row in rows]
    kinds = {key: number for number, key in enumerate(sorted({each.key for each in prints}))}
    keys = np.array([kinds[each.key] for each in prints])
    sums = np.zeros((len(rows), _WEIGHTS))
    slack = np.zeros((len(rows), _WEIGHTS))
    scale = max(1.0, *(float(np.abs(each.numbers).max(initial=0.0)) for each in prints))  # sums stay finite
    for number, each in enumerate(prints):
        weights = np.random.default_rng(each.numbers.size).uniform(0.5, 1.5, (_WEIGHTS, each.numbers.size))
        weights[:, 1::2] *= -1
        sums[number] = weights @ (each.numbers / scale)
        slack[number] = np.abs(weights) @ (bound_of(each.numbers, case) / scale)
    by_value: Flags = (np.abs(sums[first] - sums[second]) > 2 * slack[first]).any(axis=1)
    by_kind: Flags = keys[first] != keys[second]
    return by_kind | by_value
