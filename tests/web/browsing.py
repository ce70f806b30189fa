"""A test client that behaves like a browser: it keeps cookies, and posts the token of the page before."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Final

from flask import Flask
from sqlalchemy import Engine, select, text
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from grader.grading.verdict import Judgement
from grader.services import accounts
from grader.services.judged_rows import write_result
from grader.store.base import Base
from grader.store.models import Submission
from grader.store.session import read_session, write_session
from tests.services.made import NOON, after, cheap_passwords
from tests.services.tiny_package import SLUG

PASSWORD: Final = "seven quiet otters"
PASSWORD_HASH: Final = cheap_passwords().hash(PASSWORD)


class Browser:
    """One browser with its cookies, in which a user is signed in, made when there is none of that name."""

    def __init__(self, app: Flask, name: str | None = "Ada") -> None:
        self.client = app.test_client()
        self.attempt = ""
        if name is not None:
            make_user(app.extensions["grader"].engine, name)
            assert self.sign_in(name).status_code == 303

    def sign_in(self, name: str, password: str = PASSWORD, **fields: object) -> TestResponse:
        return self.post("/sign-in", name=name, password=password, **fields)

    def get(self, path: str, **options: object) -> TestResponse:
        return self.client.get(path, **options)

    def text(self, path: str) -> str:
        reply = self.get(path)
        assert reply.status_code == 200, (path, reply.status_code)
        return reply.get_data(as_text=True)

    def token(self) -> str:
        found = re.search(
            r'name="csrf_token" value="([^"]+)"', self.get("/no-such-page").get_data(as_text=True)
        )  # a short one
        assert found
        return found[1]

    def post(self, path: str, **fields: object) -> TestResponse:
        return self.client.post(path, data={"csrf_token": self.token(), **fields})

    def start(self, variant: str = "only") -> str:
        reply = self.post(f"/problems/{SLUG}/attempts", variant=variant)
        assert reply.status_code == 303, reply.get_data(as_text=True)
        self.attempt = reply.location
        return self.attempt

    def submit(self, source: str = "x = 1\n") -> TestResponse:
        return self.post(f"{self.attempt}/submissions", source=source)

    def submit_file(self, source: bytes) -> TestResponse:
        # encoded here: the client's own encoding of a large body leaves a temporary file open
        fields = {"csrf_token": self.token(), "source": "ignored", "file": FileStorage(io.BytesIO(source), "mine.py")}
        boundary, body = encode_multipart(fields)
        kind = f"multipart/form-data; boundary={boundary}"
        return self.client.post(f"{self.attempt}/submissions", data=body, content_type=kind)


def make_user(engine: Engine, name: str) -> None:
    """Make a user whose password is `PASSWORD`, unless there is one."""
    with write_session(engine) as session, contextlib.suppress(accounts.NameTaken):
        accounts.add(session, name, PASSWORD_HASH, NOON)


def cookie(browser: Browser) -> str:
    """Return the token that a browser is known by."""
    found = browser.client.get_cookie("grader")
    assert found is not None
    return found.value


def with_cookie(app: Flask, value: str) -> Browser:
    """Return a browser that holds somebody's token."""
    browser = Browser(app, None)
    browser.client.set_cookie("grader", value)
    return browser


def is_signed_in(browser: Browser) -> bool:
    """Whether a browser gets to an account."""
    return browser.get("/me").status_code == 200


def dump(engine: Engine) -> str:
    """Return everything that is stored, as one text."""
    with read_session(engine) as session:
        return "".join(str(session.execute(text(f'SELECT * FROM "{name}"')).all()) for name in Base.metadata.tables)


def judge_last(engine: Engine, judgement: Judgement) -> None:
    """Give the newest submission a judgement."""
    with read_session(engine) as session:
        key = session.scalars(select(Submission.id).order_by(Submission.id.desc()).limit(1)).one()
    assert write_result(engine, key, judgement, after(5))


def sources(engine: Engine) -> list[bytes]:
    with read_session(engine) as session:
        return list(session.scalars(select(Submission.source).order_by(Submission.id)))
