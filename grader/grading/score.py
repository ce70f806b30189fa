"""Turns case results into points and the verdict of a whole submission."""

from __future__ import annotations

from collections.abc import Sequence

from grader.grading.verdict import CaseResult, Failure, GroupResult, Verdict
from grader.problems.schema import GroupSpec


def score_groups(groups: Sequence[GroupSpec], cases: Sequence[CaseResult]) -> tuple[GroupResult, ...]:
    """Return each group's points: all of them when every case is AC, otherwise none."""
    results = []
    for group in groups:
        verdicts = [case.verdict for case in cases if case.group == group.name]
        failed = [verdict for verdict in verdicts if verdict is not Verdict.AC]
        points = 0.0 if failed else float(group.points)
        results.append(GroupResult(group.name, points, float(group.points), failed[0] if failed else Verdict.AC))
    return tuple(results)


def first_failure(cases: Sequence[CaseResult]) -> Failure | None:
    """Return the first failing case's failure in package order."""
    return next((case.failure for case in cases if case.failure is not None), None)
