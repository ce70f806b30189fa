"""The tasks: what a worker does with a job. They find everything in the database; a job is a name and a key."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, cast

from packaging.version import Version
from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.jobs import Job
from sqlalchemy import Engine

from grader import __version__
from grader.services import batch_judging
from grader.services.background import Background
from grader.services.batch_judging import BatchJudging, NotPrepared
from grader.services.given_up import FAILED, LOST, TRIES, give_up
from grader.services.judged_rows import Row
from grader.services.judging import Judging, unjudged
from grader.store import batch_queries
from grader.store.session import read_session, write_session
from grader.workers.clock import DatabaseClock
from grader.workers.dispatch import (
    BATCH,
    CHUNK,
    INTERACTIVE,
    JUDGE,
    TABLES,
    UPKEEP,
    WORK,
    Deferring,
    chunks_without,
    is_work_stored,
    jobs_without,
)

AGAIN_S: Final = 2  # before a job is tried again that failed, or that is another release's
LEFT_TIMES: Final = 15  # so often a job of an older release is left for its own workers
CHUNK_S: Final = 5.0  # of work that nobody waits for, before a newer job has its chance
STALLED_S: Final = 6.0  # without a sign of life a worker is taken for dead
AT_ONCE: Final = datetime(2000, 1, 1, tzinfo=UTC)  # by whatever clock
EVERY_2_S: Final = "* * * * * */2"
EVERY_5_S: Final = "* * * * * */5"
log = logging.getLogger(__name__)


class OtherRelease(Exception):
    """The job is for workers of another release."""


class _Again(BaseRetryStrategy):
    """Every job is tried until it is done: what it is for waits in the database all the same."""

    def __init__(self, clock: DatabaseClock) -> None:
        self._clock = clock

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
        return RetryDecision(retry_at=self._clock.now() + timedelta(seconds=AGAIN_S))


@dataclass(frozen=True)
class Parts:
    """What the tasks work with."""

    engine: Engine
    judging: Judging
    background: Background
    batches: BatchJudging
    deferring: Deferring
    chunk: threading.Lock = field(default_factory=threading.Lock)  # one at a time, so that lanes stay for candidates


def add_tasks(app: App, parts: Parts) -> App:
    """Give an engine its tasks; return it."""
    clock = DatabaseClock(parts.engine)
    again = _Again(clock)

    @app.task(name=JUDGE, queue=INTERACTIVE, retry=again, pass_context=True)
    def judge(context: JobContext, table: str, key: int, version: str) -> None:
        with _told(context, version, clock):
            _judge(parts, context.job, TABLES[table], key)

    @app.task(name=WORK, queue=BATCH, retry=again, pass_context=True)
    def work(context: JobContext, version: str) -> None:
        with _told(context, version, clock):
            _work(parts)

    @app.task(name=CHUNK, queue=BATCH, retry=again, pass_context=True)
    def judge_chunk(context: JobContext, run: int, keys: list[int], version: str) -> None:
        with _told(context, version, clock):
            _judge_chunk(parts, run, keys, is_again=context.job.attempts > 0)

    _add_upkeep(app, parts)
    return app


def _add_upkeep(app: App, parts: Parts) -> None:
    @app.periodic(cron=EVERY_2_S)
    @app.task(name="grader.retry_stalled", queueing_lock="retry_stalled", queue=UPKEEP)
    async def retry_stalled(timestamp: int) -> None:
        for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_S):
            if _is_given_up(job):
                await asyncio.to_thread(_give_up, parts, job)
            log.warning("a worker went away while it did job %s; it is done again", job.id)
            await app.job_manager.retry_job(job, retry_at=AT_ONCE)  # of one that is given up nothing is left to do

    @app.periodic(cron=EVERY_2_S)
    @app.task(name="grader.find_work", queueing_lock="find_work", queue=UPKEEP)
    def find_work(timestamp: int) -> None:
        with write_session(parts.engine) as session:
            if parts.background.is_waiting(session) and not is_work_stored(session):
                parts.deferring.work(session)

    @app.periodic(cron=EVERY_5_S)
    @app.task(name="grader.find_sources", queueing_lock="find_sources", queue=UPKEEP)
    def find_sources(timestamp: int) -> None:
        """Forget batches whose command is gone; give the sources of the others a job that have none."""
        with read_session(parts.engine) as session:
            now = batch_queries.clock(session)
        batch_judging.forget_gone(parts.engine, now)
        with write_session(parts.engine) as session:
            waiting = batch_queries.unjudged(session, now - timedelta(seconds=batch_judging.GONE_S))
            for run, keys in chunks_without(session, waiting).items():
                parts.deferring.chunks(session, run, [[key] for key in keys])

    @app.periodic(cron=EVERY_5_S)
    @app.task(name="grader.find_rows", queueing_lock="find_rows", queue=UPKEEP)
    def find_rows(timestamp: int) -> None:
        """Give rows a job that have none: they are from before there were workers, or lost theirs."""
        with write_session(parts.engine) as session:
            parts.deferring.judge(session, jobs_without(session, unjudged(session)))


@contextmanager
def _told(context: JobContext, version: str, clock: DatabaseClock) -> Iterator[None]:
    """Do a job of this release, and tell the log why one is not done; it is tried again by the database's clock."""
    try:
        _require_ours(context.job, version)
        yield
    except OtherRelease as left:
        log.info("%s", left)
        clock.look()
        raise
    except Exception:
        log.exception("job %s failed; it is tried again", context.job.id)
        clock.look()
        raise


