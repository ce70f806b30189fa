"""What a line of the log holds, and that no secret of a request ever gets there."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError

from grader.grading.verdict import Verdict
from grader.store.models import User
from grader.store.session import write_session
from grader.web.json_log import JsonFormatter
from tests.services.made import NOON, make_judgement
from tests.services.tiny_package import SLUG
from tests.web.browsing import PASSWORD, Browser, judge_last

KEYS = {"time", "level", "logger", "message"}


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What the whole program logs, down to the least important."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())
    root, own = logging.getLogger(), logging.getLogger("grader")
    before = root.level, own.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    own.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(before[0])
    own.setLevel(before[1])


def records(lines: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def requests(lines: io.StringIO) -> list[dict[str, Any]]:
    return [record for record in records(lines) if record["message"] == "request"]


def logged(text: str, *arguments: object) -> tuple[str, dict[str, Any]]:
    """One line, as written and as read, by a logger apart: what pytest keeps of a log has to be UTF-8."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())
    logger = logging.Logger("grader.test")
    logger.addHandler(handler)
    logger.warning(text, *arguments)
    return written.getvalue(), json.loads(written.getvalue())


def test_a_line_says_when_how_bad_where_and_what() -> None:
    _, line = logged("%d of %s", 3, "five")
    assert set(line) == KEYS
    assert (line["level"], line["logger"], line["message"]) == ("warning", "grader.test", "3 of five")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])


@pytest.mark.parametrize("text", ["a\r\nb", "\x1b[31mred", "\u202eback", "\u2028", "\0", "\ud800"], ids=ascii)
def test_what_comes_from_outside_stays_in_its_line(text: str) -> None:
    written, line = logged("got %s", text)
    assert written.count("\n") == 1
    assert written.rstrip("\n").isprintable()
    assert written.isascii()
    assert ascii(line["message"]) == ascii(f"got {text}")


def test_what_comes_from_outside_is_cut() -> None:
    _, line = logged("got %s and %s", "x" * 10_000, "y")
    assert line["message"] == f"got {'x' * 255}\u2026 and y"


def test_an_error_is_told_without_values(lines: io.StringIO) -> None:
    def fail(canary: str) -> None:
        try:
            int("no number")
        except ValueError as error:
            raise RuntimeError("x" * 1000) from error

    try:
        fail("canary value")
    except RuntimeError:
        logging.getLogger("grader.test").exception("it failed")
    line = records(lines)[-1]
    assert [error["kind"] for error in line["errors"]] == ["RuntimeError", "ValueError"]
    assert len(line["errors"][0]["message"]) == 256
    assert re.search(r"test_json_log\.py:\d+ fail$", line["errors"][0]["frames"][-1])
    assert "canary" not in lines.getvalue()


def test_the_database_hides_what_it_was_given(engine: Engine) -> None:
    def add() -> None:
        with write_session(engine) as session:
            session.add(User(name="canary name", name_key="same", created_at=NOON))

    add()
    with pytest.raises(IntegrityError) as refused:
        add()
    assert "canary" not in str(refused.value)


def test_a_request_is_one_line_by_its_route(ada: Browser, lines: io.StringIO) -> None:
    reply = ada.get(f"/problems/{SLUG}?canary=1")
    line = requests(lines)[-1]
    assert line["request_id"] == reply.headers["X-Request-ID"]
    assert set(line) == KEYS | {"request_id", "method", "route", "status", "ms", "user"}
    assert (line["level"], line["method"], line["route"], line["status"]) == ("info", "GET", "/problems/<slug>", 200)
    assert re.fullmatch(r"[a-z2-7]{12}", line["user"])
    assert 0 < line["ms"] < 60_000


def test_who_is_nobody_has_no_name_and_an_unknown_page_no_route(anonymous: Browser, lines: io.StringIO) -> None:
    anonymous.client.open("/canary", method="CANARY", headers={"X-Request-ID": "canary", "User-Agent": "canary"})
    line = requests(lines)[-1]
    assert (line["method"], line["route"], line["status"]) == ("other", "none", 400)
    assert "user" not in line
    assert "canary" not in lines.getvalue().lower()


def test_what_machines_ask_is_not_worth_a_line(anonymous: Browser, lines: io.StringIO) -> None:
    for path in ("/healthz", "/readyz", "/metrics", "/static/grader.css"):
        anonymous.get(path).close()
    assert {line["level"] for line in requests(lines)} == {"debug"}


def test_no_secret_of_a_request_is_logged(app: Flask, engine: Engine, lines: io.StringIO) -> None:
    @app.get("/lesson/broken")
    def broken() -> str:
        raise RuntimeError("something of ours")

    browser = Browser(app, "Ada Canary")
    secrets = {PASSWORD, "canary", "Canary"}
    secrets |= {cookie.value for cookie in (browser.client._cookies or {}).values()}
    browser.start()
    for source in ("canary = 1\n", "canary = 2\n"):
        browser.submit(source)
        judge_last(engine, make_judgement(Verdict.WA))
    browser.submit_file(b"canary\0" * 1000)
    browser.post(f"{browser.attempt}/draft", source="canary draft")
    browser.post(f"{browser.attempt}/give-up")
    browser.post(f"{browser.attempt}/answers/first", answer="canary answer, which is long enough")
    browser.post("/theme", theme="canary", next="/canary?canary")
    browser.post("/nowhere/canary", canary="canary")
    browser.get("/lesson/broken?canary=1", headers={"Cookie": "canary=1", "User-Agent": "canary"})
    secrets.add(browser.token())
    browser.post("/sign-out")
    browser.sign_in("Ada Canary", "canary password")
    Browser(app, None).post("/sign-up", name="Canary again", password="canary password 2")
    engine.dispose()
    written = lines.getvalue()
    assert "something of ours" in written
    assert len(requests(lines)) > 20
    assert not [secret for secret in secrets if secret in written]
