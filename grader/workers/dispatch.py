"""How a row reaches the workers: its job is stored by the transaction that stores the row, or neither is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from procrastinate import App, PsycopgConnector
from procrastinate.jobs import JobDeferrer
from procrastinate.types import JSONDict
from sqlalchemy import text
from sqlalchemy.orm import Session

from grader import __version__
from grader.services.judged_rows import Row
from grader.services.judging import Job
from grader.store import batch_queries
from grader.store.conninfo import conninfo_of
from grader.store.models import EvidenceRecord, SampleRun, Submission

INTERACTIVE: Final = "interactive"  # somebody waits at a page
BATCH: Final = "batch"  # batches, checks of packages, rejudging
UPKEEP: Final = "upkeep"  # of the queue itself
QUEUES: Final = (INTERACTIVE, BATCH)  # those that a worker may be told to leave out
_PRIORITIES: Final[Mapping[str, int]] = {INTERACTIVE: 10, BATCH: 0}
JUDGE: Final = "grader.judge"
CHUNK: Final = "grader.judge_chunk"
WORK: Final = "grader.work"
TABLES: Final[Mapping[str, type[Row]]] = {
    "submission": Submission,
    "sample_run": SampleRun,
    "evidence_record": EvidenceRecord,
}
_NAMES: Final = {table: name for name, table in TABLES.items()}
LIVE_S: Final = 10.0  # a worker that lives shows it more often
CONNECTIONS_MAX: Final = 4  # of a worker's engine; its sessions have others
POOL_WAIT_S: Final = 10.0  # for a connection, while the database restarts


def make_app(database_url: str) -> App:
    """Return an engine of tasks on a database, with no tasks yet; it connects when it is opened."""
    conninfo = conninfo_of(database_url)
    return App(connector=PsycopgConnector(conninfo=conninfo, timeout=POOL_WAIT_S, min_size=1, max_size=CONNECTIONS_MAX))


class Deferring:
    """Stores jobs; called by web processes, and by workers for what they find waiting."""

    def __init__(self, database_url: str) -> None:
        self._app = make_app(database_url)  # never opened: jobs go through the sessions' connections

    def dispatch(self, session: Session, row: Row) -> None:
        """Have a row judged once the session's transaction is committed, never before and never without."""
        session.flush()
        self.judge(session, [(type(row), row.id)])

    def judge(self, session: Session, jobs: Iterable[Job]) -> None:
        """Store a job for each of several rows."""
        kwargs: list[JSONDict] = [{"table": _NAMES[table], "key": key, "version": __version__} for table, key in jobs]
        if kwargs:
            self._configured(session, JUDGE, INTERACTIVE).batch_defer(*kwargs)

    def chunks(self, session: Session, run: int, chunks: Sequence[Sequence[int]], in_s: int = 0) -> None:
        """Store a job for each of several chunks of a batch's sources, to be begun in so many seconds."""
        kwargs: list[JSONDict] = [{"run": run, "keys": list(keys), "version": __version__} for keys in chunks if keys]
        if kwargs:
            self._configured(session, CHUNK, BATCH, in_s).batch_defer(*kwargs)

    def drop_chunks(self, session: Session, run: int) -> None:
        """Remove the jobs of a batch that are not begun."""
        statement = text(
            "DELETE FROM procrastinate_jobs "
            "WHERE task_name = :task AND status = 'todo' AND (args->>'run')::bigint = :run"
        )
        session.execute(statement, {"task": CHUNK, "run": run})

    def chunks_under_way(self, session: Session, run: int | None = None) -> int:
        """Return how many jobs of a batch, or of all batches, are under way at workers that show that they live."""
        statement = text(
            "SELECT count(*) FROM procrastinate_jobs JOIN procrastinate_workers "
            "ON procrastinate_workers.id = procrastinate_jobs.worker_id "
            "WHERE task_name = :task AND status = 'doing' "
            "AND (CAST(:run AS bigint) IS NULL OR (args->>'run')::bigint = :run) "
            "AND last_heartbeat > now() - make_interval(secs => :seconds)"
        )
        return int(session.execute(statement, {"task": CHUNK, "run": run, "seconds": LIVE_S}).scalar_one())

    def workers(self, session: Session) -> int:
        """Return how many workers show that they live."""
        statement = text(
            "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - make_interval(secs => :seconds)"
        )
        return int(session.execute(statement, {"seconds": LIVE_S}).scalar_one())

    def tried(self, session: Session, run: int) -> tuple[int, int]:
        """Return how many jobs of a batch a worker has looked at, and how many of these it has left for another."""
        statement = text(
            "SELECT count(*), count(*) FILTER (WHERE status = 'todo' AND attempts > 0) FROM procrastinate_jobs "
            "WHERE task_name = :task AND (status <> 'todo' OR attempts > 0 OR scheduled_at IS NOT NULL) "
            "AND (args->>'run')::bigint = :run"  # one that waits for its package to be prepared is a new, later one
        )
        begun, left = session.execute(statement, {"task": CHUNK, "run": run}).one()
        return int(begun), int(left)

    def work(self, session: Session) -> None:
        """Store the job of doing what waits and nobody waits for."""
        self._configured(session, WORK, BATCH).defer(version=__version__)

    def _configured(self, session: Session, task: str, queue: str, in_s: int = 0) -> JobDeferrer:
        connection = session.connection().connection.driver_connection
        later: Any = {"schedule_at": batch_queries.clock(session) + timedelta(seconds=in_s)} if in_s else {}
        return self._app.configure_task(task, queue=queue, priority=_PRIORITIES[queue], connection=connection, **later)


def jobs_without(session: Session, jobs: Iterable[Job]) -> list[Job]:
    """Return which of several rows have no job that waits or is under way."""
    wanted = list(jobs)
    if not wanted:
        return []
    live = session.execute(
        text(
            "SELECT args->>'table', (args->>'key')::int FROM procrastinate_jobs "
            "WHERE task_name = :task AND status IN ('todo', 'doing')"
        ),
        {"task": JUDGE},
    )
    known = {(TABLES[name], key) for name, key in live if name in TABLES}
    return [job for job in wanted if job not in known]


def chunks_without(session: Session, sources: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Return, by run, the keys of a batch's sources that no job will judge."""
    wanted = list(sources)
    if not wanted:
        return {}
    live = session.scalars(
        text(
            "SELECT jsonb_array_elements(args->'keys')::bigint FROM procrastinate_jobs "
            "WHERE task_name = :task AND status IN ('todo', 'doing')"
        ),
        {"task": CHUNK},
    )
    known, found = set(live), dict[int, list[int]]()
    for run, key in wanted:
        if key not in known:
            found.setdefault(run, []).append(key)
    return found


def is_work_stored(session: Session) -> bool:
    """Whether the job of doing what waits is stored and not begun."""
    statement = text("SELECT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE task_name = :task AND status = 'todo')")
    return bool(session.execute(statement, {"task": WORK}).scalar_one())
