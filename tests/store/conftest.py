"""Databases for tests: a fresh SQLite file each, one PostgreSQL server, and what is upgraded once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from grader.store.migrate import upgrade
from grader.store.session import make_engine
from tests.store.engines import upgraded_once
from tests.store.postgres import find_binaries, running_server
from tests.workers.databases import fresh


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'grader.sqlite3'}"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with running_server(binaries) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    engine = make_engine(postgres_server)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return postgres_server


@pytest.fixture(scope="session")
def upgraded_file() -> Path:
    """A SQLite database that is upgraded once, to be copied for each test: migrating takes longer than most tests."""
    return upgraded_once()


@pytest.fixture(scope="session")
def standing_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the folder of each test's own SQLite file is to be found."""
    return tmp_path_factory.mktemp("standing") / "data"


@pytest.fixture(scope="session")
def upgraded_database(postgres_server: str) -> str:
    """The address of a PostgreSQL database that is upgraded once, to be emptied for each test."""
    url = fresh(postgres_server, "upgraded")
    upgrade(url)
    return url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.services)])
def database_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url
