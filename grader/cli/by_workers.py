"""How batch and rejudge have workers judge: their database, looked at before anything is written or handed over."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader.batch.disk import Halted
from grader.cli.judging import warn
from grader.errors import UserError
from grader.grading.judge import Depth

if TYPE_CHECKING:
    from grader.batch.by_workers import ByWorkers

START_S: Final = 30.0  # that the first look at the database may take


def require_workers_database(url: str) -> None:
    """Make sure that a database is one that workers take jobs from.

    Raises:
        UserError: the database is none that has workers, cannot be reached, is not upgraded or takes no batch.
    """
    from grader.batch.patience import Patience
    from grader.cli.database import clear_errors
    from grader.store.address import read_address, shown_address

    if read_address(url).get_backend_name() != "postgresql":
        raise UserError("Workers need PostgreSQL; write --database postgresql://HOST/NAME.")
    remedy = "name another with --database"
    try:
        with closing(Patience(warn)) as patience, clear_errors(url, remedy):
            may_store = patience.once(lambda: _may_store(url), START_S)
    except Halted:
        raise UserError(f"The database {shown_address(url)} does not answer; make it usable, or {remedy}.") from None
    if not may_store:
        raise UserError(
            f"The database {shown_address(url)} takes no batch from this user (a worker's role, or a copy that is only "
            "read); name the user of the web service with --database."
        )


def _may_store(url: str) -> bool:
    """Return whether the database takes a batch.

    Raises:
        UserError: it is not upgraded.
    """
    from grader.store import batch_queries, migrate
    from grader.store.address import shown_address, to_be_completed
    from grader.store.session import make_engine, read_session

    upgrade = f"GRADER_DATABASE_URL={shlex.quote(shown_address(url))} grader db upgrade"
    migrate.require_newest(url, f"{upgrade}{to_be_completed(url)}")
    engine = make_engine(url)
    try:
        with read_session(engine) as session:
            return batch_queries.may_store(session)
    finally:
        engine.dispose()


@contextmanager
def workers_of(url: str, problems: Path, depth: Depth, evidence: bool) -> Iterator[ByWorkers]:
    """Give what has the workers of a database judge.

    Raises:
        UserError: Procrastinate is missing.
    """
    from grader.store.session import make_engine

    try:
        from grader.batch.by_workers import ByWorkers
        from grader.workers.dispatch import Deferring
    except ModuleNotFoundError:
        raise UserError("Workers need Procrastinate; install it with: pip install 'grader[postgres]'") from None
    engine = make_engine(url)
    try:
        with closing(ByWorkers(engine, Deferring(url), problems, depth, evidence, warn)) as workers:
            yield workers
    finally:
        engine.dispose()
