"""What is wrong with a package's faults as a whole: missing repairs, faults that no case tells apart, idle cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, combinations, permutations
from typing import Final

from grader.grading.fault_table import FaultRow, FaultTable
from grader.grading.footprint import RAISED, Footprint
from grader.grading.kill_matrix import idle_cases
from grader.grading.lint import RuleResult
from grader.problems.composition import COMPOSED_LIMITS
from grader.problems.loader import Problem
from grader.problems.schema import is_exception_name
from grader.problems.stage_code import CHANGED_ARGUMENTS, CHANGED_STAGE
from grader.problems.stages import FILE, StageFunction, StageTree
from grader.sandbox.exchange import End

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
_WRONG: Final = "submissions/wrong_answer"


def said(outcome: str) -> str:
    """Return what a function does whose outcome is a word."""
    return SLIPS.get(outcome) or f"raises {outcome}"


def subset_findings(problem: Problem) -> list[str]:
    """Return which incomplete repairs have no wrong source: every proper subset of a variant's faults needs one."""
    described = problem.described
    if any(path.removeprefix("submissions/") not in described for path in problem.files.below(_WRONG)):
        return []  # what has no entry in faults.yaml has a finding, and may be the repair that is missing
    left = {frozenset(fault.left) for fault in described.values()}
    alone = {fault.fault for fault in described.values()}
    findings = {}
    for name, variant in problem.spec.variants.items():
        planted = dict.fromkeys(variant.planted)
        subsets = chain.from_iterable(combinations(planted, size) for size in range(1, len(planted)))
        for subset in subsets:
            is_told = len(subset) == 1 and alone.isdisjoint(subset)  # by the format: no source has just this fault
            if frozenset(subset) not in left and not is_told:
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
        f"differently at {_place_and_remedy(table, first, second)}."
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


def _place_and_remedy(table: FaultTable, first: FaultRow, second: FaultRow) -> str:
    """Return the case at which two rows differ, and what to do."""
    for case, one, other in zip(table.cases, first.footprints, second.footprints, strict=True):
        if not case.is_sample and not one.is_like(other, case):
            silent = [row for row, each in ((first, one), (second, other)) if not _raises(each)]
            if case.raises and len(silent) == 1:
                kind = "source" if silent[0].is_source else "alternative"
                return f"{case.name}; the {kind} does not raise there: let it raise, or rename one"
            return f"{case.name}; rename one"
    return "no case; rename one"  # within the tolerance, seen from one side


def _raises(outcome: Footprint) -> bool:
    return outcome.key.startswith(RAISED) and is_exception_name(outcome.key.removeprefix(RAISED))


def read_past(tree: StageTree, planted: Sequence[StageFunction]) -> str:
    """Say which of the alternatives that are planted together does not read what another one changes.

    Returns:
        Its name, what it reads and what it does not although the stage itself does; empty where there is none.
    """
    composed = tree.stages | {each.stage: each for each in planted}
    for each, other in permutations(planted, 2):
        if other.stage in _read_by(tree.stages, each.stage) - _read_by(composed, each.stage):
            return f"{each.name} reads {' and '.join(each.parameters) or 'nothing'}, not {other.stage}"
    return ""


def _read_by(functions: Mapping[str, StageFunction], stage: str) -> set[str]:
    """Return the stages that a stage reads, those included that it reads through others."""
    found: set[str] = set()
    wanted = [stage]
    while wanted:
        new = {name for name in functions[wanted.pop()].parameters if name in functions} - found
        found |= new
        wanted += new
    return found


def _secret(table: FaultTable, flags: Sequence[bool]) -> list[bool]:
    return [flag for case, flag in zip(table.cases, flags, strict=True) if not case.is_sample]


def _file(*rows: FaultRow) -> str:
    """Return the file in which ids of these rows are given."""
    return "faults.yaml" if any(row.is_source for row in rows) else FILE


def _named(row: FaultRow) -> str:
    return f"{row.fault} ({row.origin.removeprefix('submissions/')})"
