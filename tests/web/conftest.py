"""The web application on a fresh database and the tiny package, where submissions wait until a test judges them.

And a real browser on the whole service, once in a module.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Final

import pytest
from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import sync_playwright
from sqlalchemy import Engine
from werkzeug.routing import Rule

from grader.services.packages import Packages
from grader.services.samples import SampleView
from grader.web.app import WebSettings, create_app
from grader.web.service import Service
from tests.services.made import cheap_passwords
from tests.services.tiny_package import write_package
from tests.store.conftest import standing_place, upgraded_file
from tests.store.engines import at_one_address, kept_engine
from tests.web.browsing import Browser
from tests.web.calling import Program
from tests.web.serving import serving
from tests.web.visits import Visit

__all__ = ["standing_place", "upgraded_file"]
KEY = b"k" * 32


class CompiledOnce(BytecodeCache):
    """Keeps compiled templates for all applications of this process; compiling takes longer than most tests."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if found := self._codes.get((bucket.key, bucket.checksum)):
            bucket.code = found

    def dump_bytecode(self, bucket: Bucket) -> None:
        assert bucket.code
        self._codes[bucket.key, bucket.checksum] = bucket.code


class BuiltOnce(Rule):
    """A route; what writes its addresses is compiled once for all applications of this process, as templates are."""

    _written: Final[dict[object, Callable[..., tuple[str, str]]]] = {}

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        key = (self.rule, tuple(self._trace), repr(self.defaults), append_unknown)  # all that it is made from
        if key not in self._written:
            self._written[key] = super()._compile_builder(append_unknown)
        return self._written[key]


Flask.jinja_options = {"bytecode_cache": CompiledOnce()}
Flask.url_rule_class = BuiltOnce


@pytest.fixture
def database(upgraded_file: Path, standing_place: Path, tmp_path: Path) -> str:
    """The address of a test's own upgraded file."""
    (tmp_path / "data").mkdir(mode=0o700)
    shutil.copy(upgraded_file, tmp_path / "data")
    return at_one_address(tmp_path / "data" / upgraded_file.name, standing_place)


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    with kept_engine(database) as engine:
        yield engine


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
