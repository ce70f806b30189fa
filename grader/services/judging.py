"""Judges submissions and sample runs in this process: a row waits without a verdict until one is written, once.

Evidence records are made here as well, in the same lanes.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from typing import Final, TypeVar

from sqlalchemy import Engine, event
from sqlalchemy.orm import Session

from grader.grading.prepare import prepare
from grader.grading.verdict import Reason, Verdict
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Lane, Pool
from grader.services import evidence, sample_runs
from grader.services.evidence import NotMade
from grader.services.given_up import FAILED, TRIES, give_up
from grader.services.held_waits import HeldWaits
from grader.services.judged_rows import Graded, Row, judge_row, write_result
from grader.services.packages import Packages
from grader.services.retries import Retries
from grader.store import evidence_queries, queries
from grader.store.models import EvidenceRecord, SampleRun, Submission
from grader.store.queue import claimed
from grader.store.session import read_session

SWEEP_S: Final = 5.0  # between two looks for rows that were missed, for example because the disk was full
AGAIN_S: Final = 5.0  # before a row is judged again whose result could not be written; twice as long each time
AGAIN_MAX_S: Final = 60.0
STOP_S: Final = 10.0  # how long the judgements under way may take when the service stops
SOON: Final = 2  # jobs for each lane whose turn is worth a moment's wait
PAUSES_S: Final = (0.2, 1.0)  # before what failed by our own fault is tried again: a sandbox may need a moment
Dispatch = Callable[[Session, Row], None]
Result = TypeVar("Result")
Job = tuple[type[Row], int]  # the table and the key of a row
log = logging.getLogger(__name__)


class Judging:
    """A few threads, each with a lane of its own while it judges."""

    def __init__(
        self,
        engine: Engine,
        pool: Pool,
        cache: CaseCache,
        packages: Packages,
        on_judged: Callable[[Verdict, float], None] = lambda verdict, seconds: None,
        on_prepared: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine, self._pool, self._cache, self._packages = engine, pool, cache, packages
        self._on_judged, self._on_prepared = on_judged, on_prepared
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._known: dict[Job, None] = {}  # queued or under way, in their order
        self._under_way: set[Job] = set()
        self._asked_again: set[Job] = set()  # while they were under way
        self._changed = threading.Condition()  # of what is known
        self._failed = Retries[Job](AGAIN_S, AGAIN_MAX_S)
        self._sweep_at = 0.0  # by the steady clock
        self._held = HeldWaits(self._is_soon, self._until_judged)
        self._stopping = threading.Event()
        # daemon threads: a process that is told to end does not wait for the whole queue
        self._threads = [
            threading.Thread(target=self._work, name=f"judging-{number}", daemon=True) for number in range(pool.size)
        ]

    def start(self) -> None:
        """Start the threads; rows that an earlier process left without a verdict come first."""
        self._sweep()
        self._sweep_at = time.monotonic() + SWEEP_S
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
        """Wait until a submission is judged here, as `HeldWaits.wait` does."""
        self._held.wait(key, seconds)

    def _is_soon(self, key: int) -> bool:
        with self._changed:
            return (Submission, key) in islice(self._known, SOON * self._pool.size)

    def _until_judged(self, key: int, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: (Submission, key) not in self._known, seconds)

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
        self._on_prepared()

    def _enqueue(self, job: Job) -> None:
        """Have a row judged; once more when it is under way, for it may have lost its result since that was written."""
        with self._changed:
            if job in self._under_way:
                self._asked_again.add(job)
            if job in self._known:
                return
            self._known[job] = None
        self._queue.put(job)

    def _sweep(self) -> None:
        """Queue every row that waits, but for those that are known and those that failed just now."""
        with read_session(self._engine) as session:
            jobs = unjudged(session)
        failed = self._failed.paused()
        with self._changed:
            missed = [job for job in jobs if job not in self._known and job not in failed]
        for job in missed:
            self._enqueue(job)

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                job = self._queue.get(timeout=max(0.0, self._sweep_at - time.monotonic()))
            except queue.Empty:
                job = None
            if job is not None:
                self._do(job)
            if not self._stopping.is_set():
                self._sweep_in_time()

    def _sweep_in_time(self) -> None:
        """Look for rows that were missed when it is time to, however much else there is to judge."""
        with self._changed:
            if time.monotonic() < self._sweep_at:
                return
            self._sweep_at = time.monotonic() + SWEEP_S  # of several threads one looks
        try:
            self._sweep()
        except Exception:
            log.exception("rows that wait could not be looked for; it is tried again")

    def _do(self, job: Job) -> None:
        with self._changed:
            self._under_way.add(job)
        try:
            self.judge(*job)
            self._failed.forget(job)
        except Exception:
            log.exception("a row could not be judged or its result not be written; it is tried again")
            if self._failed.failed(job) >= TRIES:
                self._give_up(job)
        finally:
            self._ended(job)

    def _give_up(self, job: Job) -> None:
        """Write that a row was not judged, which would keep everybody's waiting for ever; else it is tried again."""
        try:
            give_up(self._engine, *job, FAILED)
            self._failed.forget(job)
        except Exception:
            log.exception("that a row is given up could not be written")

    def _ended(self, job: Job) -> None:
        """Forget a row that is not under way any more, or queue it once more when that was asked for meanwhile."""
        with self._changed:
            self._under_way.discard(job)
            self._known.pop(job, None)
            is_wanted = job in self._asked_again
            self._asked_again.discard(job)
            if is_wanted:
                self._known[job] = None  # behind the others
            self._changed.notify_all()
        if is_wanted:
            self._queue.put(job)

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

        def once(lane: Lane) -> tuple[Graded | None, float]:
            began = time.perf_counter()
            graded = judge_row(self._engine, key, lane, self._cache, self._packages)
            return graded, time.perf_counter() - began

        return self._tried(once, lambda tried: bool(tried[0] and tried[0].judgement.reason is Reason.JUDGE_ERROR))

    def _tried(self, once: Callable[[Lane], Result], may_pass: Callable[[Result], bool]) -> Result:
        """Do something in a lane; what failed and may pass is done again after each of the pauses."""
        for pause_s in (*PAUSES_S, None):
            with self._pool.lane() as lane:
                result = once(lane)
            if pause_s is None or not may_pass(result) or self._stopping.wait(pause_s):
                break
        return result

    def _judge_samples(self, key: int) -> None:
        with self._pool.lane() as lane:
            judged = sample_runs.judge_row(self._engine, key, lane, self._cache, self._packages)
        if judged is not None and not (self._stopping.is_set() and judged.verdict is Verdict.JE):
            sample_runs.write_result(self._engine, key, judged, datetime.now(UTC))

    def _make_evidence(self, key: int) -> None:
        made = self._tried(
            lambda lane: evidence.make_row(self._engine, key, lane, self._cache, self._packages),
            lambda tried: isinstance(tried, NotMade) and tried.may_pass,
        )
        if made is not None and not (self._stopping.is_set() and isinstance(made, NotMade)):
            evidence.write_result(self._engine, key, made, datetime.now(UTC))


def unjudged(session: Session) -> list[Job]:
    """Return every row that waits, oldest first of each table."""
    jobs: list[Job] = [(table, key) for table in (Submission, SampleRun) for key in queries.unjudged(session, table)]
    return [*jobs, *((EvidenceRecord, key) for key in evidence_queries.unmade(session))]
