"""Judges submissions and sample runs in this process: a row waits without a verdict until one is written, once.

Evidence records are made here as well, in the same lanes.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from sqlalchemy import Engine, event
from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.grading.judge import examine
from grader.grading.judge_run import Judged, not_judged
from grader.grading.prepare import prepare
from grader.grading.verdict import Judgement, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.sample_outputs import sample_outputs, to_json
from grader.sandbox.pool import Lane, Pool
from grader.services import evidence, sample_runs
from grader.services.long_lived import keep_for_good
from grader.services.packages import Packages
from grader.services.result_rows import ResultRows, add_beside
from grader.store import queries, review_queries
from grader.store.models import Attempt, EvidenceRecord, Package, SampleRun, Submission
from grader.store.queue import claimed
from grader.store.session import read_session, write_session

SWEEP_S: Final = 30.0  # an idle thread looks for rows that were missed, for example because the disk was full
STOP_S: Final = 10.0  # how long the judgements under way may take when the service stops
HELD_MAX: Final = 4  # requests that wait for a verdict at a time; more would leave no thread for others
SOON: Final = 2  # jobs for each lane whose turn is worth a moment's wait
PAUSES_S: Final = (0.2, 1.0)  # before what failed by our own fault is tried again: a sandbox may need a moment
Row = Submission | SampleRun | EvidenceRecord
Dispatch = Callable[[Session, Row], None]
Job = tuple[type[Row], int]  # the table and the key of a row
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Graded:
    """What judging found, as it is written."""

    judgement: Judgement
    sample_outputs: str | None = None  # JSON; None where nothing was run


class Judging:
    """A few threads, each with a lane of its own while it judges."""

    def __init__(
        self,
        engine: Engine,
        pool: Pool,
        cache: CaseCache,
        packages: Packages,
        on_judged: Callable[[Verdict, float], None] = lambda verdict, seconds: None,
    ) -> None:
        self._engine, self._pool, self._cache, self._packages = engine, pool, cache, packages
        self._on_judged = on_judged
        self._held = threading.BoundedSemaphore(HELD_MAX)
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._known: dict[Job, None] = {}  # queued or under way, in their order
        self._changed = threading.Condition()  # of what is known
        self._stopping = threading.Event()
        # daemon threads: a process that is told to end does not wait for the whole queue
        self._threads = [
            threading.Thread(target=self._work, name=f"judging-{number}", daemon=True) for number in range(pool.size)
        ]

    def start(self) -> None:
        """Start the threads; rows that an earlier process left without a verdict come first."""
        self._sweep()
        for thread in self._threads:
            thread.start()
        self._threads.append(threading.Thread(target=self.prepare, name="preparing", daemon=True))
        self._threads[-1].start()

    def dispatch(self, session: Session, row: Row) -> None:
        """Have a row judged once the session's transaction is committed, never before and never without."""
        session.flush()
        job = type(row), row.id
        event.listen(session, "after_commit", lambda _: self._enqueue(job), once=True)

    def wait(self, key: int, seconds: float) -> None:
        """Wait until a submission is judged here, but no longer than so many seconds.

        Not at all where its turn does not come soon, or while others wait, for each takes a thread.
        """
        if self._is_soon((Submission, key)) and self._held.acquire(blocking=False):
            try:
                with self._changed:
                    self._changed.wait_for(lambda: (Submission, key) not in self._known, seconds)
            finally:
                self._held.release()

    def _is_soon(self, job: Job) -> bool:
        with self._changed:
            return job in islice(self._known, SOON * self._pool.size)

    def close(self) -> None:
        """Stop; what is not judged in a moment keeps its row without a verdict and is judged at the next start."""
        self._stopping.set()
        for _ in self._threads:
            self._queue.put(None)
        deadline = time.monotonic() + STOP_S
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))

    def prepare(self) -> None:
        """Make ahead what the findings of the offered problems need; until then the first one waits for it."""
        for problem in self._packages.offered():
            if self._stopping.is_set():
                return
            try:
                prepare(problem, self._pool.lane, self._cache, self._stopping.is_set)
            except Exception as error:
                if not self._stopping.is_set():
                    log.warning("the problem %s could not be prepared: %s", problem.slug, error)
        keep_for_good()

    def _enqueue(self, job: Job) -> None:
        with self._changed:
            if job in self._known:
                return
            self._known[job] = None
        self._queue.put(job)

    def _sweep(self) -> None:
        with read_session(self._engine) as session:
            jobs = unjudged(session)
        for job in jobs:
            self._enqueue(job)

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                job = self._queue.get(timeout=SWEEP_S)
            except queue.Empty:
                job = None
            try:
                if job is not None:
                    self.judge(*job)
                elif not self._stopping.is_set():
                    self._sweep()
            except Exception:
                log.exception("a row could not be judged or its result not be written; it is tried again")
            finally:
                with self._changed:
                    if job is not None:
                        self._known.pop(job, None)
                    self._changed.notify_all()

    def judge(self, table: type[Row], key: int) -> None:
        """Judge one row, unless it is judged or another process is doing it."""
        with claimed(self._engine, table, key) as is_mine:
            if not is_mine:  # another process judges it; should that one die, a sweep finds the row again
                return
            if table is EvidenceRecord:
                self._make_evidence(key)
            elif table is SampleRun:
                self._judge_samples(key)
            else:
                self._judge_submission(key)

    def _judge_submission(self, key: int) -> None:
        is_written = False
        while not is_written:  # once, unless its attempt is moved to another version of the package meanwhile
            graded, seconds = self._grade(key)
            if graded is None or (self._stopping.is_set() and graded.judgement.verdict is Verdict.JE):
                return  # judged elsewhere; or the sandbox went away because the service stops
            judgement, now = graded.judgement, datetime.now(UTC)
            is_written = write_result(
                self._engine, key, judgement, now, graded.sample_outputs, judgement.package_sha256
            )
        self._on_judged(judgement.verdict, seconds)

    def _grade(self, key: int) -> tuple[Graded | None, float]:
        """Judge a submission, and tell how many seconds it took; what is our own fault may pass, and is tried again."""
        for pause_s in (*PAUSES_S, None):
            with self._pool.lane() as lane:
                began = time.perf_counter()
                graded = judge_row(self._engine, key, lane, self._cache, self._packages)
                seconds = time.perf_counter() - began
            if graded is None or graded.judgement.reason is not Reason.JUDGE_ERROR or pause_s is None:
                break
            if self._stopping.wait(pause_s):
                break
        return graded, seconds

    def _judge_samples(self, key: int) -> None:
        with self._pool.lane() as lane:
            judged = sample_runs.judge_row(self._engine, key, lane, self._cache, self._packages)
        if judged is not None and not (self._stopping.is_set() and judged.verdict is Verdict.JE):
            sample_runs.write_result(self._engine, key, judged, datetime.now(UTC))

    def _make_evidence(self, key: int) -> None:
        with self._pool.lane() as lane:
            made = evidence.make_row(self._engine, key, lane, self._cache, self._packages)
        if made is not None and not (self._stopping.is_set() and made.record is None):
            evidence.write_result(self._engine, key, made, datetime.now(UTC))


