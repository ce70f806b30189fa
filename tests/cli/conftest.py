"""The command line in a folder of the test's own; cases are generated once in a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Command


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all commands share."""
    folder = tmp_path_factory.mktemp("cache")
    folder.chmod(0o700)
    return folder


@pytest.fixture
def command(tmp_path: Path, warm_cache: Path) -> Command:
    """The command in an empty folder."""
    (tmp_path / "home").mkdir()
    return Command(tmp_path, warm_cache)
