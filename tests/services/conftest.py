"""A database and a folder of packages for each test of the services."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from grader.services.packages import Packages
from grader.store.migrate import upgrade
from grader.store.session import make_engine
from tests.services.tiny_package import write_package


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
def packages(problems: Path) -> Packages:
    return Packages(problems)
