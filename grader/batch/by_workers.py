"""A batch that workers judge: sources go into the database, results come back, a window of them at a time."""

from __future__ import annotations

import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from grader import __version__
from grader.batch.disk import Halted
from grader.batch.jobs import Jobs
from grader.batch.patience import Left, Patience
from grader.batch.submissions import Submission, Unreadable, read_submission
from grader.batch.worker import Outcome
from grader.errors import InvalidPackage
from grader.grading.judge import Depth
from grader.grading.judge_run import not_judged
from grader.grading.recorded import Recorded
from grader.grading.verdict import Reason
from grader.problems.files import read_folder
from grader.problems.loader import load
from grader.services.packages import Packages
from grader.store import batch_queries
from grader.store.batch_models import BatchSource
from grader.store.session import read_session, write_session

CHUNK: Final = 8  # sources of one job
WAITING_MAX: Final = 512  # sources that wait in the database at a time; memory does not grow with the batch
WAITING_BYTES: Final = 64 << 20
COLLECTED: Final = 100  # results taken at a time
POLL_S: Final = (0.05, 0.5)  # between two looks for results, shortest and longest
SEEN_S: Final = 5.0  # between two signs of life
PATIENCE_S: Final = 5.0  # without a result, before it is said why
END_S: Final = 3.0  # that forgetting a run may take; whatever is left of it workers forget


@dataclass
class _State:
    """What a run has in the database."""

    run: int
    ordinal: int = 0  # of the last source
    waiting: dict[int, tuple[Submission, int]] = field(default_factory=dict)  # with the size, by ordinal
    received: list[int] = field(default_factory=list)  # keys of rows whose results are handed on; they may go
    seen: float = 0.0

    def begin_anew(self, run: int) -> None:
        """Go on as another run, of which nothing is stored yet."""
        self.run, self.waiting, self.received, self.seen = run, {}, [], 0.0

    @property
    def is_full(self) -> bool:
        """Whether more would be too much."""
        return len(self.waiting) >= WAITING_MAX or sum(size for _, size in self.waiting.values()) >= WAITING_BYTES


class _RunGone(Exception):
    """The workers have taken this command for gone, while the database was away."""


