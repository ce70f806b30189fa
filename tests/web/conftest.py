"""The web application on a fresh database and the tiny package, where submissions wait until a test judges them.

And a real browser on the whole service, once in a module.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import sync_playwright
from sqlalchemy import Engine

from grader.services.packages import Packages
from grader.services.samples import SampleView
from grader.store.session import make_engine
from grader.web.app import WebSettings, create_app
from grader.web.service import Service
from tests.services.made import cheap_passwords
from tests.services.tiny_package import write_package
from tests.store.conftest import upgraded_file
from tests.web.browsing import Browser
from tests.web.calling import Program
from tests.web.serving import serving
from tests.web.visits import Visit

__all__ = ["upgraded_file"]
KEY = b"k" * 32


@pytest.fixture
def database(upgraded_file: Path, tmp_path: Path) -> str:
    """The address of a test's own upgraded file."""
    (tmp_path / "data").mkdir(mode=0o700)
    return f"sqlite:///{shutil.copy(upgraded_file, tmp_path / 'data')}"


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    engine = make_engine(database)
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
    return Service(
        engine,
        Packages(problems),
        lambda session, submission: None,
        lambda problem: [sample],
        passwords=cheap_passwords(),
    )


@pytest.fixture
def ada(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def eve(app: Flask) -> Browser:
    return Browser(app, "Eve")


@pytest.fixture
def anonymous(app: Flask) -> Browser:
    return Browser(app, None)


@pytest.fixture
def ada_program(app: Flask) -> Program:
    return Program(app)


@pytest.fixture
def eve_program(app: Flask) -> Program:
    return Program(app, "Eve")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, chromium: Chromium) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("service")) as address:
        yield address


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def scripts(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def visit(chromium: Chromium, base: str, scripts: bool) -> Iterator[Visit]:
    visit = Visit(chromium, base, java_script_enabled=scripts)
    yield visit
    visit.context.close()
    assert visit.trouble == []


@pytest.fixture
def scripted(chromium: Chromium, base: str) -> Iterator[Visit]:
    visit = Visit(chromium, base)
    yield visit
    visit.context.close()
    assert visit.trouble == []
