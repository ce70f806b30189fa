"""How a row reaches the workers: its job is stored by the transaction that stores the row, or neither is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from procrastinate import App, PsycopgConnector
from procrastinate.jobs import JobDeferrer
from procrastinate.types import JSONDict
from sqlalchemy import text
from sqlalchemy.orm import Session

from grader import __version__
from grader.services.judging import Job, Row
from grader.store.conninfo import conninfo_of
from grader.store.models import EvidenceRecord, SampleRun, Submission

INTERACTIVE: Final = "interactive"  # somebody waits at a page
BATCH: Final = "batch"  # checks of packages, rejudging
UPKEEP: Final = "upkeep"  # of the queue itself
QUEUES: Final = (INTERACTIVE, BATCH)  # those that a worker may be told to leave out
_PRIORITIES: Final[Mapping[str, int]] = {INTERACTIVE: 10, BATCH: 0}
JUDGE: Final = "grader.judge"
WORK: Final = "grader.work"
TABLES: Final[Mapping[str, type[Row]]] = {
    "submission": Submission,
    "sample_run": SampleRun,
    "evidence_record": EvidenceRecord,
}
_NAMES: Final = {table: name for name, table in TABLES.items()}
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

    def work(self, session: Session) -> None:
        """Store the job of doing what waits and nobody waits for."""
        self._configured(session, WORK, BATCH).defer(version=__version__)

    def _configured(self, session: Session, task: str, queue: str) -> JobDeferrer:
        connection = session.connection().connection.driver_connection
        return self._app.configure_task(task, queue=queue, priority=_PRIORITIES[queue], connection=connection)


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


def is_work_stored(session: Session) -> bool:
    """Whether the job of doing what waits is stored and not begun."""
    statement = text("SELECT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE task_name = :task AND status = 'todo')")
    return bool(session.execute(statement, {"task": WORK}).scalar_one())
