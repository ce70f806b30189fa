"""Judges a stored submission and writes what came of it into its row, once."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.grading.judge import examine
from grader.grading.judge_run import Judged, not_judged
from grader.grading.verdict import Judgement, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.sample_outputs import sample_outputs, to_json
from grader.sandbox.pool import Lane
from grader.services.packages import Packages
from grader.services.result_rows import ResultRows, add_beside
from grader.store import queries
from grader.store.models import Attempt, EvidenceRecord, Package, SampleRun, Submission
from grader.store.session import read_session, write_session

Row = Submission | SampleRun | EvidenceRecord  # what waits for its judging
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Graded:
    """What judging found, as it is written."""

    judgement: Judgement
    sample_outputs: str | None = None  # JSON; None where nothing was run


def judge_row(engine: Engine, key: int, lane: Lane, cache: CaseCache, packages: Packages) -> Graded | None:
    """Judge a stored submission; None when it is judged already. Whatever goes wrong on our side is JE."""
    with read_session(engine) as session:
        submission = queries.submission_to_judge(session, key)
        if submission is None:
            return None
        package, source = submission.attempt.package, submission.source
        problem = pinned(session, package, source, packages, what := f"submission {key}")
    if isinstance(problem, Graded):
        return problem
    return judge_source(problem, source, lane, cache, what, build=False)  # a candidate waits; `prepare` builds


def pinned(session: Session, package: Package, source: bytes, packages: Packages, what: str) -> Problem | Graded:
    """Return a package's problem, or what a source gets from a package that cannot be read.

    Args:
        what: is judged, for the log.
    """
    try:
        return packages.pinned(session, package)
    except InvalidPackage as error:
        log.error("%s: %s", what, error.message)
        return Graded(not_judged(package.slug, source, Reason.INVALID_PACKAGE, error.message, package.sha256))


def judge_source(problem: Problem, source: bytes, lane: Lane, cache: CaseCache, what: str, *, build: bool) -> Graded:
    """Judge a source as a submission is judged; whatever goes wrong on our side is JE.

    Args:
        what: is judged, for the log.
        build: as for `examine`.
    """
    try:
        examination = examine(problem, source, lane, cache, build=build)
        judgement, samples = examination.judgement, _samples(problem, examination.judged, lane, cache)
    except Exception as error:
        log.exception("%s: judging failed", what)
        detail = f"{type(error).__name__}: {error}"
        return Graded(not_judged(problem.slug, source, Reason.JUDGE_ERROR, detail, problem.sha256))
    if judgement.verdict is Verdict.JE and judgement.failure:
        log.error("%s: %s: %s", what, judgement.failure.reason, judgement.failure.detail)
    return Graded(judgement, samples)


def _samples(problem: Problem, judged: Judged, lane: Lane, cache: CaseCache) -> str | None:
    """Return what came back for the samples as JSON; None where nothing was run."""
    if not judged.outcomes:
        return None
    cases = [case for case in cache.cases(problem, lane) if case.is_sample]  # they come first
    return to_json(sample_outputs(problem, cases, judged.outcomes[: len(cases)]))


def write_result(
    engine: Engine,
    key: int,
    judgement: Judgement,
    now: datetime,
    sample_outputs: str | None = None,
    judged_with: str | None = None,
) -> bool:
    """Write a judgement into its row unless there is one already; return whether it was written.

    Args:
        judged_with: the hash of the package; nothing is written when the attempt has been moved to another one
            meanwhile, or the row has got a later draft, and the row waits to be judged with that.
    """
    rows = ResultRows.of(judgement, now, sample_outputs)  # ready before the only writer's lock is taken
    with write_session(engine) as session:
        found = queries.attempt_of_submission(session, key)
        if found is None:
            return False
        attempt, handed_in = found
        if judged_with is not None and (
            attempt.package.sha256 != judged_with or queries.has_other_draft(session, key, judgement.source_sha256)
        ):
            return False
        if not queries.set_verdict(session, key, rows.submission):
            return False
        add_beside(session, {key: rows})
        _count(attempt, handed_in, judgement)
        return True


def _count(attempt: Attempt, handed_in: datetime, judgement: Judgement) -> None:
    """Let a judgement count for its attempt; JE has no score and never counts."""
    if judgement.score is not None:
        attempt.best_score = max(judgement.score, attempt.best_score or 0.0)
    if judgement.verdict is Verdict.AC:
        attempt.solved_at = min(handed_in, attempt.solved_at or handed_in)
