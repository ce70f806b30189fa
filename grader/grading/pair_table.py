"""What two faults at once return: every pair of alternatives of different stages, composed mechanically.

There are too many pairs to keep all that they return. On a few small cases two weighted sums of each are kept; a
submission that agrees with a pair's is held against the pair composed anew, over all secret cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.fault_table import FaultRow, FaultTable, agrees
from grader.grading.footprint import Footprint, bound_of, footprint
from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.composition import compose_cases, stages_of
from grader.problems.loader import Problem
from grader.problems.stages import StageTree
from grader.sandbox.pool import Lane
from grader.sandbox.wire import Buffer, WireError, decode, encode

CASES: Final = 6  # of each entry that are summed
SMALL: Final = 600  # numbers that a summed case returns at most
_SUMS: Final = 2
_AT_ONCE: Final = 250  # pairs that are composed in one call
_FIRST: Final = 2  # cases on which all pairs that may be a submission's are composed; the others see what is left
Pair = tuple[str, str]  # names of two alternatives
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairTable:
    """Keys and weighted sums of what every pair returns on the chosen cases."""

    pairs: tuple[Pair, ...]
    cases: tuple[str, ...]
    keys: npt.NDArray[np.int64]  # (cases, pairs): positions in `kinds`
    kinds: tuple[str, ...]
    sums: Floats  # (cases, pairs, 2)

    def like(self, returned: dict[str, tuple[Case, Footprint]]) -> list[Pair]:
        """Return the pairs that agree with what a submission returned on every chosen case that it reached.

        Args:
            returned: by case name, the case and the submission's footprint on it.
        """
        alive = np.ones(len(self.pairs), bool)
        compared = 0
        for position, name in enumerate(self.cases):
            if name not in returned:
                continue
            case, mine = returned[name]
            number = self.kinds.index(mine.key) if mine.key in self.kinds else -1
            sums, slack = _sums(mine, case)
            close = (np.abs(self.sums[position] - sums) <= 2 * slack).all(axis=1)
            alive &= (self.keys[position] == number) & close
            compared += 1
        return [pair for pair, is_alive in zip(self.pairs, alive.tolist(), strict=True) if is_alive and compared]


def pairs_of(
    problem: Problem,
    table: FaultTable,
    borrow: Callable[[], AbstractContextManager[Lane]],
    cache: CaseCache,
    stopped: Callable[[], bool] = lambda: False,
) -> PairTable | None:
    """Return a package's table of pairs; the first time for a package it is built, in some ten seconds.

    Args:
        borrow: gives a lane for a moment.
        stopped: asked between the steps; true ends the work, and there is no table.
    Raises:
        InvalidPackage: its stages cannot be read.
    """
    found = cache.kept(problem, "pairs", unpack)
    if found is None:
        with borrow() as lane:
            tree = stages_of(problem, lane, cache)
        found = _build(tree, table, borrow, stopped)
        if found is not None:
            cache.keep(problem, "pairs", found, pack)
    return found


def _build(
    tree: StageTree,
    table: FaultTable,
    borrow: Callable[[], AbstractContextManager[Lane]],
    stopped: Callable[[], bool],
) -> PairTable | None:
    """Compose every pair of alternatives on the chosen cases."""
    pairs = [
        (first.name, second.name) for first, second in combinations(tree.alternatives, 2) if first.stage != second.stage
    ]
    cases = chosen_cases(tree, table)
    kinds: dict[str, int] = {}
    keys = np.zeros((len(cases), len(pairs)), np.int64)
    sums = np.zeros((len(cases), len(pairs), _SUMS))
    for start in range(0, len(pairs), _AT_ONCE):
        if stopped():
            return None
        with borrow() as lane:
            rows = compose_cases(tree, cases, pairs[start : start + _AT_ONCE], lane)
        for offset, outcomes in enumerate(rows):
            for position, (case, outcome) in enumerate(zip(cases, outcomes, strict=True)):
                each = footprint(case, outcome)
                keys[position, start + offset] = kinds.setdefault(each.key, len(kinds))
                sums[position, start + offset] = _sums(each, case)[0]
    return PairTable(tuple(pairs), tuple(case.name for case in cases), keys, tuple(kinds), sums)


def chosen_cases(tree: StageTree, table: FaultTable) -> list[Case]:
    """Return for each entry the small secret cases that kill the most faults."""
    chosen = []
    for entry in tree.problem.spec.entries:
        fitting = [
            (sum(row.killed[position] for row in table.rows), -position)
            for position, case in enumerate(table.cases)
            if case.entry == entry and not case.is_sample and not case.raises and _numbers(case) <= SMALL
        ]
        chosen += [table.cases[-position] for _, position in sorted(fitting, reverse=True)[:CASES]]
    return chosen


def _numbers(case: Case) -> int:
    return sum(array.size for array in case.expected)


def _sums(each: Footprint, case: Case) -> tuple[Floats, Floats]:
    """Return weighted means of a footprint's numbers, and how far those of an equal one may be off.

    Means, for sums of the largest numbers would overflow.
    """
    size = max(1, each.numbers.size)
    weights = np.random.default_rng(size).uniform(-1, 1, (_SUMS, each.numbers.size)) / size
    return weights @ each.numbers, np.abs(weights) @ bound_of(each.numbers, case) + 1e-12


def pack(table: PairTable) -> bytes:
    """Return a table as bytes of one wire value, for the cache."""
    names = list(dict.fromkeys(name for pair in table.pairs for name in pair))
    numbers = np.array([[names.index(name) for name in pair] for pair in table.pairs], np.int64)
    return encode([names, numbers, list(table.cases), table.keys, list(table.kinds), table.sums])


def unpack(data: Buffer) -> PairTable:
    """Return what `pack` wrote.

    Raises:
        WireError: something else is in the bytes.
    """
    try:
        names, numbers, cases, keys, kinds, sums = decode(data)
        pairs = tuple((names[first], names[second]) for first, second in numbers.reshape(-1, 2).tolist())
        return PairTable(pairs, tuple(cases), keys, tuple(kinds), sums)
    except (TypeError, ValueError, AttributeError, IndexError):
        raise WireError("no table of pairs") from None


def confirmed(
    tree: StageTree, cases: Sequence[Case], returned: Sequence[Footprint], pairs: Sequence[Pair], lane: Lane
) -> list[Pair]:
    """Return the pairs that, composed over these cases, are wrong somewhere and return what the submission returned.

    Nearly every pair falls on the first cases, so they are small ones, and on which the submission is wrong.
    """
    asked = sorted(zip(cases, returned, strict=True), key=lambda each: (_is_right(*each), _numbers(each[0])))
    is_wrong = dict.fromkeys(pairs, False)
    for part in (asked[:_FIRST], asked[_FIRST:]):
        alive = list(is_wrong)
        table: list[list[Any]] = compose_cases(tree, [case for case, _ in part], alive, lane) if alive and part else []
        for pair, outcomes in zip(alive, table, strict=bool(table)):
            if all(footprint(case, got).is_like(mine, case) for (case, mine), got in zip(part, outcomes, strict=True)):
                is_wrong[pair] |= not all(agrees(case, got) for (case, _), got in zip(part, outcomes, strict=True))
            else:
                del is_wrong[pair]
    return [pair for pair, wrong in is_wrong.items() if wrong]


def _is_right(case: Case, mine: Footprint) -> bool:
    return footprint(case, case.raises or case.expected).is_like(mine, case)


def as_row(tree: StageTree, pair: Pair) -> FaultRow:
    """Return a pair as a row of the fault table, without footprints: its earlier stage is the first wrong one."""
    first, second = sorted((tree.by_name[name] for name in pair), key=lambda each: list(tree.stages).index(each.stage))
    sentence = f"{first.sentence} Then: {second.sentence}"
    return FaultRow(f"{first.fault}+{second.fault}", first.stage, "+".join(pair), sentence, (), ())
