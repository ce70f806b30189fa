"""Judges what a batch has stored in the database: a few sources at a time, each result written once."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, cast

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.grading.judge import Depth
from grader.grading.judge_run import not_judged
from grader.grading.prepare import is_prepared, prepare
from grader.grading.recorded import Recorded, judge_and_record
from grader.grading.verdict import Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.result import json_line, result
from grader.sandbox.pool import Pool
from grader.services.given_up import LOST
from grader.services.packages import Packages
from grader.store import batch_queries
from grader.store.base import storable
from grader.store.batch_models import BatchSource
from grader.store.session import read_session, write_session

CHUNK_S: Final = 1.0  # after so long the rest of a chunk waits again, so that what somebody waits for comes first
GONE_S: Final = 120.0  # without a sign of life a batch's command is taken for gone
log = logging.getLogger(__name__)


class NotPrepared(Exception):
    """What findings need of a package is being made; its sources wait for it."""


@dataclass(frozen=True)
class _Source:
    """A source that waits, as the judging of it needs it."""

    key: int
    source: bytes
    problem: Problem | Recorded  # or what everything gets from a package that cannot be read
    depth: Depth
    evidence: bool


class BatchJudging:
    """Judges chunks of batches in a worker's lanes; used by many threads."""

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
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._prepared: set[str] = set()  # hashes of packages
        self._preparing: threading.Thread | None = None

    def stop(self) -> None:
        """Begin no further source."""
        self._stopping.set()

    def judge(self, keys: Sequence[int]) -> list[int]:
        """Judge a chunk; return the keys that are left because time is over.

        Sources that have a result, and those of a command that is gone, are passed over.

        Raises:
            NotPrepared: its package has to be prepared first, which has begun.
        """
        with read_session(self._engine) as session:
            rows = batch_queries.to_judge(session, keys, batch_queries.clock(session) - timedelta(seconds=GONE_S))
            waiting = deque(self._source(session, row) for row in rows)
        self._require_prepared(each.problem for each in waiting)
        results = self._judge_some(waiting)
        with write_session(self._engine) as session:
            for key, recorded in results:
                write(session, key, recorded, datetime.now(UTC))
        return [each.key for each in waiting]

    def _judge_some(self, waiting: deque[_Source]) -> list[tuple[int, Recorded]]:
        """Judge from the front until time is over or the worker ends; take what is judged off."""
        results: list[tuple[int, Recorded]] = []
        end = time.monotonic() + CHUNK_S
        if not waiting:
            return results
        with self._pool.lane() as lane:
            while waiting and not self._stopping.is_set() and time.monotonic() < end:
                each, began = waiting[0], time.perf_counter()
                if isinstance(each.problem, Recorded):
                    recorded = each.problem
                else:
                    recorded = judge_and_record(each.problem, each.source, lane, self._cache, each.depth, each.evidence)
                if self._stopping.is_set() and recorded.judgement.verdict is Verdict.JE:
                    break  # the sandbox goes away when the worker stops; that says nothing of the source
                self._on_judged(recorded.judgement.verdict, time.perf_counter() - began)
                results.append((waiting.popleft().key, recorded))
        return results

    def _source(self, session: Session, row: BatchSource) -> _Source:
        package, run = row.package, row.run
        try:
            problem: Problem | Recorded = self._packages.pinned(session, package)
        except InvalidPackage as error:
            reason = Reason.INVALID_PACKAGE
            problem = Recorded.of(not_judged(package.slug, row.source, reason, error.message, package.sha256))
        return _Source(row.id, row.source, problem, cast("Depth", run.finding), run.has_evidence)

    def _require_prepared(self, problems: Iterable[Problem | Recorded]) -> None:
        """Begin to prepare a package beside the judging, which goes on meanwhile with what others wait for."""
        for problem in problems:
            if isinstance(problem, Recorded) or problem.sha256 in self._prepared:
                continue
            if is_prepared(problem, self._cache):
                self._prepared.add(problem.sha256)
                continue
            with self._lock:
                if self._preparing is None or not self._preparing.is_alive():
                    self._preparing = threading.Thread(target=self._prepare, args=(problem,), daemon=True)
                    self._preparing.start()
            raise NotPrepared(f"{problem.slug} is prepared first, once for this version of the package")

    def _prepare(self, problem: Problem) -> None:
        try:
            prepare(problem, self._pool.lane, self._cache, self._stopping.is_set)
        except Exception as error:  # its sources are judged all the same, and say what is wrong
            if not self._stopping.is_set():
                log.warning("the package %s could not be prepared: %s", problem.slug, error)
        if not self._stopping.is_set():
            self._prepared.add(problem.sha256)


def write(session: Session, key: int, recorded: Recorded, now: datetime) -> None:
    """Write a result, unless the source has one or is gone with its batch."""
    batch_queries.set_result(
        session,
        key,
        result=json_line(result(recorded.judgement)),
        evidence=recorded.evidence,
        trouble=storable(recorded.trouble),
        judged_at=now,
    )


def give_up(engine: Engine, key: int, now: datetime) -> None:
    """Write that a source was not judged, because whoever judges it goes away meanwhile, again and again."""
    log.error("batch_source %d is given up: %s", key, LOST)
    with write_session(engine) as session:
        for row in batch_queries.to_judge(session, [key], datetime.min.replace(tzinfo=UTC)):
            package = row.package
            judgement = not_judged(package.slug, row.source, Reason.JUDGE_ERROR, LOST, package.sha256)
            write(session, key, Recorded.of(judgement), now)


def forget_gone(engine: Engine, now: datetime) -> None:
    """Remove the batches whose command is gone: nobody will ask for their results."""
    with write_session(engine) as session:
        for run in batch_queries.unseen(session, now - timedelta(seconds=GONE_S)):
            log.warning("the command of batch %d is gone; the batch is removed", run)
            batch_queries.remove_run(session, run)
