"""A lane for tests that break it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.sandbox.pool import Lane


@pytest.fixture
def own_lane() -> Iterator[Lane]:
    """A lane of one test alone."""
    lane = Lane()
    yield lane
    lane.close()
