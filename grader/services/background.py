"""Work that nobody waits for at a page: checks of uploads, rejudging, findings again. One thread, one lane at a time.

Candidates' submissions are judged by the other threads meanwhile. Everything that is to be done stands in the
database, so nothing is forgotten when a process ends; with PostgreSQL a row is worked on by one process at a time.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.grading.check import check_package
from grader.grading.check_report import Report, pack
from grader.grading.prepare import is_prepared, prepare
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.files import PackageFiles
from grader.problems.loader import load
from grader.sandbox.pool import Pool
from grader.services import audit, findings, rejudge_work
from grader.services.judging import Dispatch
from grader.services.packages import Packages
from grader.services.retries import Retries
from grader.store import finding_queries, package_queries, rejudge_moves
from grader.store.base import Base
from grader.store.interview_models import PackageCheck, Rejudge, RejudgeItem
from grader.store.models import Package, Submission
from grader.store.queue import claimed
from grader.store.session import read_session, write_session

IDLE_S: Final = 1.0  # between two looks at what there is to do
BROKEN_S: Final = 30.0  # after something failed
CHECK_S: Final = 1800.0  # of one package; the slowest of the shipped ones takes under two minutes
STOP_S: Final = 10.0
PROGRESS_S: Final = 1.0  # between two notes of how far a check is
ITEMS_AT_ONCE: Final = 20  # that are looked at, for those that no other process works on
FINDING_AGAIN_S: Final = 60.0  # after a finding that our own fault kept from being made; twice as long each time
PREPARE_AGAIN_S: Final = 600.0  # after a package that could not be prepared, for example because the disk was full
AGAIN_MAX_S: Final = 4 * 3600.0
FINDING_TRIES: Final = 12  # about a day; then it stays as it is, and is told as never looked up
log = logging.getLogger(__name__)


class Stopped(Exception):
    """The service ends, or a check takes too long."""


class _Progress:
    """Notes how far a check is, and ends it when it has to end."""

    def __init__(self, engine: Engine, key: int, stopping: threading.Event) -> None:
        self._engine, self._key, self._stopping = engine, key, stopping
        self._began = time.monotonic()
        self._noted = self._began - PROGRESS_S

    def done(self, number: int, total: int) -> None:
        """Note that some runs are over.

        Raises:
            Stopped: the check is to end.
        """
        self.require_time()
        now = time.monotonic()
        if now - self._noted >= PROGRESS_S:
            self._noted = now
            self._note(number, total)

    def note_preparing(self, runs: int) -> None:
        """Note that every run is over, and what findings need is being made."""
        self._note(runs, runs)

    def is_over(self) -> bool:
        """Whether the service ends, or the check takes too long."""
        return self._stopping.is_set() or time.monotonic() - self._began > CHECK_S

    def require_time(self) -> None:
        """Make sure that the check may go on.

        Raises:
            Stopped: it may not.
        """
        if self.is_over():
            raise Stopped

    def _note(self, number: int, total: int) -> None:
        with write_session(self._engine) as session:
            package_queries.set_check(session, self._key, done=number, total=total)


class Background:
    """A thread that does what waits in the database."""

    def __init__(self, engine: Engine, pool: Pool, cache: CaseCache, packages: Packages, dispatch: Dispatch) -> None:
        """Take the service's parts.

        Args:
            dispatch: has a submission judged anew that lost its result.
        """
        self._engine, self._pool, self._cache, self._packages = engine, pool, cache, packages
        self._dispatch = dispatch
        self._unprepared: deque[Package] = deque()
        self._packages_again = Retries[int](PREPARE_AGAIN_S, AGAIN_MAX_S)
        self._findings_again = Retries[int](FINDING_AGAIN_S, AGAIN_MAX_S)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="background", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop; what is not done waits for the next start."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(STOP_S)

    def _work(self) -> None:
        self.remember_unprepared()
        while not self._stopping.is_set():
            pause = 0.0
            try:
                pause = 0.0 if self.turn() else IDLE_S
            except Exception:
                if not self._stopping.is_set():
                    log.exception("work in the background failed; it is tried again")
                pause = BROKEN_S
            self._stopping.wait(pause)

    @property
    def is_stopping(self) -> bool:
        """Whether nothing more should be begun."""
        return self._stopping.is_set()

    def is_waiting(self, session: Session) -> bool:
        """Whether there is anything to do that is not put off here."""
        return any(_waiting(session, 1)) or bool(self._findings_due(session, self._packages_due(session), 1))

    def turn(self) -> bool:
        """Do one thing that waits; return whether there was any."""
        with read_session(self._engine) as session:
            checks, moves, items = _waiting(session, ITEMS_AT_ONCE)
        return (
            self._first(PackageCheck, checks, self._check)
            or self._first(Rejudge, moves, self._move)
            or self._first(RejudgeItem, items, self._judge)
            or self._first(Submission, self._findings_ready(), self._find_again)
            or self._prepare_one()
        )

    def _first(self, table: type[Base], keys: Sequence[int], do: Callable[[int], object]) -> bool:
        """Do the first of several things that no other process is doing; return whether there was one."""
        for key in keys:
            with claimed(self._engine, table, key) as is_mine:
                if is_mine:
                    do(key)
                    return True
        return False

    def _move(self, key: int) -> None:
        rejudge_work.move(self._engine, key, self._dispatch, datetime.now(UTC))

    def _judge(self, key: int) -> None:
        with self._pool.lane() as lane:
            graded = rejudge_work.judge_item(self._engine, key, lane, self._cache, self._packages)
        # the sandbox goes away when the service stops; that says nothing of the source
        if graded is not None and not (self._stopping.is_set() and graded.judgement.verdict is Verdict.JE):
            rejudge_work.write_item(self._engine, key, graded, datetime.now(UTC))

    def _findings_ready(self) -> Sequence[int]:
        """Return the keys of some findings that are made again, and have the packages of the others prepared first."""
        with read_session(self._engine) as session:
            due = self._packages_due(session)
            ready = [package for package in due if self._is_ready(session, package)]
            missing = [package for package in due if package not in ready]
            waiting = {package.id for package in self._unprepared}
            self._unprepared.extendleft(package for package in missing if package.id not in waiting)
            return self._findings_due(session, ready, ITEMS_AT_ONCE)

    def _packages_due(self, session: Session) -> Sequence[Package]:
        return finding_queries.packages_due(session, self._packages_again.paused())

    def _findings_due(self, session: Session, packages: Sequence[Package], limit: int) -> Sequence[int]:
        paused = self._findings_again.paused()
        keys = finding_queries.findings_due(session, [package.id for package in packages], limit + len(paused))
        return [key for key in keys if key not in paused][:limit]

    def _is_ready(self, session: Session, package: Package) -> bool:
        try:
            return is_prepared(self._packages.pinned(session, package), self._cache)
        except InvalidPackage:
            return True  # nothing will ever be looked up with it: its findings stay, and are no longer due

    def _find_again(self, key: int) -> None:
        with self._pool.lane() as lane:
            found = findings.find_again(self._engine, key, lane, self._cache, self._packages)
        if found is not None and found.is_lost:
            if self._stopping.is_set() or self._findings_again.failed(key) < FINDING_TRIES:
                return  # it stays due
            log.error("the finding of submission %d could not be made again; it stays as it is", key)
        self._findings_again.forget(key)
        if found is not None:
            findings.write(self._engine, key, found)

    def _check(self, key: int) -> None:
        with read_session(self._engine) as session:
            check = package_queries.check_to_make(session, key)
            if check is None:
                return
            package = check.package
            try:
                files = self._packages.pinned(session, package).files
            except InvalidPackage as error:
                files, report = None, Report(package.slug, error.findings)
        if files is not None:
            report = self._report(key, files)
        if self._stopping.is_set():
            return
        with write_session(self._engine) as session:
            now, is_accepted = datetime.now(UTC), not report.findings
            text = pack(report).decode()
            if package_queries.set_check(session, key, checked_at=now, is_accepted=is_accepted, report=text):
                subject = f"package {package.sha256[:12]}"
                audit.record(session, None, "package.check", subject, now, slug=package.slug, accepted=is_accepted)

    def _report(self, key: int, files: PackageFiles) -> Report:
        """Check a package; of one in which nothing is found, make what findings need, so that it is there at once."""
        slug, progress = files.slug, _Progress(self._engine, key, self._stopping)
        try:
            report = check_package(files, self._pool, self._cache, progress.done, at_once=1)
            if not report.findings:
                progress.note_preparing(len(report.sources))
                prepare(load(files), self._pool.lane, self._cache, progress.is_over)
                progress.require_time()
            return report
        except InvalidPackage as error:
            return Report(slug, error.findings)
        except Stopped:
            return Report(slug, (f"{slug}: the check took over {CHECK_S / 60:g} minutes; leave sources or cases out.",))
        except Exception as error:
            log.exception("the check of the package %s failed", slug)
            kind = type(error).__name__
            return Report(slug, (f"{slug}: the check broke off on our side ({kind}); check it again.",))

    def remember_unprepared(self) -> None:
        """Have the uploaded packages that are in use prepared, a few turns later."""
        try:
            with read_session(self._engine) as session:
                self._unprepared.extend(package_queries.in_use(session))
        except Exception:
            log.exception("the uploaded packages could not be prepared")

    def _prepare_one(self) -> bool:
        """Make ahead what findings need of an uploaded package, as judging does for the offered ones."""
        if not self._unprepared:
            return False
        package = self._unprepared.popleft()
        try:
            with read_session(self._engine) as session:
                problem = self._packages.pinned(session, package)
            if not is_prepared(problem, self._cache):
                prepare(problem, self._pool.lane, self._cache, self._stopping.is_set)
        except InvalidPackage as error:  # which stays so
            log.warning("the package %s cannot be prepared; its findings stay: %s", package.slug, error)
            self._packages_again.failed(package.id)  # for the findings of later submissions
            with write_session(self._engine) as session:
                finding_queries.leave_findings(session, package.id)
        except Exception as error:
            if not self._stopping.is_set():
                log.warning("the package %s could not be prepared; it is tried again: %s", package.slug, error)
                self._packages_again.failed(package.id)
        else:
            self._packages_again.forget(package.id)
        return True


def _waiting(session: Session, items: int) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Return the keys of checks, of rejudges to be moved, and of some items to be judged."""
    return (
        package_queries.unchecked(session),
        rejudge_moves.rejudges_to_move(session),
        rejudge_moves.items_to_judge(session, items),
    )
