"""What is wrong with a package's faults as a whole: missing repairs, faults that no case tells apart, idle cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from typing import Final

from grader.grading.fault_table import FaultRow, FaultTable
from grader.grading.footprint import RAISED
from grader.grading.kill_matrix import idle_cases
from grader.grading.lint import RuleResult
from grader.problems.composition import COMPOSED_LIMITS
from grader.problems.loader import Problem
from grader.problems.stage_code import CHANGED_ARGUMENTS, CHANGED_STAGE
from grader.problems.stages import FILE
from grader.sandbox.run import End

# outcomes of stages and alternatives that are slips of their author, and no way to be wrong that a candidate could have
SLIPS: Final = {
    End.TIME.value: f"takes longer than {COMPOSED_LIMITS.case_s:g} s",
    End.OUTPUT.value: "prints more than 1 MiB",
    End.CRASH.value: "crashes",
    End.REFUSED.value: "makes a system call that the sandbox refuses",
    End.BAD_ANSWER.value: "returns something else than plain arrays",
    CHANGED_ARGUMENTS: "changes its arguments",
    CHANGED_STAGE: "changes an earlier stage",
    "NameError": "raises NameError",
    "AttributeError": "raises AttributeError",
    "PermissionError": "does what the sandbox refuses",
}


def said(outcome: str) -> str:
    """Return what a function does whose outcome is a word."""
    return SLIPS.get(outcome) or f"raises {outcome}"


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


def broken_findings(problem: Problem, table: FaultTable) -> list[str]:
    """Return the alternatives that do not run as such."""
    findings = []
    for row in table.rows:
        if not row.is_source and (slip := _slip(table, row)):
            case, outcome = slip
            findings.append(
                f"{problem.slug}/{FILE}: {row.origin}: {SLIPS[outcome]} at {case}; correct it: an alternative returns "
                "plain arrays, or raises as a candidate's function would."
            )
    return findings


def _slip(table: FaultTable, row: FaultRow) -> tuple[str, str] | None:
    """Return the first case at which an alternative does not run as such, and its outcome there."""
    for case, each in zip(table.cases, row.footprints, strict=True):
        outcome = each.key.removeprefix(RAISED)
        if each.key.startswith(RAISED) and outcome in SLIPS:
            return case.name, outcome
    return None


def alike_findings(problem: Problem, table: FaultTable) -> list[str]:
    """Return the alternatives that no secret case kills, and where ids and behaviour disagree."""
    findings = [
        f"{problem.slug}/{FILE}: {row.origin}: no secret case kills it; add one that does, or remove it."
        for row in table.rows
        if not row.is_source and not any(_secret(table, row.killed))
    ]
    broken = {row.origin for row in table.rows if not row.is_source and _slip(table, row)}
    alike = [pair for pair in table.alike() if broken.isdisjoint(row.origin for row in pair)]
    findings += [
        f"{problem.slug}/cases.py: no secret case tells {_named(first)} from {_named(second)}; add one that does, or "
        "give them one fault id."
        for first, second in alike
        if first.parts != second.parts
    ]
    same = {(first.origin, second.origin) for first, second in alike}
    return findings + [
        f"{problem.slug}/{_file(first, second)}: {_named(first)} and {_named(second)} have one fault id and behave "
        f"differently at {_first_difference(table, first, second)}; rename one."
        for first, second in _same_id(table)
        if (first.origin, second.origin) not in same and broken.isdisjoint((first.origin, second.origin))
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


def _file(*rows: FaultRow) -> str:
    """Return the file in which ids of these rows are given."""
    return "faults.yaml" if any(row.is_source for row in rows) else FILE


def _named(row: FaultRow) -> str:
    return f"{row.fault} ({row.origin.removeprefix('submissions/')})"
