"""A worker's life: takes jobs until it is told to end, shows that it lives, and outlasts a restart of the database."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import psycopg
from procrastinate import App
from procrastinate.exceptions import ConnectorException

from grader.workers.dispatch import UPKEEP

HEARTBEAT_S: Final = 2.0
FORGOTTEN_S: Final = 60.0  # a worker that went away is listed no longer than this
POLL_S: Final = 2.0  # for jobs whose notification was missed
PAUSE_S: Final = 1.0  # before the next try, while the database is away
UPKEEP_JOBS: Final = 2  # at a time, beside those that judge: upkeep never waits for a judgement
log = logging.getLogger(__name__)


def run(
    make: Callable[[], App], jobs: int, queues: Sequence[str], alive: Path | None, on_stop: Callable[[], None]
) -> None:
    """Take jobs until SIGTERM or SIGINT; what is under way then is finished, the rest is left for others.

    A second signal ends the process where it stands, for a database that does not answer lets nothing be finished;
    another worker does again what was under way.

    Args:
        make: returns the engine with its tasks; a new one after each loss of the database.
        jobs: how many rows are judged at a time.
        queues: those to take jobs from.
        alive: a file that is touched every other second while the database answers.
        on_stop: called at the signal; ends what would take long.
    """
    asyncio.run(_run(make, jobs, queues, alive, on_stop))


async def _run(
    make: Callable[[], App], jobs: int, queues: Sequence[str], alive: Path | None, on_stop: Callable[[], None]
) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    # the loop's own executor has as many threads as the machine pleases
    loop.set_default_executor(ThreadPoolExecutor(jobs + UPKEEP_JOBS, thread_name_prefix="judging"))

    def stop(number: int) -> None:
        if stopping.is_set():
            log.warning("ending at once; another worker does again what was under way")
            os._exit(128 + number)  # threads that wait for the database would keep the process
        stopping.set()
        log.warning("finishing what is under way; once more ends at once")
        on_stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    while not stopping.is_set():
        try:
            async with make().open_async() as app:
                await _until_stopped(app, jobs, queues, alive, stopping)
        except (ConnectorException, psycopg.Error) as error:
            log.error("the database does not answer (%s); it is tried again", error.__cause__ or error)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), PAUSE_S)


async def _until_stopped(
    app: App, jobs: int, queues: Sequence[str], alive: Path | None, stopping: asyncio.Event
) -> None:
    """Take jobs until told to end, or until the connection is lost."""
    taking: list[asyncio.Task[None]] = [
        asyncio.create_task(_take(app, queues, jobs)),
        asyncio.create_task(_take(app, [UPKEEP], UPKEEP_JOBS)),
    ]
    told = asyncio.create_task(stopping.wait())
    showing = asyncio.create_task(_show_life(app, alive))
    try:
        await asyncio.wait({*taking, told}, return_when=asyncio.FIRST_COMPLETED)
        for task in taking:
            task.cancel()  # which lets the jobs under way end
        ended = await asyncio.gather(*taking, return_exceptions=True)
    finally:
        told.cancel()
        showing.cancel()
        await asyncio.gather(told, showing, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception):  # being cancelled is none
            raise error


async def _take(app: App, queues: Sequence[str], jobs: int) -> None:
    await app.run_worker_async(
        queues=queues,
        concurrency=jobs,
        fetch_job_polling_interval=POLL_S,
        update_heartbeat_interval=HEARTBEAT_S,
        stalled_worker_timeout=FORGOTTEN_S,
        delete_jobs="successful",
        install_signal_handlers=False,  # ours end what is around it as well
    )


async def _show_life(app: App, alive: Path | None) -> None:
    while alive is not None:
        with contextlib.suppress(ConnectorException):
            await app.check_connection_async()
            alive.touch()
        await asyncio.sleep(HEARTBEAT_S)
