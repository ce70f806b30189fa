"""How batch has workers judge: their database, looked at before anything is handed over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from grader.cli.judging import warn
from grader.errors import UserError
from grader.grading.judge import Depth

if TYPE_CHECKING:
    from grader.batch.by_workers import ByWorkers


@contextmanager
def workers_of(url: str, problems: Path, depth: Depth, evidence: bool) -> Iterator[ByWorkers]:
    """Give what has the workers of a database judge.

    Raises:
        UserError: the database is none that has workers, cannot be reached or is not upgraded.
    """
    from grader.cli.database import clear_errors
    from grader.store import migrate
    from grader.store.session import make_engine

    engine = make_engine(url)
    try:
        if engine.dialect.name != "postgresql":
            raise UserError("Workers need PostgreSQL; write --database postgresql://HOST/NAME.")
        with clear_errors(url):
            migrate.require_newest(url)
        try:
            from grader.batch.by_workers import ByWorkers
            from grader.workers.dispatch import Deferring
        except ModuleNotFoundError:
            raise UserError("Workers need Procrastinate; install it with: pip install 'grader[postgres]'") from None
        yield ByWorkers(engine, Deferring(url), problems, depth, evidence, warn)
    finally:
        engine.dispose()


def without_password(url: str) -> str:
    """Return an address as a terminal may show it."""
    from sqlalchemy.engine import make_url

    return make_url(url).render_as_string(hide_password=True)
