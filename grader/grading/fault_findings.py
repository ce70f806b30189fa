"""What is wrong with a package's faults as a whole: missing repairs, faults that no case tells apart, idle cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

from grader.grading.fault_table import FaultRow, FaultTable
from grader.grading.kill_matrix import idle_cases
from grader.grading.lint import RuleResult
from grader.problems.loader import Problem
from grader.problems.stages import FILE


def subset_findings(problem: Problem) -> list[str]:
    """Return which incomplete repairs have no wrong source: every proper subset of a variant's faults needs one."""
    left = {frozenset(fault.left) for fault in problem.faults.files.values()}
    findings = {}
    for name, variant in problem.spec.variants.items():
        planted = dict.fromkeys(variant.planted)
        subsets = chain.from_iterable(combinations(planted, size) for size in range(1, len(planted)))
        for subset in subsets:
            if frozenset(subset) not in left:
                findings[frozenset(subset)] = (
                    f"{problem.slug}/faults.yaml: variant {name}: no wrong source has left: [{', '.join(subset)}]; "
                    "add the incomplete repair that leaves just that."
                )
    return list(findings.values())


def alike_findings(problem: Problem, table: FaultTable) -> list[str]:
    """Return the alternatives that no secret case kills, and where ids and behaviour disagree."""
    findings = [
        f"{problem.slug}/{FILE}: {row.origin}: no secret case kills it; add one that does, or remove it."
        for row in table.rows
        if not row.is_source and not any(_secret(table, row.killed))
    ]
    alike = table.alike()
    findings += [
        f"{problem.slug}: no secret case tells {_named(first)} from {_named(second)}; add one that does, or give them "
        "one fault id."
        for first, second in alike
        if first.parts != second.parts
    ]
    same = {(first.origin, second.origin) for first, second in alike}
    return findings + [
        f"{problem.slug}: {_named(first)} and {_named(second)} have one fault id and behave differently at "
        f"{_first_difference(table, first, second)}; rename one."
        for first, second in _same_id(table)
        if (first.origin, second.origin) not in same
    ]


def idle_findings(problem: Problem, table: FaultTable, rules: Sequence[RuleResult]) -> list[str]:
    """Return the secret cases that do not earn their place."""
    return [
        f"{problem.slug}/cases.py: {name}: kills nothing that no other case kills, tells no two faults apart, and no "
        "rule needs it; remove it, or add the wrong source that it is there for."
        for name in idle_cases(table, rules)
    ]


def _same_id(table: FaultTable) -> list[tuple[FaultRow, FaultRow]]:
    rows = [row for row in table.rows if row.stage is not None]
    return [(first, second) for first, second in combinations(rows, 2) if first.parts == second.parts]


def _first_difference(table: FaultTable, first: FaultRow, second: FaultRow) -> str:
    for case, one, other in zip(table.cases, first.footprints, second.footprints, strict=True):
        if not case.is_sample and not one.is_like(other, case):
            return case.name
    return "no case"  # within the tolerance, seen from one side


def _secret(table: FaultTable, flags: Sequence[bool]) -> list[bool]:
    return [flag for case, flag in zip(table.cases, flags, strict=True) if not case.is_sample]


def _named(row: FaultRow) -> str:
    return f"{row.fault} ({row.origin.removeprefix('submissions/')})"
