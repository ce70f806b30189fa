"""The entry of a web server: reads the settings and starts everything, once per process.

The database is brought up to date first; the sandbox's processes and the judging threads belong to the process that
imports this, so a server that forks has to import it after the fork (gunicorn does unless it is told to preload).
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from flask import Flask
from sqlalchemy import Engine

from grader.config import Settings, read_settings, set_variables
from grader.errors import UserError
from grader.problems.cache import CaseCache
from grader.report.weakened import weakness
from grader.sandbox.doctor import got_through
from grader.sandbox.pool import Lane, Pool, SandboxUnavailable
from grader.services import deadline
from grader.services.background import Background
from grader.services.judging import Dispatch, Judging
from grader.services.packages import Packages
from grader.services.polled import Polled
from grader.services.samples import Samples
from grader.services.steady_clock import CLOCK
from grader.store import lock
from grader.store.migrate import upgrade
from grader.store.session import make_engine
from grader.web import json_log
from grader.web.app import WebSettings, create_app
from grader.web.errors import DATABASE_FAILURES
from grader.web.metrics import Metrics
from grader.web.secret_key import secret_key
from grader.web.service import Service

BUSY_S: Final = 5.0  # how long a request waits for another one's write
SWITCH_S: Final = (
    0.001  # a request has to wait this long for a thread that compares numbers; five times less than usual
)
AGAIN_S: Final = 2.0  # before another process tries what this one could not for want of the database or the sandbox
ENDING_S: Final = 30.0  # how long a server that is just ending may keep the database
Wait = Callable[[int, float], None]  # until a submission is judged, or so many seconds
log = logging.getLogger(__name__)


def build(settings: Settings) -> Flask:
    """Return the running application; what it started ends with the process.

    Raises:
        UserError: the data folder or the database cannot be used.
        SandboxUnavailable: this machine has no sandbox, or one that does not hold, so nothing is judged.
    """
    key = secret_key(settings.data)
    held = lock.hold(settings.database_url, ENDING_S)
    if held is not None:
        atexit.register(held.let_go)  # the first one registered is the last one called
    upgrade(settings.database_url)
    engine = make_engine(settings.database_url, BUSY_S)
    pool = Pool(1 if settings.is_judged_by_workers else None, settings.allow_weak_sandbox)  # one, for samples
    pool.start()
    atexit.register(pool.close)
    with pool.lane() as lane:
        is_weakened = _examined(lane)
    packages = Packages(settings.problems)
    cache = CaseCache(settings.cache, log.warning)
    metrics = Metrics()
    metrics.watch(engine, pool)
    if settings.is_judged_by_workers:
        dispatch, wait = _by_workers(settings, engine)
    else:
        dispatch, wait = _judged_here(engine, pool, cache, packages, metrics)
    watch = deadline.Watch(engine, packages, dispatch, CLOCK.now)
    watch.start()
    atexit.register(watch.close)
    service = Service(engine, packages, dispatch, Samples(pool, cache).of, wait=wait, metrics=metrics)
    web = WebSettings(
        key,
        settings.public_url,
        is_weakened,
        is_signup_open=settings.is_signup_open,
        proxies=settings.proxies,
        metrics_token=settings.metrics_token,
        variables=set_variables(),
    )
    return create_app(web, service)


def _judged_here(
    engine: Engine, pool: Pool, cache: CaseCache, packages: Packages, metrics: Metrics
) -> tuple[Dispatch, Wait]:
    """Start judging in this process."""
    judging = Judging(engine, pool, cache, packages, metrics.judging.judged, _keep_for_good)
    judging.start()
    atexit.register(judging.close)  # before the pool: the last one registered is the first one called
    background = Background(engine, pool, cache, packages, judging.dispatch)
    background.start()
    atexit.register(background.close)
    return judging.dispatch, judging.wait


def _by_workers(settings: Settings, engine: Engine) -> tuple[Dispatch, Wait]:
    """Leave judging to the workers; their engine is imported here alone, for most servers do without it."""
    try:
        from grader.workers.dispatch import Deferring
    except ModuleNotFoundError:
        raise UserError("Workers need Procrastinate; install it with: pip install 'grader[postgres]'") from None
    return Deferring(settings.database_url).dispatch, Polled(engine).wait


def _examined(lane: Lane) -> bool:
    """Try the lane's sandbox by a few live canaries; return whether it stands without one of its walls."""
    if through := got_through(lane):
        raise SandboxUnavailable(f"The sandbox does not hold here ({', '.join(through)}); see grader doctor.")
    facts = lane.facts()
    if facts["weakened"]:
        log.warning(weakness(facts["missing"]))
    return bool(facts["weakened"])


def _keep_for_good() -> None:
    """Leave what is there now out of later collections, which would hold every request up for a tenth of a second.

    It is still freed once nothing refers to it; only a ring of such objects would stay.
    """
    gc.collect()
    gc.freeze()


def _build_or_exit() -> Flask:
    json_log.set_up()
    is_worker = _is_gunicorns_worker()
    if is_worker:
        # a terminal's Ctrl-C reaches every process, but stopping is the parent's business: a worker that took both
        # signals at once could lock itself up until it is killed
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.setswitchinterval(SWITCH_S)
    if is_worker and "grader.web.worker" not in sys.modules:  # gunicorn has loaded its worker by now
        log.warning(
            "Slow requests hold threads here, for gunicorn works without this service's settings; "
            "start it by grader serve, or with --config=python:grader.cli.web_server and no other --worker-class."
        )
    try:
        built = build(read_settings())
    except (UserError, SandboxUnavailable) as error:
        if is_worker and isinstance(error, SandboxUnavailable) and _is_replacement():
            raise _to_be_replaced(error) from None
        print(error, file=sys.stderr)
        raise SystemExit(4) from None  # the code by which gunicorn stops and does not try again
    except DATABASE_FAILURES as error:
        if not is_worker:
            raise
        raise _to_be_replaced(error) from None
    _keep_for_good()
    if is_worker:
        atexit.register(_end_in_peace)  # the last one registered is the first one called
    return built


def _to_be_replaced(error: Exception) -> SystemExit:
    """Wait a moment, and return the end of a process that gunicorn then starts anew: what it lacks may come back."""
    log.error("this web process cannot start (%s); another one tries in a moment", getattr(error, "orig", error))
    time.sleep(AGAIN_S)
    return SystemExit(1)


def _is_replacement() -> bool:
    """Whether this process stands in for one that has ended, on a machine where others could start."""
    worker = sys.modules.get("grader.web.worker")
    return worker is not None and worker.Worker.is_replacement


def _is_gunicorns_worker() -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and os.environ.get("SERVER_SOFTWARE", "").startswith("gunicorn/")


def _end_in_peace() -> None:
    """Be told to end once: a second time would leave what the process started with a traceback."""
    for number in (signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


app = _build_or_exit()
