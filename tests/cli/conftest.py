"""The command line in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Command


@pytest.fixture
def command(tmp_path: Path, cache_folder: Path) -> Command:
    """The command in an empty folder."""
    (tmp_path / "home").mkdir()
    return Command(tmp_path, cache_folder)
