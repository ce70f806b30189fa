"""What a command says of a database that works and had to prefer somebody else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from grader.cli.database import clear_errors
from grader.errors import UserError
from grader.store.address import shown_address
from grader.store.models import User
from grader.store.session import make_engine, write_session
from tests.processes import wait_until
from tests.services.beside import is_held_up
from tests.services.made import make_candidate
from tests.store.conftest import postgres_server, upgraded_database, upgraded_file

__all__ = ["postgres_server", "upgraded_database", "upgraded_file"]
AGAIN = "Somebody else was at work on the same in the database {}, so nothing was changed; run the command again."


def lock_in_turn(engine: Engine, keys: list[int], patience: str, between: Callable[[], object]) -> None:
    with write_session(engine) as session:
        session.execute(text(f"set local deadlock_timeout = '{patience}'"))
        for key in keys:
            session.get_one(User, key, with_for_update=True)
            between()


@pytest.mark.services
def test_a_circle_of_waiting_is_no_fault_of_the_database(upgraded_database: str) -> None:
    engine = make_engine(upgraded_database)
    one, other = (make_candidate(engine).id for _ in range(2))
    others: list[Future[None]] = []

    def close_the_circle() -> None:
        others.append(threads.submit(lock_in_turn, engine, [other, one], "10min", lambda: None))
        assert wait_until(lambda: is_held_up(engine), 30)

    with ThreadPoolExecutor(1) as threads, pytest.raises(UserError) as refused, clear_errors(upgraded_database):
        lock_in_turn(engine, [one, other], "100ms", close_the_circle)
    assert others[0].result() is None
    engine.dispose()
    assert refused.value.message == AGAIN.format(shown_address(upgraded_database))


def test_a_file_that_another_writer_holds_is_no_fault_of_the_database(upgraded_file: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{shutil.copy(upgraded_file, tmp_path)}"
    engine, other = make_engine(url, 0.1), make_engine(url)
    with write_session(other) as session:
        session.execute(text("delete from user_account"))
        with pytest.raises(UserError) as refused, clear_errors(url):
            make_candidate(engine)
    engine.dispose()
    other.dispose()
    assert refused.value.message == AGAIN.format(url)