def _require_ours(job: Job, version: str) -> None:
    """Leave a job for the workers of its release.

    A newer one's is always left, for it may say what this release does not know. An older one's is left until there
    seem to be no such workers any more; what older releases store every newer one can read.

    Raises:
        OtherRelease: it is left.
    """
    ours, theirs = Version(__version__), Version(version)
    if ours != theirs and (theirs > ours or job.attempts < LEFT_TIMES):
        raise OtherRelease(f"job {job.id} is for release {version}, this worker is {__version__}; it is left")


def _is_given_up(job: Job) -> bool:
    """Return whether a job that has failed, or lost its worker, once more is not done again.

    An older release's counts the times that it was left as well. A newer one's is for its own workers to give up.
    """
    version = job.task_kwargs.get("version")
    if version is None:  # upkeep
        return False
    ours, theirs = Version(__version__), Version(str(version))
    return theirs <= ours and job.attempts >= TRIES + (LEFT_TIMES if theirs < ours else 0)


def _judge(parts: Parts, job: Job, table: type[Row], key: int) -> None:
    """Judge a row; one that has failed too often is told as our own fault, for it would keep others waiting."""
    try:
        parts.judging.judge(table, key)
    except Exception:
        if not _is_given_up(job):
            raise
        log.exception("job %s failed once more", job.id)
        give_up(parts.engine, table, key, FAILED)


def _judge_chunk(parts: Parts, run: int, keys: list[int], *, is_again: bool) -> None:
    """Judge a chunk of a batch; what time is over for waits again, behind what others wait for.

    A chunk that was lost with its worker is taken apart, so that only the source that ends workers is given up.
    """
    in_s = 0
    if is_again and len(keys) > 1:
        rest = [[key] for key in keys]
    else:
        try:
            rest = [parts.batches.judge(keys)]
        except NotPrepared as preparing:
            log.info("%s", preparing)
            rest, in_s = [keys], AGAIN_S
    with write_session(parts.engine) as session:
        parts.deferring.chunks(session, run, rest, in_s)


def _give_up(parts: Parts, job: Job) -> None:
    """Write that what a job is for was not judged."""
    if job.task_name == JUDGE:
        give_up(parts.engine, TABLES[str(job.task_kwargs["table"])], int(str(job.task_kwargs["key"])), LOST)
    elif job.task_name == CHUNK:
        for key in cast("list[int]", job.task_kwargs["keys"]):
            batch_judging.give_up(parts.engine, key, datetime.now(UTC))


def _work(parts: Parts) -> None:
    if not parts.chunk.acquire(blocking=False):
        return  # it is being done here; when there is more than that, it is found again in a moment
    try:
        end = time.monotonic() + CHUNK_S
        while not parts.background.is_stopping and time.monotonic() < end and parts.background.turn():
            pass
    finally:
        parts.chunk.release()
