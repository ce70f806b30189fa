"""An upgraded PostgreSQL and a folder of packages for each test of the workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from grader.services.packages import Packages
from grader.store.migrate import upgrade
from grader.store.session import make_engine
from tests.services.tiny_package import write_package
from tests.store.conftest import postgres_server, postgres_url
from tests.workers.working import Worker, Workers

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    upgrade(postgres_url)
    engine = make_engine(postgres_url)
    yield engine
    engine.dispose()


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    root = tmp_path / "problems"
    write_package(root)
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
