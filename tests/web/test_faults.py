"""What is refused while the service cannot keep up or its database takes nothing: told, and never acknowledged."""

from __future__ import annotations

import contextlib
import functools
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from flask import Flask
from sqlalchemy import Engine, event
from sqlalchemy.exc import OperationalError
from werkzeug.test import TestResponse

from grader.grading.verdict import Verdict
from grader.services import attempts, load
from grader.store.session import make_engine
from tests.processes import wait_until
from tests.services.made import make_judgement
from tests.services.tiny_package import RIGHT, SLUG, write_package
from tests.store.engines import kept_engine
from tests.web.browsing import Browser, judge_last, sources
from tests.web.serving import serving
from tests.web.visitor import Visitor

BUSY_S = 0.2


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    with kept_engine(database, BUSY_S) as engine:
        yield engine


def assert_refused(reply: TestResponse, sentence: str, status: int = 503) -> str:
    """The page says so, says when to try again, and still holds the text."""
    page = reply.get_data(as_text=True)
    assert reply.status_code == status, page
    assert int(reply.headers["Retry-After"]) > 0
    assert "Not handed in." in page
    assert sentence in page
    assert "keep_me = 1" in page
    return page


def test_a_long_queue_takes_no_more(
    ada: Browser, eve: Browser, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "WAITING_MAX", 2)
    ada.start()
    eve.start()
    assert [ada.submit().status_code, eve.submit().status_code] == [303, 303]
    assert_refused(ada.submit("keep_me = 1\n"), "Too many submissions wait to be graded right now")
    assert len(sources(engine)) == 2
    judge_last(engine, make_judgement(Verdict.WA))
    assert ada.submit("keep_me = 1\n").status_code == 303


def test_a_queue_that_stands_still_takes_no_more(ada: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    ada.start()
    ada.submit()
    monkeypatch.setattr(load, "OLDEST_MAX_S", -1.0)
    assert_refused(ada.submit("keep_me = 1\n"), "Too many submissions wait")


def test_the_samples_are_not_run_while_the_queue_is_long(
    ada: Browser, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.start()
    monkeypatch.setattr(load, "WAITING_MAX", 0)
    reply = ada.post(f"{ada.attempt}/sample-runs", source="x = 1\n")
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "10")
    assert "Too many submissions wait" in reply.get_data(as_text=True)


def test_one_candidate_does_not_fill_the_queue(ada: Browser, eve: Browser) -> None:
    ada.start()
    eve.start()
    for _ in range(attempts.WAITING_MAX):
        assert ada.submit().status_code == 303
    assert_refused(ada.submit("keep_me = 1\n"), "are still being graded; wait for one of them", 429)
    assert eve.submit().status_code == 303


def test_a_database_that_another_writes_to_takes_nothing_and_is_read_all_the_same(
    ada: Browser, engine: Engine, tmp_path: Path
) -> None:
    ada.start()
    ada.submit("x = 0\n")
    with closing(sqlite3.connect(tmp_path / "data" / "grader.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert_refused(ada.submit("keep_me = 1\n"), "The database takes nothing at this moment")
        for path in ("/", ada.attempt, f"{ada.attempt}/submissions/1", "/lesson"):
            assert ada.get(path).status_code == 200
        for path in (f"{ada.attempt}/give-up", f"{ada.attempt}/draft", f"/problems/{SLUG}/attempts"):
            reply = ada.post(path, source="x", variant="other")
            assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
            assert "so nothing was stored" in reply.get_data(as_text=True)
        other.execute("ROLLBACK")
    assert sources(engine) == [b"x = 0\n"]
    assert ada.submit("keep_me = 1\n").status_code == 303


def test_a_full_disk_takes_nothing_and_is_read_all_the_same(ada: Browser, engine: Engine) -> None:
    def fill(connection: Any, record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")

    ada.start()
    event.listen(engine, "connect", fill)
    engine.dispose()
    taken = 0
    while (reply := ada.submit(f"keep_me = 1\n{'#' * 3000}")).status_code == 303:
        taken += 1
        judge_last_if_possible(engine)
    assert_refused(reply, "The database takes nothing at this moment")
    assert len(sources(engine)) == taken
    assert ada.get(ada.attempt).status_code == 200
    event.remove(engine, "connect", fill)
    engine.dispose()
    assert ada.submit("keep_me = 1\n").status_code == 303


def judge_last_if_possible(engine: Engine) -> None:
    """Keep the candidate's own bound away; the disk may be too full for it."""
    with contextlib.suppress(OperationalError):
        judge_last(engine, make_judgement(Verdict.AC))


def test_a_database_that_is_gone_is_told_on_every_page(
    app: Flask, ada: Browser, engine: Engine, tmp_path: Path
) -> None:
    ada.start()
    engine.dispose()
    database = tmp_path / "data" / "grader.sqlite3"
    for file in database.parent.glob("grader.sqlite3*"):
        file.unlink()
    database.mkdir()
    for path in ("/", ada.attempt, f"{ada.attempt}/submissions/1"):
        reply = ada.get(path)
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5"), path
        assert "The database does not answer." in reply.get_data(as_text=True)
    assert Browser(app, None).get("/lesson").status_code == 200  # it needs none


def is_accepted(visitor: Visitor, page: str) -> bool:
    return "Accepted" in visitor.open(page)[1]


@pytest.mark.long
@pytest.mark.sandbox
def test_on_a_disk_that_fills_up_nothing_that_was_acknowledged_is_lost(tmp_path: Path) -> None:
    write_package(tmp_path / "problems")
    limit = 3_000_000  # bytes of any file, the database's log among them

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    acknowledged = 0
    source = RIGHT + b"#" * 100_000
    with serving(tmp_path / "run", tmp_path / "problems", preexec=bound) as base:
        visitor = Visitor(base)
        for _ in range(40):
            with contextlib.suppress(HTTPError):
                page = visitor.submit(source)
                acknowledged += 1
                wait_until(functools.partial(is_accepted, visitor, page), 3)
    with serving(tmp_path / "run", tmp_path / "problems"):
        engine = make_engine(f"sqlite:///{tmp_path / 'run' / 'data' / 'grader.sqlite3'}")
        assert len(sources(engine)) == acknowledged
        engine.dispose()
    assert 3 < acknowledged < 40
    assert "Traceback" not in (tmp_path / "run" / "server.log").read_text()
