"""What is written for a row whose judging ends the process that does it, or fails, again and again: our fault."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Engine

from grader.grading.judge_run import not_judged
from grader.grading.verdict import Reason
from grader.services import evidence, judged_rows, sample_runs
from grader.services.judged_rows import Row
from grader.store import queries
from grader.store.models import EvidenceRecord, SampleRun
from grader.store.session import read_session

TRIES: Final = 10  # after so many a row is given up
LOST: Final = "every process that judged it went away meanwhile"
FAILED: Final = "each time it was judged, or its result was written, something failed; the log says what"
log = logging.getLogger(__name__)


def give_up(engine: Engine, table: type[Row], key: int, why: str) -> None:
    """Write that a row was not judged, unless it has a result by now."""
    log.error("%s %d is given up: %s", table.__tablename__, key, why)
    now = datetime.now(UTC)
    if table is EvidenceRecord:
        evidence.write_result(engine, key, evidence.NotMade(may_pass=False), now)
    elif table is SampleRun:
        sample_runs.write_result(engine, key, sample_runs.ours(Reason.JUDGE_ERROR), now)
    else:
        _give_up_submission(engine, key, why, now)


def _give_up_submission(engine: Engine, key: int, why: str, now: datetime) -> None:
    with read_session(engine) as session:
        submission = queries.submission_to_judge(session, key)
        if submission is None:
            return
        package = submission.attempt.package
        judgement = not_judged(package.slug, submission.source, Reason.JUDGE_ERROR, why, package.sha256)
    judged_rows.write_result(engine, key, judgement, now)