def unjudged(session: Session) -> list[Job]:
    """Return every row that waits, oldest first of each table."""
    jobs: list[Job] = [(table, key) for table in (Submission, SampleRun) for key in queries.unjudged(session, table)]
    return [*jobs, *((EvidenceRecord, key) for key in review_queries.evidence_unmade(session))]


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
            meanwhile, and the row waits to be judged with that.
    """
    rows = ResultRows.of(judgement, now, sample_outputs)  # ready before the only writer's lock is taken
    with contextlib.suppress(_Moved), write_session(engine) as session:
        if not queries.set_verdict(session, key, rows.submission):
            return False
        attempt, handed_in = queries.attempt_of_submission(session, key)
        if judged_with is not None and attempt.package.sha256 != judged_with:
            raise _Moved
        add_beside(session, {key: rows})
        _count(attempt, handed_in, judgement)
        return True
    return False


class _Moved(Exception):
    """The attempt has another version of its package by now."""


def _count(attempt: Attempt, handed_in: datetime, judgement: Judgement) -> None:
    """Let a judgement count for its attempt; JE has no score and never counts."""
    if judgement.score is not None:
        attempt.best_score = max(judgement.score, attempt.best_score or 0.0)
    if judgement.verdict is Verdict.AC:
        attempt.solved_at = min(handed_in, attempt.solved_at or handed_in)
