"""Runs a source over the sample cases alone, by the same path as a submission; nothing is scored, nothing diagnosed."""

from __future__ import annotations

from dataclasses import dataclass

from grader.errors import InvalidPackage
from grader.grading.case_run import cases_of, run_cases
from grader.grading.score import first_failure
from grader.grading.verdict import CaseResult, Failure, Reason
from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane


@dataclass(frozen=True, eq=False)
class SampleJudgement:
    """What a source does on the samples; a JE has no cases. It says nothing of the secret cases."""

    failure: Failure | None  # the first sample's that failed
    cases: tuple[Case, ...] = ()
    results: tuple[CaseResult, ...] = ()
    outcomes: tuple[Outcome | None, ...] = ()  # what came back for each
    import_prints: str = ""


def judge_samples(problem: Problem, source: bytes, lane: Lane, cache: CaseCache) -> SampleJudgement:
    """Judge a source against the sample cases of a problem, of which there is one at least.

    A broken package or a failing sandbox gives JE; only `SandboxUnavailable` (no sandbox at all here) is raised.
    """
    try:
        cases = tuple(case for case in cases_of(problem, lane, cache) if case.is_sample)
        ran = run_cases(problem, source, lane, cases)
    except InvalidPackage as error:
        return SampleJudgement(Failure.of(Reason.INVALID_PACKAGE, error.message))
    except SandboxLost as error:
        return SampleJudgement(Failure.of(Reason.JUDGE_ERROR, str(error)))
    failure = first_failure(ran.results)
    return SampleJudgement(failure, cases, ran.results, ran.outcomes, ran.import_prints)
