"""grader worker."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.database import clear_errors
from grader.cli.judging import require_sandbox
from grader.cli.whole_number import WholeNumber
from grader.config import Settings, read_settings
from grader.errors import UserError

if TYPE_CHECKING:
    from grader.grading.verdict import Verdict
    from grader.sandbox.pool import Pool
    from grader.services.judging_metrics import JudgingMetrics
    from grader.workers.tasks import Parts

QUEUES = ("interactive", "batch")
log = logging.getLogger(__name__)


def _address(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, int] | None:
    if value is None:
        return None
    host, _, port = value.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise click.BadParameter(f"{value!a} names no port; write PORT or ADDRESS:PORT, for example 9100.")
    return host.strip("[]") or "127.0.0.1", int(port)


def _queues(context: click.Context, parameter: click.Parameter, value: str) -> list[str]:
    found = [name.strip() for name in value.split(",") if name.strip()]
    if not found or set(found) - set(QUEUES):
        raise click.BadParameter(f"{value!a} names no queue; write {', '.join(QUEUES)} or one of them.")
    return found


@click.command("worker", short_help="Judge for web processes that leave it to workers.")
@click.option("--jobs", type=WholeNumber(1, 256), help="How many are judged at a time; by default one for each core.")
@click.option("--queues", default=",".join(QUEUES), show_default=True, callback=_queues, help="What to take jobs from.")
@click.option(
    "--alive",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to touch every other second, for a health check.",
)
@click.option(
    "--metrics",
    metavar="[ADDRESS:]PORT",
    callback=_address,
    help="Where to give figures in Prometheus's format to whoever asks; without an address at 127.0.0.1 alone.",
)
def worker_command(jobs: int | None, queues: list[str], alive: Path | None, metrics: tuple[str, int] | None) -> None:
    """Judge what web processes with GRADER_JUDGING=workers take in; TERM lets what is under way end."""
    settings = read_settings()
    if settings.database_url.startswith("sqlite"):
        raise UserError("Workers need PostgreSQL; set GRADER_DATABASE_URL to postgresql://HOST/NAME.")
    from grader.store import migrate
    from grader.web import json_log

    with clear_errors(settings.database_url):
        migrate.require_newest(settings.database_url)
    json_log.set_up()
    require_sandbox(settings, log.warning)
    logging.getLogger("procrastinate").setLevel(logging.WARNING)
    _work(settings, jobs, queues, alive, metrics)


def _serve(metrics: JudgingMetrics, address: tuple[str, int]) -> None:
    from prometheus_client import start_http_server

    host, port = address
    try:
        start_http_server(port, host, metrics.registry)
    except OSError as error:
        raise UserError(f"{host}:{port} cannot be listened at ({error.strerror}); choose another --metrics.") from None


def _work(
    settings: Settings, jobs: int | None, queues: list[str], alive: Path | None, address: tuple[str, int] | None
) -> None:
    from grader.sandbox.pool import Pool
    from grader.services.judging_metrics import JudgingMetrics

    try:
        from grader.workers.dispatch import make_app
        from grader.workers.run import run
        from grader.workers.tasks import add_tasks
    except ModuleNotFoundError:
        raise UserError("Workers need Procrastinate; install it with: pip install 'grader[postgres]'") from None
    metrics = JudgingMetrics()
    if address is not None:
        _serve(metrics, address)
    with Pool(jobs, settings.allow_weak_sandbox) as pool:
        pool.start()
        metrics.watch(pool)
        parts = _parts(settings, pool, metrics)
        threading.Thread(target=parts.judging.prepare, name="preparing", daemon=True).start()
        parts.background.remember_unprepared()
        click.echo(f"Judging {pool.size} at a time, from {' and '.join(queues)} (TERM ends it).", err=True)

        def stop() -> None:
            parts.batches.stop()
            parts.background.close()

        try:
            run(lambda: add_tasks(make_app(settings.database_url), parts), pool.size, queues, alive, stop)
        finally:
            parts.judging.close()
            parts.engine.dispose()


def _parts(settings: Settings, pool: Pool, metrics: JudgingMetrics) -> Parts:
    """Return what the tasks work with; each verdict goes to the log and to the figures."""
    from grader.problems.cache import CaseCache
    from grader.services.background import Background
    from grader.services.batch_judging import BatchJudging
    from grader.services.judging import Judging
    from grader.services.packages import Packages
    from grader.store.session import make_engine
    from grader.workers.dispatch import Deferring
    from grader.workers.tasks import Parts

    def tell(verdict: Verdict, seconds: float) -> None:
        log.info("judged %s in %.3f s", verdict, seconds)
        metrics.judged(verdict, seconds)

    engine = make_engine(settings.database_url)
    deferring, packages = Deferring(settings.database_url), Packages(settings.problems)
    cache = CaseCache(settings.cache, log.warning)
    return Parts(
        engine,
        Judging(engine, pool, cache, packages, tell),
        Background(engine, pool, cache, packages, deferring.dispatch),
        BatchJudging(engine, pool, cache, packages, tell),
        deferring,
    )
