"""grader worker."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import click

from grader.cli.database import clear_errors
from grader.cli.judging import require_sandbox
from grader.config import Settings, read_settings
from grader.errors import UserError

QUEUES = ("interactive", "batch")
log = logging.getLogger(__name__)


def _queues(context: click.Context, parameter: click.Parameter, value: str) -> list[str]:
    found = [name.strip() for name in value.split(",") if name.strip()]
    if not found or set(found) - set(QUEUES):
        raise click.BadParameter(f"{value!a} names no queue; write {', '.join(QUEUES)} or one of them.")
    return found


@click.command("worker", short_help="Judge for web processes that leave it to workers.")
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="How many are judged at a time; by default one for each core."
)
@click.option("--queues", default=",".join(QUEUES), show_default=True, callback=_queues, help="What to take jobs from.")
@click.option(
    "--alive",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to touch every other second, for a health check.",
)
def worker_command(jobs: int | None, queues: list[str], alive: Path | None) -> None:
    """Judge what web processes with GRADER_JUDGING=workers take in; TERM lets what is under way end."""
    settings = read_settings()
    if settings.database_url.startswith("sqlite"):
        raise UserError("Workers need PostgreSQL; set GRADER_DATABASE_URL to postgresql://HOST/NAME.")
    from grader.store import migrate
    from grader.web import json_log

    with clear_errors(settings.database_url):
        migrate.require_newest(settings.database_url)
    require_sandbox(settings)
    json_log.set_up()
    logging.getLogger("procrastinate").setLevel(logging.WARNING)
    _work(settings, jobs, queues, alive)


def _tell(verdict: str, seconds: float) -> None:
    log.info("judged %s in %.3f s", verdict, seconds)


def _work(settings: Settings, jobs: int | None, queues: list[str], alive: Path | None) -> None:
    from grader.problems.cache import CaseCache
    from grader.sandbox.pool import Pool
    from grader.services.background import Background
    from grader.services.judging import Judging
    from grader.services.packages import Packages
    from grader.store.session import make_engine

    try:
        from grader.workers.dispatch import Deferring, make_app
        from grader.workers.run import run
        from grader.workers.tasks import Parts, add_tasks
    except ModuleNotFoundError:
        raise UserError("Workers need Procrastinate; install it with: pip install 'grader[postgres]'") from None
    engine = make_engine(settings.database_url)
    deferring, packages = Deferring(settings.database_url), Packages(settings.problems)
    cache = CaseCache(settings.cache, log.warning)
    with Pool(jobs, settings.allow_weak_sandbox) as pool:
        pool.start()
        judging = Judging(engine, pool, cache, packages, _tell)
        background = Background(engine, pool, cache, packages, deferring.dispatch)
        parts = Parts(engine, judging, background, deferring)
        threading.Thread(target=judging.prepare, name="preparing", daemon=True).start()
        background.remember_unprepared()
        click.echo(f"Judging {pool.size} at a time, from {' and '.join(queues)} (TERM ends it).", err=True)
        try:
            run(lambda: add_tasks(make_app(settings.database_url), parts), pool.size, queues, alive, background.close)
        finally:
            judging.close()
            engine.dispose()
