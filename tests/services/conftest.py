"""A database of either kind and a folder of packages for each test of the services."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from grader.services.packages import Packages
from tests.services.tiny_package import write_package
from tests.store.conftest import database_url, postgres_server, standing_place, upgraded_database, upgraded_file
from tests.store.emptied import empty, to_be_emptied
from tests.store.engines import at_one_address, kept_engine

__all__ = ["database_url", "postgres_server", "standing_place", "upgraded_database", "upgraded_file"]


@pytest.fixture
def sqlite_url(upgraded_file: Path, standing_place: Path, tmp_path: Path) -> str:
    """The address of a test's own upgraded file."""
    shutil.copy(upgraded_file, tmp_path)
    return at_one_address(tmp_path / upgraded_file.name, standing_place)


@pytest.fixture
def postgres_url(postgres_server: str, upgraded_database: str) -> str:
    """The address of an upgraded database that holds nothing."""
    url = to_be_emptied(postgres_server, upgraded_database)
    empty(url)
    return url


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    with kept_engine(database_url) as engine:
        yield engine


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    root = tmp_path / "problems"
    write_package(root)
    return root


@pytest.fixture
def packages(problems: Path) -> Packages:
    return Packages(problems)
