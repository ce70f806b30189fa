"""The web application on a fresh database and the tiny package; submissions wait until a test judges them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine

from grader.services.packages import Packages
from grader.store.migrate import upgrade
from grader.store.session import make_engine
from grader.web.app import WebSettings, create_app
from tests.services.tiny_package import write_package
from tests.web.browsing import Browser

KEY = b"k" * 32


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    url = f"sqlite:///{tmp_path / 'data' / 'grader.sqlite3'}"
    upgrade(url)
    engine = make_engine(url)
    yield engine
    engine.dispose()


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    root = tmp_path / "problems"
    write_package(root)
    return root


@pytest.fixture
def app(engine: Engine, problems: Path) -> Flask:
    app = create_app(WebSettings(KEY), engine, Packages(problems), lambda session, submission: None)
    app.testing = False
    app.config["PROPAGATE_EXCEPTIONS"] = False
    return app


@pytest.fixture
def ada(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def eve(app: Flask) -> Browser:
    return Browser(app)


def attempt_in(path: str) -> str:
    found = re.fullmatch(r"/attempts/([a-z2-7]{12}).*", path)
    assert found, path
    return found[1]
