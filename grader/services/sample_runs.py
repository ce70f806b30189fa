"""Running a source on the samples alone: free, counted nowhere, and silent about the secret cases."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.grading.judge_samples import SampleJudgement, judge_samples
from grader.grading.verdict import CaseResult, Failure, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.sample_outputs import sample_outputs, to_json
from grader.sandbox.pool import Lane
from grader.services.attempts import AttemptClosed, TooManyWaiting, require_taken
from grader.services.packages import Packages
from grader.store import queries, sample_run_queries
from grader.store.base import storable
from grader.store.models import SampleRun, User
from grader.store.session import read_session, write_session

KEPT: Final = 5  # runs of an attempt; older ones are forgotten
WAITING_MAX: Final = 2  # runs of one candidate that wait at a time
PRINTS_MAX: Final = 16 << 10  # characters of one case that are kept
OUTCOME_MAX: Final = 1 << 20  # characters; of a longer outcome the arrays are left out
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunResult:
    """What is written of a sample run."""

    verdict: Verdict
    reason: Reason | None
    message: str | None
    outcome: str  # JSON


def has_samples(problem: Problem) -> bool:
    """Whether a problem has sample cases to run."""
    return any(name.startswith("sample_") for group in problem.spec.groups for name in group.cases)


def start(
    session: Session, candidate: User, public_id: str, source: bytes, packages: Packages, now: datetime
) -> SampleRun:
    """Store a source to be run on the samples; it has no verdict until then.

    Raises:
        NotFound: there is no such attempt of this candidate.
        AttemptClosed: it has been given up, or its time is over, or its problem has no samples.
        TooManyWaiting: earlier runs wait.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    require_taken(session, attempt, now, "run another source")
    if not has_samples(packages.pinned(session, attempt.package)):
        raise AttemptClosed("This problem has no samples; submit the source to have it judged.")
    if sample_run_queries.number_of_runs_waiting(session, candidate) >= WAITING_MAX:
        raise TooManyWaiting(f"{WAITING_MAX} of your sample runs still wait; look again in a moment.")
    newest = sample_run_queries.newest_sample_run(session, attempt)
    ordinal = newest.ordinal + 1 if newest else 1
    run = SampleRun(attempt=attempt, ordinal=ordinal, source=source, created_at=now)
    session.add(run)
    session.flush()
    sample_run_queries.forget_sample_runs(session, attempt, ordinal - KEPT)
    return run


def judge_row(engine: Engine, key: int, lane: Lane, cache: CaseCache, packages: Packages) -> RunResult | None:
    """Judge a stored sample run; None when it is judged already or forgotten. What goes wrong on our side is JE."""
    with read_session(engine) as session:
        run = sample_run_queries.sample_run_to_judge(session, key)
        if run is None:
            return None
        source = run.source
        try:
            problem = packages.pinned(session, run.attempt.package)
        except InvalidPackage as error:
            log.error("sample run %d: %s", key, error.message)
            return ours(Reason.INVALID_PACKAGE)
    try:
        judged = judge_samples(problem, source, lane, cache)
        result = _result(problem, judged)
    except Exception:
        log.exception("sample run %d: judging failed", key)
        return ours(Reason.JUDGE_ERROR)
    if result.verdict is Verdict.JE and judged.failure:
        log.error("sample run %d: %s: %s", key, judged.failure.reason, judged.failure.detail)
    return result


def write_result(engine: Engine, key: int, result: RunResult, now: datetime) -> bool:
    """Write a result into its row unless there is one already; return whether it was written."""
    values = {
        "judged_at": now,
        "verdict": result.verdict,
        "reason": result.reason,
        "message": result.message and storable(result.message),
        "outcome": result.outcome,
    }
    with write_session(engine) as session:
        return sample_run_queries.set_sample_run_result(session, key, values)


def ours(reason: Reason) -> RunResult:
    failure = Failure.of(reason)
    return RunResult(failure.verdict, reason, failure.message, json.dumps({"import_prints": "", "cases": []}))


def _result(problem: Problem, judged: SampleJudgement) -> RunResult:
    failure = judged.failure
    outputs = to_json(sample_outputs(problem, judged.cases, judged.outcomes))
    kept = {"import_prints": judged.import_prints[:PRINTS_MAX], "cases": [_case(result) for result in judged.results]}
    outcome = json.dumps(kept | {"outputs": outputs if len(outputs) <= OUTCOME_MAX else "[]"})
    return RunResult(
        failure.verdict if failure else Verdict.AC,
        failure.reason if failure else None,
        failure.message if failure else None,
        outcome,
    )


def _case(result: CaseResult) -> Mapping[str, Any]:
    return {
        "name": result.name,
        "verdict": result.verdict,
        "message": result.failure.message if result.failure else None,
        "prints": result.prints[:PRINTS_MAX],
    }
