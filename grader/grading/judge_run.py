"""One submission judged: its run over every case, scored by groups. Nothing is graded otherwise."""

from __future__ import annotations

import hashlib
import platform
import time
from dataclasses import dataclass
from typing import Final

import numpy as np

from grader import __version__
from grader.errors import InvalidPackage
from grader.grading.case_run import cases_of, run_cases
from grader.grading.score import first_failure, score_groups
from grader.grading.verdict import Failure, Finding, Judgement, Reason, Sandbox, Verdict
from grader.problems.cache import CaseCache
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane

VERSIONS: Final = {"grader": __version__, "python": platform.python_version(), "numpy": np.__version__}


@dataclass(frozen=True, eq=False)
class Judged:
    """A judgement, and what the submission returned, by case: for the finding and for the check of a package.

    `outcomes` are each case's arrays, or the word for what came in their place; None where nothing was asked.
    """

    judgement: Judgement
    outcomes: tuple[Outcome | None, ...]


def judge_closely(problem: Problem, source: bytes, lane: Lane, cache: CaseCache) -> Judged:
    """Judge a submission's bytes against every case of a problem, without a finding.

    A broken package or a failing sandbox gives JE; only `SandboxUnavailable` (no sandbox at all here) is raised.
    """
    started = time.perf_counter()
    try:
        cases = cases_of(problem, lane, cache)
        ran = run_cases(problem, source, lane, cases)
    except InvalidPackage as error:
        return Judged(not_judged(problem.slug, source, Reason.INVALID_PACKAGE, error.message, problem.sha256), ())
    except SandboxLost as error:
        return Judged(not_judged(problem.slug, source, Reason.JUDGE_ERROR, str(error), problem.sha256), ())
    failure = first_failure(ran.results)
    groups = score_groups(problem.spec.groups, ran.results)
    judgement = Judgement(
        problem=problem.slug,
        package_sha256=problem.sha256,
        source_sha256=hashlib.sha256(source).hexdigest(),
        verdict=failure.verdict if failure else Verdict.AC,
        failure=failure,
        score=sum(group.points for group in groups),
        max_score=problem.max_score,
        groups=groups,
        cases=ran.results,
        finding=Finding(failure.message if failure else "Every case agrees with the reference."),
        sandbox=Sandbox(tuple(lane.facts()["layers"]), lane.facts()["weakened"]),
        import_prints=ran.import_prints,
        total_ms=(time.perf_counter() - started) * 1000,
        run_ms=ran.run_ms,
        versions=VERSIONS,
    )
    return Judged(judgement, ran.outcomes)


def not_judged(problem: str, source: bytes, reason: Reason, detail: str, package_sha256: str = "") -> Judgement:
    """Return a JE: our fault, without a score."""
    failure = Failure.of(reason, detail)
    return Judgement(
        problem=problem,
        package_sha256=package_sha256,
        source_sha256=hashlib.sha256(source).hexdigest(),
        verdict=failure.verdict,
        failure=failure,
        score=None,
        max_score=None,
        groups=(),
        cases=(),
        finding=Finding(failure.message),
        sandbox=Sandbox(),
        versions=VERSIONS,
    )
