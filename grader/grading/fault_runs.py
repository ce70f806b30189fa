"""Builds a package's fault table: judges its wrong sources and starters, composes its alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from grader.errors import InvalidPackage
from grader.grading import pair_table
from grader.grading.fault_table import FaultRow, FaultTable, alternative_row, pack, source_row, starter_row, unpack
from grader.grading.judge_run import Judged, judge_closely
from grader.grading.verdict import Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.composition import compose_cases, stages_of
from grader.problems.loader import Problem
from grader.problems.stages import StageTree
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane

AT_ONCE: Final = 16  # alternatives that are composed in one child


def fault_table(problem: Problem, cases: tuple[Case, ...], lane: Lane, cache: CaseCache) -> FaultTable:
    """Return a package's fault table; the first time for a package it is built, in some seconds.

    Raises:
        InvalidPackage: its stages cannot be read.
        SandboxLost: a source could not be judged; a table without it would be kept for good.
    """
    found = cache.kept(problem, "faults", lambda data: unpack(data, cases))
    if found is None:
        tree = stages_of(problem, lane, cache)
        judged = {path: _judged(problem, path, lane, cache) for path in sources(problem)}
        found = assembled(problem, cases, judged, _alternatives(tree, cases, lane))
        cache.keep(problem, "faults", found, pack)
    return found


def _judged(problem: Problem, path: str, lane: Lane, cache: CaseCache) -> Judged:
    judged = judge_closely(problem, problem.files.contents[path], lane, cache)
    failure = judged.judgement.failure
    if failure is not None and failure.reason is Reason.INVALID_PACKAGE:
        raise InvalidPackage([failure.detail])
    if failure is not None and failure.verdict is Verdict.JE:
        raise SandboxLost(f"{path} could not be judged: {failure.detail}")
    return judged


def is_built(problem: Problem, cases: tuple[Case, ...], cache: CaseCache) -> bool:
    """Whether the cache holds a package's fault table and the table of pairs, which is made after it."""
    has_pairs = cache.kept(problem, "pairs", pair_table.unpack) is not None
    return has_pairs and cache.kept(problem, "faults", lambda data: unpack(data, cases)) is not None


def _alternatives(tree: StageTree, cases: tuple[Case, ...], lane: Lane) -> Iterator[FaultRow]:
    """Compose the alternatives a few at a time, so that no more than theirs is in memory."""
    for start in range(0, len(tree.alternatives), AT_ONCE):
        some = tree.alternatives[start : start + AT_ONCE]
        outcomes = compose_cases(tree, cases, [(function.name,) for function in some], lane)
        yield from (alternative_row(function, cases, row) for function, row in zip(some, outcomes, strict=True))


def sources(problem: Problem) -> list[str]:
    """Return the paths of the sources that make rows: wrong ones, then starters."""
    starters = dict.fromkeys(variant.starter for variant in problem.spec.variants.values())
    wrong = [f"submissions/{path}" for path in problem.faults.files]
    return [*wrong, *starters]


def assembled(
    problem: Problem,
    cases: tuple[Case, ...],
    judged: dict[str, Judged],
    alternatives: Iterable[FaultRow],
) -> FaultTable:
    """Return the table of sources that were judged and alternatives that were composed; JE makes no row."""
    composed = list(alternatives)
    wrong = [path for path in judged if path.startswith("submissions/wrong_answer/")]
    rows = [source_row(problem, cases, path, judged[path]) for path in wrong if _has_cases(judged[path])]
    stages = {row.fault: row.stage for row in (*rows, *composed) if row.stage is not None}
    for variant, spec in problem.spec.variants.items():
        if spec.starter in judged and _has_cases(judged[spec.starter]):
            rows.append(starter_row(problem, cases, variant, stages, judged[spec.starter]))
    return FaultTable(cases, (*rows, *composed))


def _has_cases(judged: Judged) -> bool:
    return judged.judgement.verdict is not Verdict.JE
