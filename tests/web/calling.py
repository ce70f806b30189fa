"""A test client that behaves like a program: a token, JSON, no cookies."""

from __future__ import annotations

import json
from typing import Any

from flask import Flask
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from grader.services import tokens
from grader.services.names import name_key
from grader.store import account_queries
from grader.store.session import read_session, write_session
from grader.web.service import now
from tests.services.tiny_package import SLUG
from tests.web.browsing import make_user
from tests.web.test_routes import routes


class Program:
    """A program that calls by a token of one user, made when there is none of that name."""

    def __init__(self, app: Flask, name: str = "Ada", *scopes: str) -> None:
        self.client = app.test_client()
        engine: Engine = app.extensions["grader"].engine
        make_user(engine, name)
        with read_session(engine) as session:
            user = account_queries.user_named(session, name_key(name))
        assert user is not None
        with write_session(engine) as session:
            _, self.token = tokens.make(session, user, "a test", scopes or ("practice",), 90, now())
        self.attempt = ""

    def call(self, method: str, path: str, **options: Any) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        return self.client.open(f"/api/v1{path}", method=method, headers=headers, **options)

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.call("GET", path, **options)

    def post(self, path: str, json: object, **options: Any) -> TestResponse:
        return self.call("POST", path, json=json, **options)

    def told(self, path: str) -> Any:
        return document_of(self.get(path))

    def start(self, variant: str = "only") -> str:
        reply = self.post(f"/problems/{SLUG}/attempts", {"variant": variant})
        assert reply.status_code == 200, reply.get_data(as_text=True)
        self.attempt = f"/attempts/{document_of(reply)['id']}"
        return self.attempt

    def submit(self, source: str = "x = 1\n", key: str | None = None) -> TestResponse:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.post(f"{self.attempt}/submissions", {"source": source}, headers=headers)


def document_of(reply: TestResponse) -> Any:
    return json.loads(reply.data)


def problem_of(reply: TestResponse) -> tuple[int, str]:
    """Return an error's status and sentence, once it is sure that it is a document of its kind."""
    assert reply.content_type == "application/problem+json"
    found = json.loads(reply.data)
    assert found["type"] == "about:blank"
    assert found["status"] == reply.status_code
    assert found["title"]
    return reply.status_code, found["detail"]


def api_routes(app: Flask) -> list[tuple[str, str]]:
    return [(method, rule) for method, rule in routes(app) if rule.startswith("/api/") and "openapi" not in rule]


def practice_routes(app: Flask) -> list[tuple[str, str]]:
    """Return what a token of practice opens; those of interviews need another scope."""
    return [(method, rule) for method, rule in api_routes(app) if "/interviews" not in rule]
