"""The web application on a fresh database and the tiny package; submissions wait until a test judges them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine

from grader.services.packages import Packages
from grader.services.samples import SampleView
from grader.store.migrate import upgrade
from grader.store.session import make_engine
from grader.web.app import WebSettings, create_app
from grader.web.service import Service
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
    app = create_app(WebSettings(KEY), make_service(engine, problems))
    app.testing = False
    app.config["PROPAGATE_EXCEPTIONS"] = False
    return app


def make_service(engine: Engine, problems: Path) -> Service:
    sample = SampleView("sample_format", "y = twice(x)", "x = np.array([1.0])", "y = np.array([2.0])")
    return Service(engine, Packages(problems), lambda session, submission: None, lambda problem: [sample])


@pytest.fixture
def ada(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def eve(app: Flask) -> Browser:
    return Browser(app)
