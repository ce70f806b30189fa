"""What is wrong with a package's sources one by one: their verdicts, and files that nothing uses."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from grader.grading.check_report import SourceVerdict
from grader.grading.verdict import Verdict
from grader.problems.loader import Problem

FOLDERS: Final = {
    "accepted": Verdict.AC,
    "wrong_answer": Verdict.WA,
    "run_time_error": Verdict.RTE,
    "time_limit_exceeded": Verdict.TLE,
}


def expected_verdicts(problem: Problem) -> dict[str, Verdict | None]:
    """Return every source of a package with the verdict that it must get."""
    expected: dict[str, Verdict | None] = {
        path: verdict for folder, verdict in FOLDERS.items() for path in problem.files.below(f"submissions/{folder}")
    }
    expected.update({variant.starter: None for variant in problem.spec.variants.values()})
    return expected


def stray_findings(problem: Problem, expected: Collection[str]) -> list[str]:
    """Return the sources that nobody judges or gives out."""
    *others, last = FOLDERS
    folders = f"{', '.join(others)} or {last}"
    findings = [
        f"{problem.slug}/{path}: is in no folder of a verdict, and never judged; move it to {folders}."
        for path in problem.files.below("submissions")
        if path not in expected
    ]
    return findings + [
        f"{problem.slug}/{path}: no variant gives it out; name it in problem.yaml, or remove it."
        for path in problem.files.below("starters")
        if path not in expected
    ]


def verdict_finding(problem: Problem, source: SourceVerdict) -> str:
    """Say what a source got, where, and what to do."""
    got = f"gets {source.verdict} ({source.reason})" if source.reason else f"gets {source.verdict}"
    got += source.where.removesuffix(".")
    if source.verdict is Verdict.JE:
        remedy = "run the check again."
    elif source.expected is None:
        remedy = "a starter runs, and fails a secret case by its planted faults."
    elif source.expected is Verdict.AC:
        remedy = "correct the source, or the cases that refuse it."
    elif source.verdict is Verdict.AC:
        got = "is accepted"
        remedy = "add a secret case that its fault fails."
    else:
        remedy = f"its folder says {source.expected}: correct it, or move it."
    return f"{problem.slug}/{source.path}: {got}; {remedy}"
