"""A database of either kind and a folder of packages for each test of the services."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from grader.services.packages import Packages
from grader.store.migrate import upgrade
from grader.store.session import make_engine
from tests.services.tiny_package import write_package
from tests.store.conftest import database_url, postgres_server, postgres_url, sqlite_url

__all__ = ["database_url", "postgres_server", "postgres_url", "sqlite_url"]


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    upgrade(database_url)
    engine = make_engine(database_url)
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
