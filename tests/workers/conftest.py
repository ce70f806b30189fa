"""An upgraded PostgreSQL and a folder of packages for each test of the workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, make_url

from grader.services.packages import Packages
from grader.store.session import make_engine
from tests.services.tiny_package import write_package
from tests.store.conftest import postgres_server, upgraded_database
from tests.store.conftest import postgres_url as empty_url
from tests.workers.databases import fresh
from tests.workers.working import Worker, Workers

__all__ = ["empty_url", "postgres_server", "upgraded_database"]


@pytest.fixture
def postgres_url(postgres_server: str, upgraded_database: str) -> str:
    """The address of a test's own upgraded database."""
    return fresh(postgres_server, "workers", like=make_url(upgraded_database).database or "")


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    engine = make_engine(postgres_url)
    yield engine
    engine.dispose()


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    root = tmp_path / "problems"
    folder = write_package(root)
    (folder / "stages.py").write_text(
        "def output(x):\n    return x * 2.0\n"
    )  # so that it is prepared once for all tests
    return root


@pytest.fixture
def packages(problems: Path) -> Packages:
    return Packages(problems)


@pytest.fixture
def workers(engine: Engine, postgres_url: str, problems: Path, tmp_path: Path) -> Iterator[Workers]:
    """Starts workers; those that still run are ended after the test."""
    with Workers(postgres_url, problems, tmp_path) as workers:
        yield workers


@pytest.fixture
def worker(workers: Workers) -> Worker:
    """One worker that takes jobs."""
    worker = workers.start()
    worker.wait_until_alive()
    return worker
