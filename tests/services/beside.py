"""What is asked for while another transaction holds what it needs, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.store.session import write_session
from tests.processes import wait_until

DONE = "done"


def is_held_up(engine: Engine) -> bool:
    """Whether somebody waits for what another transaction has locked; in SQLite nobody gets so far."""
    return engine.dialect.name == "sqlite" or number_held_up(engine) > 0


def number_held_up(engine: Engine) -> int:
    """Return how many wait for what another transaction has locked."""
    waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    with engine.connect() as connection:
        return connection.scalar(text(waiting)) or 0


def in_turn(engine: Engine, hold: Callable[[Session], object], *calls: Callable[[], object]) -> list[str]:
    """Begin calls one after the other while a transaction holds something, and let it end then.

    Each call begins when the one before it is done or waits. SQLite has one writer at a time, so there each begins when
    the one before it is done.

    Returns:
        What came of each: "done", or the name of what refused it. What is none of our refusals is raised.
    """
    if engine.dialect.name == "sqlite":
        with write_session(engine) as session:
            hold(session)
        return [outcome(call) for call in calls]
    with ThreadPoolExecutor(len(calls)) as threads:
        with write_session(engine) as session:
            hold(session)
            session.flush()
            begun = []
            for call in calls:
                before = number_held_up(engine)
                begun.append(threads.submit(outcome, call))
                assert wait_until(lambda: begun[-1].done() or number_held_up(engine) > before, 30)  # noqa: B023
        return [each.result() for each in begun]


def outcome(call: Callable[[], object]) -> str:
    """Return what comes of a call."""
    try:
        call()
    except UserError as refused:
        return type(refused).__name__
    return DONE
