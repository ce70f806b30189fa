"""Evidence records of submissions: an interviewer asks, the sandbox makes, the database keeps them."""

from __future__ import annotations

import logging
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import InvalidPackage, JudgeError, NotFound, UserError
from grader.grading.evidence import record
from grader.grading.evidence_file import text_of
from grader.grading.extra_runs import extra_runs
from grader.grading.judge import Examination, examine
from grader.grading.reference import Reference, reference_of
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.review_pictures import pictures, to_json
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane
from grader.services import audit
from grader.services.packages import Packages
from grader.store import evidence_queries
from grader.store import review_queries as queries
from grader.store.models import EvidenceRecord, User
from grader.store.session import read_session, write_session

NO_RECORD: Final = "There is no evidence record of this submission yet; the review page has a button that makes it."
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Made:
    """A record as it is written."""

    package_sha256: str
    record: bytes  # compressed
    pictures: str | None = None  # JSON


@dataclass(frozen=True)
class NotMade:
    """Making a record failed by our own fault."""

    may_pass: bool  # the sandbox, say, and not the package


class NotJudged(UserError):
    """The submission has no verdict yet, or one of ours."""

    status = 409


def ask(session: Session, user: User, public_id: str, ordinal: int, now: datetime) -> EvidenceRecord:
    """Have the evidence record of a submission made, anew where there is one.

    Raises:
        NotFound: there is no such submission in an interview of this user's.
        NotJudged: it has no verdict of its own yet.
    """
    attempt = queries.attempt_reviewed(session, user, public_id, lock=True)
    submission = queries.submission_in(session, attempt.attempt, ordinal)
    if submission.verdict in (None, Verdict.JE):
        raise NotJudged("This submission is not judged yet; its evidence can be made after that.")
    found = evidence_queries.record_of(session, submission)
    if found is None:
        found = EvidenceRecord(submission_id=submission.id, asked_at=now, package_sha256=attempt.package.sha256)
        session.add(found)
    elif found.made_at is not None:
        is_there = found.pictures is not None
        found.asked_at, found.made_at, found.made_before_at = now, None, found.made_at if is_there else None
    else:
        return found
    audit.record(session, user, "review.evidence", attempt.attempt, now, attempt.interview, number=ordinal)
    return found


def text(session: Session, user: User, public_id: str, ordinal: int) -> bytes:
    """Return the record as the file that `grader replay` reads.

    Raises:
        NotFound: there is no such submission in an interview of this user's, or no record.
    """
    attempt = queries.attempt_reviewed(session, user, public_id)
    found = evidence_queries.record_of(session, queries.submission_in(session, attempt.attempt, ordinal))
    if found is None or found.record is None or found.made_at is None:
        raise NotFound(NO_RECORD)
    return zlib.decompress(found.record)


def make_row(engine: Engine, key: int, lane: Lane, cache: CaseCache, packages: Packages) -> Made | NotMade | None:
    """Make a record that was asked for; None when it is made already or nobody asks any more."""
    with read_session(engine) as session:
        asked = evidence_queries.to_make(session, key)
        if asked is None:
            return None
        source, package = asked.submission.source, asked.submission.attempt.package
        try:
            problem = packages.pinned(session, package)
        except InvalidPackage as error:
            log.error("evidence record %d: %s", key, error.message)
            return NotMade(may_pass=False)
    try:
        return _made(problem, source, lane, cache)
    except Exception:
        log.exception("evidence record %d could not be made", key)
        lane.close()
        return NotMade(may_pass=True)


def _made(problem: Problem, source: bytes, lane: Lane, cache: CaseCache) -> Made:
    examination = examine(problem, source, lane, cache)
    if examination.judgement.verdict is Verdict.JE:
        raise JudgeError(examination.judgement.message)
    extra = extra_runs(problem, source, examination.judgement, lane, cache)
    data = text_of(record(problem, source, examination, lane, cache, extra)).encode("ascii")
    cases = cache.cases(problem, lane)
    drawn = pictures(problem, examination, cases, _reference(problem, examination, lane, cache), extra)
    return Made(problem.sha256, zlib.compress(data), to_json(drawn))


def _reference(problem: Problem, examination: Examination, lane: Lane, cache: CaseCache) -> Reference:
    if not examination.looks:
        return Reference({}, {})
    try:
        return reference_of(problem, cache.cases(problem, lane), lane, cache)
    except (InvalidPackage, SandboxLost):
        return Reference({}, {})


def write_result(engine: Engine, key: int, made: Made | NotMade, now: datetime) -> None:
    """Write a record unless it is made already; one that failed can be asked for again, and the one before stays."""
    with write_session(engine) as session:
        if isinstance(made, Made):
            evidence_queries.set_record(session, key, made.package_sha256, made.record, made.pictures, now)
        else:
            evidence_queries.keep_record(session, key, now)
