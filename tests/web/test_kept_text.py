"""No NUL and nothing too long gets as far as the database, through no door, on SQLite and PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, func, select, text

from grader.store.interview_models import IdempotentReply
from grader.store.session import read_session
from grader.web.service import service
from tests.services.conftest import database_url, engine, postgres_url, sqlite_url, standing_place
from tests.store.conftest import postgres_server, upgraded_database
from tests.web.browsing import Browser, dump, sources
from tests.web.calling import Program, problem_of
from tests.web.test_interviews import browse_as
from tests.web.test_routes import filled, page_routes, routes
from tests.web.world import FIELDS

__all__ = [
    "database_url",
    "engine",
    "postgres_server",
    "postgres_url",
    "sqlite_url",
    "standing_place",
    "upgraded_database",
]
ATTEMPT: Final = "/attempts/aaaaaaaaaaaa"
LONG: Final = "a" * 300
KEYED: Final = ("/submissions", "/extend", "/clone", "/rejudges", "/invite")  # what keeps an answer for a key
VERSIONS: Final = f"{'a' * 64} {'b' * 64}"


@pytest.fixture
def root(app: Flask, engine: Engine) -> Browser:
    """Who may do everything."""
    return browse_as(app, engine, "Root", is_admin=True)


def with_each_part(app: Flask, word: str) -> Iterator[tuple[str, str]]:
    """Yield every route with a word in each of its variable parts, as method and address."""
    for method, rule in routes(app):
        for part in re.findall(r"<[^>]+>", rule):
            yield method, filled(rule.replace(part, word), ATTEMPT)


def ask(browser: Browser, program: Program, method: str, path: str, **fields: str) -> int:
    if path.startswith("/api/v1"):
        headers = {"Idempotency-Key": "k" * 20}
        return program.call(method, path.removeprefix("/api/v1"), json={"source": "x"}, headers=headers).status_code
    reply = browser.post(path, **fields) if method == "POST" else browser.get(path)
    reply.close()
    return reply.status_code


@pytest.mark.parametrize("word", ["%00", "a%00b"])
def test_nothing_has_a_nul_in_its_address(app: Flask, root: Browser, ada_program: Program, word: str) -> None:
    asked = list(with_each_part(app, word))
    assert len(asked) > 60
    answered = {(method, path): ask(root, ada_program, method, path) for method, path in asked}
    assert answered == dict.fromkeys(asked, 404)


def test_a_nul_in_a_query_is_told(app: Flask, root: Browser, ada_program: Program) -> None:
    for path in [filled(rule, ATTEMPT) for method, rule in routes(app) if method == "GET"]:
        for query in ("q=%00", "interview=a%00b", "%00=x"):
            assert ask(root, ada_program, "GET", f"{path}?{query}") == 400, (path, query)
    assert "The address holds a NUL" in root.get("/admin/users?q=%00").text


def test_a_nul_in_a_form_is_told_and_nothing_stored(app: Flask, engine: Engine, root: Browser) -> None:
    before = dump(engine)
    for path in [filled(rule, ATTEMPT) for method, rule in page_routes(app) if method == "POST"]:
        for field in ("other", "any\0"):
            assert root.post(path, **{field: "a\0b"}).status_code == 400, (path, field)
    assert dump(engine) == before
    assert "A field of this form holds a NUL" in root.post("/me/name", other="a\0b").text


def test_a_source_may_hold_anything(ada: Browser, engine: Engine) -> None:
    ada.start()
    assert ada.submit("a\0b").status_code == 303
    assert sources(engine) == [b"a\0b"]


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (
            b'{"variant": "a\\u0000b"}',
            (400, "The body holds a NUL, which no text here has; take it out and send it again."),
        ),
        (b'{"variant": "\\ud800"}', (400, "In the body")),
    ],
)
def test_a_nul_in_a_body_is_told(ada_program: Program, body: bytes, answer: tuple[int, str]) -> None:
    reply = ada_program.call("POST", "/problems/twice/attempts", data=body, content_type="application/json")
    status, sentence = problem_of(reply)
    assert (status, sentence[: len(answer[1])]) == answer


def test_a_program_s_source_may_hold_a_nul(ada_program: Program, engine: Engine) -> None:
    ada_program.start()
    assert ada_program.submit("a\0b").status_code == 202
    assert sources(engine) == [b"a\0b"]


def test_nothing_has_a_long_address(app: Flask, engine: Engine, root: Browser, ada_program: Program) -> None:
    fields = {**FIELDS, "versions": VERSIONS, "form_key": "k" * 20}
    for method, path in with_each_part(app, LONG):
        if method == "POST":
            status = ask(root, ada_program, method, path, **fields)
            assert status == 404 if path.endswith(KEYED) else status < 500, (path, status)
    with read_session(engine) as session:
        assert session.scalar(select(func.count()).select_from(IdempotentReply)) == 0


def test_what_the_database_cannot_take_is_no_fault_of_ours(app: Flask, engine: Engine) -> None:
    @app.get("/number")
    def ask_a_number() -> str:
        with read_session(service().engine) as session:
            session.execute(text("SELECT CAST(:number AS integer)"), {"number": "9" * 30})
        return ""

    takes_any = engine.dialect.name == "sqlite"
    assert Browser(app).get("/number").status_code == (200 if takes_any else 400)
