"""A test client that behaves like a browser: it keeps cookies, and posts the token of the page before."""

from __future__ import annotations

import io
import re

from flask import Flask
from sqlalchemy import Engine, select
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from grader.grading.verdict import Judgement
from grader.services.judging import write_result
from grader.store.models import Submission
from grader.store.session import read_session
from tests.services.made import after
from tests.services.tiny_package import SLUG


class Browser:
    """One browser with its cookies."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()
        self.attempt = ""

    def get(self, path: str, **options: object) -> TestResponse:
        return self.client.get(path, **options)

    def text(self, path: str) -> str:
        reply = self.get(path)
        assert reply.status_code == 200, (path, reply.status_code)
        return reply.get_data(as_text=True)

    def token(self) -> str:
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.text("/"))
        assert found
        return found[1]

    def post(self, path: str, **fields: object) -> TestResponse:
        return self.client.post(path, data={"csrf_token": self.token(), **fields})

    def start(self, name: str = "Ada", variant: str = "only") -> str:
        reply = self.post(f"/problems/{SLUG}/attempts", name=name, variant=variant)
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


def judge_last(engine: Engine, judgement: Judgement) -> None:
    """Give the newest submission a judgement."""
    with read_session(engine) as session:
        key = session.scalars(select(Submission.id).order_by(Submission.id.desc()).limit(1)).one()
    assert write_result(engine, key, judgement, after(5))


def sources(engine: Engine) -> list[bytes]:
    with read_session(engine) as session:
        return list(session.scalars(select(Submission.source).order_by(Submission.id)))
