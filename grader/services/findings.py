"""Findings made again: a candidate's verdict does not wait until what known faults return is there, but this does.

Verdict, reason and score stay what they are; a source that gets others this time keeps the finding that it has. So
does one whose run or look our own sandbox lost, which stays due: that says nothing of the source.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Engine

from grader.grading.verdict import Judgement, Reason
from grader.problems.cache import CaseCache
from grader.report.result import json_line
from grader.sandbox.pool import Lane
from grader.services.judged_rows import Graded, judge_source, pinned
from grader.services.packages import Packages
from grader.services.result_rows import ResultRows
from grader.store import finding_queries as queries
from grader.store.session import read_session, write_session


@dataclass(frozen=True)
class Found:
    """A finding as it is written; without rows the one that is there stays."""

    judged_at: datetime  # of the result that it belongs to
    judgement: str  # JSON
    rows: ResultRows | None
    is_lost: bool = False  # nothing was found by our own fault: it is worth another try


def find_again(engine: Engine, key: int, lane: Lane, cache: CaseCache, packages: Packages) -> Found | None:
    """Make a submission's finding again; None when somebody else did, or its result went meanwhile."""
    with read_session(engine) as session:
        submission = queries.submission_due(session, key)
        if submission is None or submission.judged_at is None or submission.judgement is None:
            return None
        source, package = submission.source, submission.attempt.package
        problem = pinned(session, package, source, packages, what := f"the finding of submission {key}")
    before = submission.verdict, submission.reason, submission.score
    stays = Found(submission.judged_at, submission.judgement, None)
    if isinstance(problem, Graded):
        return stays
    judgement = judge_source(problem, source, lane, cache, what, build=True).judgement
    if _is_lost(judgement):
        return replace(stays, is_lost=True)
    if (judgement.verdict, judgement.reason, judgement.score) != before:
        return stays
    rows = ResultRows.of(judgement, submission.judged_at, None)
    found = json.loads(rows.submission["judgement"])["finding"]
    return replace(stays, judgement=json_line({**json.loads(submission.judgement), "finding": found}), rows=rows)


def _is_lost(judgement: Judgement) -> bool:
    """Whether our own fault kept a source from being judged, or its finding from being looked up."""
    return judgement.reason is Reason.JUDGE_ERROR or not judgement.finding.is_looked_up


def write(engine: Engine, key: int, found: Found) -> bool:
    """Put a finding in the place of the one before; return whether its result was still there."""
    values: dict[str, object] = {}
    if found.rows is not None:
        changed = {name: found.rows.submission[name] for name in ("first_wrong_stage", "is_not_looked_up")}
        values = {"judgement": found.judgement, **changed}
    with write_session(engine) as session:
        is_written = queries.set_finding(session, key, found.judged_at, values)
        if is_written and found.rows is not None:
            queries.replace_faults(session, key, found.rows.faults)
    return is_written