class ByWorkers:
    """A run over submissions, judged by workers. `stop` lets what runs finish and hands nothing more over."""

    def __init__(
        self,
        engine: Engine,
        jobs: Jobs,
        root: Path,
        depth: Depth = "full",
        evidence: bool = False,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Take the database of the workers and their queue.

        Args:
            root: folder of the packages.
            evidence: have records made of what is not accepted.
            tell: is given a sentence when nothing goes on.
        """
        self._engine, self._jobs, self._root, self._tell = engine, jobs, root, tell
        self._depth, self._evidence = depth, evidence
        self._stopped = False
        self._patience = Patience(tell, lambda: self._stopped)
        self._package_keys: dict[str, int | Recorded] = {}  # by slug

    def stop(self) -> None:
        """Hand over no further submission; may be called by a signal's handler."""
        self._stopped = True

    def outcomes(self, submissions: Sequence[Submission]) -> Iterator[Outcome]:
        """Yield each submission's outcome once, in the order in which they are ready.

        Raises:
            Halted: the database does not come back.
        """
        if not submissions or self._stopped:
            return
        with contextlib.suppress(Left):  # what is not taken out is judged again when the command goes on
            state = _State(self._begin())
            try:
                yield from self._judged(deque(submissions), state)
            finally:
                if not self._patience.is_away:
                    with contextlib.suppress(DBAPIError, Left, Halted):
                        self._patience.do(lambda: self._end(state.run), END_S)

    def _judged(self, todo: deque[Submission], state: _State) -> Iterator[Outcome]:
        pause, progress, is_told = POLL_S[0], time.monotonic(), False
        while (todo and not self._stopped) or state.waiting:
            is_over = self._stopped and self._nothing_runs(state)  # asked before the last results are taken
            try:
                yield from self._hand_over(todo, state)
                outcomes = self._collect(state)
            except _RunGone:
                todo.extendleft(submission for submission, _ in state.waiting.values())
                state.begin_anew(self._begin())
                continue
            yield from outcomes
            if outcomes:
                pause, progress, is_told = POLL_S[0], time.monotonic(), False
            elif is_over:
                return
            else:
                if time.monotonic() - progress > PATIENCE_S:
                    self._have_again(todo, state)
                    is_told = is_told or self._explain(state.run)
                    progress = time.monotonic()
                time.sleep(pause)
                pause = min(2 * pause, POLL_S[1])

    def close(self) -> None:
        """Let go of what asks the database."""
        self._patience.close()

    def _begin(self) -> int:
        """Store a run; its key is there before it, so that one that an earlier try has stored is known."""

        def free() -> int:
            with write_session(self._engine) as session:
                return batch_queries.free_run(session)

        key = self._patience.do(free)

        def store() -> None:
            with write_session(self._engine) as session:
                batch_queries.add_run(session, key, self._depth, self._evidence)

        self._patience.do(store)
        return key

    def _end(self, run: int) -> None:
        with write_session(self._engine) as session:
            self._jobs.drop_chunks(session, run)
            batch_queries.remove_run(session, run)

    def _hand_over(self, todo: deque[Submission], state: _State) -> Iterator[Outcome]:
        """Store as much as there is room for; yield the outcomes of what needs no worker."""
        rows: list[BatchSource] = []
        while todo and not self._stopped and not state.is_full:
            submission = todo.popleft()
            try:
                source = read_submission(submission)
            except Unreadable as error:
                yield Outcome(submission, None, str(error))
                continue
            package = self._package(submission.problem, source)
            if isinstance(package, Recorded):
                yield Outcome.of(submission, package)
                continue
            state.ordinal += 1
            state.waiting[state.ordinal] = submission, len(source)
            rows.append(BatchSource(batch_run_id=state.run, ordinal=state.ordinal, package_id=package, source=source))
        if rows:
            by_ordinal = {row.ordinal: row for row in rows}
            self._patience.do(lambda: self._store(state.run, by_ordinal))

    def _store(self, run: int, rows: Mapping[int, BatchSource]) -> None:
        """Store rows with their jobs; those that an earlier try has stored are not stored again."""
        with write_session(self._engine) as session:
            _see(session, run)
            new = batch_queries.missing(session, run, rows.keys())
            copies = [_copy(row) for ordinal, row in rows.items() if ordinal in new]
            keys = batch_queries.add_sources(session, copies)
            self._jobs.chunks(session, run, [keys[i : i + CHUNK] for i in range(0, len(keys), CHUNK)])

    def _package(self, slug: str, source: bytes) -> int | Recorded:
        """Return the key of a problem's package, or what a source gets from one that cannot be read."""
        if slug not in self._package_keys:
            self._package_keys[slug] = self._patience.do(lambda: self._remember(slug))
        found = self._package_keys[slug]
        if isinstance(found, int):
            return found
        return Recorded.of(not_judged(slug, source, Reason.INVALID_PACKAGE, found.trouble))

    def _remember(self, slug: str) -> int | Recorded:
        try:
            problem = load(read_folder(self._root / slug))
        except InvalidPackage as error:
            return Recorded.of(not_judged(slug, b"", Reason.INVALID_PACKAGE, error.message))
        with write_session(self._engine) as session:
            return Packages(self._root).remember(session, problem, datetime.now(UTC)).id

    def _collect(self, state: _State) -> list[Outcome]:
        """Return results that the database holds, and show that this command lives."""
        is_seen = time.monotonic() - state.seen > SEEN_S
        rows = self._patience.do(lambda: self._take(state, is_seen))
        if is_seen:
            state.seen = time.monotonic()
        state.received = [row.id for row in rows]
        outcomes = []
        for row in rows:
            submission, _ = state.waiting.pop(row.ordinal)
            value = {"candidate": submission.candidate, **json.loads(row.result or "{}")}
            outcomes.append(Outcome(submission, value, row.trouble or "", row.evidence))
        return outcomes

    def _take(self, state: _State, is_seen: bool) -> list[BatchSource]:
        """Remove the rows that were received before, and read others: these stay until their results are here."""
        with write_session(self._engine) as session:
            if is_seen:
                _see(session, state.run)
            if state.received:
                batch_queries.remove_sources(session, state.received)
            rows = batch_queries.judged(session, state.run, COLLECTED)
            session.expunge_all()
        return rows

    def _have_again(self, todo: deque[Submission], state: _State) -> None:
        """Take back what the database has lost, as one does whose copy takes over: nobody would ever judge it."""

        def lost() -> set[int]:
            with read_session(self._engine) as session:
                return batch_queries.missing(session, state.run, state.waiting.keys())

        todo.extendleft(state.waiting.pop(ordinal)[0] for ordinal in self._patience.do(lost))

    def _nothing_runs(self, state: _State) -> bool:
        """Take back what no worker has begun; return whether nothing else is left."""

        def under_way() -> int:
            with write_session(self._engine) as session:
                self._jobs.drop_chunks(session, state.run)
                return self._jobs.chunks_under_way(session, state.run)

        return self._patience.do(under_way) == 0

    def _explain(self, run: int) -> bool:
        """Say why nothing comes, where that is known; return whether it was said."""

        def asked() -> tuple[int, int, int, int]:
            with read_session(self._engine) as session:
                busy = self._jobs.chunks_under_way(session)
                return self._jobs.workers(session), busy, *self._jobs.tried(session, run)

        live, busy, tried, left = self._patience.do(asked)
        if self._patience.is_just_back:
            return False  # workers look for it as this command did, and then for what they had begun
        if live == 0:
            self._tell("No worker is there to judge; start one with: grader worker")
        elif tried == 0 and busy:
            self._tell("The workers are busy with another batch; this one waits for its turn.")
        elif tried == 0:
            self._tell(
                "No worker takes batches: those there are leave them out, or have no time for them; "
                "start one with: grader worker --queues batch"
            )
        elif tried == left:
            self._tell(
                f"No worker takes batches of this release, {__version__}, or their logs say why; "
                "start one of it with: grader worker"
            )
        else:
            return False  # its package is being prepared, or it is being judged
        return True


def _see(session: Session, run: int) -> None:
    """Show that the command of a run lives, and keep the run while the session lasts."""
    if not batch_queries.see(session, run, batch_queries.clock(session)):
        raise _RunGone


def _copy(row: BatchSource) -> BatchSource:
    """Return a row that no session knows; one of a transaction that failed is of no use."""
    return BatchSource(batch_run_id=row.batch_run_id, ordinal=row.ordinal, package_id=row.package_id, source=row.source)
